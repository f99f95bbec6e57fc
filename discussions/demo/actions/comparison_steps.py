"""Steps of the demo's script about comparisons. The reviews are in the product's own import format."""

from collections.abc import Mapping, Sequence

from discussions.demo.actions.scene import FOLDER, Scene, Steps
from rubric.calibration.actions import SetRoundPlan, change_repeats, open_round
from rubric.comparisons.actions import add_reviewer, import_lines, import_reviews, open_set
from rubric.comparisons.core.lines import Lines, ReviewGiven, read_comparison_lines
from rubric.comparisons.core.placing import Placed, place_review
from rubric.core.records import HOLISTIC
from rubric.human_reviewers.actions import store_starts
from rubric.human_reviewers.core import FirstRoundScores, second_start
from rubric.model_reviewers.actions.answers import paste_answer
from rubric.model_reviewers.actions.prompts import ensure_prompt
from rubric.models import Comparison, ComparisonSet, Reviewer, RubricVersion
from rubric.models.comparisons import MODEL, PERSON
from rubric.models.reviews import CALIBRATION, RATING
from rubric.reviewer_statistics.actions import ask_for_figures
from rubric.reviews.actions import begin_review, record_submission


def _open_set(
    scene: Scene, by: str, name: str, mode: str, file: str, people_needed: int | None = None
) -> None:
    version = RubricVersion.objects.newest("response")
    assert version is not None
    made = open_set(
        project=scene.project,
        name=name,
        version=version,
        mode=mode,
        has_second_round=mode == "rubric",
        people_needed=people_needed,
        **scene.stamp(by),
    )
    brought = import_lines(comparison_set=made, lines=_read(file), **scene.stamp(by))
    assert not brought.faults


def _add_reviewers(scene: Scene, by: str, people: Sequence[str], models: Sequence[str] = ()) -> None:
    newest = _newest(scene)
    for key in people:
        person = scene.people[key]
        add_reviewer(comparison_set=newest, kind=PERSON, person=person, **scene.stamp(by))
    for name in models:
        add_reviewer(comparison_set=newest, kind=MODEL, name=name, **scene.stamp(by))


def _review(
    scene: Scene, by: str, file: str, cannot: Mapping[str, Mapping[str, Mapping[str, str]]] | None = None
) -> None:
    """Submit the reviews that the file has under this person's key; `cannot` holds reasons by comparison and label."""
    newest = _newest(scene)
    reviewer = Reviewer.objects.select_related("set__project").get(set=newest, person=scene.people[by])
    comparisons = {
        row.key: row for row in Comparison.objects.filter(set=newest).prefetch_related("responses")
    }
    for given in _read(file).reviews:
        if given.reviewer == by:
            reasons = (cannot or {}).get(given.comparison, {})
            _submit(scene, reviewer, comparisons[given.comparison], given, reasons)


def _submit(
    scene: Scene,
    reviewer: Reviewer,
    comparison: Comparison,
    given: ReviewGiven,
    reasons: Mapping[str, Mapping[str, str]],
) -> None:
    numbers = {response.key: response.number for response in comparison.responses.all()}
    placed = place_review(given, numbers, reviewer.set.rubric_version.to_record())
    assert isinstance(placed, Placed)
    by, order, record = reviewer.person, placed.order, placed.record
    assert by is not None
    review = begin_review(
        comparison=comparison,
        reviewer=reviewer,
        order=order,
        purpose=CALIBRATION if comparison.calibrations.exists() else RATING,
        by=by,
        now=scene.clock(),
    )
    marked = [
        FirstRoundScores(number, said.scores, said.holistic, said.notes or "", reasons.get(said.label, {}))
        for number, said in zip(order, record.responses, strict=True)
    ]
    starts = second_start(marked, None, order, order)
    store_starts(review=review, starts=starts, by=by, now=scene.clock())
    record_submission(review=review, record=record, cannot_judge=reasons, by=by, now=scene.clock())


def _import_reviews(scene: Scene, by: str, file: str, reviewers: Sequence[str]) -> None:
    reviews = [given for given in _read(file).reviews if given.reviewer in reviewers]
    brought = import_reviews(comparison_set=_newest(scene), reviews=reviews, **scene.stamp(by))
    assert not brought.faults


def _open_set_round(
    scene: Scene, by: str, name: str, marks: Mapping[str, list[int]], notes: Mapping[str, str]
) -> None:
    """Open a calibration round; `marks` are as a whole, by number of the comparison and in the order of responses."""
    keys = {
        int(number): {str(place): {HOLISTIC: str(mark)} for place, mark in enumerate(given, start=1)}
        for number, given in marks.items()
    }
    said = {int(number): note for number, note in notes.items()}
    plan = SetRoundPlan(name=name, comparisons=list(keys), marks=keys, notes=said)
    open_round(comparison_set=_newest(scene), plan=plan, **scene.stamp(by))


def _paste_answer(scene: Scene, by: str, model: str, comparison: int, text: str) -> None:
    made = _newest(scene)
    asked = Comparison.objects.select_related("set__project").get(set=made, number=comparison)
    reviewer = Reviewer.objects.select_related("set__project").get(set=made, name=model)
    ensure_prompt(comparison=asked, reviewer=reviewer, **scene.stamp(by))
    paste_answer(comparison=asked, reviewer=reviewer, text=text, **scene.stamp(by))


def _newest(scene: Scene) -> ComparisonSet:
    rows = ComparisonSet.objects.select_related("project", "rubric_version", "created_by")
    return rows.filter(project=scene.project).latest("number")


def _read(file: str) -> Lines:
    lines = read_comparison_lines((FOLDER / "comparisons" / file).read_bytes())
    assert not lines.faults
    return lines


COMPARISON_STEPS: Steps = {
    "open_set": _open_set,
    "add_reviewers": _add_reviewers,
    "review": _review,
    "import_reviews": _import_reviews,
    "compute_set_statistics": lambda scene, by: ask_for_figures(
        comparison_set=_newest(scene), **scene.stamp(by)
    ),
    "open_set_round": _open_set_round,
    "change_repeats": lambda scene, by, repeat_percent: change_repeats(
        comparison_set=_newest(scene), repeat_percent=repeat_percent, **scene.stamp(by)
    ),
    "paste_answer": _paste_answer,
}
