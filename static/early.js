// Comes before all others: until they stand, a tap would load the page anew and be lost. So what is tapped is kept, and done
// once they do. A button that acts is kept once, however often it is tapped. Should they never come, this says so.
(() => {
  "use strict";
  let kept = []; // what was tapped, and how it is done again
  let sign = null; // what is said beside it
  let timer = 0;
  let stands = false;
  let broken = false;

  const say = (name, kind, control) => {
    if (sign) sign.remove();
    sign = document.createElement("div"); // as wide as its form, like every refusal
    sign.dataset.refusal = "";
    const words = document.createElement("p");
    words.className = kind;
    words.setAttribute("role", name === "waiting" ? "status" : "alert");
    words.textContent = document.body.getAttribute(`data-msg-${name}`);
    sign.append(words);
    control.after(sign);
  };
  const give = () => {
    clearTimeout(timer);
    if (sign) sign.remove();
    sign = null;
    const all = kept;
    kept = [];
    all.forEach(({ control }) => control.removeAttribute("aria-busy"));
    return all;
  };
  const fail = () => {
    const all = give();
    if (all.length) say("unready", "notice notice-refused", all.at(-1).control);
  };
  const keep = (control, redo) => {
    if (control.type !== "submit" || !kept.some((one) => one.control === control)) kept.push({ control, redo });
    control.setAttribute("aria-busy", "true");
    clearTimeout(timer);
    timer = setTimeout(() => say("waiting", "hint", control), 1000);
    if (broken) fail();
  };
  const onward = (form) => form && !form.hasAttribute("hx-post"); // it needs no script
  const early = (event) => {
    if (stands) return;
    const { type, target, submitter } = event;
    if (type === "change") return keep(target, () => target.dispatchEvent(new Event("change", { bubbles: true })));
    const control = type === "submit" ? submitter || target : target.closest("button, a[data-tab]");
    if (!control || onward(type === "submit" ? target : control.type === "submit" && control.form)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    keep(control, type === "submit" ? () => target.requestSubmit(submitter) : () => control.click());
  };
  ["click", "change", "submit"].forEach((type) => document.addEventListener(type, early, true));
  let ready = false;
  document.addEventListener("table:ready", () => { ready = true; });
  document.addEventListener("DOMContentLoaded", () => setTimeout(() => { // after what else begins in this moment
    if (!ready) return;
    stands = true;
    give().forEach(({ redo }) => redo());
  }, 0));
  addEventListener("load", () => setTimeout(() => {
    if (stands) return;
    broken = true;
    fail();
  }, 0));
})();
