// Keys, focus, and the line about the engines. Text from the server is only ever set as text.
(() => {
  "use strict";
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
    setTimeout(showEngines, line ? 2000 : 10000);
  };

  // Gradio takes a pressed button away with its state; without this the keyboard would start at the top again.
  const keepFocus = () => {
    const at = document.activeElement;
    if (matchMedia("(pointer: coarse)").matches || (at !== document.body && !at.closest("#actions"))) return;
    const answer = document.querySelector("#answer textarea");
    const button = [...document.querySelectorAll("#actions button.primary, #cancel")].find(isShown);
    (isShown(answer) ? answer : button)?.focus({ preventScroll: true });
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
    if (query.has("question") || query.has("job")) history.replaceState(null, "", location.pathname);
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
    showEngines();
  });
  wait.observe(document.documentElement, { childList: true, subtree: true });
})();
