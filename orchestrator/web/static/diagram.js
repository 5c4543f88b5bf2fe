// In the sandboxed frame: takes the source of one diagram from the page that framed it, and draws it.

const place = document.getElementById("diagram");

async function draw(source) {
  mermaid.initialize({ startOnLoad: false, securityLevel: "strict", htmlLabels: false });
  const { svg } = await mermaid.render("drawn", source);
  place.innerHTML = svg;
  parent.postMessage({ height: place.getBoundingClientRect().height + 24 }, "*");
}

window.addEventListener("message", (event) => {
  if (event.source !== parent || typeof event.data?.source !== "string") return;
  draw(event.data.source).catch(() => parent.postMessage("failed", "*"));
});
parent.postMessage("ready", "*");
