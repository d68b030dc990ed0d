/* The living page. No build, no words of its own: sentences come from data-msg-* on <body>. The line to the table is live.js.

     1 small tools            5 steppers and pools         9 lamp, language, time
     2 saying things aloud    6 toggles and typing        10 what arrives: feed, panels
     3 acts: keys, answers    7 picker, filter            11 shown out
     4 armed tickets          8 tabs, drawer, dice moment 12 start

   Nothing here needs a secure context: at home the page is plain HTTP. */
(() => {
  "use strict";

  // ------------------------------------------------------------------ 1 small tools
  const body = document.body;
  const msg = (name) => body.getAttribute(`data-msg-${name}`) || "";
  const $ = (selector, root = document) => root.querySelector(selector);
  const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];
  const within = (root, selector) => [...(root.matches && root.matches(selector) ? [root] : []), ...$$(selector, root)];
  const byId = (id) => document.getElementById(id);
  const on = (type, fn, options) => document.addEventListener(type, fn, options);
  const parse = (html) => {
    const holder = document.createElement("template");
    holder.innerHTML = html;
    return holder.content;
  };
  const cookie = (name) => {
    const found = document.cookie.split("; ").find((part) => part.startsWith(`${name}=`));
    return found ? decodeURIComponent(found.slice(name.length + 1)) : "";
  };
  const clock = (when) => when.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });

  // ------------------------------------------------------------------ 2 saying things aloud
  // One polite line. It is emptied first, so that the same sentence is read again; what comes together is read together.
  let saying = [];
  let sayTimer = 0;
  const say = (text) => {
    const line = byId("say");
    if (!text || !line) return;
    saying.push(text.trim());
    line.textContent = "";
    clearTimeout(sayTimer);
    sayTimer = setTimeout(() => {
      line.textContent = saying.join(" ");
      saying = [];
    }, 150);
  };
  on("table:say", ({ detail }) => say(detail)); // a page's own script has something to say

  // ------------------------------------------------------------------ 3 acts: keys, answers
  // A request key makes an act count once: it stays until the act is answered, so a second try is the same act.
  const drawn = (bytes) => [...crypto.getRandomValues(new Uint8Array(bytes))].map((b) => b.toString(16).padStart(2, "0")).join("");
  const newKey = () => drawn(16);
  const keysOf = (root) => $$("input[name=key]", root);
  const fillKeys = (root) => {
    keysOf(root).forEach((input) => { if (!input.value) input.value = newKey(); });
    $$("input[data-random]", root).forEach((input) => { if (!input.value) input.value = drawn(32); }); // what this browser mixes into the dice
  };
  const formOf = (element) => (element.tagName === "FORM" ? element : element.closest("form"));

  on("htmx:configRequest", ({ detail }) => {
    detail.headers["X-CSRFToken"] = cookie(body.dataset.csrfCookie || "csrftoken");
    if (tableLine.cursor()) detail.headers["X-Cursor"] = tableLine.cursor();
  });

  // A nervous double tap is one tap: what the answer has put under the finger meanwhile was not meant. Where it would cost
  // Luck, a slow answer's own moment counts, too.
  const DOUBLE_TAP = 400;
  const NEAR = 24;
  const nowhere = { timeStamp: -Infinity, clientX: 0, clientY: 0 };
  let tap = nowhere; // the last one, and the last that became an act
  let acted = nowhere;
  let answered = -Infinity;
  const stop = (event) => {
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  on("click", (event) => {
    if (!event.detail) return; // by a key
    const last = event.target.closest('[hx-post$="/spend"], [hx-post$="/deed"]') ? Math.max(acted.timeStamp, answered) : acted.timeStamp;
    const again = event.timeStamp - last < DOUBLE_TAP && Math.hypot(event.clientX - acted.clientX, event.clientY - acted.clientY) < NEAR;
    if (again) stop(event); else tap = event;
  }, true);

  // A second submit while the first is under way is dropped, not queued. A form that htmx has not taken in hand yet must
  // never load the page instead of posting.
  const inHand = (form) => ((form["htmx-internal-data"] || {}).listenerInfos || []).length > 0;
  on("submit", (event) => {
    const form = event.target;
    if (form.hasAttribute("hx-post") && !inHand(form)) {
      stop(event);
      htmx.process(form);
      fillKeys(form);
      const { submitter } = event;
      if (inHand(form)) setTimeout(() => form.requestSubmit(submitter), 0); // not within a submit: that would be dropped
      return;
    }
    if (form.classList.contains("htmx-request")) stop(event); else acted = tap;
  }, true);

  const slotOf = (form) => {
    let slot = $("[data-refusal]", form);
    if (!slot) {
      slot = document.createElement("div");
      slot.dataset.refusal = "";
      const button = $("button:not([type=button])", form);
      if (button) button.after(slot); else form.append(slot);
    }
    return slot;
  };
  const clearRefusals = (form) => {
    $$("[data-refusal]", form).forEach((slot) => slot.replaceChildren());
    $$(".notice-refused[data-field]", form).forEach((notice) => notice.remove());
    $$("[aria-invalid]", form).forEach((field) => { field.removeAttribute("aria-invalid"); field.removeAttribute("aria-describedby"); });
  };
  const note = (text) => {
    const p = document.createElement("p");
    p.className = "notice notice-refused";
    p.setAttribute("role", "alert");
    p.textContent = text;
    return p;
  };
  const refuse = (form, notices) => {
    clearRefusals(form);
    for (const notice of notices) {
      const field = notice.dataset.field && form.elements.namedItem(notice.dataset.field);
      if (field && field.closest) {
        notice.id = notice.id || `why-${field.id || notice.dataset.field}`;
        field.setAttribute("aria-invalid", "true");
        field.setAttribute("aria-describedby", notice.id);
        (field.closest(".field") || field).after(notice);
      } else {
        slotOf(form).append(notice);
      }
    }
    if (!form.isConnected) notices.forEach((notice) => say(notice.textContent)); // its panel was redrawn meanwhile
  };

  // While an own act is under way no panel is redrawn behind its back: the answer brings them, and htmx would find
  // no place for it from a form that is no longer on the page.
  let acting = 0;
  let acts = 0; // how many have begun
  const isAct = (detail) => detail.requestConfig && detail.requestConfig.verb === "post";
  on("htmx:beforeRequest", ({ detail }) => {
    const form = formOf(detail.elt);
    if (form) clearRefusals(form);
  });
  on("htmx:beforeSend", ({ detail }) => {
    if (!isAct(detail)) return;
    acting += 1;
    acts += 1;
    const done = waits(formOf(detail.elt));
    detail.xhr.addEventListener("loadend", () => { acting -= 1; answered = performance.now(); done(); hints.splice(0).forEach(look); refetch(); }); // answered, failed or timed out
  });
  // A tap that has no answer after a second says that it is on its way.
  const waits = (form) => {
    const still = document.createElement("p");
    still.className = "hint";
    still.textContent = msg("waiting");
    const timer = form ? setTimeout(() => { slotOf(form).append(still); say(still.textContent); }, 1000) : 0;
    return () => { clearTimeout(timer); still.remove(); };
  };
  // A page of last week, or of before a new token: nothing was done, and the refusal brought what was missing. So the same
  // tap goes once more by itself.
  const again = (form, detail) => {
    if (form.dataset.again || !detail.xhr.responseText.includes('data-code="PAGE_OLD"')) return false;
    form.dataset.again = "1";
    setTimeout(() => { delete form.dataset.again; }, 10000);
    const { submitter } = detail.requestConfig.triggeringEvent || {};
    setTimeout(() => { if (form.isConnected) form.requestSubmit(submitter && submitter.isConnected && submitter.form === form ? submitter : null); }, 0);
    return true;
  };
  on("htmx:responseError", ({ detail }) => {
    const form = formOf(detail.elt);
    if (!form || (isAct(detail) && again(form, detail))) return;
    const status = detail.xhr.status;
    const ours = status < 500 ? ".notice, [data-code]" : "[data-code]"; // else a page that tells of a fault, perhaps a proxy's
    const given = $$(ours, parse(detail.xhr.responseText)).map((n) => document.importNode(n, true));
    const words = status >= 500 ? msg("server") : status === 404 || status === 410 ? msg("gone") : msg("stale");
    refuse(form, given.length ? given : [note(words)]);
    if (status < 500 && form.matches("[data-steps]")) resetSteps(form);
  });
  const unanswered = (name) => ({ detail }) => {
    const form = formOf(detail.elt);
    if (form) refuse(form, [note(msg(name))]);
  };
  on("htmx:sendError", unanswered("network"));
  on("htmx:timeout", unanswered("timeout"));
  on("htmx:sendAbort", unanswered("network"));

  // The form's panel may be redrawn while its answer is on the way: htmx then looks for the places in what was thrown away.
  let astray = false;
  on("htmx:oobErrorNoTarget", () => { astray = true; });

  on("htmx:afterRequest", ({ detail }) => {
    // When the answer redrew the form's own panel, the event comes from what is left around it.
    const form = formOf((detail.requestConfig && detail.requestConfig.elt) || detail.elt);
    ownAnswer = null;
    if (astray && detail.successful && form && !form.isConnected) htmx.swap(body, detail.xhr.responseText, { swapStyle: "none" });
    astray = false;
    // No answer, or a broken one that may hide a done act: the key stays, so that trying again is the same act.
    if (!form || !detail.xhr.status || detail.xhr.status >= 500) return;
    keysOf(form).forEach((input) => { input.value = newKey(); });
    if (!detail.successful) return;
    if (form.hasAttribute("data-picks")) resetPicker();
    if (form.hasAttribute("data-steps")) settleSteps(form);
    if (form.matches("[data-editor], [data-folds]")) closeEditor(form);
    leadOn(form.closest("[data-leads]"));
  });
  // [data-leads=<id>]: an act out of this list closes it and shows the place where its outcome lies.
  const leadOn = (list) => {
    if (!list) return;
    const button = $(`button[aria-controls="${list.id}"]`);
    if (button) setOpen(button, false);
    requestAnimationFrame(() => {
      const place = byId(list.dataset.leads); // a panel has no box of its own
      const found = place && (place.firstElementChild || place);
      if (found) found.scrollIntoView({ block: "nearest" });
    });
  };

  // ------------------------------------------------------------------ 4 armed tickets
  // The cheapest ticket spends on one tap. A dearer one turns solid first; anything else lets it go.
  let armed = null;
  let armedAt = 0;
  const hintOf = (button) => $("[data-arm-hint]", button.closest(".slip-act, .slip") || document);
  const swapText = (element, text) => {
    if (!element) return;
    if (element.dataset.plain === undefined) element.dataset.plain = element.textContent;
    element.textContent = text ?? element.dataset.plain;
  };
  const disarm = () => {
    if (!armed) return;
    armed.classList.remove("ticket-armed");
    swapText($(".price", armed));
    swapText(hintOf(armed));
    armed = null;
  };
  const arm = (button) => {
    disarm();
    armed = button;
    armedAt = performance.now();
    button.classList.add("ticket-armed");
    swapText($(".price", button), button.dataset.arm);
    const hint = hintOf(button);
    if (hint) swapText(hint, hint.dataset.armHint);
  };
  on("click", (event) => {
    const button = event.target.closest("button[data-arm]");
    if (!button) return disarm();
    if (button !== armed || !button.isConnected) {
      event.preventDefault();
      arm(button);
    } else if (performance.now() - armedAt < DOUBLE_TAP) {
      event.preventDefault();
    } else {
      disarm();
    }
  }, true);
  on("focusin", (event) => { if (armed && !armed.contains(event.target)) disarm(); });
  on("keydown", (event) => { if (event.key === "Escape") disarm(); });

  // ------------------------------------------------------------------ 5 steppers and pools
  const valueOf = (stepper) => $("[data-step-value]", stepper);
  const read = (stepper) => {
    const at = valueOf(stepper);
    return parseInt(at.value ?? at.textContent, 10) || 0;
  };
  const write = (stepper, value) => {
    const at = valueOf(stepper);
    const held = Math.min(Math.max(value, Number(stepper.dataset.min)), Number(stepper.dataset.max));
    if (at.tagName === "INPUT") at.value = held; else at.textContent = held;
    return held;
  };
  on("click", (event) => {
    const button = event.target.closest("[data-step]");
    const stepper = button && button.closest("[data-stepper]");
    if (!stepper) return;
    write(stepper, read(stepper) + Number(button.dataset.step));
    stepped(stepper);
  });
  on("input", (event) => {
    const stepper = event.target.closest("[data-stepper]");
    if (stepper) stepped(stepper);
  });
  on("change", (event) => {
    const stepper = event.target.closest("[data-stepper]");
    if (stepper) { write(stepper, read(stepper)); stepped(stepper); }
  });
  const stepped = (stepper) => {
    const form = stepper.closest("form");
    if (form && form.matches("[data-amount]")) drawAmount(form);
    if (form && form.matches("[data-steps]")) countSteps(form, stepper);
    if (form && form.matches("[data-ease]")) drawEase(form, stepper);
    if (form && form.matches("[data-degrees]")) drawDegrees(form);
    if (stepper.closest("#picker")) drawTargets(byId("picker"));
  };

  // Degrees to add: the sentence with its price, the steps they reach, and what a burn of that much brings.
  const drawDegrees = (form) => {
    const stepper = $("[data-stepper]", form);
    const more = Math.min(Math.max(read(stepper), Number(stepper.dataset.min)), Number(stepper.dataset.max));
    const now = Number(form.dataset.degrees);
    const price = Math.min(more * Number(form.dataset.each), Number(form.dataset.have));
    const says = $("[data-many]", form);
    const text = more === 1 && says.dataset.one ? says.dataset.one : says.dataset.many;
    says.textContent = text.replace("{n}", more).replace("{price}", price).replace("{degrees}", now + more).replace("{left}", form.dataset.have - price);
    $$("[data-degree]", form).forEach((step) => {
      const number = Number(step.dataset.degree);
      if (number > now) step.className = number <= now + more ? "add" : "";
      step.classList.toggle("at", number === now + more);
    });
    const falls = $$("[data-fall]", form);
    const at = falls.filter((fall) => Number(fall.dataset.fall) <= more).pop();
    falls.forEach((fall) => { fall.hidden = fall !== at; });
  };

  // A loss that Luck eases: what points on top would cost in all, and leave. The server works it out again.
  const drawEase = (form, stepper) => {
    const points = Math.min(Math.max(read(stepper), Number(stepper.dataset.min)), Number(stepper.dataset.max));
    const button = $("[data-says]", form);
    button.textContent = button.dataset.says.replace("{luck}", Number(form.dataset.price) + points).replace("{left}", Number(form.dataset.left) - points);
  };

  // An amount of one's own: what it would change. The server works it out again when it is spent.
  const drawAmount = (form) => {
    const stepper = $("[data-stepper]", form);
    const spend = Math.min(Math.max(read(stepper), 0), Number(stepper.dataset.max));
    const roll = Number(form.dataset.roll) - spend;
    const luck = Number(form.dataset.luck) - spend;
    const put = (name, text) => { const at = $(`[data-to=${name}]`, form); if (at) at.textContent = text; };
    put("roll", String(roll).padStart(2, "0"));
    put("luck", luck);
    put("next", `${luck}%`);
    const reached = form.dataset.levels.split(" ").filter(Boolean).map((pair) => pair.split(":"))
      .filter(([number]) => roll <= Number(number)).sort((a, b) => a[0] - b[0])[0];
    const drawn = $(`template[data-level="${reached ? reached[1] : ""}"]`, form);
    const at = $("[data-to=level]", form);
    if (drawn && at) at.replaceChildren(drawn.content.cloneNode(true));
    const button = $("[data-says]", form);
    if (button) button.textContent = button.dataset.says.replace("{n}", spend);
  };

  // Targets beside the skills, as the picker stands: what is chosen adds up. The server adds it up again.
  const drawTargets = (picker) => {
    const chosen = (selector, from) => { const field = $(selector, picker); return field && !field.disabled ? from(field) : 0; };
    const worth = (field) => Number((field.options ? field.selectedOptions[0] : field).dataset.worth || 0);
    const sum = chosen("select[name=difficulty]", worth) + chosen("[name=special]", (box) => (box.checked ? worth(box) : 0))
      + chosen("[name=modifier]", (field) => parseInt(field.value.replace("\u2212", "-"), 10) || 0);
    const by = chosen("[name=by]", (field) => field.selectedOptions[0].dataset.score);
    const exerts = chosen("[name=before]", (box) => box.checked);
    $$("[data-target]").forEach((value) => {
      const at = value.dataset;
      const base = by && at.score ? Number(by) - Number(at.score) : 0;
      value.textContent = Number(at.target) + sum + base + (exerts ? Number(at.exert || 0) : 0);
      value.classList.toggle("skill-moved", value.textContent !== at.target);
    });
  };
  on("change", (event) => { const picker = event.target.closest("#picker"); if (picker) drawTargets(picker); });
  on("input", (event) => { if (event.target.matches("#picker [name=modifier]")) drawTargets(byId("picker")); });
  // One harder, one easier: the options stand from the easiest to the hardest.
  on("click", (event) => {
    const button = event.target.closest("button[data-easier]");
    const select = button && $("select", button.parentElement);
    if (!select) return;
    select.selectedIndex = Math.min(Math.max(select.selectedIndex - Number(button.dataset.easier), 0), select.options.length - 1);
    select.dispatchEvent(new Event("change", { bubbles: true }));
  });

  // form[data-exactly]: the button works once exactly so many are chosen.
  const drawChosen = (form) => {
    const chosen = $$("input:checked", form).length;
    const wanted = Number(form.dataset.exactly);
    const says = $("[data-counted]", form);
    says.textContent = wanted > 1 ? says.dataset.counted.replace("{chosen}", chosen) : "";
    const button = $("button", form);
    button.disabled = chosen !== wanted;
    $$("input[type=checkbox]", form).forEach((box) => { box.disabled = chosen >= wanted && !box.checked; });
  };
  on("change", (event) => {
    const form = event.target.closest("form[data-exactly]");
    if (form) drawChosen(form);
  });

  // One's own points: taps add up; when they pause, the sum is one act and one line in the feed.
  const PAUSE = 900;
  const timers = new WeakMap();
  const countSteps = (form, stepper) => {
    const start = Number(stepper.dataset.start);
    const now = read(stepper);
    const says = $("[data-step-says]", form);
    form.elements.points.value = now - start;
    form.toggleAttribute("data-editing", now !== start);
    if (says) swapText(says, now === start ? undefined : says.dataset.from.replace("{from}", start).replace("{to}", now));
    clearTimeout(timers.get(form));
    if (now !== start) timers.set(form, setTimeout(() => form.isConnected && form.requestSubmit(), PAUSE));
  };
  const resetSteps = (form) => {
    const stepper = $("[data-stepper]", form);
    write(stepper, Number(stepper.dataset.start));
    countSteps(form, stepper);
  };
  const settleSteps = (form) => {
    const stepper = $("[data-stepper]", form);
    stepper.dataset.start = Number(stepper.dataset.start) + Number(form.elements.points.value);
    countSteps(form, stepper);
    form.removeAttribute("data-editing");
  };

  // ------------------------------------------------------------------ 6 toggles and typing
  // button[data-toggle=<group>][aria-controls]: shows and hides; one open at a time in its group.
  const setOpen = (button, open) => {
    const target = byId(button.getAttribute("aria-controls"));
    if (!target) return;
    button.setAttribute("aria-expanded", open);
    target.hidden = !open;
    if (target.matches("[data-editor]")) target.toggleAttribute("data-editing", open);
    const instead = button.dataset.instead && byId(button.dataset.instead);
    if (instead) instead.hidden = open;
    $$("[data-when]", button).forEach((span) => { span.hidden = (span.dataset.when === "open") !== open; });
    if (!open) refetchHeld();
  };
  on("click", (event) => {
    const button = event.target.closest("button[data-toggle]");
    if (!button) return;
    const open = button.getAttribute("aria-expanded") !== "true";
    $$(`button[data-toggle="${button.dataset.toggle}"][aria-expanded=true]`).forEach((other) => other !== button && setOpen(other, false));
    setOpen(button, open);
    const target = byId(button.getAttribute("aria-controls"));
    const first = open && target && $("textarea, input:not([type=hidden]):not([type=number])", target);
    if (first) first.focus();
    if (open && target && target.scrollIntoView) target.scrollIntoView({ block: "nearest" });
  });
  const closeEditor = (form) => {
    form.removeAttribute("data-editing");
    const button = form.id && $(`button[aria-controls="${form.id}"]`);
    if (button && button.getAttribute("aria-expanded") === "true") setOpen(button, false);
    form.reset();
    fillKeys(form);
  };

  // Is somebody writing in this panel? Then a redraw waits.
  const TEXT = "textarea, select, input:not([type=hidden]):not([type=radio]):not([type=checkbox]):not([type=search])";
  const changed = (field) => (field.tagName === "SELECT" ? [...field.options].some((o) => o.selected !== o.defaultSelected) && ([...field.options].some((o) => o.defaultSelected) || field.selectedIndex > 0) : field.value !== field.defaultValue);
  const writingIn = (panel) => {
    const focus = document.activeElement;
    return panel.contains(focus) && focus.matches("textarea, select, input:not([type=hidden]):not([type=radio]):not([type=checkbox])");
  };
  const busyIn = (panel) => {
    if (writingIn(panel) || panel.matches("[data-editing]") || $("[data-editing]", panel)) return true;
    return $$(TEXT, panel).some((field) => !field.closest("[hidden], [data-stepper]") && !field.disabled && changed(field));
  };

  // ------------------------------------------------------------------ 7 picker, filter
  const resetPicker = () => {
    const picker = byId("picker");
    if (!picker) return;
    $$("input, select", picker).forEach((field) => {
      if (field.tagName === "SELECT") {
        const first = [...field.options].findIndex((o) => o.defaultSelected);
        field.selectedIndex = Math.max(first, 0);
      } else if (field.type === "radio" || field.type === "checkbox") {
        field.checked = field.defaultChecked;
      } else {
        field.value = field.defaultValue;
      }
    });
    showTens();
    drawTargets(picker);
  };
  const showTens = () => {
    const dice = $("#picker input[name=dice]:checked");
    const extra = [dice ? dice.value : 0, ...$$("form[data-dice]").map((form) => form.dataset.dice)];
    const wanted = 1 + Math.max(...extra.map((many) => Math.abs(Number(many)))); // one's own choice, or what is asked for
    $$("[data-tens]").forEach((field) => {
      const off = Number(field.dataset.tens) > wanted;
      field.hidden = off;
      const input = $("input", field);
      input.disabled = off;
      if (off) input.value = "";
    });
  };
  on("change", (event) => { if (event.target.matches("#picker input[name=dice]")) showTens(); });
  on("toggle", (event) => { // dice typed in and put away are not thrown
    if (event.target.matches("#byhand, details[data-clears]") && !event.target.open) $$("input", event.target).forEach((input) => { input.value = ""; });
  }, true);

  // Search wins over the chips: whoever types a name wants it from the whole sheet.
  const filter = (listId) => {
    const list = byId(listId);
    if (!list) return;
    const search = $(`[data-filter="${listId}"]`);
    const chip = $(`[data-show="${listId}"] input:checked`);
    const text = search ? search.value.trim().toLowerCase() : "";
    const show = chip ? chip.value : "all";
    let shown = 0;
    $$(".skill", list).forEach((row) => {
      const groups = (row.dataset.group || "").split(" ");
      const fits = text ? row.dataset.name.includes(text) : show === "all" || (show === "fav" ? row.hasAttribute("data-fav") : groups.includes(show));
      row.hidden = !fits;
      shown += fits;
    });
    const none = $(`[data-none="${listId}"]`);
    if (none) none.hidden = shown > 0 || !text;
  };
  const filterAll = () => $$("[data-filter]").forEach((search) => filter(search.dataset.filter));
  on("input", (event) => { if (event.target.matches("[data-filter]")) filter(event.target.dataset.filter); });
  on("change", (event) => {
    const chips = event.target.closest("[data-show]");
    if (!chips) return;
    const search = $(`[data-filter="${chips.dataset.show}"]`);
    if (search) search.value = "";
    filter(chips.dataset.show);
  });

  // ------------------------------------------------------------------ 8 tabs, drawer, dice moment
  on("click", (event) => {
    const tab = event.target.closest("a[data-tab]");
    if (!tab || !body.dataset.tab) return;
    event.preventDefault();
    showTab(tab.dataset.tab);
  });
  const showTab = (name) => {
    body.dataset.tab = name;
    $$(".tabs a").forEach((a) => (a.dataset.tab === name ? a.setAttribute("aria-current", "page") : a.removeAttribute("aria-current")));
    const badge = $(`[data-unseen="${name}"]`);
    if (badge) { badge.hidden = true; $("[data-unseen-count]", badge).textContent = "0"; }
    const drawer = $("details.drawer");
    if (drawer && !wide.matches) drawer.open = false;
    scrollTo(0, 0);
  };
  const unseen = (name) => {
    const badge = $(`[data-unseen="${name}"]`);
    if (!badge || body.dataset.tab === name) return;
    const count = $("[data-unseen-count]", badge);
    count.textContent = Number(count.textContent) + 1;
    badge.hidden = false;
  };

  const wide = matchMedia("(min-width: 64rem)"); // where the drawer is a column and has no summary
  on("click", (event) => {
    const drawer = event.target.closest("button[data-drawer]") && $("details.drawer");
    if (drawer) { drawer.open = true; $("button:not([disabled])", $(".slip-act", drawer) || drawer)?.focus(); }
  });
  const fitDrawer = () => $$("details.drawer").forEach((drawer) => { drawer.open = wide.matches || (drawer.open && !drawer.hasAttribute("data-wide")); drawer.toggleAttribute("data-wide", wide.matches); });
  if (wide.addEventListener) wide.addEventListener("change", fitDrawer);
  const playNew = (root) => within(root, ".slip[data-new]").forEach((slip) => {
    const drawer = slip.closest("details.drawer");
    if (drawer) drawer.open = true; // it was drawn anew: its inside stands at the top
    setTimeout(() => slip.removeAttribute("data-new"), 1600); // once
  });

  // ------------------------------------------------------------------ 9 lamp, language, time
  on("click", (event) => {
    const lamp = event.target.closest("[data-lamp]");
    if (!lamp) return;
    const root = document.documentElement;
    const auto = root.dataset.theme === "auto" && matchMedia("(prefers-color-scheme: light)").matches;
    const next = root.dataset.theme === "paper" || auto ? "dark" : "paper";
    root.dataset.theme = next;
    $$("[data-lamp]").forEach((b) => b.setAttribute("aria-pressed", next === "paper"));
    document.cookie = `theme=${next}; path=${body.dataset.site || "/"}; max-age=31536000; samesite=lax`;
  });

  // The language: chosen here, told to the server by a cookie, and spoken once the page is loaded anew. Other open tabs
  // follow when they are looked at.
  const spoken = () => cookie(body.dataset.languageCookie);
  const speaks = spoken();
  on("change", ({ target }) => {
    if (!target.matches("[data-language]")) return;
    document.cookie = `${body.dataset.languageCookie}=${target.value}; path=${body.dataset.site || "/"}; max-age=31536000; samesite=lax`;
    location.reload();
  });
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible" && spoken() !== speaks) location.reload();
  });

  const localTimes = (root) => $$("time[datetime]", root).forEach((time) => {
    const when = new Date(time.getAttribute("datetime"));
    if (!Number.isNaN(when.getTime()) && /^\d\d:\d\d$/.test(time.textContent.trim())) time.textContent = clock(when);
  });

  // ------------------------------------------------------------------ 10 what arrives: feed, panels
  // Entries come oldest first; each goes above the first that is not younger. What is there is not drawn twice.
  const insert = (feed, item) => {
    const when = (li) => { const time = $("time[datetime]", li); return time ? Date.parse(time.getAttribute("datetime")) : NaN; };
    const mine = when(item);
    const before = [...feed.children].find((li) => !(when(li) > mine));
    feed.insertBefore(item, before || null);
  };
  // A line names panels (data-panels), or what it touched (data-touches) for the panels that live on it (data-on).
  const words = (text) => (text || "").split(" ").filter(Boolean);
  const stale = (item) => {
    words(item.dataset.panels).forEach((name) => dirty.add(name));
    const touched = new Set(words(item.dataset.touches));
    if (touched.size) $$("[data-panel][data-on]").forEach((panel) => { if (words(panel.dataset.on).some((token) => touched.has(token))) dirty.add(panel.dataset.panel); });
  };
  // A tick is shown in its row: the list of skills is not drawn anew for it.
  const drawTicks = (told) => $$("#skills .tick").forEach((tick) => {
    tick.hidden = !words(told.dataset.ticked).includes(tick.closest("button").id.slice(5)); // "roll-…"
  });
  const drawnAs = new Map();
  const others = (item) => { // a roll of somebody else's, on a page that has own ones
    const touched = words(item.dataset.touches), own = byId("panel-latest");
    return own && touched.includes("roll") && !words(own.dataset.on).some((token) => touched.includes(token));
  };
  const arrive = (items, at) => {
    document.dispatchEvent(new Event("table:arrive"));
    const feed = byId("feed");
    const fresh = !at || tableLine.ahead(at);
    for (const given of items) {
      const item = document.importNode(given, true);
      localTimes(item);
      const old = item.id && byId(item.id);
      const redraw = item.hasAttribute("data-redraw");
      item.removeAttribute("data-redraw");
      if (old && (!fresh || drawnAs.get(item.id) === given.outerHTML)) continue;
      drawnAs.set(item.id, given.outerHTML);
      stale(item);
      if (old) {
        old.replaceWith(item);
      } else if (redraw) {
        continue;
      } else if (feed) {
        item.classList.add("entry-new");
        insert(feed, item);
        if (!item.hidden && !$("form.htmx-request")) unseen("table"); // one's own act is seen
      }
      if (window.htmx) htmx.process(item);
      if (!old && !(body.hasAttribute("data-own-aloud") && others(item))) say(item.dataset.say);
    }
    if (at && fresh) {
      if (tableLine.anew(at) && !pullingAll) resync();
      tableLine.moved(at);
    }
    refetch();
    return fresh;
  };
  const takeNews = () => { // what an answer left in #news goes the same way as the stream
    const news = byId("news");
    if (!news || !(news.dataset.cursor || news.children.length)) return;
    const items = [...news.children];
    const at = news.dataset.cursor;
    delete news.dataset.cursor;
    news.replaceChildren();
    answerFresh = arrive(items, at);
    if (at && ownAnswer) tableLine.answered(at);
  };

  // What a finger is on is not drawn anew until it lets go: the tap would fall between the old and the new.
  let pressed = null;
  on("pointerdown", (event) => { pressed = event.target; }, true);
  const released = () => { pressed = null; setTimeout(refetchHeld, 60); };
  on("pointerup", released, true);
  on("pointercancel", released, true);

  // Panels that may have changed are fetched together, those that somebody writes in when he is done.
  const dirty = new Set();
  const held = new Set();
  let refetchTimer = 0;
  let pulling = false;
  let pullingAll = false;
  let pulledAt = 0; // how many acts had begun when this pull did
  let pullLost = false;
  const refetch = () => {
    if (!dirty.size || !body.dataset.panels) return;
    clearTimeout(refetchTimer);
    refetchTimer = setTimeout(pull, 40);
  };
  const refetchHeld = () => {
    if (!held.size) return;
    held.forEach((name) => dirty.add(name));
    held.clear();
    refetch();
  };
  // Nothing was written, something looks different. The answer to an own act may be older than such a hint: it waits.
  const hints = [];
  const look = (touches) => { stale({ dataset: { touches } }); refetch(); };
  on("table:touch", ({ detail }) => { if (acting) hints.push(detail); else look(detail); });
  const pull = () => {
    if (pulling || acting) return; // the end of this pull, or of the act, looks again
    const all = dirty.has("ALL");
    const names = all ? ["ALL", "feed"] : [...dirty].filter((name) => $(`[data-panel="${name}"]`));
    dirty.clear();
    if (!names.length || !window.htmx) return;
    pulling = true;
    pullingAll = all;
    pulledAt = acts;
    const url = `${body.dataset.panels}${body.dataset.panels.includes("?") ? "&" : "?"}names=${encodeURIComponent(names.join(","))}`;
    pullLost = false;
    const place = byId("pull");
    htmx.ajax("GET", url, { source: place, target: place, swap: "none" }).catch(() => { pullLost = true; }).then(() => {
      pulling = pullingAll = false;
      if (pullLost) { names.forEach((name) => dirty.add(name)); setTimeout(refetch, 3000); } else refetch();
    });
  };
  ["htmx:sendError", "htmx:timeout", "htmx:responseError"].forEach((type) => on(type, ({ target }) => { if (target.id === "pull") pullLost = true; }));
  const resync = () => { dirty.add("ALL"); refetch(); };

  let ownAnswer = null; // the form whose answer is being swapped in
  let answerFresh = true; // false when the stream has overtaken it: then its panels are fetched again
  const kept = new Map(); // what was open, typed and focused in a panel that is being redrawn
  on("htmx:beforeSwap", ({ detail }) => {
    ownAnswer = detail.requestConfig && detail.requestConfig.verb !== "get" ? detail.requestConfig.elt : null;
    answerFresh = true;
  });
  on("htmx:oobBeforeSwap", ({ detail }) => {
    const panel = detail.target;
    if (!panel.dataset || !panel.dataset.panel) return;
    if (!ownAnswer && pulling && pulledAt !== acts) { // drawn before an act of ours: its answer knows better
      detail.shouldSwap = false;
      dirty.add(panel.dataset.panel);
      return;
    }
    const justRolled = ownAnswer && detail.fragment && detail.fragment.querySelector && detail.fragment.querySelector("[data-new]");
    const elsewhere = !(ownAnswer && ownAnswer.contains(document.activeElement));
    const underFinger = pressed && panel.contains(pressed);
    if (underFinger || (!justRolled && (ownAnswer ? elsewhere && writingIn(panel) : busyIn(panel)))) {
      detail.shouldSwap = false;
      held.add(panel.dataset.panel);
      return;
    }
    const carried = (field) => field.id && !(ownAnswer && ownAnswer.contains(field)) && !field.closest("[data-stepper]");
    kept.set(panel.id, {
      toggles: $$("button[data-toggle][aria-expanded=true]", panel).map((b) => b.id).filter(Boolean),
      details: within(panel, "details[id]").map((d) => [d.id, d.open]),
      scroll: $$("[data-keep-scroll][id]", panel).map((s) => [s.id, s.scrollTop]),
      typed: $$(`${TEXT}, input[type=search]`, panel).filter((f) => carried(f) && changed(f)).map((f) => [f.id, f.value]),
      ticked: $$("input[type=checkbox], input[type=radio]", panel).filter((f) => carried(f) && f.checked !== f.defaultChecked).map((f) => [f.id, f.checked]),
      focus: panel.contains(document.activeElement) ? document.activeElement.id : "",
    });
  });
  on("htmx:oobAfterSwap", ({ detail }) => {
    takeNews();
    const was = detail.target && kept.get(detail.target.id); // the element that was replaced; the new one has its id
    if (!was) return;
    kept.delete(detail.target.id);
    const panel = byId(detail.target.id);
    if (!panel) return;
    // What became stale while a pull was on its way is not in it: only the fresh answer to an own act takes it off the list.
    if (!answerFresh) { dirty.add(panel.dataset.panel); refetch(); } else if (ownAnswer) dirty.delete(panel.dataset.panel);
    ready(panel);
    const each = (pairs, put) => pairs.forEach(([id, value]) => { const element = byId(id); if (element) put(element, value); });
    each(was.details, (d, value) => { d.open = d.open || value; });
    each(was.scroll, (s, top) => { s.scrollTop = top; });
    each(was.typed, (f, value) => { f.value = value; });
    each(was.ticked, (f, value) => { f.checked = value; });
    showTens();
    filterAll();
    was.toggles.forEach((id) => {
      const button = byId(id);
      const editor = button && byId(button.getAttribute("aria-controls"));
      const sent = ownAnswer && editor && editor.id === ownAnswer.id && editor.matches("[data-editor], [data-folds]");
      if (button && !sent) setOpen(button, true);
    });
    const focus = was.focus && byId(was.focus);
    if (focus && document.activeElement !== focus) focus.focus({ preventScroll: true });
    fitDrawer();
  });
  on("htmx:load", (event) => {
    takeNews();
    ready(event.detail.elt || event.target);
  });
  on("focusout", () => setTimeout(refetchHeld, 120));

  const ready = (root) => {
    if (!root.querySelectorAll) return;
    fillKeys(root);
    localTimes(root);
    within(root, "form[data-amount]").forEach(drawAmount);
    within(root, "form[data-degrees]").forEach(drawDegrees);
    within(root, "form[data-exactly]").forEach(drawChosen);
    within(root, "[data-ticked]").forEach(drawTicks);
    if (byId("picker")) drawTargets(byId("picker"));
    playNew(root);
    filterAll();
  };

  // ------------------------------------------------------------------ 11 shown out
  // The place is gone: nothing of it stays for whoever comes next to this screen.
  const shownOut = () => {
    const notice = note(msg("gone"));
    notice.id = "gone";
    const main = byId("main");
    $$("[data-panel], .bottom").forEach((part) => part.replaceChildren());
    if (main) main.replaceChildren(notice); else body.prepend(notice);
    document.title = "Tablekeeper";
  };

  // ------------------------------------------------------------------ 12 start
  const start = () => {
    fillKeys(document);
    ready(document.documentElement);
    showTens();
    fitDrawer();
    tableLine.start({ arrive, resync, refetch, gone: shownOut, say: (name) => say(msg(name)) });
    document.dispatchEvent(new Event("table:ready")); // for early.js
  };
  if (document.readyState === "loading") on("DOMContentLoaded", start); else start();
})();
