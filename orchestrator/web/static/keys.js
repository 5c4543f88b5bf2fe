// Keys: they only move; what changes something is pressed by the person.

const AWAY = { i: "/", s: "/" }; // where `g` and the letter lead
let prefix = false;

function firstProject() {
  return document.querySelector('nav a[href$="/sessions"]')?.getAttribute("href") ?? "/";
}

function keysAreOff() {
  return localStorage.getItem("keys-off") === "yes";
}

function moveRow(step) {
  const links = [...document.querySelectorAll("[data-row]:not([hidden]) a:first-of-type")];
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

// `slug`: of the project that the page is about, if it is about one.
export function beginKeys(slug) {
  AWAY.s = slug ? `/p/${slug}/sessions` : firstProject();
  document.addEventListener("keydown", pressed);
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
}
