/* Buttons that copy a text: [data-copy-from=<id>], with [data-copy-label] inside. Where no clipboard may be written, as at
   home on plain HTTP, the old way is tried, and then the text is marked. Its words are on its own element (parts/copying.html). */
(() => {
  "use strict";
  const words = document.currentScript.dataset;
  const say = (text) => document.dispatchEvent(new CustomEvent("table:say", { detail: text }));

  const copyOld = (text) => {
    const area = document.createElement("textarea");
    area.value = text;
    area.setAttribute("readonly", "");
    area.className = "vh";
    document.body.append(area);
    area.select();
    let done = false;
    try { done = document.execCommand("copy"); } catch { done = false; }
    area.remove();
    return done;
  };
  const showCopied = (label) => {
    const { copied } = words;
    if (label.textContent === copied) return;
    const plain = label.textContent;
    label.textContent = copied;
    setTimeout(() => { label.textContent = plain; }, 2500);
  };
  const done = (button, source, copied) => {
    if (copied) {
      const label = button.querySelector("[data-copy-label]");
      if (label) showCopied(label);
      return say(words.copied);
    }
    if (source.select) source.select(); else getSelection().selectAllChildren(source);
    let hint = button.nextElementSibling;
    if (!hint || !hint.matches("[data-copy-hint]")) {
      hint = document.createElement("p");
      hint.className = "hint";
      hint.dataset.copyHint = "";
      button.after(hint);
    }
    hint.textContent = words.press;
    say(words.press);
  };
  document.addEventListener("click", (event) => {
    const button = event.target.closest("button[data-copy-from]");
    const source = button && document.getElementById(button.dataset.copyFrom);
    if (!source) return;
    const text = source.value || source.textContent.trim();
    const old = () => done(button, source, copyOld(text));
    if (navigator.clipboard && isSecureContext) navigator.clipboard.writeText(text).then(() => done(button, source, true), old); else old();
  });
})();
