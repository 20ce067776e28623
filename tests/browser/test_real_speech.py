"""Spoken with a microphone that plays a file, heard and graded by the real models."""

from __future__ import annotations

import json
import wave
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from jiwer import wer

from tests.browser.conftest import ARGUMENTS, CHROMIUM, App, go, opening, reload
from tests.browser.program import GRADE_S, Program
from tests.passages import PASSAGES
from tests.voice import JOE, spoken

pytestmark = [pytest.mark.real, pytest.mark.browser]

HEAR_S = 180
ANSWER = (
    "Prefill sends the whole prompt through each weight matrix at once. Every weight that is read is used for many "
    "tokens, so prefill is compute bound and its arithmetic intensity is high. Decode is different. Decode makes one "
    "token per request and per step, and for this one token it has to stream all the weights from memory. So decode is "
    "limited by memory bandwidth. With sixteen bit weights the arithmetic intensity of decode is about two operations "
    "for every two bytes, which means it is roughly the batch size. An H100 can do about three hundred operations in "
    "the time it reads one byte, that is its ridge point. Usual batch sizes are far below this ridge point, so decode "
    "stays memory bound, and the compute units wait for memory most of the time. In practice this means that the two "
    "phases want different things. For prefill I would look for more compute or shorter prompts. For decode I would "
    "look for more memory bandwidth, for fewer bytes per weight, or for a larger batch."
)


@pytest.fixture
def speak(chromium: object) -> Iterator[Callable[..., object]]:
    """Opens a page in a browser whose microphone plays this file once."""
    browsers = []
    with opening() as opened:

        def spoken_into(app: App, recording: Path, path: str) -> object:
            browser = chromium.browser_type.launch(
                executable_path=CHROMIUM,
                headless=True,
                args=[
                    *ARGUMENTS,
                    "--use-fake-device-for-media-stream",
                    "--use-fake-ui-for-media-stream",
                    f"--use-file-for-fake-audio-capture={recording}%noloop",
                ],
            )
            browsers.append(browser)
            return opened(browser, app, path)

        yield spoken_into
    for browser in browsers:
        browser.close()


def length_s(recording: Path) -> float:
    with wave.open(str(recording)) as file:
        return file.getnframes() / file.getframerate()


def record(page: object, recording: Path) -> None:
    """Press Record, let the whole file play, press Stop."""
    page.locator("#record").click()
    page.locator("#stop").wait_for()
    page.wait_for_timeout(1000 * length_s(recording) + 1500)
    page.locator("#stop").click()


def heard(page: object) -> str:
    """The words in the box once the recording is written down."""
    page.locator("#take .check").wait_for(timeout=HEAR_S * 1000)
    return page.locator("#answer textarea").input_value()


def plain(text: str) -> str:
    return " ".join("".join(c if c.isalnum() else " " for c in text.lower()).split())


def test_a_minute_is_spoken_corrected_graded_and_on_the_dashboard(
    program: Program, speak: Callable[..., object], tmp_path: Path
) -> None:
    recording = spoken(ANSWER, tmp_path / "minute.wav", JOE)
    assert 45 < length_s(recording) < 75
    program.wait_ready()
    app = program.app()
    page = speak(app, recording, "?question=q01")
    record(page, recording)
    words = heard(page)
    assert wer(plain(ANSWER), plain(words)) < 0.25
    corrected = words + " And a larger batch helps decode."
    page.locator("#answer textarea").fill(corrected)
    page.locator("#grade").click()
    page.locator(".graded").wait_for(timeout=GRADE_S * 1000)
    assert "limited by memory bandwidth" in page.locator(".graded").inner_text()
    assert page.locator(".graded .at").count() >= 1, "no quote says when it was spoken"
    reload(page, app)
    page.locator(".graded").wait_for()
    go(page, app, "dashboard")
    page.locator("#past a[href*='attempt=']").first.wait_for()
    assert page.locator("#past a[href*='attempt=']").count() == 1
    ((text, spoken_, state, file_name, transcript, transcriber),) = program.rows(
        "SELECT answer.text, answer.spoken, take.state, take.file_name, take.transcript, attempt.transcriber "
        "FROM attempt JOIN answer ON attempt.answer_id = answer.id JOIN take ON answer.take_id = take.id"
    )
    assert (text, bool(spoken_), state) == (corrected, True, "transcribed")
    assert json.loads(transcript)["text"].strip() == words
    assert "whisper" in transcriber
    kept = program.folder / "own" / "takes" / file_name
    assert abs(length_s(kept) - length_s(recording)) < 4
    left = [
        file for file in (program.folder / "own" / "tmp").rglob("*") if file.is_file() and file.stat().st_size > 1e5
    ]
    assert not left, f"the recording stayed in the temporary folder: {left}"


def test_five_minutes_arrive_whole(program: Program, speak: Callable[..., object], tmp_path: Path) -> None:
    said = " ".join(PASSAGES.values())
    recording = spoken(f"{said} {said} My very last point is about elephants.", tmp_path / "long.wav", JOE)
    recording = cut(recording, 296.0, spoken("My very last point is about elephants.", tmp_path / "end.wav", JOE))
    assert 295 < length_s(recording) < 305
    program.wait_ready()
    page = speak(program.app(), recording, "?question=q15")
    record(page, recording)
    words = heard(page)
    assert "elephants" in words[-120:]
    ((duration_s,),) = program.rows("SELECT duration_s FROM take")
    assert abs(duration_s - length_s(recording)) < 4
    reference = plain(f"{said} {said}").split()
    n_heard = len(plain(words).split())
    assert wer(" ".join(reference[: n_heard - 7]), plain(words)) < 0.3, "part of the recording is missing"


def cut(recording: Path, at_s: float, end: Path) -> Path:
    """The first seconds of a recording and another one behind them."""
    whole = recording.with_name("cut.wav")
    with wave.open(str(recording)) as source, wave.open(str(end)) as tail, wave.open(str(whole), "w") as target:
        assert source.getparams()[:3] == tail.getparams()[:3]
        target.setparams(source.getparams())
        target.writeframes(source.readframes(int(at_s * source.getframerate())))
        target.writeframes(tail.readframes(tail.getnframes()))
    return whole
