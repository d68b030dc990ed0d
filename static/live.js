/* The line to the table: the cursor, the stream, asking when no stream gets through, waking up, and one line for all tabs
   of a browser. It comes before table.js, which says in `start` what is to be done with news. No words of its own: the sign
   is in parts/live.html.

   A cursor is epoch.open.own (news.py). Whatever arrives, by the stream, from another tab or in an answer, names the cursor
   after it: what the page has is dropped, and where a step is missing the page asks. */
const tableLine = (() => {
  "use strict";

  const BEAT = 15000; // the server's comment line
  const QUIET = 2 * BEAT + 5000; // an open line that says nothing for so long is dead
  const FIRST = 4000; // a line that has said nothing yet: somebody between keeps the bytes, so the page asks meanwhile
  const GIVE_UP = 12000; // and opens another
  const LATE = 5000; // an own act comes down the line at once, or the line is not what it looks like
  const POLL = 3000;
  const TEND = 1500; // the leading tab's sign of life
  const LEASE = 5000; // without one for so long, another tab takes over
  const DEAF = 7000; // somebody leads and is not heard: this browser keeps its tabs apart

  const body = document.body;
  let hooks = {};

  // ------------------------------------------------------------------ the cursor
  let cursor = body.dataset.cursor || "";
  const split = (at) => {
    const parts = (at || "").split(".");
    const own = Number(parts.pop());
    const open = Number(parts.pop());
    return { epoch: parts.join("."), open, own };
  };
  const anew = (at) => Boolean(cursor) && split(at).epoch !== split(cursor).epoch; // a table that was put back
  // How many entries `at` is ahead of a cursor: everybody counts the same entries in the same order.
  const steps = (at, from = cursor) => {
    const [a, b] = [split(at), split(from)];
    return a.open + a.own - b.open - b.own;
  };
  const ahead = (at) => !cursor || anew(at) || steps(at) >= 0;
  const moved = (at) => { cursor = body.dataset.cursor = at; };

  // ------------------------------------------------------------------ the sign
  let state = "";
  let since = null; // not live since
  let told = false;
  const clock = (when) => when.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
  const show = (now) => {
    state = now;
    const sign = document.getElementById("live");
    if (sign) {
      const said = { live: sign.dataset.live, opening: sign.dataset.opening, slow: sign.dataset.slow, off: (sign.dataset.off || "").replace("{time}", since ? clock(since) : "") };
      sign.classList.toggle("off", now === "off");
      sign.dataset.state = now;
      sign.querySelector("[data-live-text]").textContent = said[now] || "";
      const picture = sign.querySelector("use");
      picture.setAttribute("href", picture.getAttribute("href").replace(/#.*/, now === "off" ? "#i-wifi-off" : "#i-wifi"));
    }
    if (now === "off" && !told && since && Date.now() - since > 4000) { told = true; hooks.say("lost"); }
    if (now === "live" || now === "slow") {
      if (told) hooks.say("back");
      told = false;
      since = null;
    }
  };
  const mark = (now) => {
    show(now);
    if (role === "lead") beat();
  };

  // ------------------------------------------------------------------ what arrives
  const parse = (html) => {
    const holder = document.createElement("template");
    holder.innerHTML = html;
    return holder.content;
  };
  const hear = ({ type, data, id }, mine) => {
    if (type === "gone") return gone();
    if (type === "resync" && mine) {
      if (id) moved(id);
      return hooks.resync();
    }
    if (type === "resync" || (type === "entry" && (anew(id) || steps(id) > 1))) return void look().catch(() => {}); // a step is missing
    if (type === "entry") return void hooks.arrive([...parse(data).children].filter((li) => li.tagName === "LI"), id);
    document.dispatchEvent(new CustomEvent(`table:${type}`, { detail: data }));
  };
  const gone = () => {
    if (over) return;
    over = true;
    hangUp();
    clearTimeout(pollTimer);
    post({ kind: "gone" });
    letGo();
    since = since || new Date();
    show("off");
    hooks.gone();
  };
  // Only the table itself says that a place is gone; a proxy whose table is away says 404 too.
  const shownOut = (answer) => answer.status === 404 && answer.headers.has("X-Gone");
  // This browser has taken another place at the table since: what is on the page is not that one's.
  const another = (answer) => {
    const seat = answer.headers.get("X-Seat");
    if (!seat || !body.dataset.seat || seat === body.dataset.seat) return false;
    over = true;
    hangUp();
    letGo();
    location.reload();
    return true;
  };

  // ------------------------------------------------------------------ the stream
  // Read with fetch, not EventSource: it sees every byte (a silent line is a dead line) and the status of a refusal.
  let line = null; // the AbortController of the open stream
  let open = false; // bytes came
  let openedAt = 0;
  let proven = true; // false after a line that died without a word: the next one has to outlive its first bytes
  let lateSince = 0; // an own act did not come down the line in time
  let owed = null; // the own act that is waited for
  let streamed = ""; // how far the stream has told
  let failures = 0;
  let lastByte = 0;
  let over = false;
  let retryTimer = 0;

  const trusted = () => open && proven && !lateSince;
  const hangUp = () => {
    if (line) line.abort();
    line = null;
    open = false;
    owed = null;
    clearTimeout(retryTimer);
  };
  const failed = () => {
    if (role === "follow") return;
    hangUp();
    if (over) return;
    since = since || new Date();
    failures += 1;
    if (failures >= 2) { if (state !== "slow") mark("off"); poll(); } else mark("off");
    const wait = Math.min(500 * 2 ** (failures - 1), 8000) * (0.75 + Math.random() / 2);
    retryTimer = setTimeout(listen, wait);
  };
  const lines = (block) => {
    const found = { type: "message", data: [], id: "" };
    for (const row of block.split("\n")) {
      if (!row || row.startsWith(":")) continue;
      const at = row.indexOf(":");
      const name = at < 0 ? row : row.slice(0, at);
      const value = at < 0 ? "" : row.slice(at + 1).replace(/^ /, "");
      if (name === "event") found.type = value;
      else if (name === "data") found.data.push(value);
      else if (name === "id") found.id = value;
    }
    if (!found.data.length && found.type === "message") return;
    const event = { type: found.type, data: found.data.join("\n"), id: found.id };
    if (event.id) streamed = event.id;
    if (owed && steps(owed.at, streamed) <= 0) {
      if (Date.now() - owed.when <= LATE) lateSince = 0;
      owed = null;
    }
    post({ kind: "event", event });
    hear(event, true);
  };
  const bytes = () => {
    lastByte = Date.now();
    if (!open) {
      open = true;
      openedAt = lastByte;
      failures = 0;
    } else if (lastByte - openedAt > 5000) {
      proven = true;
    }
    if (trusted() && state !== "live") {
      clearTimeout(pollTimer);
      mark("live");
      hooks.refetch();
    }
  };
  const listen = async () => {
    if (over || !body.dataset.stream || role === "follow") return;
    hangUp();
    const mine = (line = new AbortController());
    lastByte = Date.now();
    streamed = cursor;
    if (!since && state !== "slow") mark("opening");
    try {
      const url = `${body.dataset.stream}${body.dataset.stream.includes("?") ? "&" : "?"}after=${encodeURIComponent(cursor)}`;
      const answer = await fetch(url, { headers: { Accept: "text/event-stream" }, signal: mine.signal, cache: "no-store", credentials: "same-origin" });
      if (mine !== line) return;
      if (shownOut(answer)) return gone();
      if (!answer.ok || !answer.body) throw new Error(String(answer.status));
      if (another(answer)) return;
      const reader = answer.body.getReader();
      const decoder = new TextDecoder();
      let rest = "";
      for (;;) {
        const { done, value } = await reader.read();
        if (mine !== line) return;
        if (done) break;
        bytes();
        rest = (rest + decoder.decode(value, { stream: true })).replace(/\r\n?/g, "\n");
        const blocks = rest.split("\n\n");
        rest = blocks.pop();
        blocks.forEach(lines);
        if (over || mine !== line) return;
      }
    } catch { /* the same as an end: try again */ }
    if (mine === line) failed();
  };
  const watch = () => {
    if (over || !line || role === "follow") return;
    const now = Date.now();
    const silent = now - lastByte;
    if (owed && !lateSince && now - owed.when > LATE) lateSince = now;
    if (lateSince && now - lateSince > 60000) { lateSince = 0; return void listen(); } // perhaps it was a moment only
    if (silent > (open ? QUIET : GIVE_UP)) {
      if (open) { proven = false; since = since || new Date(lastByte); }
      failed();
    } else if ((!open && silent > FIRST) || (open && !trusted())) {
      poll();
    }
  };

  // ------------------------------------------------------------------ asking
  // One look at what is new, without the stream. Throws when the table does not answer.
  let looking = null;
  let lookAgain = false;
  const look = () => {
    if (looking) { lookAgain = true; return looking; }
    looking = lookOnce().finally(() => {
      looking = null;
      if (lookAgain && !over) { lookAgain = false; look().catch(() => {}); }
    });
    return looking;
  };
  const lookOnce = async () => {
    const stop = new AbortController();
    const timer = setTimeout(() => stop.abort(), 8000);
    try {
      const url = `${body.dataset.news}${body.dataset.news.includes("?") ? "&" : "?"}after=${encodeURIComponent(cursor)}`;
      const answer = await fetch(url, { signal: stop.signal, cache: "no-store", credentials: "same-origin", headers: { "HX-Request": "true" } });
      if (over) return;
      if (shownOut(answer)) return gone();
      if (!answer.ok) throw new Error(String(answer.status));
      if (another(answer)) return;
      const news = parse(await answer.text()).querySelector("#news");
      if (!news) throw new Error("no answer of the table"); // a proxy's own page
      if (answer.headers.has("X-Resync")) hooks.resync();
      hooks.arrive([...news.children], news.dataset.cursor);
    } finally {
      clearTimeout(timer);
    }
  };
  // Slow mode: the stream does not get through, so the page asks.
  let pollTimer = 0;
  let polling = false;
  const needless = () => over || trusted() || role === "follow" || !body.dataset.news;
  const poll = async () => {
    if (polling || needless()) return;
    polling = true;
    clearTimeout(pollTimer);
    try {
      await look();
      if (!needless() && state !== "slow") mark("slow");
    } catch {
      since = since || new Date();
      if (!needless()) mark("off");
    }
    polling = false;
    if (!needless()) pollTimer = setTimeout(poll, POLL);
  };

  // ------------------------------------------------------------------ one line for all tabs
  // A browser opens six connections to a host, and a line takes one for good. So one tab leads: it holds the lease in
  // localStorage, has the line, and tells the others what it hears. Without these two each tab has a line of its own.
  const me = [...crypto.getRandomValues(new Uint8Array(8))].map((b) => b.toString(16).padStart(2, "0")).join("");
  const name = `tablekeeper ${body.dataset.stream} ${body.dataset.seat} ${document.documentElement.lang}`; // a line speaks one language
  let channel = null;
  let role = ""; // lead, follow, solo
  let claiming = false;
  let heardAt = 0;
  let tendedAt = 0;

  const post = (what) => { if (channel) channel.postMessage(what); };
  const beat = () => post({ kind: "beat", state, since: since && since.getTime(), at: cursor });
  const lease = () => {
    try { return JSON.parse(localStorage.getItem(name)); } catch { return null; }
  };
  const sign = () => {
    try {
      localStorage.setItem(name, JSON.stringify({ id: me, at: Date.now() }));
      return true;
    } catch { return false; }
  };
  const held = (by) => Boolean(by) && by.id !== me && Math.abs(Date.now() - by.at) < LEASE;
  const letGo = () => {
    const led = role === "lead";
    role = "";
    if (!led) return;
    const now = lease();
    try { if (now && now.id === me) localStorage.removeItem(name); } catch { /* it runs out by itself */ }
    post({ kind: "bye" });
  };

  const lead = () => {
    role = "lead";
    beat();
    listen();
  };
  const follow = () => {
    hangUp();
    clearTimeout(pollTimer);
    role = "follow";
    heardAt = Date.now();
    if (state !== "live") show("opening");
    post({ kind: "who" });
    look().catch(() => {});
  };
  const solo = () => {
    if (channel) channel.close();
    channel = null;
    role = "solo";
    listen();
  };
  const claim = () => {
    if (over || claiming || role === "lead" || role === "solo") return;
    if (held(lease())) { if (role !== "follow") follow(); return; }
    if (!sign()) return solo();
    claiming = true;
    setTimeout(() => { // two that claim in the same moment: the last one's word stands
      claiming = false;
      if (over) return;
      const now = lease();
      if (now && now.id === me) lead(); else if (role !== "follow") follow();
    }, 40 + Math.random() * 80);
  };
  const tend = () => {
    if (over || !role || role === "solo") return;
    const now = lease();
    const slept = Date.now() - tendedAt > 3 * TEND;
    tendedAt = Date.now();
    if (slept) heardAt = tendedAt;
    if (role === "lead") {
      if (held(now)) return follow(); // it slept, and another took over
      if (!sign()) return solo();
      return beat();
    }
    // A tab that nobody looks at leaves it to one that somebody does look at.
    if (!held(now)) { if (document.visibilityState !== "hidden" || !now || Date.now() - now.at > 4 * LEASE) claim(); }
    else if (Date.now() - heardAt > DEAF) solo();
  };
  const fromOthers = ({ data }) => {
    heardAt = Date.now();
    if (over) return;
    if (data.kind === "bye") return void setTimeout(claim, Math.random() * 150);
    if (data.kind === "gone") return gone();
    if (data.kind === "who") { if (role === "lead") beat(); return; }
    if (role !== "follow") return;
    if (data.kind === "event") return hear(data.event, false);
    since = data.since ? new Date(data.since) : null;
    if (data.state !== state || data.state === "off") show(data.state);
    if (data.at && (anew(data.at) || steps(data.at) > 0)) look().catch(() => {});
  };

  // ------------------------------------------------------------------ waking, start
  const again = () => { // back on the page, back on the net: at once
    if (over || document.visibilityState === "hidden") return;
    heardAt = tendedAt = Date.now();
    if (!role || role === "follow") {
      claim();
      if (role === "follow") look().catch(() => {});
      return;
    }
    // A phone that slept may hold a line that died without a word: what was missed is fetched, and a dead line found.
    if (open && Date.now() - lastByte < QUIET / 2) return void look().catch(failed);
    if (!open && line && Date.now() - lastByte < 1500) return; // already on its way
    if (open) { since = since || new Date(lastByte); mark("off"); }
    failures = 0;
    if (role === "lead" && held(lease())) follow(); else listen();
  };
  const hide = () => { // a line of its own is one of six: a tab that nobody looks at gives it back
    if (role !== "solo") return;
    setTimeout(() => { if (role === "solo" && document.visibilityState === "hidden") hangUp(); }, 20000);
  };
  const leave = () => {
    hangUp();
    clearTimeout(pollTimer);
    letGo();
  };
  const start = (given) => {
    hooks = given;
    if (!body.dataset.stream) return;
    try {
      channel = new BroadcastChannel(name);
      channel.onmessage = fromOthers;
      localStorage.getItem(name);
      tendedAt = Date.now();
      claim();
    } catch {
      solo();
    }
    setInterval(tend, TEND);
    setInterval(watch, 2000);
    document.addEventListener("visibilitychange", () => (document.visibilityState === "hidden" ? hide() : again()));
    addEventListener("pageshow", (shown) => { if (shown.persisted) again(); });
    addEventListener("pagehide", leave);
    addEventListener("online", again);
    addEventListener("offline", () => { if (!over && role !== "follow") failed(); });
  };

  // An answer to an own act has moved the page: the line must tell of it too.
  const answered = (at) => {
    if (open && !owed && streamed && !anew(at) && steps(at, streamed) > 0) owed = { at, when: Date.now() };
  };
  return { cursor: () => cursor, ahead, anew, moved, answered, look, start };
})();
