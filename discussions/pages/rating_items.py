"""The things to judge, step by step: references, samples, phrases, who said it, questions, rating, roles."""

from collections.abc import Iterable

from discussions.core import kinds
from discussions.core.seen import SeenReference
from discussions.core.sentences import split
from discussions.core.sight import asked_references
from discussions.pages.rating_desk import Desk, word
from discussions.pages.rating_item_records import (
    Item,
    Quote,
    ReferenceItem,
    RoundVotes,
    SampleItem,
    VoteRow,
)
from discussions.pages.rating_window import More, fitting, left_over
from workspace.core.text_display import shortened

MOST_QUOTES, LONGEST_QUOTE = 12, 2000


def references(desk: Desk) -> list[ReferenceItem]:
    """M1: what is counted or was marked, as the transcript goes, then what the wider net offers."""
    found = {one.subject: one for one in desk.shown.references}
    shown = fitting(
        desk.window,
        list(enumerate(_listed(desk), start=1)),
        lambda listed: kinds.place_of(listed[1])[0],
        lambda listed: (kinds.REFERENCE, listed[1]) in desk.asked,
    )
    return [_reference(desk, number, subject, found) for number, subject in shown]


def more_of(desk: Desk, kind: str, items: Iterable[Item]) -> More | None:
    """Where the list of what is judged under `kind` goes on, when this page of the transcript does not hold it all."""
    wanted = sorted(kinds.place_of(subject)[0] for asked, subject in desk.asked if asked == kind)
    return left_over(desk.window, wanted, sum(item.needs for item in items))


def reference_of(desk: Desk, subject: str) -> ReferenceItem | None:
    """The one reference with that subject, if it is in the list."""
    listed = _listed(desk)
    if subject not in listed:
        return None
    found = {one.subject: one for one in desk.shown.references}
    return _reference(desk, listed.index(subject) + 1, subject, found)


def _listed(desk: Desk) -> list[str]:
    """Every reference that is shown, in the order of the list."""
    asked = asked_references(desk.standing)
    known = set(asked)
    return asked + [
        one.subject for one in desk.shown.references if not one.is_counted and one.subject not in known
    ]


def _reference(desk: Desk, number: int, subject: str, found: dict[str, SeenReference]) -> ReferenceItem:
    return reference(desk, number, found.get(subject) or marked(desk, subject))


def reference(desk: Desk, number: int, found: SeenReference) -> ReferenceItem:
    """One reference with what to hold it against; its check only once it has a label."""
    subject, message = found.subject, desk.seen.messages[found.message - 1]
    label = desk.value(kinds.REFERENCE, subject)
    is_marked = bool(desk.value(kinds.MISSED, subject))
    return ReferenceItem(
        **desk.item(kinds.REFERENCE, subject),
        number=number,
        message=found.message,
        player=message.player,
        name=desk.seen.name(message.player),
        text=found.text,
        is_possible=not found.is_counted and not is_marked and not label,
        is_missed=is_marked,
        missed_version=desk.version(kinds.MISSED, subject),
        votes=None if found.players else round_votes(desk, found.round, found.hits),
        messages=_quotes(desk, found) if found.players else [],
        check=found.check,
        check_says=found.says,
        can_be_deliberate=desk.sight.roles and label == kinds.INACCURATE,
        deliberate=desk.value(kinds.DELIBERATE, subject),
        deliberate_version=desk.version(kinds.DELIBERATE, subject),
    )


def marked(desk: Desk, subject: str) -> SeenReference:
    """A sentence that the evaluator marked as a reference."""
    position, number = kinds.place_of(subject)
    message = desk.seen.messages[position - 1]
    start, end = split(message.text)[number - 1] if number else (0, len(message.text))
    text = message.text[start:end]
    return SeenReference(
        subject, position, start, end, text, is_counted=False, round=message.round - 1, players=[]
    )


def round_votes(desk: Desk, number: int, hits: list[tuple[int, int, int]]) -> RoundVotes | None:
    """The votes of one round, those in `hits` marked; None when there are none."""
    rows = [
        VoteRow(
            desk.seen.name(vote.voter),
            desk.seen.name(vote.target),
            (vote.round, vote.voter, vote.target) in hits,
        )
        for vote in desk.seen.votes
        if vote.round == number
    ]
    return RoundVotes(number, rows) if rows else None


def _quotes(desk: Desk, found: SeenReference) -> list[Quote]:
    """What the named players said in that round before the message."""
    said = [
        message
        for message in desk.seen.messages[: found.message - 1]
        if message.player in found.players and (not found.round or message.round == found.round)
    ]
    return [
        Quote(message.position, desk.seen.name(message.player), shortened(message.text, LONGEST_QUOTE))
        for message in said[-MOST_QUOTES:]
    ]


def samples(desk: Desk, metric: str) -> list[SampleItem]:
    """M2 or M3: the messages of the audit sample."""
    return [sample(desk, metric, position) for position in desk.standing.samples[metric]]


def sample(desk: Desk, metric: str, position: int) -> SampleItem:
    """One message of a sample; what the machine found only once the whole sample is judged."""
    message = desk.seen.messages[position - 1]
    values = desk.item(metric, str(position))
    finding = desk.shown.findings.get(metric, {}).get(position)
    machine = "" if finding is None else kinds.YES if finding.counts else kinds.NO
    return SampleItem(
        **values,
        message=position,
        player=message.player,
        name=desk.seen.name(message.player),
        text=message.text,
        machine=word(metric, machine) if machine else "",
        agrees=machine == values["value"] if machine and values["value"] else None,
    )


def sample_of(desk: Desk, metric: str, position: int) -> SampleItem | None:
    """The item of that message, if it is in the sample."""
    return sample(desk, metric, position) if position in desk.standing.samples[metric] else None
