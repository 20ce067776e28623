"""What the page does with a recording: keep it at once, have it transcribed, show it for checking, replace it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from threading import Lock

from markupsafe import Markup

from tutor import view
from tutor.booth import Booth
from tutor.errors import AudioRefused, EngineError, TrackerError
from tutor.practice import Practice
from tutor.spoken import Heard, Spoken, Take, TakeState
from tutor.values import Answer, Attempt
from tutor.web.frame import ID, MAX_LEFT, Drafts, Frame, Seat, Stage, thread
from tutor.web.uploads import Uploads

# An event that comes twice claims the same; so many of the newest are remembered.
_REMEMBERED_EVENTS = 64
SETTLE_S = 2.0
"""So long after the last frame the browser may still load the file that Gradio took in."""
# Of three frames that come at once, a refusal's among them, Gradio's page may leave out the one in the middle.
FRAME_S = 0.4
_AT_HAND = (TakeState.STOPPED, TakeState.TRANSCRIBED)


class SpokenMoves:
    """Each move takes what the browser claims and gives the frames to show, the last one to stay."""

    def __init__(
        self,
        practice: Practice,
        booth: Booth,
        uploads: Uploads,
        new_id: Callable[[], str],
        pause: Callable[[float], None],
    ) -> None:
        self._practice, self._booth, self._uploads = practice, booth, uploads
        self._new_id, self._pause = new_id, pause
        self._events: dict[tuple[str, str, str], str] = {}
        self._noting, self._transcribing = Lock(), Lock()

    def keep(self, seat: Seat, drafts: Drafts, source: str) -> Iterator[Frame | None]:
        """A recording has arrived: keep it before anything else, then have it transcribed.

        Args:
            seat: Its take id makes two events of one recording one take.
            drafts: Unsent words.
            source: The file that Gradio took in, as the browser claims it. The browser may still be loading it, so
                it is deleted last.
        """
        seat, is_known = self._noted(seat, source)
        try:
            self._uploads.receive(source, seat.take_id)
        except AudioRefused as refused:
            # Of two events of one recording the first may have deleted the file by now.
            if not is_known or self._booth.take(seat.take_id) is None:
                yield self.asked(seat, str(refused))
                yield None
                return
        try:
            yield from self.hear(seat, drafts)
            self._pause(FRAME_S)
            # Gradio sends the last frame once more at the end; that one must not undo what is written meanwhile.
            yield None
            self._pause(SETTLE_S)
        finally:
            self._uploads.drop(source)

    def _noted(self, seat: Seat, source: str) -> tuple[Seat, bool]:
        """The seat with the id of the take that this event brings, and whether the same event came before."""
        event = (source, seat.question_id, seat.take_id)
        with self._noting:
            known = self._events.get(event)
            self._events[event] = take_id = known or self.fresh(seat)
            if len(self._events) > _REMEMBERED_EVENTS:
                del self._events[next(iter(self._events))]
        return replace(seat, take_id=take_id), known is not None

    def hear(self, seat: Seat, drafts: Drafts) -> Iterator[Frame | None]:
        """Have the recording at hand transcribed, if it is not yet, and show it for checking."""
        try:
            take = self._kept(seat)
        except AudioRefused as refused:
            yield self.asked(seat, str(refused))
            return
        except TrackerError as error:
            yield self._frame(Stage.UNTRANSCRIBED, seat, str(error), view.trouble_card(None, str(error)))
            return
        known = self._booth.heard(seat.take_id)
        if known is not None:
            yield self._check(known, drafts.get(seat.question_id, ""), seat, drafts)
        elif take is None or take.state is TakeState.DISCARDED:
            yield self.asked(replace(seat, take_id=self.fresh(seat)))
        else:
            yield self._frame(Stage.HEARING, seat, "Transcribing.", view.hearing_card(take))
            yield self._transcribed(take, seat, drafts)

    def _kept(self, seat: Seat) -> Take | None:
        """The take, moved in from where it waits when that is still to be done."""
        source = self._uploads.waiting(seat.take_id)
        if source is None:
            return self._booth.take(seat.take_id)
        try:
            take = self._booth.keep(seat.take_id, seat.question_id, source)
        except AudioRefused:
            self._uploads.forget(seat.take_id)
            raise
        self._uploads.forget(seat.take_id)
        return take

    def _transcribed(self, take: Take, seat: Seat, drafts: Drafts) -> Frame:
        try:
            # One at a time: after a reload the second request waits for the words of the first.
            with self._transcribing:
                heard = self._booth.transcribe(take.id)
        except AudioRefused as refused:
            return self._frame(Stage.UNHEARD, seat, str(refused), view.trouble_card(take, str(refused)))
        except EngineError as error:
            sentence = f"{str(error).rstrip('.')}. The recording is kept."
            return self._frame(Stage.UNTRANSCRIBED, seat, sentence, view.trouble_card(take, sentence))
        typed = "" if seat.earlier_id else drafts.get(seat.question_id, "").strip()
        return self._check(heard, typed and f"{typed}\n\n{_words(heard)}", self._settled(seat), drafts)

    def speak(self, seat: Seat) -> Iterator[Frame | None]:
        """Leave the box for the microphone; words in it stay in the browser."""
        yield self.asked(replace(seat, typing=False, take_id=self.fresh(seat)))

    def redo(self, seat: Seat) -> Iterator[Frame | None]:
        """Record again; the last recording stays until the next one is transcribed."""
        take = self._booth.take(seat.take_id)
        is_last = self._is_unkept(seat.take_id) or (take is not None and take.state is TakeState.TRANSCRIBED)
        last = seat.take_id if is_last else seat.earlier_id
        yield self.asked(replace(seat, typing=False, take_id=self.fresh(seat), earlier_id=last))

    def back(self, seat: Seat, drafts: Drafts) -> Iterator[Frame | None]:
        """Keep the last recording after all."""
        yield from self.hear(replace(seat, take_id=seat.earlier_id or seat.take_id, earlier_id=""), drafts)

    def asked(self, seat: Seat, trouble: str = "") -> Frame:
        """The question with the recorder below it."""
        question = self._practice.question(seat.question_id)
        stage = Stage.ASKED_AGAIN if self.has_earlier(seat) else Stage.ASKED
        return Frame(
            stage,
            thread(question, why=seat.why),
            trouble or (f"Speak your answer. {view.name(question)}" if question else ""),
            recorder=view.recorder(question) if question else Markup(),
            note=view.markup('<p class="refused">{trouble}</p>', trouble=trouble) if trouble else Markup(),
            seat=seat,
        )

    def fresh(self, seat: Seat) -> str:
        """An id for the next recording: the one made for it, unless it is taken."""
        take = self._booth.take(seat.take_id) if seat.take_id else None
        is_free = take is None or (take.state is TakeState.RECORDING and take.question_id == seat.question_id)
        return seat.take_id if seat.take_id and is_free and not self._is_unkept(seat.take_id) else self._new_id()

    def is_at_hand(self, seat: Seat) -> bool:
        """Whether there is a recording of the question at hand that has not been sent, kept or still to be kept."""
        take = self._booth.take(seat.take_id) if seat.take_id else None
        if take is None:
            return self._is_unkept(seat.take_id)
        return take.question_id == seat.question_id and (take.state in _AT_HAND or self._is_unkept(seat.take_id))

    def leave(self, seat: Seat) -> Seat:
        """The place with the recording at hand noted, so that it is found again when its question comes back."""
        take_id = seat.earlier_id if self.has_earlier(seat) else seat.take_id if self.is_at_hand(seat) else ""
        if not take_id:
            return seat
        others = [(question_id, left) for question_id, left in seat.left.items() if question_id != seat.question_id]
        return replace(seat, left=dict([*others, (seat.question_id, take_id)][-MAX_LEFT:]))

    def find(self, seat: Seat) -> Seat | None:
        """The place with the recording that was left at its question; None without one, or when it was sent."""
        found = replace(seat, take_id=seat.left.get(seat.question_id, ""))
        return found if self.is_at_hand(found) and not self._booth.is_answered(found.take_id) else None

    def has_earlier(self, seat: Seat) -> bool:
        """Whether a recording is about to be replaced."""
        earlier_id = seat.earlier_id
        return bool(earlier_id) and (self._booth.take(earlier_id) is not None or self._is_unkept(earlier_id))

    def checked(self, seat: Seat) -> str | None:
        """The id of the transcribed take whose words are in the box, None for typed words."""
        return seat.take_id if self.is_at_hand(seat) and self._booth.heard(seat.take_id) is not None else None

    def card(self, seat: Seat, text: str) -> Markup:
        """The recording at hand to be checked, empty for typed words."""
        heard = self._booth.heard(seat.take_id) if self.checked(seat) else None
        return Markup() if heard is None else view.check_card(heard, text)

    def take_of(self, answer: Answer) -> Take | None:
        """The recording an answer was spoken in."""
        return self._booth.take(answer.take_id) if answer.take_id else None

    def spoken(self, attempt: Attempt) -> Spoken | None:
        """What a spoken attempt shows besides its grade."""
        return self._booth.spoken(attempt)

    def bring_in(self) -> None:
        """Keep what could not be kept before the program stopped; what still cannot be, waits on."""
        for take_id in filter(ID.fullmatch, self._uploads.all_waiting()):
            with suppress(AudioRefused, TrackerError):
                take = self._booth.take(take_id)
                if take is not None:
                    self._booth.keep(take_id, take.question_id, self._uploads.waiting(take_id) or "")
                    self._uploads.forget(take_id)

    def _is_unkept(self, take_id: str) -> bool:
        return self._uploads.waiting(take_id) is not None

    def _settled(self, seat: Seat) -> Seat:
        """The new recording has words, so the one it replaces can go unless it was sent."""
        if self.has_earlier(seat):
            self._uploads.forget(seat.earlier_id)
            self._booth.replace(seat.earlier_id)
        return replace(seat, earlier_id="")

    def _check(self, heard: Heard, text: str, seat: Seat, drafts: Drafts) -> Frame:
        text = text or _words(heard)
        frame = self._frame(Stage.CHECK, seat, "Check the transcript, then grade it.", view.check_card(heard, text))
        return replace(frame, draft=text, drafts={**drafts, seat.question_id: text})

    def _frame(self, stage: Stage, seat: Seat, said: str, card: Markup) -> Frame:
        question = self._practice.question(seat.question_id)
        return Frame(stage, thread(question, why=seat.why), said, take=card, seat=seat)


def _words(heard: Heard) -> str:
    return heard.take.transcript.text.strip() if heard.take.transcript else ""
