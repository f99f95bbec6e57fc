"""The transcript and its map: messages with marks and chips, rounds, votes, and the forms of one message."""

from collections import Counter
from functools import lru_cache
from itertools import groupby

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from discussions.adjudication.labels import answer_label
from discussions.adjudication.pages import RoundVotes
from discussions.core import judgement_kinds
from discussions.core.records import Message, MessageFinding
from discussions.metrics.core.text import split
from discussions.rating.core.visibility import asked_references
from discussions.rating.pages.items import build_marked_reference, round_votes
from discussions.rating.pages.records import AtMessage, Chip, MessageRow, RoundRow, Sentence, StepReason, Tick
from discussions.rating.pages.visible_evaluation import VisibleEvaluation, build_visible_evaluation
from discussions.rating.queries import EvaluationState

KEYS = {
    judgement_kinds.STRATEGIC_DEPTH: "2",
    judgement_kinds.COHERENCE: "3",
    judgement_kinds.ROLE_CONSISTENCY: "4",
}


MOST_SENTENCES = MOST_MARKS = 200


OPPOSITE = {
    judgement_kinds.YES: judgement_kinds.NO,
    judgement_kinds.NO: judgement_kinds.YES,
    judgement_kinds.CONSISTENT: judgement_kinds.INCONSISTENT,
    judgement_kinds.INCONSISTENT: judgement_kinds.CONSISTENT,
    judgement_kinds.NOT_ASSESSABLE: judgement_kinds.CONSISTENT,
}


def messages(visible: VisibleEvaluation) -> list[MessageRow]:
    spans = locate_references(visible)
    return [message_row(visible, message.position, spans) for message in _shown(visible)]


def _shown(visible: VisibleEvaluation) -> list[Message]:
    said = visible.seen.messages
    return said[visible.window.first - 1 : visible.window.last] if visible.window.is_paged else said


def message_row(
    visible: VisibleEvaluation, position: int, spans: dict[int, list[tuple[int, int]]]
) -> MessageRow:
    """One message with everything that may be seen on it; `spans` come from `locate_references`."""
    seen = visible.seen
    message = seen.messages[position - 1]
    before = seen.messages[position - 2] if position > 1 else None
    opens = before is None or before.round != message.round
    is_first = visible.window.is_paged and position == visible.window.first
    target = f"message:{position}"
    mine = [remark for remark in visible.remarks if remark.target == target]
    return MessageRow(
        position=position,
        round=message.round,
        player=message.player,
        name=seen.name(message.player),
        face=build_faces(tuple(player.name for player in seen.players))[message.player - 1],
        is_confusable=seen.players[message.player - 1].is_confusable,
        goes_on=not (opens or is_first) and before is not None and before.player == message.player,
        opens_round=round_label(message.round, goes_on=not opens) if opens or is_first else "",
        text=message.text,
        spans=sorted(spans.get(position, []))[:MOST_MARKS],
        reply_to=message.reply_to,
        reply_name=seen.name(seen.messages[message.reply_to - 1].player) if message.reply_to else "",
        chips=chips(visible, position),
        notes=sum(remark.kind == "comment" for remark in mine),
        is_flagged=any(remark.kind == "flag" for remark in mine),
        has_unsaid=position in visible.unsaid and visible.unsaid[position].is_any,
    )


@lru_cache(maxsize=32)
def build_faces(names: tuple[str, ...]) -> tuple[str, ...]:
    """The initial of each name, or its first two letters where names share the initial."""
    words = ["".join(filter(str.isalnum, name)).capitalize() or "?" for name in names]
    initials = Counter(word[0] for word in words)
    return tuple(word[: 1 + (initials[word[0]] > 1)] for word in words)


def round_label(number: int, *, goes_on: bool = False) -> str:
    """The name of a round; `goes_on` if the page begins inside it."""
    return (_("Round %(number)s, continued") if goes_on else _("Round %(number)s")) % {"number": number}


def locate_references(visible: VisibleEvaluation) -> dict[int, list[tuple[int, int]]]:
    """Message -> the spans of the references that need a label."""
    found = {reference.subject: (reference.start, reference.end) for reference in visible.shown.references}
    places: dict[int, list[tuple[int, int]]] = {}
    for subject in asked_references(visible.progress):
        own = None if subject in found else build_marked_reference(visible, subject)
        place = (own.start, own.end) if own else found[subject]
        places.setdefault(judgement_kinds.parse_subject(subject)[0], []).append(place)
    return places


def chips(visible: VisibleEvaluation, position: int) -> list[Chip]:
    return [
        chip(visible, metric, found[position])
        for metric in KEYS
        if (found := visible.shown.findings.get(metric)) and position in found
    ]


def chip(visible: VisibleEvaluation, metric: str, finding: MessageFinding) -> Chip:
    """One metric's value in words, and the evaluator's own if it differs."""
    machine = finding.machine_value(metric)
    subject = str(finding.message)
    own = visible.value(metric, subject)
    now = own or machine
    return Chip(
        kind=metric,
        name=visible.rubric.criterion(metric).label,
        key=KEYS[metric],
        label=answer_label(metric, now),
        was=answer_label(metric, machine) if now != machine else "",
        subject=subject,
        version=visible.version(metric, subject),
        flip=OPPOSITE[now] if visible.is_open else "",
        flip_label=answer_label(metric, OPPOSITE[now]),
        is_own=bool(own),
    )


def rounds(visible: VisibleEvaluation, only: set[int] | None = None) -> list[RoundRow]:
    """The map of the shown page: every round with a tick for each message; `only` limits it to these messages."""
    about = _about(visible)
    rows = []
    for number, group in groupby(_shown(visible), key=lambda message: message.round):
        said = list(group)
        if only is None or any(said[0].position <= position <= said[-1].position for position in only):
            rows.append(_round(visible, number, said, about))
    return rows


def _round(
    visible: VisibleEvaluation, number: int, said: list[Message], about: dict[str, set[int]]
) -> RoundRow:
    ticks = [Tick(message.position, _state(message.position, about)) for message in said]
    judged = sum(tick.state in ("judged", "changed") for tick in ticks)
    asks = sum(tick.state == "asks" for tick in ticks)
    count = ngettext("%(n)s message", "%(n)s messages", len(said)) % {"n": len(said)}
    says = _("%(count)s, %(judged)s judged, %(asks)s open") % {"count": count, "judged": judged, "asks": asks}
    return RoundRow(number, round_label(number), len(said), ticks, says)


def _about(visible: VisibleEvaluation) -> dict[str, set[int]]:
    about: dict[str, set[int]] = {"flag": set(), "asks": set(), "changed": set(), "judged": set()}
    for remark in visible.remarks:
        if remark.kind == "flag" and remark.target.startswith("message:"):
            about["flag"].add(int(remark.target.partition(":")[2]))
    for kind, subject in visible.asked:
        if kind in judgement_kinds.MESSAGE_KINDS + judgement_kinds.SENTENCE_KINDS:
            about["asks"].add(judgement_kinds.parse_subject(subject)[0])
    for (kind, subject), judgement in visible.judgements.items():
        if judgement.value and kind in judgement_kinds.MESSAGE_KINDS + judgement_kinds.SENTENCE_KINDS:
            position = judgement_kinds.parse_subject(subject)[0]
            about["changed" if _is_override(visible, kind, position, judgement.value) else "judged"].add(
                position
            )
    return about


def _is_override(visible: VisibleEvaluation, kind: str, position: int, value: str) -> bool:
    finding = visible.shown.findings.get(kind, {}).get(position)
    if finding is None:
        return False
    return value != finding.machine_value(kind)


def _state(position: int, about: dict[str, set[int]]) -> str:
    for state, positions in about.items():
        if position in positions:
            return state
    return ""


def votes(visible: VisibleEvaluation) -> list[RoundVotes]:
    numbers = sorted({vote.round for vote in visible.seen.votes})
    if visible.window.is_paged:
        shown = {message.round for message in _shown(visible)}
        numbers = [number for number in numbers if number in shown]
    return [table for number in numbers if (table := round_votes(visible, number, []))]


def at_message(visible: VisibleEvaluation, position: int) -> AtMessage | None:
    """The forms for one message; None when there is no such message."""
    if not 1 <= position <= len(visible.seen.messages):
        return None
    message = visible.seen.messages[position - 1]
    target = f"message:{position}"
    comments = [
        remark.text for remark in visible.remarks if (remark.target, remark.kind) == (target, "comment")
    ]
    flags = [remark.text for remark in visible.remarks if (remark.target, remark.kind) == (target, "flag")]
    sentences, rest = _sentences(visible, message)
    return AtMessage(
        position=position,
        target=target,
        name=visible.seen.name(message.player),
        player=message.player,
        text=message.text,
        sentences=sentences,
        rest=rest,
        chips=chips(visible, position),
        comment_version=len(comments),
        comments=comments,
        flag_version=len(flags),
        is_flagged=bool(flags),
        flag_text=flags[0] if flags else "",
        reasons=_reasons(visible, position),
    )


def _sentences(visible: VisibleEvaluation, message: Message) -> tuple[list[Sentence], str]:
    """The sentences that can be marked, and the text after them if a message has too many."""
    is_whole = visible.progress.judgeable.is_by_message
    places = [(0, len(message.text))] if is_whole else split(message.text)
    asked = asked_references(visible.progress)
    found = []
    for number, (start, end) in enumerate(places[:MOST_SENTENCES], start=0 if is_whole else 1):
        subject = f"{message.position}.{number}"
        version = visible.version(judgement_kinds.MISSED, subject)
        found.append(Sentence(number, message.text[start:end], subject, version, subject in asked))
    behind = places[MOST_SENTENCES:]
    return found, message.text[behind[0][0] :] if behind else ""


def _reasons(visible: VisibleEvaluation, position: int) -> list[StepReason]:
    """The answers on this message that may carry a reason."""
    names = {
        judgement_kinds.STRATEGIC_DEPTH: _("Why this answer on strategic depth?"),
        judgement_kinds.COHERENCE: _("Why this answer on coherence?"),
        judgement_kinds.ROLE_CONSISTENCY: _("Why this label of role consistency?"),
        judgement_kinds.REFERENCE: _("Why this label of the reference?"),
    }
    return [
        StepReason(kind, names[kind], subject, judgement.version, judgement.value, judgement.reason)
        for (kind, subject), judgement in sorted(visible.judgements.items())
        if kind in names and judgement.value and judgement_kinds.parse_subject(subject)[0] == position
    ]


BEFORE, AFTER = 2, 1


def build_thoughts_page(work: EvaluationState, position: int) -> dict[str, object] | None:
    """The parts of the page; position 0 stands for the first message that opens. None if nothing opens there."""
    visible = build_visible_evaluation(work)
    opening = [number for number, unsaid in visible.unsaid.items() if unsaid.is_any]
    position = position or next(iter(opening), 0)
    if position not in opening:
        return None
    place, said = opening.index(position), visible.seen.messages
    return {
        "evaluation": work.evaluation.pk,
        "game_number": work.evaluation.game_number,
        "seen": visible.seen,
        "unsaid": visible.unsaid[position],
        "before": said[max(position - 1 - BEFORE, 0) : position - 1],
        "after": said[position : position + AFTER],
        "earlier": opening[place - 1] if place else 0,
        "later": opening[place + 1] if place + 1 < len(opening) else 0,
    }
