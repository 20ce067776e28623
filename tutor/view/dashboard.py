"""The dashboard in words and tables: the weakest topics with their evidence, then every topic."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, tzinfo

from markupsafe import Markup

from tutor.progress import TopicProgress, evidence
from tutor.schedule import Standing, weakest
from tutor.values import CriterionVerdict
from tutor.view.feedback import VERDICTS
from tutor.view.text import joined, markup

WEAK_TOPICS = 3
_POINTS = 2
# Less than five points of 100 is no trend.
_STEADY = 0.05
_EMPTY = markup(
    '<section class="invitation"><h2>Nothing answered yet</h2>'
    "<p>Answer one question. Then this page shows which topics are weak and why, and when each comes back.</p>"
    '<p><a class="go" href="/">Answer the first question</a></p></section>'
)
_COLUMNS = ("Topic", "Mean of 100", "Attempts", "Last seen", "Next due", "Trend")
_NOTHING = markup('<span class="quiet none">–</span>')


def dashboard(standings: Sequence[Standing], zone: tzinfo | None) -> Markup:
    """Up to three weakest topics with reasons and links, then a table of all topics; or an invitation to begin.

    Args:
        standings: Every topic, in the bank's order.
        zone: Time zone of the screen, for when a topic was last seen. Due days are days of UTC.
    """
    if not any(standing.progress.n_attempts for standing in standings):
        return _EMPTY
    weak = weakest(standings)[:WEAK_TOPICS]
    return markup(
        '{weak}<section><h2 id="topics">All topics</h2>{table}{graders}</section>',
        weak=_weak_section(weak, zone) if weak else Markup(""),
        table=_table(standings, zone),
        graders=_graders(standings),
    )


def trend_text(trend: float | None) -> tuple[str, str]:
    """Sign and words of a trend; both empty where there is none.

    >>> trend_text(0.12), trend_text(-0.3), trend_text(0.01)
    (('▲', '12 higher'), ('▼', '30 lower'), ('=', 'steady'))
    """
    if trend is None:
        return "", ""
    if abs(trend) < _STEADY:
        return "=", "steady"
    points = round(100 * trend)
    return ("▲", f"{points} higher") if points > 0 else ("▼", f"{-points} lower")


def topic_link(topic: str) -> str:
    """The practice page at a topic of the person's choice.

    >>> topic_link("KV cache & é")
    '/?topic=KV%20cache%20%26%20%C3%A9'
    """
    code = (chr(b) if chr(b).isalnum() and b < 128 else f"%{b:02X}" for b in topic.encode("utf-8", "replace"))
    return f"/?topic={''.join(code)}"


def _weak_section(weak: Sequence[Standing], zone: tzinfo | None) -> Markup:
    return markup(
        '<section class="weak"><h2>{title}</h2><ol>{rows}</ol></section>',
        title="Weakest topics" if len(weak) > 1 else "Weakest topic",
        rows=joined(_weak_topic(standing, zone) for standing in weak),
    )


def _weak_topic(standing: Standing, zone: tzinfo | None) -> Markup:
    topic = standing.progress
    return markup(
        '<li><div><h3>{topic}</h3><p>{reason}.{open}</p>{missed}<p class="quiet">{facts}</p></div>{link}</li>',
        topic=topic.topic,
        reason=_capital(evidence(topic)),
        open=" Still open from last time:" if topic.missed else "",
        missed=_missed(topic.missed),
        facts=" · ".join(_facts(standing, zone)),
        link=_practise(topic.topic),
    )


def _facts(standing: Standing, zone: tzinfo | None) -> list[str]:
    topic = standing.progress
    sign, words = trend_text(topic.trend)
    seen = f"last seen {_day(topic.last_seen.astimezone(zone).date())}" if topic.last_seen else ""
    # With one question the evidence has told it.
    attempts = f"{topic.n_attempts} attempts" if topic.n_scored > 1 else ""
    due = "due now" if standing.is_due else f"due {_day(standing.due)}" if standing.due else ""
    trend = f"{sign} {words} than before" if topic.trend is not None and sign != "=" else f"{sign} {words}".strip()
    return [fact for fact in (due, attempts, seen, trend) if fact]


def _missed(points: Sequence[CriterionVerdict]) -> Markup:
    """The weightiest points missed last time, each with its word and sign."""
    if not points:
        return Markup("")
    rows = joined(
        markup(
            '<li class="{style}"><span class="mark"><span class="sign" aria-hidden="true">{sign}</span> {word}</span> '
            "<span>{text}</span></li>",
            **VERDICTS[point.verdict]._asdict(),
            text=point.text,
        )
        for point in points[:_POINTS]
    )
    n_more = len(points) - _POINTS
    more = markup('<li><span class="more quiet">and {n} more</span></li>', n=n_more) if n_more > 0 else Markup("")
    return markup('<ul class="points">{rows}{more}</ul>', rows=rows, more=more)


def _practise(topic: str) -> Markup:
    return markup(
        '<a class="go" href="{to}">Practise this<span class="unseen"> topic: {topic}</span></a>',
        to=topic_link(topic),
        topic=topic,
    )


def _table(standings: Sequence[Standing], zone: tzinfo | None) -> Markup:
    # The roles are said once more because a phone shows the rows as cards, which takes them away in some browsers.
    return markup(
        '<table role="table" aria-labelledby="topics"><thead role="rowgroup"><tr role="row">{head}</tr></thead>'
        '<tbody role="rowgroup">{rows}</tbody></table>',
        head=joined(markup('<th scope="col" role="columnheader">{name}</th>', name=name) for name in _COLUMNS),
        rows=joined(_row(standing, zone) for standing in standings),
    )


def _row(standing: Standing, zone: tzinfo | None) -> Markup:
    topic = standing.progress
    sign, words = trend_text(topic.trend)
    cells = (
        _mean(topic),
        markup("{n}", n=topic.n_attempts),
        markup("{day}", day=_day(topic.last_seen.astimezone(zone).date())) if topic.last_seen else _NOTHING,
        _due(standing),
        markup('<span aria-hidden="true">{sign}</span> {words}', sign=sign, words=words) if sign else _NOTHING,
    )
    return markup(
        '<tr role="row"><th scope="row" role="rowheader"><span class="name">{topic}</span>'
        '<span class="quiet">{answered}</span>{link}</th>{cells}</tr>',
        topic=topic.topic,
        answered=_answered(topic),
        link=_practise(topic.topic) if topic.n_questions else Markup(""),
        cells=joined(
            markup('<td role="cell" data-name="{name}"><div>{cell}</div></td>', name=name, cell=cell)
            for name, cell in zip(_COLUMNS[1:], cells, strict=True)
        ),
    )


def _mean(topic: TopicProgress) -> Markup:
    if topic.mean is None:
        return markup('<span class="quiet">{why}</span>', why="no score" if topic.n_attempts else "not tried")
    score = round(100 * topic.mean)
    return markup(
        '<span class="score">{score}</span> <span class="bar" aria-hidden="true"><span style="width: {score}%"></span>'
        "</span>{mixed}",
        score=score,
        mixed=markup('<span class="quiet mixed">≠ mixed graders</span>') if len(topic.graders) > 1 else Markup(""),
    )


def _due(standing: Standing) -> Markup:
    if standing.due is None:
        return _NOTHING
    return markup("<strong>now</strong>") if standing.is_due else markup("{day}", day=_day(standing.due))


def _answered(topic: TopicProgress) -> str:
    if not topic.n_questions:
        return "no longer in the bank"
    questions = "1 question" if topic.n_questions == 1 else f"{topic.n_questions} questions"
    return f"{topic.n_answered} of {questions} tried"


def _graders(standings: Sequence[Standing]) -> Markup:
    """Whose grades a mean mixes; a sum of unlike scales is never made in silence."""
    mixed = [grader for s in standings if len(s.progress.graders) > 1 for grader in s.progress.graders]
    if not mixed:
        return Markup("")
    names = {grader.id: f"{grader.chat_model} ({grader.id})" for grader in mixed}
    return markup(
        '<p class="quiet">≠ This mean or trend mixes grades of {names}. Their scales may differ a little.</p>',
        names=" and ".join(names.values()),
    )


def _capital(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]


def _day(day: date) -> str:
    """A day as `view.when` writes it.

    >>> _day(date(2026, 3, 1))
    '1 Mar 2026'
    """
    return f"{day.day} {day:%b %Y}"
