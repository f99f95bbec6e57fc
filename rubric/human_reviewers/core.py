"""A person's review: its marks, their order, what is missing, and the record that is submitted.

A mark is keyed by kind and subject. Keys name responses by their position in the order shown: ("score", "2.accuracy")
is the accuracy of Response B. Value "" is unset, "cannot" is cannot judge.
"""

from collections.abc import Mapping, Sequence
from datetime import timedelta

from msgspec import Struct

from rubric.core.records import BOTH, HOLISTIC, RUBRIC, Flag, ReviewRecord, RubricRecord
from rubric.core.response_order import LABELS, labels
from rubric.core.scales import COMMON, Scale, Scales, write_number
from rubric.core.weights import exact
from rubric.reviews.core.answer_json import GivenScores
from rubric.reviews.core.answer_record import RANK_MISMATCH, assemble_record, given_mode
from workspace.core.limits import LONGEST_COMMENT
from workspace.core.words import mark, say

SCORE, NOTES, RANKING = "score", "notes", "ranking"
CANNOT = "cannot"
LONGEST_ROW = 12  # buttons; a scale of more steps is a list to choose from
NO_REASON = mark("Say in a few words why it cannot be judged.")
Key = tuple[str, str]
Values = Mapping[Key, str]
Order = list[list[int]]


class Sheet(Struct, frozen=True):
    """What one review asks: the number of responses, the criteria (key, label) and the mode.

    `is_second` says that it is the second round, which begins with everything from the first and allows revisions.
    `scales` are the scales of the criteria, {} if all have the common one.
    """

    count: int
    criteria: tuple[tuple[str, str], ...]
    mode: str
    is_second: bool = False
    scales: Scales = {}

    @property
    def holistic(self) -> list[Key]:
        return [(HOLISTIC, str(place)) for place in self.places] if self.mode in (HOLISTIC, BOTH) else []

    @property
    def scores(self) -> list[Key]:
        """The scores by criterion that are asked for: one criterion after the other."""
        if self.mode not in (RUBRIC, BOTH):
            return []
        return [(SCORE, f"{place}.{key}") for key, _label in self.criteria for place in self.places]

    def get_scale(self, subject: str) -> Scale:
        return self.scales.get(subject.partition(".")[2], COMMON)

    @property
    def places(self) -> range:
        return range(1, self.count + 1)


class MissingMark(Struct, frozen=True):
    kind: str
    subject: str
    says: str


def get_label(place: int | str) -> str:
    return LABELS[int(place) - 1]


def parse_position(kind: str, subject: str) -> int:
    """The place of the response that a mark is about; 0 for the ranking."""
    return 0 if kind == RANKING else int(subject.partition(".")[0])


def find_mark_fault(sheet: Sheet, kind: str, subject: str, value: str | None) -> str:
    """A sentence that says why the review does not take this mark; "" when it does. A value of None means unchanged."""
    if kind in (HOLISTIC, SCORE):
        if (kind, subject) not in (sheet.holistic if kind == HOLISTIC else sheet.scores):
            return say(
                "This review does not ask for a score called “{subject}”. Load the page again.",
                subject=subject[:60],
            )
        return "" if not value or value == CANNOT else _score_fault(sheet, subject, value)
    if kind == NOTES:
        if subject not in map(str, sheet.places):
            return say("There is no response {subject} in this review.", subject=subject[:20])
        return say("Notes have at most 4,000 characters.") if len(value or "") > LONGEST_COMMENT else ""
    if kind == RANKING and subject:
        return say("There is one ranking for all responses; it has no subject.")
    if kind == RANKING:
        is_ranking = not value or parse_ranking(value, sheet.count) is not None
        return "" if is_ranking else say("This is no ranking of these responses. Load the page again.")
    return say("There is nothing called “{kind}” in a review. Load the page again.", kind=kind[:40])


def _score_fault(sheet: Sheet, subject: str, value: str) -> str:
    scale, key = sheet.get_scale(subject), subject.partition(".")[2]
    if value in scale.points:
        return ""
    if key not in sheet.scales:
        return say(
            "“{value}” is no score. Give a whole number from 1 to 10, or say that you cannot judge.",
            value=value[:40],
        )
    label = dict(sheet.criteria)[key]
    said = say(
        "“{value}” is no score for {label}, whose scale is {scale}.",
        value=value[:40],
        label=label,
        scale=scale.text,
    )
    return say("{said} Choose another, or say that you cannot judge.", said=said)


def list_keys(scale: Scale) -> list[tuple[str, str]]:
    """Every score of the scale with the key that gives it: its own digit; 0 means ten unless 0 is a score. Else ""."""
    keys = {point: point for point in scale.points if len(point) == 1}
    keys |= {"10": "0"} if "0" not in keys else {}
    return [(point, keys.get(point, "")) for point in scale.points]


def find_spans(anchors: Sequence[str], scale: Scale) -> list[int]:
    """How many scores each anchor ("1-2", "3") heads, if they follow the scale without a gap; [] if not or too many."""
    points = list(scale.points)
    spans: list[int] = []
    for first, _dash, last in (anchor.partition("-") for anchor in anchors):
        headed = points[sum(spans) :]
        if headed[:1] != [first] or (last or first) not in headed:
            return []
        spans.append(headed.index(last or first) + 1)
    return spans if sum(spans) == len(points) <= LONGEST_ROW else []


def read_scores(sheet: Sheet, values: Values, place: int) -> dict[str, int | float]:
    """The scores of one response by criterion, without those that cannot be judged."""
    points = {key: _points(values.get((SCORE, f"{place}.{key}"))) for key, _label in sheet.criteria}
    return {key: value for key, value in points.items() if value is not None}


SLIP = timedelta(seconds=10)
NO_SLIP_REASON = mark("Say in a few words what the slip was: the criteria are open, so the reason is kept.")


def find_slip_fault(sheet: Sheet, *, age: timedelta, value: str, reason: str) -> tuple[str, str]:
    """Why a holistic score of that age cannot be corrected once the criteria are open, and the field; "" when it can.

    For 10 seconds a slip needs no reason. The score can only be replaced, not cleared: that would close the criteria.
    """
    if sheet.is_second:
        return say("Holistic scores stay as they were given in the first round."), "value"
    if not value:
        return say("The criteria are open, so give the score that you meant instead of none."), "value"
    if age > SLIP and not reason.strip():
        return say(NO_SLIP_REASON), "reason"
    return "", ""


def why_not_yet(sheet: Sheet, values: Values, kind: str) -> str:
    """A sentence that says why this kind of mark is not open now; "" when it is. For slips see `find_slip_fault`.

    If holistic scores come first, the criteria open when all of them are given. Then the holistic scores are locked:
    they count only because they were given before the reviewer saw the criteria.
    """
    if sheet.mode == BOTH:
        if kind == HOLISTIC and are_scores_complete(sheet, values):
            return say("The criteria are open, so the holistic scores stay as they were given before.")
        if kind == SCORE and not are_scores_complete(sheet, values):
            return say("The criteria open when every response has its holistic score.")
    if kind == RANKING and missing(sheet, values):
        return say("The ranking opens when all scores are given.")
    return ""


def are_scores_complete(sheet: Sheet, values: Values) -> bool:
    return all(values.get(key) for key in sheet.holistic)


def missing(sheet: Sheet, values: Values) -> list[MissingMark]:
    labels = dict(sheet.criteria)
    marks = [
        MissingMark(*key, say("{label} has no holistic score.", label=get_label(key[1])))
        for key in sheet.holistic
        if not values.get(key)
    ]
    for kind, subject in sheet.scores:
        if not values.get((kind, subject)):
            place, _dot, key = subject.partition(".")
            label, criterion = get_label(place), labels[key]
            says = say("{label} has no score for {criterion}.", label=label, criterion=criterion)
            marks.append(MissingMark(kind, subject, says))
    return marks


def parse_ranking(value: str, count: int) -> Order | None:
    """The places of "2>1=3", best first and equal ones together; None unless it orders exactly `count` responses."""
    parts = [group.split("=") for group in value.split(">")]
    known = {str(place) for place in range(1, count + 1)}
    flat = [part for group in parts for part in group]
    if len(set(flat)) != len(flat) or not set(flat) <= known:
        return None
    return [[int(part) for part in group] for group in parts]


def format_ranking(order: Sequence[Sequence[int]]) -> str:
    return ">".join("=".join(map(str, sorted(group))) for group in order)


def move_response(order: Order, place: int, way: str) -> Order | None:
    """The order with one response moved "higher", "lower", or tied with the one above ("equal"); None if impossible.

    A response that shares its place first leaves it; one that has no place yet goes last.
    """
    groups = [list(group) for group in order]
    index = next((index for index, group in enumerate(groups) if place in group), None)
    if index is None:
        return [*groups, [place]] if way == "lower" else None
    is_alone = len(groups[index]) == 1
    if way == "equal":
        if index == 0:
            return None
        groups[index].remove(place)
        groups[index - 1].append(place)
        return [group for group in groups if group]
    if is_alone and index == (0 if way == "higher" else len(groups) - 1):
        return None
    groups[index].remove(place)
    step = 1 if is_alone else 0
    groups.insert(index - step if way == "higher" else index + 1 + step, [place])
    return [group for group in groups if group]


class StartingMark(Struct, frozen=True):
    kind: str
    subject: str
    value: str
    reason: str = ""


class FirstRoundScores(Struct, frozen=True):
    """What one response was given in the first round; its number is that within the comparison."""

    number: int
    scores: Mapping[str, float]
    holistic: float | None
    notes: str
    cannot_judge: Mapping[str, str]


def build_record(
    sheet: Sheet, values: Values, rubric: RubricRecord, slips: Values | None = None
) -> ReviewRecord:
    """The review to submit: scores as given without those that could not be judged, and the person's own ranking.

    `slips` are the reasons for corrections of holistic scores after the criteria opened. A ranking that was never
    changed is a computed one, so no ranking is reported.
    """
    scores_by_label = {name: GivenScores() for name in labels(sheet.count)}
    for place, given_scores in enumerate(scores_by_label.values(), start=1):
        given_scores.notes = values.get((NOTES, str(place))) or None
        if sheet.holistic:
            given_scores.holistic = _points(values.get((HOLISTIC, str(place))))
        given_scores.scores = read_scores(sheet, values, place) if sheet.scores else {}
    order = parse_ranking(values.get((RANKING, ""), ""), sheet.count)
    ranking = [[get_label(place) for place in group] for group in order] if order else None
    flags = []
    for (_kind, subject), reason in sorted((slips or {}).items()):
        label = get_label(subject)
        sentence = say(
            "{label}: the holistic score was corrected after the criteria were open: {reason}.",
            label=label,
            reason=reason.rstrip("."),
        )
        flags.append(Flag("whole_corrected", sentence, label))
    return assemble_record(
        scores_by_label, ranking, rubric, given_mode(scores_by_label, ranking, rubric), flags=flags
    )


def collect_reasons(values: Values, reasons: Values) -> dict[str, dict[str, str]]:
    """Label -> key of the criterion ("holistic" for the holistic score) -> why it cannot be judged."""
    by_label: dict[str, dict[str, str]] = {}
    for (kind, subject), value in values.items():
        if value == CANNOT and kind in (HOLISTIC, SCORE):
            place, _dot, criterion = subject.partition(".")
            by_label.setdefault(get_label(place), {})[criterion or HOLISTIC] = reasons.get(
                (kind, subject), ""
            )
    return by_label


def order_in(ranking: Sequence[Sequence[str]]) -> Order:
    return [[LABELS.index(label) + 1 for label in group] for group in ranking]


def contradicts_scores(record: ReviewRecord) -> bool:
    return any(flag.code == RANK_MISMATCH for flag in record.flags)


def second_start(
    given: Sequence[FirstRoundScores],
    ranking: Sequence[Sequence[str]] | None,
    first: Sequence[int],
    order: Sequence[int],
) -> list[StartingMark]:
    """The marks of a second round, shown in `order`, that copy those of the first round, which was shown in `first`."""
    places = {number: place for place, number in enumerate(order, start=1)}
    marks: list[StartingMark] = []
    for response in given:
        place = places[response.number]
        if response.holistic is not None:
            marks.append(StartingMark(HOLISTIC, str(place), write_number(response.holistic)))
        marks += [
            StartingMark(SCORE, f"{place}.{criterion}", write_number(points))
            for criterion, points in response.scores.items()
        ]
        marks += [StartingMark(*_key(place, key), CANNOT, why) for key, why in response.cannot_judge.items()]
        if response.notes:
            marks.append(StartingMark(NOTES, str(place), response.notes))
    if ranking is not None:
        names = dict(zip(labels(len(first)), first, strict=True))
        value = format_ranking([[places[names[label]] for label in group] for group in ranking])
        marks.append(StartingMark(RANKING, "", value))
    return marks


def _key(place: int, key: str) -> Key:
    return (HOLISTIC, str(place)) if key == HOLISTIC else (SCORE, f"{place}.{key}")


def _points(value: str | None) -> int | float | None:
    if not value or value == CANNOT:
        return None
    points = exact(value)
    return int(points) if points.denominator == 1 else float(points)
