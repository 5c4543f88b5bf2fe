// Puts the code of the link into the form and sends it; the code leaves the address first.
const code = location.hash.slice(1);
if (code) {
  history.replaceState(null, "", location.pathname);
  const form = document.getElementById("enter");
  form.elements.code.value = code;
  form.requestSubmit();
}
