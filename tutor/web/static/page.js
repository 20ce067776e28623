// Keys, focus, and the line about the engines. Text from the server is only ever set as text.
(() => {
  "use strict";
  const FOCUS_MS = 5000;
  // Drafts too large for a request would have every click refused, also after a reload; encrypted they are a third longer.
  try {
    if ((localStorage.getItem("tutor-drafts") || "").length > 1_400_000) localStorage.removeItem("tutor-drafts");
  } catch { /* no storage, no drafts */ }

  const byId = (id) => document.getElementById(id);
  const isShown = (node) => node && node.offsetParent !== null;

  document.addEventListener("keydown", (event) => {
    const writing = event.target instanceof Element && event.target.closest("#answer");
    if (writing && event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      byId("grade")?.click();
    }
    if (event.key === "Escape" && isShown(byId("cancel"))) byId("cancel").click();
  });

  const showEngines = async () => {
    let line = "The tutor has stopped. Your draft is kept in this browser; start the tutor again to go on.";
    try {
      const reply = await fetch("status", { cache: "no-store" });
      if (reply.ok) line = (await reply.json()).line;
    } catch { /* the line above says it */ }
    const place = byId("engines");
    if (place && place.textContent !== line) place.textContent = line;
    setTimeout(showEngines, place && !line ? 10000 : 2000);
  };

  // Gradio takes a pressed button away with its state; without this the keyboard would start at the top again. The
  // parts of a frame come one after the other, on a slow machine seconds apart: so long it is tried, unless somebody
  // moves the focus.
  const keepFocus = (until = performance.now() + FOCUS_MS, given = null) => {
    const at = document.activeElement;
    const isFree = at === document.body || at === given || !isShown(at) || (!given && at.closest("#actions"));
    if (matchMedia("(pointer: coarse)").matches || !isFree) return;
    const answer = document.querySelector("#answer textarea");
    const button = [...document.querySelectorAll("#actions button.primary, #cancel")].find(isShown);
    const target = isShown(answer) ? answer : button;
    if (target && target !== at) target.focus({ preventScroll: true });
    if (performance.now() < until) setTimeout(() => keepFocus(until, target || given), 100);
  };

  // What has just been said stands below; bring its beginning into sight when it is not.
  const showNewest = () => {
    const cards = document.querySelectorAll("#thread .card");
    const box = cards.length > 1 && cards[cards.length - 1].getBoundingClientRect();
    if (!box || (box.top >= 0 && box.top < innerHeight * 0.6)) return;
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    scrollBy({ top: box.top - 24, behavior: calm ? "auto" : "smooth" });
  };

  // A link to a question or a grading is followed once; a reload then stays where the practice is.
  const dropLink = () => {
    const query = new URLSearchParams(location.search);
    if (["question", "job", "topic"].some((name) => query.has(name))) history.replaceState(null, "", location.pathname);
  };

  // Gradio names each message by its source text; a screen reader shall hear who speaks, then the message itself.
  const nameMessages = () => {
    for (const [who, name] of [["bot", "Interviewer"], ["user", "You"]]) {
      for (const message of document.querySelectorAll(`#thread [data-testid="${who}"]`)) {
        if (message.getAttribute("aria-label") === name) continue;
        message.setAttribute("role", "group");
        message.setAttribute("aria-label", name);
      }
    }
    // Gradio takes labels away from what stands in its messages.
    for (const node of document.querySelectorAll("#thread audio:not([aria-label])")) node.setAttribute("aria-label", "Your recording");
    for (const node of document.querySelectorAll("#thread button.at:not([aria-label])")) {
      node.setAttribute("aria-label", `Play from ${node.textContent}`);
    }
    // The verdicts arrive one by one; screen readers hear the change of state instead.
    const thread = document.querySelector("#thread [role=log]:not([aria-live=off])");
    thread?.setAttribute("aria-live", "off");
  };

  const attend = (said) => {
    said.setAttribute("role", "status");
    said.setAttribute("aria-live", "polite");
    let last = "";
    new MutationObserver(() => {
      const now = said.querySelector(".prose")?.textContent.trim();
      if (!now || now === last) return;
      const isFirst = !last;
      last = now;
      document.dispatchEvent(new Event("tutor:frame"));
      dropLink();
      setTimeout(() => {
        keepFocus();
        if (!isFirst) showNewest();
      }, 100);
    }).observe(said, { childList: true, subtree: true, characterData: true });
  };

  const wait = new MutationObserver(() => {
    const said = byId("said");
    if (!said || !byId("thread")) return;
    wait.disconnect();
    attend(said);
    nameMessages();
    new MutationObserver(nameMessages).observe(byId("thread"), {
      childList: true, subtree: true, attributes: true, attributeFilter: ["aria-label"],
    });
  });
  wait.observe(document.documentElement, { childList: true, subtree: true });
  showEngines();
})();
