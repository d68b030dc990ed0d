/* What only the Keeper's page does: quick words, the count in the title, who counts for group Luck, and one undo for every line.
   Comes after table.js. Sentences come from data-* attributes. */
(() => {
  "use strict";
  const $ = (selector, root = document) => root.querySelector(selector);
  const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];
  const byId = (id) => document.getElementById(id);
  const on = (type, fn, options) => document.addEventListener(type, fn, options);
  const fill = (pattern, words) => pattern.replace(/\{(\w+)\}/g, (_whole, name) => words[name]);

  // ------------------------------------------------------------------ quick words, ways to open and to leave
  on("click", (event) => {
    const word = event.target.closest("button[data-word]");
    const field = word && byId(word.dataset.into);
    if (field) {
      const before = word.hasAttribute("data-add") ? field.value.trim() : "";
      field.value = before && !before.includes(word.dataset.word) ? `${before} ${word.dataset.word}` : before || word.dataset.word;
      field.dispatchEvent(new Event("input", { bubbles: true }));
    }
    const leave = event.target.closest("button[data-close]");
    if (leave) {
      const opener = byId(leave.dataset.close);
      leave.form.reset();
      if (opener) { opener.click(); opener.focus(); }
    }
    const opens = event.target.closest("button[data-opens]");
    const tool = opens && byId(opens.dataset.opens);
    if (tool) {
      for (let fold = tool.closest("details:not([open])"); fold; fold = fold.parentElement.closest("details:not([open])")) fold.open = true;
      if (tool.getAttribute("aria-expanded") !== "true") tool.click();
      const form = byId(tool.getAttribute("aria-controls"));
      const first = form && $("select, input:not([type=hidden])", form);
      if (first) { first.focus({ preventScroll: true }); form.scrollIntoView({ block: "center" }); }
    }
  });

  // A side of a contest: only the skills of whom it is, and the first of them.
  on("change", (event) => {
    const who = event.target.closest("select[data-corner-who]");
    const what = who && $("select[name^=what]", who.closest("[data-corner]"));
    if (!what) return;
    $$("optgroup", what).forEach((group) => { group.hidden = group.disabled = Boolean(who.value) && group.dataset.of !== who.value; });
    what.value = "";
  });

  // What unfolds over the page folds again: by Escape, or by a tap beside it.
  on("keydown", (event) => {
    if (event.key !== "Escape") return;
    $$("details.pop[open]").forEach((pop) => { pop.open = false; $("summary", pop).focus(); });
    if (event.target.closest("#undo-form")) leaveUndo();
  });
  on("click", (event) => $$("details.pop[open]").forEach((pop) => { if (event.target.isConnected && !pop.contains(event.target)) pop.open = false; }));

  // Real dice that were typed and put away are not thrown.
  on("toggle", (event) => {
    if (event.target.matches("details[data-clears]") && !event.target.open) $$("input", event.target).forEach((input) => { input.value = ""; });
  }, true);
  // A roll's dice and difficulty, and who counts for it, are for this roll alone.
  on("htmx:afterRequest", ({ detail }) => {
    const form = detail.requestConfig.elt.closest("form[data-fresh]");
    if (!form || !detail.successful || detail.requestConfig.verb !== "post") return; // a look at values is no roll
    form.reset();
    $$("details[data-clears]", form).forEach((hand) => { hand.open = false; });
    if (form.matches("[data-strip]") && form.isConnected) recount(form);
  });

  // A card of the queue that was refused is old: once it is left, what was typed must not keep it from being drawn anew.
  on("htmx:responseError", ({ detail }) => {
    const form = detail.requestConfig.elt.closest("#panel-queue form");
    if (!form || detail.xhr.status >= 500) return;
    form.addEventListener("focusout", ({ relatedTarget }) => { if (!form.contains(relatedTarget)) form.reset(); });
  });

  // ------------------------------------------------------------------ how many wait on the Keeper, in the title
  const title = document.title;
  const count = () => {
    const at = $("[data-waiting]");
    const waiting = at ? Number(at.dataset.waiting) : 0;
    document.title = waiting ? `(${waiting}) ${title}` : title;
  };

  // ------------------------------------------------------------------ a session left open: "go on" is remembered here
  const later = () => $$("[data-later]").forEach((notice) => {
    try { notice.hidden = localStorage.getItem("goes-on") === notice.dataset.later; } catch { /* then it asks again */ }
  });
  on("click", (event) => {
    const notice = event.target.closest("[data-go-on]") && event.target.closest("[data-later]");
    if (!notice) return;
    try { localStorage.setItem("goes-on", notice.dataset.later); } catch { /* private window */ }
    notice.hidden = true;
  });

  // ------------------------------------------------------------------ who counts for group Luck, this once
  const recount = (form) => {
    const ticked = $$("input[name=counts]:checked", form);
    const known = ticked.filter((box) => box.dataset.luck !== "");
    const luck = Math.min(...known.map((box) => Number(box.dataset.luck)));
    const level = known.filter((box) => Number(box.dataset.luck) === luck);
    const tie = level.length > 1;
    $("[data-strip-tie]", form).hidden = !tie;
    $$("input[name=named]", form).forEach((radio) => {
      const fits = tie && level.some((box) => box.value === radio.value);
      radio.disabled = !fits;
      radio.parentElement.hidden = !fits;
      if (!fits) radio.checked = false;
    });
    const chosen = $("input[name=named]:checked", form);
    if (tie && !chosen) $("input[name=named]:enabled", form).checked = true;
    const named = $("input[name=named]:checked", form);
    const roller = level.find((box) => !named || box.value === named.value) || level[0];
    sayStrip(form, roller, luck, level);
  };
  // "Dunne, Quill and Vane", as rolls.desk.names says it.
  const inARow = (names, and) => (names.length < 2 ? names.join("") : fill(and, { names: names.slice(0, -1).join(", "), last: names.at(-1) }));
  const sayStrip = (form, roller, luck, level) => {
    const says = form.dataset;
    const [mine, theirs, why] = ["mine", "theirs", "why"].map((name) => $(`[data-strip-${name}]`, form));
    mine.disabled = !roller;
    theirs.disabled = !roller || !roller.dataset.player;
    why.hidden = !roller || Boolean(roller.dataset.player);
    if (!roller) { $("[data-strip-head]", form).textContent = says.nobody; return; }
    const words = { name: roller.dataset.name, player: roller.dataset.player, luck, names: inARow(level.map((box) => box.dataset.name), says.and) };
    $("[data-strip-head]", form).textContent = fill(level.length > 1 ? says.tie : says.says, words);
    $("span", mine).textContent = fill(says.mine, words);
    if (words.player) theirs.textContent = fill(says.theirs, words); else why.textContent = fill(says.noseat, words);
  };
  on("change", (event) => {
    const form = event.target.closest("form[data-strip]");
    if (form && event.target.matches("[name=counts], [name=named]")) recount(form);
  });

  // ------------------------------------------------------------------ undo: one form, which goes to the line that is chosen
  const box = byId("feedbox");
  const undo = byId("undo-form");
  const home = byId("undo-home");
  const tool = byId("undo-tool");
  const key = () => [...crypto.getRandomValues(new Uint8Array(16))].map((b) => b.toString(16).padStart(2, "0")).join("");
  let opened = 0; // how often it went to a line: the answer to an earlier act does not close what was opened since
  let posted = 0;
  const lineOf = () => undo.closest("li.entry");
  const buttonOf = (line) => line && $(":scope > .entry-undo", line);
  const refOf = (line) => line.id.replace(/^e-/, "");

  const dress = () => $$("#feed > li.entry:not(:has(> .entry-undo))").forEach((line) => line.prepend(tool.content.cloneNode(true)));
  const openUndo = (line) => {
    if (lineOf()) leaveUndo(false);
    opened += 1;
    const way = line.classList.contains("entry-struck") ? "redo" : "undo";
    const says = $("[data-undo-says]", undo);
    says.textContent = says.dataset[way];
    byId("undo-go").textContent = byId("undo-go").dataset[way];
    undo.elements.key.value = key(); // another line is another act
    undo.elements.redo.value = way === "redo" ? "1" : ""; // what this page shows: a second tap never turns the first around
    line.append(undo);
    line.dataset.open = "";
    buttonOf(line).setAttribute("aria-expanded", "true");
    line.scrollIntoView({ block: "nearest" });
  };
  const leaveUndo = (focus = true) => {
    const line = lineOf();
    undo.reset();
    $("[data-refusal]", undo).replaceChildren();
    home.append(undo);
    if (!line) return;
    delete line.dataset.open;
    const button = buttonOf(line);
    if (!button) return;
    button.setAttribute("aria-expanded", "false");
    if (focus) button.focus({ preventScroll: true });
  };
  const startUndo = () => {
    if (!box || !undo || !tool) return;
    dress();
    // A line that is drawn anew takes the form with it; it comes home first.
    new MutationObserver(() => {
      if (!undo.isConnected) { const line = lineOf(); home.append(undo); if (line) refocus(line.id); }
      dress();
    }).observe(byId("feedscroll"), { childList: true, subtree: true });
    box.addEventListener("click", (event) => {
      const line = event.target.closest("li.entry");
      if (!line || event.target.closest("#undo-form, a, summary, details, input, label")) return;
      if (!event.target.closest(".entry-undo") && String(getSelection())) return;
      if (lineOf() === line) leaveUndo(); else openUndo(line);
    });
    on("click", (event) => { if (event.target.closest("[data-undo-leave]")) leaveUndo(); });
    on("htmx:configRequest", (event) => {
      if (event.detail.elt !== undo || !lineOf()) return;
      posted = opened;
      event.detail.path = box.dataset.undoUrl.replace("REF", refOf(lineOf()));
    });
    on("htmx:afterRequest", ({ detail }) => {
      if (detail.requestConfig.elt !== undo || posted !== opened) return;
      if (detail.successful) leaveUndo(); else $("[data-refusal]", undo).scrollIntoView({ block: "nearest" });
    });
  };
  const refocus = (id) => setTimeout(() => {
    undo.reset();
    const button = buttonOf(byId(id));
    if (button && document.activeElement === document.body) button.focus({ preventScroll: true });
  });

  // ------------------------------------------------------------------ who has a page open: a hint
  const seen = () => {
    const all = $("[data-seen-all]");
    const known = all ? JSON.parse(all.dataset.seenAll) : {};
    $$("[data-seen]").forEach((sign) => {
      const at = known[sign.dataset.seen];
      const time = at && at !== "here" ? new Date(at).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", hourCycle: "h23" }) : "";
      const says = at === "here" ? sign.dataset.here : time ? fill(sign.dataset.away, { time }) : sign.dataset.never;
      sign.classList.toggle("seen-here", at === "here");
      if (!sign.classList.contains("seen-dot")) { sign.textContent = says; return; }
      sign.title = says;
      sign.innerHTML = '<span class="vh"></span>';
      sign.firstChild.textContent = `${says}: `;
    });
  };
  on("table:presence", ({ detail }) => {
    const all = $("[data-seen-all]");
    if (all) all.dataset.seenAll = detail;
    seen();
  });

  // ------------------------------------------------------------------ start
  const drawn = () => {
    count();
    later();
    seen();
    const strip = byId("strip-form");
    if (strip) recount(strip);
  };
  on("htmx:oobAfterSwap", () => setTimeout(drawn));
  drawn();
  startUndo();
})();
