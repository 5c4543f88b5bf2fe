// Makes an element's content like another one's, keeping every node that can stay: focus, selection, scrolling and
// opened details stay with it. Children with an id are found again wherever they have moved.

function matches(old, fresh) {
  return old.nodeType === fresh.nodeType && old.nodeName === fresh.nodeName && (old.id || "") === (fresh.id || "");
}

function setAttributes(old, fresh) {
  const kept = old.nodeName === "DETAILS" ? ["open"] : [];
  for (const { name } of [...old.attributes]) {
    if (!fresh.hasAttribute(name) && !kept.includes(name)) old.removeAttribute(name);
  }
  for (const { name, value } of [...fresh.attributes]) {
    if (!kept.includes(name) && old.getAttribute(name) !== value) old.setAttribute(name, value);
  }
}

export function morph(element, wanted) {
  const byId = new Map([...element.children].filter((child) => child.id).map((child) => [child.id, child]));
  let at = element.firstChild;
  for (const fresh of [...wanted.childNodes]) {
    const known = fresh.id ? byId.get(fresh.id) : undefined;
    if (known && known !== at && matches(known, fresh)) {
      element.insertBefore(known, at);
      at = known;
    }
    if (at && matches(at, fresh)) {
      if (at.nodeType === Node.ELEMENT_NODE) {
        setAttributes(at, fresh);
        morph(at, fresh);
      } else if (at.nodeValue !== fresh.nodeValue) {
        at.nodeValue = fresh.nodeValue;
      }
      at = at.nextSibling;
    } else {
      element.insertBefore(document.importNode(fresh, true), at);
    }
  }
  while (at) {
    const next = at.nextSibling;
    at.remove();
    at = next;
  }
}
