// The live part of the pages: everything else works without this file.
// One tab of a browser holds the stream of hints and tells the others; every tab fetches what it shows by itself.

import { beginKeys } from "./keys.js";
import { spoken } from "./texts.js";
import { Idiomorph } from "./vendor/idiomorph.esm.js";

const RETRY_MS = 500; // until the next try to reach the server
const LOOK_MS = 250; // how often the state of the connection is looked at
const LATE_MS = 1000; // until content that is known to be old is shown as old
const UNSURE_MS = 2000; // the server says every second that it has told everything: without it, content may be old
const SILENT_MS = 10000; // after which another stream is begun
const LOST_MS = 15000; // a visible tab that hears nothing for so long takes the stream over

const page = {
  connection: document.getElementById("connection"),
  live: document.getElementById("live"),
  log: document.getElementById("log"),
  slug: document.body.dataset.slug,
  title: document.title.replace(/^\(\d+\) /, ""),
  shownAt: new Date(),
};
const policy = globalThis.trustedTypes
  ? trustedTypes.createPolicy("lifecycle", { createHTML: (text) => text })
  : { createHTML: (text) => text };

// The state of the connection, as the header shows it.

let offlineSince = null;
let lastHeard = null; // when the server last said that everything was told, or what changed
let behindSince = null; // since when what is shown is known to be old

function isOlderThan(time, milliseconds) {
  return time !== null && performance.now() - time >= milliseconds;
}

function showState() {
  const element = page.connection;
  if (!element || (lastHeard === null && !offlineSince)) return;
  let state = "live";
  let words = spoken("live");
  if (offlineSince) {
    state = "offline";
    words = spoken("offline since {0}", offlineSince.toTimeString().slice(0, 5));
  } else if (element.dataset.past) {
    state = "past";
    words = element.dataset.past; // what is shown does not change
  } else if (!page.live && !page.log) {
    state = "shown";
    words = spoken("as of {0}", page.shownAt.toTimeString().slice(0, 5)); // it does not follow what happens
  } else if (held !== null || isOlderThan(behindSince, LATE_MS) || isOlderThan(lastHeard, UNSURE_MS)) {
    state = "late";
    words = held !== null ? spoken("has changed") : spoken("catching up");
  }
  const shown = element.querySelector(".word");
  if (element.dataset.state !== state) element.dataset.state = state;
  if (shown.textContent !== words) shown.textContent = words;
  for (const button of document.querySelectorAll("[data-command]")) button.disabled = state === "offline";
}

function setOffline() {
  offlineSince ??= new Date();
  showState();
}

// The server has said something. Before, it told nobody here what changed: everything shown is fetched anew.
function setOnline() {
  const made = performance.getEntriesByType("navigation")[0]?.responseStart;
  if (offlineSince) behindSince = -Infinity;
  else if (lastHeard === null) behindSince = made ?? -Infinity;
  const isAnew = offlineSince || lastHeard === null;
  lastHeard = performance.now();
  offlineSince = null;
  if (isAnew) refresh();
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
  behindSince ??= performance.now();
  showState();
  if (busy || document.hidden) return;
  busy = true;
  while (wanted && !document.hidden) {
    wanted = false;
    let pause = RETRY_MS;
    const begun = performance.now();
    const late = setTimeout(() => page.live?.classList.add("late"), LATE_MS);
    try {
      if (page.live) await refreshLive();
      while (page.log && (await refreshLog()));
      behindSince = wanted ? begun : null;
      pause = Math.min(performance.now() - begun, LATE_MS); // a slow page is not fetched without one
    } catch {
      wanted = true; // the stream finds out whether the server is gone; what is shown stays old until this succeeds
    }
    clearTimeout(late);
    page.live?.classList.remove("late");
    showState();
    await sleep(pause);
  }
  busy = false;
}

// A part of the page as it is now. Throws where there is none.
async function fetched(address, headers = {}) {
  const answer = await fetch(address, { headers, signal: AbortSignal.timeout(SILENT_MS) });
  if ([401, 404].includes(answer.status) && !(page.live && isUnderEdit(page.live))) location.reload(); // it says why
  if (!answer.ok && answer.status !== 304) throw new Error(answer.statusText);
  return answer;
}

async function refreshLive() {
  const address = new URL(page.live.dataset.live, location.href);
  for (const [name, value] of new URLSearchParams(location.search)) {
    if (name !== "done") address.searchParams.set(name, value);
  }
  address.searchParams.set("part", "1");
  const answer = await fetched(address, { "If-None-Match": page.live.dataset.etag });
  if (answer.status === 304) return;
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

// Whether there is more than one answer holds.
async function refreshLog() {
  const log = page.log;
  if (Number(log.dataset.end) < Number(log.dataset.total)) return false; // an older page of it stays what it is
  const address = new URL(log.dataset.log, location.href); // with its filters
  address.searchParams.set("part", "1");
  address.searchParams.set("after", log.dataset.end);
  const answer = await fetched(address);
  const lines = [...parsed(await answer.text()).querySelectorAll("li")];
  if (!lines.length) return false;
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
  return answer.headers.has("x-more");
}

// The stream of hints: read by one tab of the browser, passed on to the others.

const channel = "BroadcastChannel" in globalThis ? new BroadcastChannel("lifecycle") : null;
let lastTold = performance.now(); // when the tab with the stream last said anything

function sleep(milliseconds) {
  return new Promise((done) => setTimeout(done, milliseconds));
}

function heard(hint) {
  lastTold = performance.now();
  if (hint.type === "down") return setOffline();
  setOnline();
  if (hint.type === "alive") return;
  if (hint.waiting !== undefined) showWaiting(hint.waiting);
  if (hint.type === "hello" || concerns(hint.sessions)) refresh();
}

function concerns(sessions) {
  const shown = location.pathname.match(/^\/p\/[^/]+\/s\/([^/]+)/);
  const names = Object.keys(sessions);
  if (!shown || !names.length) return true;
  const [head, tail] = `${page.slug}/${decodeURIComponent(shown[1])}`.split("…"); // the page's address may be shortened
  return names.some((name) => name.startsWith(head) && name.endsWith(tail ?? ""));
}

function tell(hint) {
  channel?.postMessage(hint);
  heard(hint);
  if (hint.type !== "alive") document.dispatchEvent(new CustomEvent("hint", { detail: hint }));
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
        else if (part.startsWith(":")) tell({ type: "alive" });
      }
    }
  } catch {
    // the server is gone, or another tab has the stream now
  } finally {
    clearTimeout(timer);
  }
}

async function holdStream(signal) {
  while (!signal.aborted) {
    await readStream(signal);
    if (signal.aborted) break;
    tell({ type: "down" });
    await sleep(RETRY_MS);
  }
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
  if (channel) channel.onmessage = ({ data }) => heard(data);
  if (navigator.locks && channel) {
    electStream();
    setInterval(() => {
      if (document.hidden || performance.now() - lastTold < LOST_MS) return;
      lastTold = performance.now();
      electStream(true);
    }, LOST_MS / 3);
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

function begin() {
  beginKeys(page.slug);
  setInterval(showState, LOOK_MS);
  document.addEventListener("input", slide);
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
