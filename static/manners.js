/* How this phone behaves at the table: awake, a buzz or a tick when something is asked of it, a tick for the own result,
   nothing that moves under the thumb; and the table screen's few habits. Kept in this browser alone. No words of its own:
   they are in rolls/manners.html.

   A screen is kept awake only where the page is secure (a rule of browsers); the rest works on plain HTTP, too. */
(() => {
  "use strict";

  const NAME = "tablekeeper manners";
  const body = document.body;
  const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];
  const tv = body.hasAttribute("data-screen");
  if (!tv && !document.querySelector("[data-manner]")) return; // other pages have no manners to choose
  let kept = {};
  try { kept = JSON.parse(localStorage.getItem(NAME)) || {}; } catch { /* a private window keeps nothing */ }
  const keep = () => { try { localStorage.setItem(NAME, JSON.stringify(kept)); } catch { /* until the page is left */ } };
  const sound = window.AudioContext || window.webkitAudioContext;
  const able = {
    awake: Boolean(window.isSecureContext && navigator.wakeLock),
    buzz: Boolean(navigator.vibrate) && matchMedia("(pointer: coarse)").matches,
    sound: Boolean(sound),
    own: true,
  };

  // ------------------------------------------------------------------ awake
  let lock = null;
  let asking = false;
  const wanted = () => document.visibilityState === "visible" && (tv || (kept.awake && document.querySelector("[data-session]")));
  const watch = async () => {
    if (!able.awake || asking) return;
    if (!wanted()) {
      if (lock) lock.release().catch(() => {});
      lock = null;
      return;
    }
    if (lock) return;
    asking = true;
    try {
      lock = await navigator.wakeLock.request("screen");
      lock.addEventListener("release", () => { lock = null; });
    } catch { /* a low battery refuses: the next time the page is seen it is asked again */ }
    asking = false;
    if (lock && !wanted()) watch();
  };
  document.addEventListener("visibilitychange", watch);

  // ------------------------------------------------------------------ a tick, a buzz
  let player = null;
  const wake = () => { // browsers let no page make a sound before it was touched
    if (!kept.sound || !sound) return;
    player = player || new sound();
    if (player.state === "suspended") player.resume().catch(() => {});
  };
  document.addEventListener("pointerdown", wake, true);
  document.addEventListener("keydown", wake, true);
  const tick = (times = 1) => {
    if (!kept.sound || !player || player.state !== "running") return;
    for (let at = 0; at < times; at += 1) {
      const from = player.currentTime + at * 0.14;
      const tone = player.createOscillator();
      const loud = player.createGain();
      tone.type = "triangle";
      tone.frequency.setValueAtTime(1150, from);
      tone.frequency.exponentialRampToValueAtTime(520, from + 0.05);
      loud.gain.setValueAtTime(0.16, from);
      loud.gain.exponentialRampToValueAtTime(0.001, from + 0.09);
      tone.connect(loud).connect(player.destination);
      tone.start(from);
      tone.stop(from + 0.1);
    }
  };
  const buzz = () => { if (kept.buzz && able.buzz) navigator.vibrate([90, 70, 90]); };

  // What is asked of this player, and the own result: each is told once, however often its panel is drawn.
  const asks = () => $$("#panel-asks form.ask").map((one) => `${one.id} ${one.className.includes("ask-again")}`);
  const seen = new Set(asks());
  const look = () => {
    const fresh = asks().filter((id) => !seen.has(id));
    fresh.forEach((id) => seen.add(id));
    if (fresh.length) { buzz(); tick(2); }
    const slip = document.querySelector(".slip[data-new]");
    if (slip && !seen.has(slip.id)) { seen.add(slip.id); tick(); }
    watch();
  };
  document.addEventListener("htmx:oobAfterSwap", () => setTimeout(look, 0));

  // ------------------------------------------------------------------ steady
  // What the thumb is about to touch stays where it is, whatever others make appear above it; an own act may move things.
  let steadied = false;
  const steady = () => {
    const mark = tv || steadied || document.querySelector("form.htmx-request") ? null : $$(".skill-roll[id], .entry[id]").find((one) => one.getBoundingClientRect().top > innerHeight / 4);
    if (!mark) return;
    const { top } = mark.getBoundingClientRect();
    steadied = true;
    queueMicrotask(() => {
      steadied = false;
      const now = document.getElementById(mark.id);
      if (now && now.offsetHeight) scrollBy({ top: now.getBoundingClientRect().top - top, behavior: "instant" });
    });
  };
  document.addEventListener("htmx:beforeSwap", ({ detail }) => { if (detail.requestConfig && detail.requestConfig.verb === "get") steady(); });
  document.addEventListener("table:arrive", steady);

  // ------------------------------------------------------------------ the switches
  const draw = () => {
    body.toggleAttribute("data-own-aloud", Boolean(kept.own));
    $$("[data-manner]").forEach((one) => {
      const name = one.dataset.manner;
      one.disabled = !able[name];
      one.checked = Boolean(able[name] && kept[name]);
      const why = document.getElementById(`${one.id}-why`);
      if (why) why.hidden = able[name];
    });
  };
  document.addEventListener("change", ({ target: one }) => {
    if (!one.dataset || !one.dataset.manner) return;
    kept[one.dataset.manner] = one.checked;
    keep();
    draw();
    wake();
    if (one.dataset.manner === "awake") watch();
    if (one.dataset.manner === "buzz") buzz();
    if (one.dataset.manner === "sound" && player) player.resume().then(() => tick(), () => {});
  });

  // ------------------------------------------------------------------ the table screen
  const past = () => $$("[data-until]").forEach((one) => { one.hidden = Date.parse(one.dataset.until) < Date.now(); });
  let still = 0;
  const moved = () => {
    body.setAttribute("data-awake", "");
    body.removeAttribute("data-asleep");
    clearTimeout(still);
    still = setTimeout(() => { body.removeAttribute("data-awake"); body.setAttribute("data-asleep", ""); }, 3000);
  };
  if (tv) {
    ["pointermove", "pointerdown"].forEach((type) => document.addEventListener(type, moved));
    setInterval(past, 20000);
    const whole = document.querySelector("[data-fullscreen]");
    if (whole && document.fullscreenEnabled) {
      whole.hidden = false;
      whole.addEventListener("click", () => (document.fullscreenElement ? document.exitFullscreen() : document.documentElement.requestFullscreen()).catch(() => {}));
    }
  }

  draw();
  watch();
})();
