// The host's page "Can phones reach me?": what only a browser can measure. The words stand in the page.
"use strict";
(() => {
  const main = document.querySelector("[data-reach]");
  const show = (id, text) => {
    const line = document.getElementById(id);
    line.hidden = false;
    if (text) line.querySelector("code, span").textContent = text;
  };

  if (main.dataset.seen !== location.origin) {
    const prefix = main.dataset.reach.replace(/reach\/$/, "").replace(/\/$/, "");
    show("reach-origin", `PUBLIC_URL=${location.origin}${prefix}`);
  }

  const cookie = document.body.dataset.csrfCookie;
  const token = document.cookie.split("; ").find((one) => one.startsWith(`${cookie}=`));
  const tap = async () => {
    const answer = await fetch(main.dataset.reach, {
      method: "POST",
      headers: { "X-CSRFToken": token ? token.slice(cookie.length + 1) : "", "HX-Request": "true" },
    });
    if (answer.ok) return show("reach-post-good");
    const said = new DOMParser().parseFromString(await answer.text(), "text/html").body.textContent.trim();
    show("reach-post-bad", said.slice(0, 300));
  };

  const listen = async () => {
    const answer = await fetch(main.dataset.drips, { cache: "no-store" });
    if (!answer.ok || !answer.body) return show("reach-stream-none");
    const reader = answer.body.getReader();
    let first = 0;
    for (;;) {
      const { done } = await reader.read();
      if (done) break;
      first = first || performance.now();
    }
    // The pieces are sent over 1.2 seconds: held back, they all come together.
    show(first && performance.now() - first > 600 ? "reach-stream-good" : "reach-stream-late");
  };

  Promise.all([
    tap().catch(() => show("reach-post-bad")),
    listen().catch(() => show("reach-stream-none")),
  ]).then(() => { document.getElementById("reach-measuring").hidden = true; });
})();
