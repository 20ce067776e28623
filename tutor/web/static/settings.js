// The microphone test, and focus on the first mistake. Text is only ever set as text.
(() => {
  "use strict";
  if (window.tutorSettings) return;
  const LISTEN_MS = 3000;
  const HEARD = 0.02;
  const WHY_NOT = {
    NotAllowedError: "The browser does not let this page use the microphone. Allow it beside the address, then test again.",
    NotFoundError: "No microphone was found. Connect one, then test again.",
    NotReadableError: "The microphone does not answer; another program may hold it. Close that one, then test again.",
  };
  const byId = (id) => document.getElementById(id);

  // The loudest of three seconds, between 0 and 1; `show` is told each moment.
  const listen = async (show) => {
    const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
    const sound = new AudioContext();
    try {
      await sound.resume();
      const ear = sound.createAnalyser();
      sound.createMediaStreamSource(stream).connect(ear);
      const samples = new Float32Array(ear.fftSize);
      const until = performance.now() + LISTEN_MS;
      let loudest = 0;
      while (performance.now() < until) {
        ear.getFloatTimeDomainData(samples);
        const level = samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);
        loudest = Math.max(loudest, level);
        show(level);
        await new Promise((go) => setTimeout(go, 50));
      }
      return loudest;
    } finally {
      stream.getTracks().forEach((track) => track.stop());
      await sound.close();
    }
  };

  const found = (loudest) => loudest < HEARD
    ? [false, "It is open, but nothing was heard. Speak during the test, or turn it up in the system's settings."]
    : [true, `It hears you; the loudest sound reached ${Math.round(100 * Math.min(loudest, 1))} of 100.`];

  const tell = (works, sentence) => {
    const mark = document.createElement("span");
    mark.className = "mark";
    mark.textContent = works ? "✓ Works" : "✕ Does not work";
    byId("heard").className = works ? "check works" : "check broken";
    byId("heard").replaceChildren(mark, ` ${sentence}`);
  };

  let isListening = false;
  const testMicrophone = async () => {
    if (isListening) return;
    if (!navigator.mediaDevices) {
      tell(false, "The browser offers microphones only to the address that was printed at the start. Open that one.");
      return;
    }
    isListening = true;
    byId("heard").className = "check";
    byId("heard").textContent = "Listening. Say a few words.";
    byId("level").hidden = false;
    try {
      tell(...found(await listen((level) => { byId("level").querySelector("meter").value = level; })));
    } catch (error) {
      tell(false, WHY_NOT[error.name] || "The microphone could not be opened. Look at the system's settings.");
    } finally {
      byId("level").hidden = true;
      isListening = false;
    }
  };

  document.addEventListener("click", (event) => {
    if (event.target instanceof Element && event.target.closest("#test-microphone")) testMicrophone();
  });

  // Each mistake belongs to the field before it; the first one gets the keyboard.
  const showMistakes = () => {
    let first = null;
    for (const caption of document.querySelectorAll("#settings .caption")) {
      const box = caption.previousElementSibling?.querySelector("textarea, input");
      const words = caption.querySelector("p");
      if (!box || !words) continue;
      words.id = `about-${box.closest(".block").id}`;
      box.setAttribute("aria-describedby", words.id);
      box.setAttribute("aria-invalid", String(words.classList.contains("mistake")));
      if (words.classList.contains("mistake")) first ??= box;
    }
    first?.focus();
  };
  window.tutorSettings = { showMistakes };
})();
