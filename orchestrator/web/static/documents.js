// Documents: what a person has read, the diagrams that only a frame can draw, and the keys of these pages.

import { spoken } from "./texts.js";

const MARKS = 2000; // documents whose read versions are kept

function readMarks() {
  try {
    return JSON.parse(localStorage.getItem("read-marks") ?? "{}");
  } catch {
    return {};
  }
}

function mark(name, version) {
  const marks = readMarks();
  delete marks[name];
  marks[name] = version;
  const names = Object.keys(marks);
  for (const old of names.slice(0, Math.max(0, names.length - MARKS))) delete marks[old];
  localStorage.setItem("read-marks", JSON.stringify(marks));
}

// A document: a link to what changed since the last visit, then the visit is noted.

function visit(head) {
  const name = `${head.dataset.read}/${head.dataset.path}`;
  const version = Number(head.dataset.version);
  const before = Number(readMarks()[name] ?? 0);
  const link = document.getElementById("since-visit");
  if (before && before < version) {
    link.href = `${head.dataset.diff}?v=${version}&from=${before}`;
    link.hidden = false;
  }
  if (version > before) mark(name, version);
}

// A list: a badge at what is newer than what was read.

function badge(list) {
  const marks = readMarks();
  for (const row of list.querySelectorAll("[data-path]")) {
    const read = marks[`${list.dataset.marks}/${row.dataset.path}`];
    if (!read || read >= Number(row.dataset.version) || row.querySelector(".tag.changed")) continue;
    const tag = document.createElement("span");
    tag.className = "tag changed";
    tag.textContent = spoken("changed since your visit");
    row.querySelector("a").after(" ", tag);
  }
}

// A diagram that is not ours: its source stays, a frame without any rights draws it.

function offerDrawing(figure) {
  const source = figure.querySelector("pre").textContent;
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = spoken("Draw it");
  button.addEventListener("click", () => {
    button.remove();
    const frame = document.createElement("iframe");
    frame.title = spoken("The diagram, drawn");
    frame.setAttribute("sandbox", "allow-scripts");
    frame.src = "/diagram";
    frame.height = "240";
    window.addEventListener("message", function heard(event) {
      if (event.source !== frame.contentWindow) return;
      if (event.data === "ready") frame.contentWindow.postMessage({ source }, "*"); // its origin is opaque
      if (typeof event.data?.height === "number") {
        frame.height = String(Math.min(2000, Math.max(80, Math.round(event.data.height)))); // a number only
        frame.classList.add("drawn");
      }
      if (event.data === "failed") frame.replaceWith(spoken("Mermaid cannot draw this."));
    });
    figure.append(frame);
  });
  figure.append(button);
}

// Changes on the page that decides: `n` and `p` go through them, `x` notes one as seen.

function changes() {
  return [...document.querySelectorAll("details.change")];
}

function moveChange(step) {
  const all = changes();
  if (!all.length) return;
  const at = all.findIndex((each) => each.contains(document.activeElement));
  const next = all[Math.min(all.length - 1, Math.max(0, at + step))];
  next.open = true;
  next.querySelector("summary").focus();
}

const seenTexts = new Map(); // id of a change -> what it said when it was seen: another text is not seen

function showSeen() {
  for (const change of changes()) {
    const is = seenTexts.get(change.id) === change.textContent;
    if (change.classList.contains("seen") !== is) change.classList.toggle("seen", is);
  }
}

function seen() {
  const change = document.activeElement.closest?.("details.change");
  if (!change) return;
  if (change.classList.contains("seen")) seenTexts.delete(change.id);
  else seenTexts.set(change.id, change.textContent);
  showSeen();
  change.open = !change.classList.contains("seen");
  moveChange(1);
}

function openForm(name) {
  const details = document.querySelector(`[data-form="${name}"]`);
  if (!details) return;
  details.open = true;
  (details.querySelector("textarea, select, input:not([type=hidden])") ?? details.querySelector("button"))?.focus();
}

const KEYS = {
  d: () => document.getElementById("diff")?.click(),
  p: () => (changes().length ? moveChange(-1) : document.getElementById("since-approval")?.click()),
  n: () => moveChange(1),
  x: seen,
  r: () => openForm("revise"),
  f: () => openForm("feedback"),
  i: () => openForm("improve"),
};
let last = "";

function pressed(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (event.target.matches("input, textarea, select") || localStorage.getItem("keys-off") === "yes") return;
  if (document.querySelector("dialog[open]")) return;
  const before = last;
  last = event.key;
  if (before === "g" || !KEYS[event.key]) return; // `g i` is the way to the inbox
  event.preventDefault();
  KEYS[event.key]();
}

const head = document.querySelector("[data-read]");
if (head) visit(head);
function decorate() {
  document.querySelectorAll("[data-marks]").forEach(badge);
  showSeen();
}

decorate();
const live = document.getElementById("live"); // what the server sends anew knows nothing of badges
if (live) new MutationObserver(decorate).observe(live, { childList: true, subtree: true, attributeFilter: ["class"] });
document.querySelectorAll("[data-diagram]").forEach(offerDrawing);
document.addEventListener("keydown", pressed);
