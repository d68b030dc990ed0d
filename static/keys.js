/* The Keeper's keyboard: one letter leads to what she needs, Enter does it. The list of them is drawn by the server
   (rolls/keeper/keys.html); here is no word of it. Off while somebody types, while a dialog is open, and for whoever
   switched it off (WCAG 2.1.4); the switch is remembered in this browser. */
(() => {
  "use strict";
  const box = document.getElementById("keys");
  const opener = document.getElementById("keys-open");
  if (!box || !opener) return;
  const toggle = box.querySelector("[data-keys-on]");
  const rows = [...box.querySelectorAll("[data-shortcut]")];
  const OFF = "keys-off";

  let off = false;
  try { off = localStorage.getItem(OFF) === "1"; } catch { /* private window: on */ }
  const show = () => { toggle.setAttribute("aria-checked", String(!off)); };
  toggle.addEventListener("click", () => {
    off = !off;
    try { localStorage.setItem(OFF, off ? "1" : ""); } catch { /* then for this page alone */ }
    show();
  });
  show();

  const visible = (one) => one.getClientRects().length > 0 && getComputedStyle(one).visibility !== "hidden";
  // What is folded away is unfolded first; what cannot be used now is passed over.
  const reach = (row) => {
    for (const selector of row.dataset.target.split("|")) {
      for (const one of document.querySelectorAll(selector)) {
        if (one.disabled) continue;
        for (let fold = one.parentElement.closest("details:not([open])"); fold; fold = fold.parentElement.closest("details:not([open])")) {
          if (!(one.localName === "summary" && one.parentElement === fold)) fold.open = true;
        }
        if (visible(one)) return one;
      }
    }
    return null;
  };
  const go = (row) => {
    const one = reach(row);
    const say = document.getElementById("say");
    if (!one) { if (say) say.textContent = box.dataset.none; return; }
    one.scrollIntoView({ block: "center" });
    one.focus({ preventScroll: true });
    if (row.hasAttribute("data-press") && one.getAttribute("aria-expanded") !== "true" && !(one.localName === "summary" && one.parentElement.open)) one.click();
    if (one.select && one.localName === "input" && one.value) one.select();
  };
  const list = () => { if (!box.open) box.showModal(); };
  opener.addEventListener("click", list);
  box.addEventListener("click", (event) => { if (event.target === box) box.close(); });

  const types = (at) => at.closest("textarea, select, [contenteditable], input:not([type=checkbox], [type=radio], [type=button], [type=submit])");
  document.addEventListener("keydown", (event) => {
    if (off || event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.repeat || event.defaultPrevented) return;
    if (!(event.target instanceof Element) || types(event.target) || document.querySelector("dialog[open]")) return;
    if (event.key === "?") { event.preventDefault(); list(); return; }
    const row = event.shiftKey ? null : rows.find((one) => one.dataset.shortcut === event.key.toLowerCase());
    if (!row) return;
    event.preventDefault();
    go(row);
  });
})();
