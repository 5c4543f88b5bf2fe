// Desktop notices, for those who asked for them in this browser: only that more waits than before.
// The tab that holds the stream gives them, so that there is one.

let known = null; // how many things waited when it was told last

function wanted() {
  return localStorage.getItem("notices") === "yes" && globalThis.Notification?.permission === "granted";
}

function heard({ detail }) {
  const before = known;
  known = detail.waiting ?? known;
  if (before === null || known <= before || !wanted() || document.hasFocus()) return;
  const words = document.getElementById("waiting").dataset.says;
  const notice = new Notification(`${known} ${words}`, { tag: "lifecycle-waiting" });
  notice.addEventListener("click", () => {
    window.focus();
    location.href = "/";
  });
}

document.addEventListener("hint", heard);
