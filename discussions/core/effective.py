"""What counts: adjudicated, else the majority of the people who submitted, else the machine. Decided here only."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from fractions import Fraction

from msgspec import Struct

from discussions.core import kinds
from discussions.core.identification import Asked, Identified, result_of
from discussions.core.records import Measurement, MessageFinding

Key = tuple[str, str]

# A tie on one of these stays open until a lead settles it; on the others nothing that decides a verdict hangs.
SETTLED_BY_LEADS = (
    kinds.REFERENCE,
    kinds.MISSED,
    kinds.STRATEGIC_DEPTH,
    kinds.COHERENCE,
    kinds.ROLE_CONSISTENCY,
    kinds.PHRASE,
    kinds.IDENTIFY,
    kinds.IDENTIFY_DECIDES,
)
# Where a person who says nothing says what the machine says. The others have no machine to agree with.
SILENCE_ACCEPTS = (
    kinds.STRATEGIC_DEPTH,
    kinds.COHERENCE,
    kinds.ROLE_CONSISTENCY,
    kinds.PHRASE,
    kinds.IDENTIFY_DECIDES,
)


class Judged(Struct, frozen=True):
    """The newest value of one thing one evaluator judged. `evaluator` is the evaluation's own number."""

    evaluator: int
    kind: str
    subject: str
    value: str
    blind_value: str = ""
    is_submitted: bool = False


class Effective(Struct, frozen=True):
    """What counts for one game: kind -> subject -> value, without unset values.

    `added` are references that people added or accepted, `ties` what a lead must settle, `rating` the mean rating,
    `answers` those to the questions, `identification` (yes, asked) of the manual check, `test` what the blind test of
    who said it came to and `identify_decides` whether that check or test replaces pass or fail of its metric.
    """

    values: dict[str, dict[str, str]]
    added: frozenset[str] = frozenset()
    ties: tuple[Key, ...] = ()
    rating: Fraction | None = None
    answers: dict[str, str] = {}
    identification: tuple[int, int] | None = None
    identify_decides: bool = False
    test: Identified | None = None


def machine_values(measurements: Mapping[str, Measurement]) -> dict[Key, str]:
    """What the machine says of each thing a person could judge: the value that silence accepts.

    Counted references are listed with the value "": they are there, but no machine labels them.
    """
    said: dict[Key, str] = {}
    for metric in (kinds.STRATEGIC_DEPTH, kinds.COHERENCE):
        for finding in _messages(measurements, metric):
            said[metric, str(finding.message)] = kinds.YES if finding.counts else kinds.NO
    for finding in _messages(measurements, kinds.ROLE_CONSISTENCY):
        said[kinds.ROLE_CONSISTENCY, str(finding.message)] = role_value(finding.counts, finding.rule)
    if "memory_accuracy" in measurements:
        for reference in measurements["memory_accuracy"].references:
            if reference.is_counted:
                said[kinds.REFERENCE, f"{reference.message}.{reference.sentence}"] = ""
    return said


def role_value(counts: bool, rule: str) -> str:
    """The label that a finding of role consistency amounts to."""
    if counts:
        return kinds.CONSISTENT
    return kinds.NOT_ASSESSABLE if rule == "unknown_side" else kinds.INCONSISTENT


def effective(
    judged: Iterable[Judged],
    adjudicated: Mapping[Key, str],
    *,
    machine: Mapping[Key, str] | None = None,
    tests: Mapping[int, Asked] | None = None,
    own: int | None = None,
) -> Effective:
    """The effective values of one game from everybody's newest judgements.

    Only submitted evaluations count; with `own` that evaluator's alone counts, submitted or not (one's own preview).
    Submitting accepts every finding that was not overridden, so who is silent stands with the machine (`machine`, see
    machine_values). A reference is added when more than half of the evaluations have it. Equal halves are ties.
    `tests` are the blind tests of who said it, by evaluation; those of the evaluations that count are one test.
    """
    said = dict(machine or {})
    counting = [one for one in judged if (one.is_submitted if own is None else one.evaluator == own)]
    evaluators = {one.evaluator for one in counting}
    stands: dict[Key, dict[int, str]] = defaultdict(dict)
    for one in counting:
        if one.value:
            stands[one.kind, one.subject][one.evaluator] = one.value
    added, halves = _added(stands, said, len(evaluators), adjudicated)
    ties = [key for key in halves if key not in adjudicated]
    values: dict[str, dict[str, str]] = defaultdict(dict)
    for (kind, subject), by_person in stands.items():
        if (kind, subject) in adjudicated or not _is_asked(kind, subject, added, said):
            continue
        value = _agreed(kind, subject, by_person, said, evaluators)
        if value is None:
            ties.append((kind, subject))
        elif value:
            values[kind][subject] = value
    for (kind, subject), value in adjudicated.items():
        values[kind] |= {subject: value} if value else {}
    asked = {number: test for number, test in (tests or {}).items() if number in evaluators}
    test = result_of(
        asked, lambda number, place: stands.get((kinds.ATTRIBUTION, str(place)), {}).get(number, "")
    )
    return _assembled(values, added, ties, stands, test)


def _is_asked(kind: str, subject: str, added: frozenset[str], said: Mapping[Key, str]) -> bool:
    """Whether a value is to be settled here: no marks, ratings, answers of tests, nor what is no reference."""
    if kind in kinds.OF_A_SENTENCE:
        return kind != kinds.MISSED and (subject in added or (kinds.REFERENCE, subject) in said)
    return kind not in (kinds.RATING, kinds.ATTRIBUTION)


def _assembled(
    values: dict[str, dict[str, str]],
    added: frozenset[str],
    ties: list[Key],
    stands: Mapping[Key, Mapping[int, str]],
    test: Identified | None,
) -> Effective:
    ratings = [Fraction(value) for value in stands.get((kinds.RATING, ""), {}).values()]
    identified = values.get(kinds.IDENTIFY, {})
    decides = kinds.YES in values.get(kinds.IDENTIFY_DECIDES, {}).values()
    yes = sum(value == kinds.YES for value in identified.values())
    open_ties = {(kind, subject) for kind, subject in ties if kind in SETTLED_BY_LEADS}
    open_ties -= set() if decides else {tie for tie in open_ties if tie[0] == kinds.IDENTIFY}
    values.pop(kinds.MISSED, None)
    return Effective(
        values=dict(values),
        added=added,
        ties=tuple(sorted(open_ties)),
        rating=sum(ratings, Fraction(0)) / len(ratings) if ratings else None,
        answers=dict(values.get(kinds.QUESTION, {})),
        identification=(yes, len(identified)) if identified else None,
        identify_decides=decides,
        test=test,
    )


def _added(
    stands: Mapping[Key, Mapping[int, str]],
    said: Mapping[Key, str],
    evaluator_count: int,
    adjudicated: Mapping[Key, str],
) -> tuple[frozenset[str], list[Key]]:
    """The references people added, and those that exactly half of them have.

    Who marked a sentence or labelled it has it, unless the label is that it is no reference.
    """
    having: dict[str, set[int]] = defaultdict(set)
    for (kind, subject), by_person in stands.items():
        if kind in (kinds.MISSED, kinds.REFERENCE) and (kinds.REFERENCE, subject) not in said:
            labels = stands.get((kinds.REFERENCE, subject), {})
            having[subject] |= {person for person in by_person if labels.get(person) != kinds.NOT_A_REFERENCE}
    settled = {subject: bool(value) for (kind, subject), value in adjudicated.items() if kind == kinds.MISSED}
    added = {subject for subject, people in having.items() if 2 * len(people) > evaluator_count}
    added = (added - settled.keys()) | {subject for subject, is_in in settled.items() if is_in}
    halves = [
        (kinds.MISSED, subject) for subject, people in having.items() if 2 * len(people) == evaluator_count
    ]
    return frozenset(added), halves


def _agreed(
    kind: str, subject: str, by_person: Mapping[int, str], said: Mapping[Key, str], evaluators: set[int]
) -> str | None:
    """The value that more evaluators stand by than any other; None when two lead together."""
    # One evaluator alone, as in the figures after every save, needs no count.
    if len(evaluators) == 1:
        return next(iter(by_person.values()))
    return _majority(_votes(kind, subject, by_person, said, evaluators))


def _votes(
    kind: str, subject: str, by_person: Mapping[int, str], said: Mapping[Key, str], evaluators: set[int]
) -> Counter[str]:
    votes = Counter(by_person.values())
    silent = len(evaluators) - len(by_person)
    if silent and kind in SILENCE_ACCEPTS:
        votes[said.get((kind, subject), "")] += silent
    return votes


def _majority(votes: Counter[str]) -> str | None:
    """The value that more people gave than any other; None when two lead together."""
    (first, most), *others = votes.most_common(2)
    return None if others and others[0][1] == most else first


def _messages(measurements: Mapping[str, Measurement], metric: str) -> list[MessageFinding]:
    return measurements[metric].messages if metric in measurements else []
