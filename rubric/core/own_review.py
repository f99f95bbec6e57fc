"""A person's review from what was marked: the record handed in, the ranking offered, a second round's start."""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from rubric.core.dealing import LABELS, labels
from rubric.core.marks import (
    CANNOT,
    NOTES,
    RANKING,
    SCORE,
    WHOLE,
    Key,
    Order,
    Sheet,
    Values,
    label_of,
    order_of,
    value_of,
)
from rubric.core.reading import assembled, given_mode
from rubric.core.reading_scores import Said
from rubric.core.records import ReviewRecord, RubricRecord
from rubric.core.scoring import weights_of


class Start(Struct, frozen=True):
    """One mark that a second round begins with."""

    kind: str
    subject: str
    value: str
    reason: str = ""


class Given(Struct, frozen=True):
    """What the first round says of one response, by its number within the comparison."""

    number: int
    scores: Mapping[str, float]
    holistic: float | None
    notes: str
    cannot_judge: Mapping[str, str]


def build_record(sheet: Sheet, values: Values, rubric: RubricRecord) -> ReviewRecord:
    """What is handed in: scores as they were given, what could not be judged left out, the person's own ranking.

    A ranking that was never changed is ours, so none is reported.
    """
    said = {name: Said() for name in labels(sheet.count)}
    for place, one in enumerate(said.values(), start=1):
        one.notes = values.get((NOTES, str(place))) or None
        if sheet.whole:
            one.holistic = _points(values.get((WHOLE, str(place))))
    for kind, subject in sheet.scores:
        at, _dot, criterion = subject.partition(".")
        points = _points(values.get((kind, subject)))
        if points is not None:
            said[label_of(at)].scores[criterion] = points
    order = order_of(values.get((RANKING, ""), ""), sheet.count)
    ranking = [[label_of(place) for place in group] for group in order] if order else None
    weights = weights_of(rubric)
    return assembled(said, ranking, weights, given_mode(said, ranking, weights))


def reasons_of(values: Values, reasons: Values) -> dict[str, dict[str, str]]:
    """Label -> key of the criterion ("holistic" for the score as a whole) -> why it cannot be judged."""
    found: dict[str, dict[str, str]] = {}
    for (kind, subject), value in values.items():
        if value == CANNOT and kind in (WHOLE, SCORE):
            place, _dot, criterion = subject.partition(".")
            found.setdefault(label_of(place), {})[criterion or WHOLE] = reasons.get((kind, subject), "")
    return found


def order_in(ranking: Sequence[Sequence[str]]) -> Order:
    """A ranking of labels by the places of the responses."""
    return [[LABELS.index(label) + 1 for label in group] for group in ranking]


def contradicts_scores(record: ReviewRecord) -> bool:
    """Whether the person's ranking puts one response before another that has the higher score."""
    return any(flag.code == "rank_mismatch" for flag in record.flags)


def second_start(
    given: Sequence[Given],
    ranking: Sequence[Sequence[str]] | None,
    first: Sequence[int],
    order: Sequence[int],
) -> list[Start]:
    """The marks of a second round, dealt in `order`, that say what the first said, which was dealt in `first`."""
    at = {number: place for place, number in enumerate(order, start=1)}
    found: list[Start] = []
    for each in given:
        place = at[each.number]
        if each.holistic is not None:
            found.append(Start(WHOLE, str(place), _written(each.holistic)))
        found += [
            Start(SCORE, f"{place}.{criterion}", _written(points))
            for criterion, points in each.scores.items()
        ]
        found += [Start(*_key(place, key), CANNOT, why) for key, why in each.cannot_judge.items()]
        if each.notes:
            found.append(Start(NOTES, str(place), each.notes))
    if ranking is not None:
        names = dict(zip(labels(len(first)), first, strict=True))
        value = value_of([[at[names[label]] for label in group] for group in ranking])
        found.append(Start(RANKING, "", value))
    return found


def _key(place: int, key: str) -> Key:
    return (WHOLE, str(place)) if key == WHOLE else (SCORE, f"{place}.{key}")


def _points(value: str | None) -> int | None:
    return int(value) if value and value != CANNOT else None


def _written(points: float) -> str:
    return str(int(points))
