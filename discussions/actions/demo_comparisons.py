"""The comparisons of the demo: two sets, filled and reviewed through the same actions as everybody's."""

import json
import random
from collections.abc import Callable, Mapping
from datetime import datetime
from fractions import Fraction
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from rubric.actions.beginning import store_starts
from rubric.actions.bringing import bring_lines, bring_reviews
from rubric.actions.comparing import add_reviewer, open_set
from rubric.actions.figuring import ask_for_figures
from rubric.actions.handing_in import begin_review, hand_in
from rubric.core.comparison_lines import ReviewGiven, read_comparison_lines
from rubric.core.dealing import deal, labels
from rubric.core.own_review import Given, second_start
from rubric.core.reading import read_review
from rubric.core.records import RubricRecord
from rubric.core.scoring import overall_of, ranked, rounded, weights_of
from rubric.models import Comparison, ComparisonSet, Reviewer, RubricVersion
from rubric.models.comparisons import MODEL, PERSON
from workspace.models import Person, Project

FOLDER = Path(__file__).resolve().parent.parent / "demo" / "comparisons"
EVERYDAY, TITLES = "Everyday questions, three models and a person", "Titles of changes"
UNREVIEWED = "mail"
# The model that wrote some of the responses judges the others hard; the other one gives rows of equal scores.
HARSH, FLAT = "Onyx large", "Plover 1"
REFUSED, CUT, MISCOUNTED = "sky", "index", "tip"
UNSURE = ("tides", "accuracy", "I know too little about tides.")
REFUSAL = "I'm sorry, but I cannot evaluate these responses: I am not able to verify what they say."
GUEST = "Guest reader"
# What one looks at when scoring as a whole, which is not what the rubric weighs.
AS_A_WHOLE = {"accuracy": 0.5, "completeness": 0.2, "conciseness": 0.05, "clarity": 0.25}

Row = dict[str, Any]
Rows = dict[str, Row]
Quality = Mapping[str, Mapping[str, list[int]]]


class Taste(Struct, frozen=True):
    """How somebody scores: points above the others, and whether all criteria of a response get the same."""

    bias: int = 0
    is_flat: bool = False


TASTES = {"first": Taste(), "second": Taste(bias=1), "lead": Taste(bias=-1), HARSH: Taste(bias=-2)}
TASTES[FLAT] = Taste(is_flat=True)


class Sheet(Struct, frozen=True):
    """One comparison as one reviewer scores it: the ids of the responses in their order, and a row for each label."""

    key: str
    ids: list[str]
    rows: Rows


class _Set:
    """A set of the demo at work: its comparisons by key, its reviewers by name."""

    def __init__(
        self,
        row: ComparisonSet,
        quality: Quality,
        people: Mapping[str, Person],
        clock: Callable[[], datetime],
    ) -> None:
        self.row, self.quality, self.people, self.clock = row, quality, people, clock
        rows = Comparison.objects.filter(set=row).prefetch_related("responses").order_by("number")
        self.comparisons = {each.key: each for each in rows}
        self.rubric = row.rubric_version.to_record()

    def sheet(self, key: str, who: str, person: Person | None = None) -> Sheet:
        """What this reviewer gives; the order and the scores depend on the names alone."""
        others = {
            each.number: each.key
            for each in self.comparisons[key].responses.all()
            if person is None or each.written_by_id != person.pk
        }
        ids = [others[number] for number in deal(list(others), f"demo:{key}:{who}")]
        rows = {
            label: _row(
                self.rubric, self.quality[key][each], TASTES[who], random.Random(f"{who}:{key}:{each}")
            )
            for label, each in zip(labels(len(ids)), ids, strict=True)
        }
        return Sheet(key, ids, rows)

    def ask(self, who: str) -> None:
        """Let somebody of the project review."""
        person = self.people[who]
        by = self.row.created_by
        add_reviewer(comparison_set=self.row, kind=PERSON, person=person, by=by, now=self.clock())


def fill_comparisons(
    *, project: Project, people: Mapping[str, Person], by: Person, clock: Callable[[], datetime]
) -> None:
    """Make both sets, and ask for the figures of the first. The same moment gives the same rows."""
    quality = msgspec.json.decode(
        (FOLDER / "quality.json").read_bytes(), type=dict[str, dict[str, list[int]]]
    )
    everyday = _Set(_filled(project, EVERYDAY, "both", "everyday.jsonl", by, clock), quality, people, clock)
    for who in ("first", "second", "lead"):
        everyday.ask(who)
    for name in (HARSH, FLAT):
        add_reviewer(comparison_set=everyday.row, kind=MODEL, name=name, by=by, now=clock())
    for key in everyday.comparisons:
        if key != UNREVIEWED:
            for who in ("first", "second", "lead"):
                _score(everyday, key, who)
    _bring_models(everyday)
    ask_for_figures(comparison_set=everyday.row, by=by, now=clock())
    titles = _Set(_filled(project, TITLES, "rubric", "titles.jsonl", by, clock), quality, people, clock)
    for who in ("first", "second"):
        titles.ask(who)
    for key in titles.comparisons:
        _score(titles, key, "second")
    _score(titles, next(iter(titles.comparisons)), "first")
    _bring_guest(titles)


def _filled(
    project: Project, name: str, mode: str, file: str, by: Person, clock: Callable[[], datetime]
) -> ComparisonSet:
    version = RubricVersion.objects.newest("response")
    assert version is not None
    made = open_set(
        project=project,
        name=name,
        version=version,
        mode=mode,
        has_second_round=mode == "rubric",
        by=by,
        now=clock(),
    )
    lines = read_comparison_lines((FOLDER / file).read_bytes())
    brought = bring_lines(comparison_set=made, lines=lines, by=by, now=clock())
    assert not brought.faults
    return made


def _row(rubric: RubricRecord, quality: list[int], taste: Taste, chance: random.Random) -> Row:
    """Scores of one response: its quality, the reviewer's taste, and a little chance."""
    row: Row = {}
    for criterion, good in zip(rubric.criteria, quality, strict=True):
        row[criterion.key] = min(10, max(1, good + taste.bias + chance.choice((-1, 0, 0, 1))))
    if taste.is_flat:
        row = dict.fromkeys(row, round(sum(row.values()) / len(row)))
    whole = sum(AS_A_WHOLE[key] * score for key, score in row.items())
    row["holistic"] = min(10, max(1, round(whole + chance.choice((-0.4, 0, 0.4)))))
    return row | {"notes": _notes(quality)}


def _notes(quality: list[int]) -> str:
    accuracy, completeness, conciseness, _clarity = quality
    if accuracy <= 3:
        return "Wrong in what matters."
    if conciseness <= 3:
        return "Right, but far too long for what it says."
    return "Leaves out what one would ask next." if completeness <= 3 else ""


def _score(made: _Set, key: str, who: str) -> None:
    """A person hands in one review; where they are unsure of one criterion, they say why instead."""
    person = made.people[who]
    reviewer = Reviewer.objects.select_related("set__project").get(set=made.row, person=person)
    sheet = made.sheet(key, who, person)
    if made.row.mode == "rubric":
        for row in sheet.rows.values():
            del row["holistic"]
    cannot: dict[str, dict[str, str]] = {}
    if (key, who) == (UNSURE[0], "second"):
        label = labels(1)[0]
        del sheet.rows[label][UNSURE[1]]
        cannot = {label: {UNSURE[1]: UNSURE[2]}}
    comparison = made.comparisons[key]
    numbers = {each.key: each.number for each in comparison.responses.all()}
    order = [numbers[each] for each in sheet.ids]
    review = begin_review(comparison=comparison, reviewer=reviewer, order=order, by=person, now=made.clock())
    record = read_review(json.dumps({"evaluations": sheet.rows}), list(sheet.rows), made.rubric)
    given = [
        Given(number, each.scores, each.holistic, each.notes or "", cannot.get(each.label, {}))
        for number, each in zip(order, record.responses, strict=True)
    ]
    starts = second_start(given, None, order, order)
    store_starts(review=review, starts=starts, by=person, now=made.clock())
    hand_in(review=review, record=record, cannot_judge=cannot, by=person, now=made.clock())


def _bring_models(made: _Set) -> None:
    """What the two models answered, as texts."""
    given: list[ReviewGiven] = []
    for key in made.comparisons:
        for who in (HARSH, FLAT):
            if key != UNREVIEWED:
                sheet = made.sheet(key, who)
                shown = dict(zip(sheet.rows, sheet.ids, strict=True))
                text = _answer(sheet, made.rubric, is_harsh=who == HARSH)
                given.append(ReviewGiven(len(given) + 1, key, who, shown, text))
    by = made.row.created_by
    brought = bring_reviews(comparison_set=made.row, reviews=given, by=by, now=made.clock())
    assert not brought.faults


def _answer(sheet: Sheet, rubric: RubricRecord, *, is_harsh: bool) -> str:
    """An answer as models write them; the harsh one refuses once, forgets a criterion once and miscounts once."""
    if is_harsh and sheet.key == REFUSED:
        return REFUSAL
    weights = weights_of(rubric)
    overalls = {label: overall_of(row, weights).value for label, row in sheet.rows.items()}
    for label, row in sheet.rows.items():
        row["overall"] = float(rounded(overalls[label] or Fraction()))
        if is_harsh and sheet.key == CUT:
            del row["clarity"], row["overall"]
    if is_harsh and sheet.key == MISCOUNTED:
        first = sheet.rows[labels(1)[0]]
        first["overall"] = round(first["overall"] - 0.6, 2)
    said = {"ranking": ranked(overalls), "evaluations": sheet.rows}
    return f"Here is my review.\n\n```json\n{json.dumps(said, indent=1)}\n```\n"


def _bring_guest(made: _Set) -> None:
    """Somebody elsewhere scored from 0 to 100."""
    given = []
    for line, (key, comparison) in enumerate(made.comparisons.items(), start=1):
        scores = {
            each.key: {
                criterion.key: 10 * good - 5
                for criterion, good in zip(made.rubric.criteria, made.quality[key][each.key], strict=True)
            }
            for each in comparison.responses.all()
        }
        given.append(ReviewGiven(line, key, GUEST, {}, scores=scores, scale=(0, 100)))
    by = made.row.created_by
    brought = bring_reviews(comparison_set=made.row, reviews=given, by=by, now=made.clock())
    assert not brought.faults
