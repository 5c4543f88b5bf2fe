// What scripts write on pages, in the language of the page: it carries the translations of the English texts.

const TEXTS = JSON.parse(document.body.dataset.texts ?? "{}");

export function spoken(english, value = "") {
  return (TEXTS[english] ?? english).replace("{0}", value);
}
