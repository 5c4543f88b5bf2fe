// Reads a JSON list of Mermaid texts from each line, answers in a line with what the real parser made of each.
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const require = createRequire(pathToFileURL(`${process.argv[2]}/package.json`));
const { JSDOM } = require("jsdom");
const dom = new JSDOM("<html><body></body></html>");
globalThis.window = dom.window;
globalThis.document = dom.window.document;
const { default: mermaid } = await import(pathToFileURL(`${process.argv[2]}/node_modules/mermaid/dist/mermaid.core.mjs`));

await mermaid.parse("flowchart TD"); // loads the kinds of diagram

async function parsed(text) {
  try {
    const before = JSON.stringify(mermaid.mermaidAPI.getConfig());
    const diagram = await mermaid.mermaidAPI.getDiagramFromText(text);
    const vertices = [...diagram.db.getVertices().entries()].map(([id, vertex]) => [id, vertex.text]);
    const edges = diagram.db.getEdges().map((edge) => [edge.start, edge.end]);
    const { diagramType: type, config } = await mermaid.parse(text);
    const changed = before !== JSON.stringify(mermaid.mermaidAPI.getConfig());
    return { type, config, changed, vertices, edges };
  } catch (error) {
    return { error: String(error) };
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const answers = [];
  for (const text of JSON.parse(line)) answers.push(await parsed(text));
  process.stdout.write(`${JSON.stringify(answers)}\n`);
}
process.exit(0);
