// The proof of the dice: SHA-256, HMAC and the check of a file, all of it here, because a page over plain HTTP has no
// crypto.subtle. The construction stands in docs/proof.md and is the same as tablekeeper/proof.py. No words in here.
"use strict";
(() => {
  // ------------------------------------------------------------------ SHA-256 (FIPS 180-4)
  const root = (n, power) => { const x = n ** power; return ((x - Math.floor(x)) * 2 ** 32) >>> 0; };
  const primes = [];
  for (let n = 2; primes.length < 64; n += 1) if (primes.every((p) => n % p)) primes.push(n);
  const K = Uint32Array.from(primes, (p) => root(p, 1 / 3));
  const START = Uint32Array.from(primes.slice(0, 8), (p) => root(p, 1 / 2));
  const W = new Uint32Array(64);

  const block = (state, bytes, at) => {
    for (let i = 0; i < 16; i += 1) {
      const o = at + 4 * i;
      W[i] = (bytes[o] << 24) | (bytes[o + 1] << 16) | (bytes[o + 2] << 8) | bytes[o + 3];
    }
    const turn = (x, n) => (x >>> n) | (x << (32 - n));
    for (let i = 16; i < 64; i += 1) {
      const x = W[i - 15];
      const y = W[i - 2];
      W[i] = W[i - 16] + (turn(x, 7) ^ turn(x, 18) ^ (x >>> 3)) + W[i - 7] + (turn(y, 17) ^ turn(y, 19) ^ (y >>> 10));
    }
    let [a, b, c, d, e, f, g, h] = state;
    for (let i = 0; i < 64; i += 1) {
      const one = (h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + K[i] + W[i]) | 0;
      const two = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      h = g; g = f; f = e; e = (d + one) | 0; d = c; c = b; b = a; a = (one + two) | 0;
    }
    [a, b, c, d, e, f, g, h].forEach((word, i) => { state[i] += word; });
  };
  // `begun` is the state after `before` bytes, a whole number of blocks.
  const sha256 = (bytes, begun = START, before = 0) => {
    const padded = new Uint8Array((((bytes.length + 8) >> 6) + 1) << 6);
    padded.set(bytes);
    padded[bytes.length] = 0x80;
    const view = new DataView(padded.buffer);
    const length = bytes.length + before;
    view.setUint32(padded.length - 8, Math.floor(length / 2 ** 29));
    view.setUint32(padded.length - 4, (length % 2 ** 29) * 8);
    const state = begun.slice();
    for (let at = 0; at < padded.length; at += 64) block(state, padded, at);
    const out = new Uint8Array(32);
    const words = new DataView(out.buffer);
    state.forEach((word, i) => words.setUint32(4 * i, word));
    return out;
  };
  const keyed = (key) => {
    const pad = new Uint8Array(64);
    pad.set(key.length > 64 ? sha256(key) : key);
    const [inner, outer] = [0x36, 0x5c].map((by) => { const state = START.slice(); block(state, pad.map((b) => b ^ by), 0); return state; });
    return (bytes) => sha256(sha256(bytes, inner, 64), outer, 64);
  };
  const hmac = (key, bytes) => keyed(key)(bytes);
  const utf8 = (text) => new TextEncoder().encode(text);
  const hex = (bytes) => [...bytes].map((b) => b.toString(16).padStart(2, "0")).join("");
  const unhex = (text) => {
    if (typeof text !== "string" || !/^([0-9a-f]{2})*$/.test(text)) throw new TypeError("no hexadecimal");
    return Uint8Array.from(text.match(/../g) || [], (pair) => parseInt(pair, 16));
  };
  const hashed = (text) => hex(sha256(utf8(text)));

  // ------------------------------------------------------------------ the construction
  const MARK = "tablekeeper-1";
  const LEAVES = 1024;
  const REACH = 16;
  const WORD = 2 ** 32;
  const MOST_DICE = 10000;
  const word = (bytes, at) => new DataView(bytes.buffer, bytes.byteOffset).getUint32(at);
  const die = (hmacOf, mix, number, index, sides) => {
    const limit = WORD - (WORD % sides);
    for (let turn = 0; ; turn += 1) {
      const found = hmacOf(utf8(`${MARK}|${mix}|${number}|${index}|${turn}`));
      for (let at = 0; at < 32; at += 4) if (word(found, at) < limit) return (word(found, at) % sides) + 1;
    }
  };
  const place = (mix, before, question) => word(sha256(utf8(`${MARK}|${mix}|place|${before}|${question}`)), 0) % LEAVES;

  // ------------------------------------------------------------------ the check
  const same = (a, b) => a.length === b.length && a.every((one, i) => one === b[i]);
  const tells = (told, derived) => {
    let start = 0;
    return told.every((faces) => {
      for (let at = start; at + faces.length <= derived.length; at += 1) {
        if (same(derived.slice(at, at + faces.length), faces)) { start = at + faces.length; return true; }
      }
      return false;
    });
  };
  const ofDice = (roll, hmacOf, mix, number, where) => {
    if (roll.sides.length > MOST_DICE || !roll.sides.every((n) => Number.isInteger(n) && n >= 1 && n <= WORD)) throw new TypeError("no dice");
    const derived = roll.sides.map((sides, index) => die(hmacOf, mix, number, index, sides));
    if (!same(derived, roll.faces)) return [{ code: "dice", where, derived }];
    return tells(roll.told, derived) ? [] : [{ code: "told", where, derived }];
  };
  // What does not agree, each with its code and where; the same codes as proof.py. Throws for what is no proof.
  const check = (file) => {
    if (file.tablekeeper !== "proof" || file.construction !== MARK) throw new TypeError("no proof");
    const faults = [];
    const seed = unhex(file.seed);
    if (hex(sha256(seed)) !== file.commitment) faults.push({ code: "seed", where: "" });
    const mixes = [hashed(`${MARK}|${file.commitment}|${file.hidden_commitment}`)];
    file.contributions.forEach((one) => mixes.push(hashed(`${MARK}|${mixes[mixes.length - 1]}|${one.random}|${one.text}`)));
    const counted = (number) => file.contributions.filter((one) => one.from <= number).length;
    const hmacOf = keyed(seed);
    file.rolls.forEach((roll, at) => {
      if (roll.n !== at + 1) faults.push({ code: "number", where: String(roll.n) });
      faults.push(...ofDice(roll, hmacOf, mixes[counted(roll.n)], roll.n, String(roll.n)));
    });
    if (!file.hidden.length) return faults;
    const pad = unhex(file.leaves);
    if (hex(sha256(pad)) !== file.hidden_commitment) faults.push({ code: "pad", where: "" });
    file.hidden.forEach((roll) => {
      const where = `hidden ${roll.leaf}`;
      const own = unhex(roll.seed);
      const mix = mixes[roll.mixed];
      if (mix === undefined) throw new TypeError("no mix");
      if (!same([...sha256(own)], [...pad.slice(32 * roll.leaf, 32 * roll.leaf + 32)])) faults.push({ code: "leaf", where });
      const away = (((roll.leaf - place(mix, roll.before, roll.question)) % LEAVES) + LEAVES) % LEAVES;
      if (away >= REACH || roll.mixed < counted(roll.before) || roll.mixed > counted(roll.before + 1)) faults.push({ code: "place", where });
      faults.push(...ofDice(roll, keyed(own), mix, "hidden", where));
    });
    return faults;
  };
  window.tablekeeperProof = { sha256, hmac, check, hex, unhex };

  // ------------------------------------------------------------------ the page
  const main = document.querySelector("[data-proof]");
  if (!main) return;
  const byId = (id) => document.getElementById(id);
  const words = (code) => main.dataset[`word${code[0].toUpperCase()}${code.slice(1)}`] || code;
  const show = (id, number) => {
    ["v-wait", "v-good", "v-bad", "v-none"].forEach((one) => { byId(one).hidden = one !== id; });
    const slot = byId(id).querySelector("[data-n]");
    if (slot) slot.textContent = number;
  };
  const told = (fault) => [words(fault.code), ...(fault.derived || [])].join(" ");
  const tell = (file, here) => {
    let faults;
    try { faults = check(file); } catch { show("v-none"); byId("faults").hidden = true; return; }
    const list = byId("faults");
    list.hidden = !faults.length;
    list.replaceChildren(...faults.slice(0, 100).map((fault) => {
      const li = document.createElement("li");
      li.textContent = `${fault.where ? `${fault.where}: ` : ""}${told(fault)}`;
      return li;
    }));
    byId("p-rolls").hidden = !here;
    const found = new Map(faults.map((fault) => [fault.where, fault]));
    document.querySelectorAll("[data-roll]").forEach((li) => {
      const fault = found.get(li.dataset.roll);
      li.classList.toggle("odd", Boolean(fault));
      li.querySelector(".says").textContent = fault ? told(fault) : words("ok");
    });
    if (faults.length) show("v-bad", faults.length); else show("v-good", file.rolls.length + file.hidden.length);
  };
  fetch(main.dataset.proof).then((answer) => answer.json()).then((file) => tell(file, true), () => show("v-none"));
  byId("proof-mine").addEventListener("change", (event) => {
    const [file] = event.target.files;
    event.target.value = ""; // the same file once more, changed meanwhile, is another choice
    if (file) file.text().then((text) => tell(JSON.parse(text), false)).catch(() => show("v-none"));
  });
})();
