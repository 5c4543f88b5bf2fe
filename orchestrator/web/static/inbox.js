// The inbox: rows that are hidden until they change, and the button for desktop notices. Both are kept by this browser.

const live = document.getElementById("live");
const again = document.getElementById("show-hidden");

function hidden() {
  try {
    return JSON.parse(localStorage.getItem("inbox-hidden") ?? "{}");
  } catch {
    return {};
  }
}

// Rows whose state is still the one in which they were hidden; what is not in the inbox any more is forgotten.
function show() {
  const kept = hidden();
  const rows = [...live.querySelectorAll("[data-entry]")];
  let count = 0;
  for (const row of rows) {
    const isHidden = kept[row.dataset.entry] === row.dataset.entryState;
    if (row.hidden !== isHidden) row.hidden = isHidden;
    count += isHidden;
  }
  again.hidden = count === 0;
  const words = `${again.dataset.says} (${count})`;
  if (again.textContent !== words) again.textContent = words;
  const names = new Set(rows.map((row) => row.dataset.entry));
  const left = Object.entries(kept).filter(([name]) => names.has(name));
  if (left.length < Object.keys(kept).length) keep(Object.fromEntries(left));
}

function keep(entries) {
  localStorage.setItem("inbox-hidden", JSON.stringify(entries));
}

function hide(row) {
  const rows = [...live.querySelectorAll("[data-row]")].filter((each) => !each.hidden);
  const next = rows[rows.indexOf(row) + 1] ?? rows[rows.indexOf(row) - 1];
  keep({ ...hidden(), [row.dataset.entry]: row.dataset.entryState });
  show();
  (next?.querySelector("a") ?? again).focus();
}

function pressed(event) {
  if (event.key !== "e" || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (localStorage.getItem("keys-off") === "yes" || document.querySelector("dialog[open]")) return;
  const row = document.activeElement?.closest("[data-entry]");
  if (row && !event.target.matches("input, textarea, select")) hide(row);
}

// The button asks the browser only when it is pressed.

const button = document.getElementById("notices");

function showButton() {
  const permission = globalThis.Notification?.permission;
  const isOn = localStorage.getItem("notices") === "yes" && permission === "granted";
  button.hidden = permission === undefined;
  button.disabled = permission === "denied";
  button.textContent = permission === "denied" ? button.dataset.denied : isOn ? button.dataset.on : button.dataset.off;
  button.setAttribute("aria-pressed", String(isOn));
}

async function toggle() {
  const isOn = button.getAttribute("aria-pressed") === "true";
  if (!isOn && Notification.permission === "default") await Notification.requestPermission();
  localStorage.setItem("notices", !isOn && Notification.permission === "granted" ? "yes" : "no");
  showButton();
}

document.addEventListener("keydown", pressed);
button.addEventListener("click", toggle);
again.addEventListener("click", () => {
  keep({});
  show();
  live.querySelector("[data-entry] a")?.focus();
});
new MutationObserver(show).observe(live, {
  childList: true,
  subtree: true,
  attributeFilter: ["hidden", "data-entry-state"],
});
show();
showButton();
