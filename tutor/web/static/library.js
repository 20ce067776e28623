// A remark's place leads to its line in the rubric.
(() => {
  "use strict";
  if (window.tutorLibrary) return;
  window.tutorLibrary = true;
  const goTo = (line) => {
    const box = document.querySelector("#rubric textarea");
    const lines = box?.value.split("\n") ?? [];
    if (!box || line > lines.length) return;
    const start = lines.slice(0, line - 1).reduce((sum, text) => sum + text.length + 1, 0);
    box.focus({ preventScroll: true });
    box.setSelectionRange(start, start + lines[line - 1].length);
    box.scrollTop = box.scrollHeight * (line - 1) / lines.length - box.clientHeight / 3;
    box.scrollIntoView({ block: "center" });
  };
  document.addEventListener("click", (event) => {
    const place = event.target instanceof Element && event.target.closest("#notes [data-line]");
    if (place) goTo(Number(place.dataset.line));
  });
})();
