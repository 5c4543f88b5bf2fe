// Reads a JSON list of Mermaid texts, answers with what the real parser made of each.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const require = createRequire(pathToFileURL(`${process.argv[2]}/package.json`));
const { JSDOM } = require("jsdom");
const dom = new JSDOM("<html><body></body></html>");
globalThis.window = dom.window;
globalThis.document = dom.window.document;
const { default: mermaid } = await import(pathToFileURL(`${process.argv[2]}/node_modules/mermaid/dist/mermaid.core.mjs`));

await mermaid.parse("flowchart TD"); // loads the kinds of diagram

const answers = [];
for (const text of JSON.parse(readFileSync(0, "utf8"))) {
  try {
    const before = JSON.stringify(mermaid.mermaidAPI.getConfig());
    const diagram = await mermaid.mermaidAPI.getDiagramFromText(text);
    const vertices = [...diagram.db.getVertices().entries()].map(([id, vertex]) => [id, vertex.text]);
    const edges = diagram.db.getEdges().map((edge) => [edge.start, edge.end]);
    const parsed = await mermaid.parse(text);
    const changed = before !== JSON.stringify(mermaid.mermaidAPI.getConfig());
    answers.push({ type: parsed.diagramType, config: parsed.config, changed, vertices, edges });
  } catch (error) {
    answers.push({ error: String(error) });
  }
}
process.stdout.write(JSON.stringify(answers), () => process.exit(0));
