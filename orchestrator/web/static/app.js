// The live part of the pages: everything else works without this file.
// One tab of a browser holds the stream of hints and tells the others; every tab fetches what it shows by itself.

import { spoken } from "./texts.js";
import { Idiomorph } from "./vendor/idiomorph.esm.js";

const RETRY_MS = 1000; // until the next try to reach the server
const BEAT_MS = 5000; // how often the tab with the stream says that it is there
const LOST_MS = 15000; // a visible tab that hears nothing for so long takes the stream over
const SILENT_MS = 20000; // the server says that it is alive every 15 s
const LATE_MS = 1000; // until content that is being fetched is shown as old

const page = {
  connection: document.getElementById("connection"),
  live: document.getElementById("live"),
  log: document.getElementById("log"),
  slug: document.body.dataset.slug,
  title: document.title.replace(/^\(\d+\) /, ""),
};
const policy = globalThis.trustedTypes
  ? trustedTypes.createPolicy("lifecycle", { createHTML: (text) => text })
  : { createHTML: (text) => text };

// The state of the connection, as the header shows it.

let offlineSince = null;
let fetching = 0;

function showState() {
  const element = page.connection;
  if (!element) return;
  let state = "live";
  let words = spoken("live");
  if (offlineSince) {
    state = "offline";
    words = spoken("offline since {0}", offlineSince.toTimeString().slice(0, 5));
  } else if (fetching) {
    state = "late";
    words = spoken("catching up");
  }
  if (element.dataset.state !== state) {
    element.dataset.state = state;
    element.querySelector(".word").textContent = words;
  }
  for (const button of document.querySelectorAll("[data-command]")) button.disabled = state === "offline";
}

function setOffline(yes) {
  if (yes && !offlineSince) offlineSince = new Date();
  if (!yes) offlineSince = null;
  showState();
}

function showWaiting(count) {
  document.title = count ? `(${count}) ${page.title}` : page.title;
  const badge = document.getElementById("waiting");
  if (badge) {
    badge.hidden = !count;
    badge.firstChild.textContent = String(count);
  }
}

// Fetching what the page shows.

let wanted = false;
let busy = false;
let held = null; // a newer state that waits until a form is no longer under edit

function isUnderEdit(root) {
  if (root.contains(document.activeElement) && document.activeElement.matches("input, textarea, select")) return true;
  return [...root.querySelectorAll("input, textarea")].some((field) =>
    field.type === "checkbox" ? field.checked !== field.defaultChecked : field.value !== field.defaultValue,
  );
}

function parsed(text) {
  return new DOMParser().parseFromString(policy.createHTML(text), "text/html").body;
}

async function refresh() {
  wanted = true;
  if (busy || document.hidden) return;
  busy = true;
  while (wanted && !document.hidden) {
    wanted = false;
    const begun = performance.now();
    const late = setTimeout(() => {
      page.live?.classList.add("late");
      fetching += 1;
      showState();
    }, LATE_MS);
    try {
      if (page.live) await refreshLive();
      if (page.log) await refreshLog();
    } catch {
      // the stream finds out whether the server is gone
    }
    clearTimeout(late);
    fetching = 0;
    page.live?.classList.remove("late");
    showState();
    await sleep(performance.now() - begun); // a slow page is not fetched without a pause
  }
  busy = false;
}

async function refreshLive() {
  const address = new URL(page.live.dataset.live, location.href);
  for (const [name, value] of new URLSearchParams(location.search)) {
    if (name !== "done") address.searchParams.set(name, value);
  }
  address.searchParams.set("part", "1");
  const answer = await fetch(address, { headers: { "If-None-Match": page.live.dataset.etag } });
  if (answer.status === 401) location.reload();
  if (answer.status !== 200) return;
  const text = await answer.text();
  page.live.dataset.etag = answer.headers.get("etag");
  if (isUnderEdit(page.live)) {
    held = text;
    document.getElementById("changed").hidden = false;
  } else {
    apply(text);
  }
}

function apply(text) {
  held = null;
  const notice = document.getElementById("changed");
  if (notice) notice.hidden = true;
  Idiomorph.morph(page.live, parsed(text).childNodes, {
    morphStyle: "innerHTML",
    ignoreActiveValue: true,
    callbacks: { beforeAttributeUpdated: (name, node) => !(name === "open" && node.nodeName === "DETAILS") },
  });
  showState();
}

async function refreshLog() {
  const log = page.log;
  if (Number(log.dataset.end) < Number(log.dataset.total)) return; // an older page of it stays what it is
  const answer = await fetch(`${log.dataset.log}?part=1&after=${log.dataset.end}`);
  if (!answer.ok) return;
  const lines = [...parsed(await answer.text()).querySelectorAll("li")];
  if (!lines.length) return;
  const root = document.documentElement;
  const follows = root.scrollHeight - root.scrollTop - root.clientHeight < 80;
  log.append(...lines);
  const last = lines.at(-1).id.slice(1);
  log.dataset.end = last;
  log.dataset.total = last;
  const more = document.getElementById("log-more");
  if (follows) {
    root.scrollTop = root.scrollHeight;
  } else {
    more.dataset.count = String(Number(more.dataset.count || 0) + lines.length);
    more.textContent = spoken("{0} new", more.dataset.count);
    more.hidden = false;
  }
  wanted = true; // there may be more than one answer holds
}

// The stream of hints: read by one tab of the browser, passed on to the others.

const channel = "BroadcastChannel" in globalThis ? new BroadcastChannel("lifecycle") : null;
let lastHeard = performance.now();

function sleep(milliseconds) {
  return new Promise((done) => setTimeout(done, milliseconds));
}

function heard(hint) {
  lastHeard = performance.now();
  if (hint.type === "down") return setOffline(true);
  if (hint.type === "beat") return setOffline(hint.down);
  setOffline(false);
  if (hint.waiting !== undefined) showWaiting(hint.waiting);
  if (hint.type === "hello" || concerns(hint.sessions ?? {})) refresh();
}

function concerns(sessions) {
  const shown = location.pathname.match(/^\/p\/[^/]+\/s\/([^/]+)/);
  const names = Object.keys(sessions);
  return !shown || !names.length || names.includes(`${page.slug}/${decodeURIComponent(shown[1])}`);
}

function tell(hint) {
  answered = true;
  channel?.postMessage(hint);
  heard(hint);
}

async function readStream(signal) {
  let timer = null;
  const ended = new AbortController();
  signal.addEventListener("abort", () => ended.abort());
  const expectMore = () => {
    clearTimeout(timer);
    timer = setTimeout(() => ended.abort(), SILENT_MS);
  };
  try {
    expectMore();
    const answer = await fetch("/api/v1/events", { signal: ended.signal, cache: "no-store" });
    if (answer.status === 401) location.reload();
    if (!answer.ok) return;
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      expectMore();
      text += value;
      const parts = text.split("\n\n");
      text = parts.pop();
      for (const part of parts) {
        const type = part.match(/^event: (.*)$/m)?.[1];
        const data = part.match(/^data: (.*)$/m)?.[1];
        if (type === "bye") return;
        if (type && data) tell({ type, ...JSON.parse(data) });
      }
    }
  } catch {
    // the server is gone, or another tab has the stream now
  } finally {
    clearTimeout(timer);
  }
}

let holds = false;
let answered = false; // whether the server has answered on this stream yet

function beat() {
  lastHeard = performance.now();
  if (answered) channel?.postMessage({ type: "beat", down: Boolean(offlineSince) });
}

async function holdStream(signal) {
  holds = true;
  const beats = setInterval(beat, BEAT_MS);
  while (!signal.aborted) {
    await readStream(signal);
    if (signal.aborted) break;
    tell({ type: "down" });
    await sleep(RETRY_MS);
  }
  clearInterval(beats);
  holds = false;
}

async function electStream(steal = false) {
  const lost = new AbortController();
  try {
    await navigator.locks.request("lifecycle-stream", { steal }, () => holdStream(lost.signal));
  } catch {
    lost.abort(); // stolen: wait for it like the others
    electStream();
  }
}

function follow() {
  if (channel) {
    channel.onmessage = ({ data }) => {
      if (data.type !== "ask") heard(data);
      else if (holds) beat();
    };
    channel.postMessage({ type: "ask" }); // a new tab need not wait for the next beat
  }
  if (navigator.locks && channel) {
    electStream();
    setInterval(() => {
      if (document.hidden || performance.now() - lastHeard < LOST_MS) return;
      lastHeard = performance.now();
      electStream(true);
    }, BEAT_MS);
    return;
  }
  let current = null; // without locks: a stream for each visible tab
  const decide = () => {
    if (document.hidden) {
      current?.abort();
      current = null;
    } else if (!current) {
      current = new AbortController();
      holdStream(current.signal);
    }
  };
  document.addEventListener("visibilitychange", decide);
  decide();
}

// The slider over the past: the state at its message is fetched as it moves.

function slide(event) {
  if (!event.target.matches("[data-slider]")) return;
  const address = new URL(location.href);
  address.searchParams.set("at", event.target.value);
  history.replaceState(null, "", address);
  event.target.form.querySelector("output").textContent = event.target.value;
  refresh();
}

// Keys: they only move; what changes something is pressed by the person.

const AWAY = { i: "/", s: page.slug ? `/p/${page.slug}/sessions` : firstProject() };
let prefix = false;

function firstProject() {
  return document.querySelector('nav a[href$="/sessions"]')?.getAttribute("href") ?? "/";
}

function keysAreOff() {
  return localStorage.getItem("keys-off") === "yes";
}

function moveRow(step) {
  const links = [...document.querySelectorAll("[data-row] a:first-of-type")];
  const rows = [...new Set(links.map((link) => link.closest("[data-row]")))].map((row) => row.querySelector("a"));
  if (!rows.length) return;
  const at = rows.findIndex((link) => link.closest("[data-row]").contains(document.activeElement));
  rows[Math.min(rows.length - 1, Math.max(0, at + step))].focus();
}

function go(relation) {
  document.querySelector(`a[rel="${relation}"]`)?.click();
}

function up() {
  const link = document.querySelector('a[rel="up"]');
  if (link) return link.click();
  location.href = /\/s\//.test(location.pathname) ? AWAY.s : "/";
}

const KEYS = {
  j: () => moveRow(1),
  k: () => moveRow(-1),
  u: up,
  "/": () => document.querySelector("[data-filter]")?.focus(),
  "[": () => go("prev"),
  "]": () => go("next"),
  a: () => document.getElementById("approve")?.focus(),
  "?": () => document.getElementById("help").showModal(),
};

function pressed(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  const typing = event.target.matches("input, textarea, select");
  if (event.key === "Escape" && typing) event.target.blur();
  if (typing || keysAreOff() || document.querySelector("dialog[open]")) return;
  if (prefix) {
    prefix = false;
    if (AWAY[event.key]) location.href = AWAY[event.key];
    return;
  }
  if (event.key === "g") {
    prefix = true;
    setTimeout(() => (prefix = false), 1500);
  } else if (KEYS[event.key]) {
    event.preventDefault();
    KEYS[event.key]();
  }
}

function begin() {
  document.addEventListener("keydown", pressed);
  document.addEventListener("input", slide);
  const help = document.getElementById("help-button");
  if (help) {
    help.hidden = false;
    help.addEventListener("click", () => document.getElementById("help").showModal());
  }
  const off = document.getElementById("keys-off");
  if (off) {
    off.checked = keysAreOff();
    off.addEventListener("change", () => localStorage.setItem("keys-off", off.checked ? "yes" : "no"));
  }
  document.getElementById("show-changed")?.addEventListener("click", () => held !== null && apply(held));
  document.getElementById("log-more")?.addEventListener("click", (event) => {
    event.target.hidden = true;
    event.target.dataset.count = "0";
    document.documentElement.scrollTop = document.documentElement.scrollHeight;
  });
  document.addEventListener("submit", (event) => {
    const button = event.submitter;
    if (button?.matches("[data-command]")) setTimeout(() => (button.disabled = true)); // sent once
  });
  document.addEventListener("visibilitychange", () => !document.hidden && refresh());
  window.addEventListener("pageshow", (event) => event.persisted && location.reload());
  follow();
}

begin();
