// Speaking: clock, keys and sentences around Gradio's microphone, the words to check, and playing from a moment.
// Text from the server or a person is only ever set as text.
(() => {
  "use strict";
  const ARRIVAL_S = 120, OPENING_S = 15;
  // What a file dialog offers first; what a file really is, only its decoding tells.
  const AUDIO_FILES = "audio/*,.wav,.mp3,.m4a,.mp4,.webm,.ogg,.opus,.flac";
  const OR_ELSE = "You can also upload a recording or type your answer.";
  const TROUBLES = {
    NotAllowedError: "The browser does not let this page use the microphone. Allow it beside the page's address, then record.",
    NotFoundError: "No microphone was found. Connect one, then record.",
    NotReadableError: "The microphone cannot be opened; another program may be using it. Close that one, then record.",
    insecure: "The microphone works only at 127.0.0.1 or localhost. Open the page by the address printed at the start.",
    late: "The microphone did not start in time. Press Record again.",
    other: "The microphone could not be opened. Check it in the settings of the system, then record.",
  };

  const byId = (id) => document.getElementById(id);
  const inside = (name) => document.querySelector(`#microphone .${name}`);
  const part = (name) => document.querySelector(`#recorder .${name}`);
  const isShown = (node) => Boolean(node) && node.offsetParent !== null;
  const clock = (seconds) => `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;

  // still, asking, recording, paused, or kept: stopped, and on its way to the tutor.
  let phase = "still";
  let before = 0, since = 0, ticking = 0, waiting = 0, lock = null, isWarned = false;

  const tell = (sentence) => { const voice = byId("voice"); if (voice) voice.textContent = sentence; };

  const say = (sentence, isTrouble = false) => {
    const place = part("state");
    if (place) {
      place.textContent = sentence;
      place.classList.toggle("refused", isTrouble);
    }
    if (sentence) tell(sentence);
  };

  const enter = (next) => {
    phase = next;
    document.body.dataset.take = next;
  };

  const elapsed = () => before + (phase === "recording" ? (performance.now() - since) / 1000 : 0);

  const show = () => {
    const face = part("recorder"), time = part("time"), fill = part("fill");
    if (!face || !time || !fill) return;
    const now = elapsed();
    if (time.textContent !== clock(now)) time.textContent = clock(now);
    fill.style.width = `${Math.min(100, (100 * now) / Number(face.dataset.wholeS))}%`;
    if (now >= Number(face.dataset.warningS) && !isWarned) {
      isWarned = true;
      face.classList.add("late");
      say("30 seconds left. The recording then stops by itself, and nothing is lost.");
    }
    if (now >= Number(face.dataset.limitS)) stop("The time is full.");
  };

  const stayAwake = async () => {
    try { lock = await navigator.wakeLock?.request("screen"); } catch { /* the screen may turn off */ }
  };

  const begin = () => {
    if (phase !== "paused") {
      before = 0;
      isWarned = false;
      part("recorder")?.classList.remove("late");
      stayAwake();
    }
    say(phase === "paused" ? "Recording again." : "Recording.");
    since = performance.now();
    enter("recording");
    clearInterval(ticking);
    ticking = setInterval(show, 200);
    moveFocus("stop");
  };

  const rest = () => {
    before = elapsed();
    clearInterval(ticking);
    enter("paused");
    say("Paused.");
    show();
    moveFocus("resume");
  };

  const end = (reason = "") => {
    before = elapsed();
    clearInterval(ticking);
    lock?.release();
    lock = null;
    enter("kept");
    show();
    say(`${reason} Stopped.`.trim());
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      enter("still");
      say("The recording did not reach the tutor. Check that the tutor runs, then record again.", true);
    }, ARRIVAL_S * 1000);
  };

  const settle = () => {
    clearTimeout(waiting);
    clearInterval(ticking);
    before = 0;
    enter("still");
  };

  const moveFocus = (id) => {
    const at = document.activeElement;
    if (at === document.body || at.closest("#actions")) byId(id)?.focus({ preventScroll: true });
  };

  const trouble = async () => {
    if (!window.isSecureContext) return TROUBLES.insecure;
    if (!navigator.mediaDevices?.getUserMedia) return TROUBLES.NotFoundError;
    try {
      const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
      stream.getTracks().forEach((track) => track.stop());
      return "";
    } catch (error) {
      return TROUBLES[error.name] || TROUBLES.other;
    }
  };

  // Gradio loads its microphone after the page, so its button may come later than ours.
  const within = async (seconds, isSo) => {
    const until = performance.now() + 1000 * seconds;
    while (!isSo() && performance.now() < until) await new Promise((done) => setTimeout(done, 50));
    return isSo();
  };

  const start = async () => {
    if (phase !== "still") return;
    enter("asking");
    say("Opening the microphone.");
    let sentence = await trouble();
    if (!sentence && (await within(OPENING_S, () => Boolean(inside("record-button"))))) {
      inside("record-button").click();
      await within(OPENING_S, () => phase !== "asking");
    }
    if (phase !== "asking") return;
    sentence ||= TROUBLES.late;
    enter("still");
    say(`${sentence} ${OR_ELSE}`, true);
    moveFocus("record");
  };

  const stop = (reason = "") => {
    if (phase !== "recording" && phase !== "paused") return;
    const button = inside(phase === "paused" ? "stop-button-paused" : "stop-button");
    // At once, so that a second press finds nothing left to stop.
    end(reason);
    button?.click();
  };

  // Gradio shows its Stop while it records and its Resume while it rests.
  const watch = () => {
    const files = byId("upload")?.parentElement.querySelector("input[type=file]");
    if (files && files.accept !== AUDIO_FILES) files.accept = AUDIO_FILES;
    const isOn = (name) => { const at = inside(name)?.style.display; return Boolean(at) && at !== "none"; };
    const now = isOn("resume-button") ? "paused" : isOn("stop-button") ? "recording" : "still";
    if (now === "recording" && phase !== "recording" && phase !== "kept") begin();
    else if (now === "paused" && phase === "recording") rest();
    else if (now === "still" && (phase === "recording" || phase === "paused")) end();
  };

  const useWords = (button) => {
    const row = button.closest("li"), area = document.querySelector("#answer textarea");
    const { heard, likely, start: place } = row.dataset;
    if (!area) return;
    const found = [];
    for (let at = area.value.indexOf(heard); at >= 0; at = area.value.indexOf(heard, at + 1)) found.push(at);
    const at = found.sort((a, b) => Math.abs(a - place) - Math.abs(b - place))[0];
    if (at !== undefined) {
      area.setRangeText(likely, at, at + heard.length, "end");
      area.dispatchEvent(new Event("input", { bubbles: true }));
      tell(`${likely} stands in place of ${heard}.`);
    }
    const next = row.nextElementSibling || row.previousElementSibling;
    (next?.querySelector(".use") || area).focus({ preventScroll: true });
    const list = row.parentElement;
    row.remove();
    if (!list.children.length) list.remove();
  };

  const playFrom = (button) => {
    const [minutes, seconds] = button.textContent.split(":").map(Number);
    const player = button.closest("#take, #thread")?.querySelector("audio");
    if (!player) return;
    player.currentTime = 60 * minutes + seconds;
    player.play();
  };

  document.addEventListener("click", (event) => {
    const button = event.target instanceof Element && event.target.closest("button");
    if (!button) return;
    if (button.id === "record") start();
    else if (button.id === "stop") stop();
    else if (button.id === "pause") inside("pause-button")?.click();
    else if (button.id === "resume") inside("resume-button")?.click();
    else if (button.classList.contains("use")) useWords(button);
    else if (button.classList.contains("at")) playFrom(button);
  });

  const HAS_OWN_SPACE = "input, textarea, select, button, a, summary, audio, [contenteditable]";
  document.addEventListener("keydown", (event) => {
    if (event.key !== " " || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target instanceof Element && event.target.closest(HAS_OWN_SPACE)) return;
    if (!isShown(byId("record")) && !isShown(byId("stop"))) return;
    event.preventDefault();
    if (event.repeat) return;
    if (phase === "still") start();
    else stop();
  });

  addEventListener("beforeunload", (event) => {
    if (["recording", "paused", "kept"].includes(phase)) event.preventDefault();
  });

  // A frame from the tutor: the recording has arrived, or its place was taken by something else.
  document.addEventListener("tutor:frame", settle);

  // How long the transcription has taken so far.
  let heardSince = 0;
  setInterval(() => {
    const place = document.querySelector("#take .elapsed");
    if (!place) heardSince = 0;
    else {
      heardSince ||= performance.now();
      place.textContent = clock((performance.now() - heardSince) / 1000);
    }
  }, 1000);

  enter("still");
  new MutationObserver(watch).observe(document.documentElement, {
    childList: true, subtree: true, attributes: true, attributeFilter: ["style"],
  });
})();
