"""Comparison sets with so many reviews that their figures say something, submitted through the real actions."""

from collections.abc import Mapping, Sequence

import numpy as np

from rubric.comparisons.actions import close_set
from rubric.models import ComparisonSet
from rubric.reviewer_statistics.actions import ask_for_figures
from tests.factories.comparisons import make_set, review_with
from tests.factories.people import NOW, make_lead, make_project
from tests.factories.replays import replayed
from workspace.jobs.actions import run_job
from workspace.models import Person

KEYS = ("accuracy", "completeness", "conciseness", "clarity")


# Far from the default weights, so that fitted ones are worth adopting.
TRUE_WEIGHTS = (0.1, 0.1, 0.1, 0.7)


@replayed
def make_reviewed_set(
    *,
    by: Person | None = None,
    questions: int = 2,
    reviewers: int = 2,
    harsh: Mapping[int, float] | None = None,
    flat: int = 0,
    seed: int = 1,
    **given: object,
) -> ComparisonSet:
    """A set in which every reviewer from elsewhere reviewed everything, as a whole and by criterion.

    `harsh` takes points off what the reviewer of that number gives; reviewer `flat` gives one number throughout.
    """
    by = by or make_lead(project=make_project())
    made = make_set(by=by, questions=questions, mode="both", elsewhere=reviewers, **given)
    rng = np.random.default_rng(seed)
    for comparison in made.comparisons.select_related("set__rubric_version").order_by("number"):
        true = rng.normal(6, 1.8, (3, len(KEYS)))
        for number, reviewer in enumerate(made.reviewers.filter(person=None).order_by("pk"), start=1):
            off = (harsh or {}).get(number, 0.0)
            scores = np.clip(np.round(true + rng.normal(0, 0.7, true.shape) - off), 1, 10)
            if number == flat:
                scores[:] = scores[:, :1]
            whole = np.clip(np.round(scores @ TRUE_WEIGHTS + rng.normal(0, 0.3, 3)), 1, 10)
            sheet = {
                at + 1: dict(zip(KEYS, map(int, row), strict=True)) | {"holistic": int(whole[at])}
                for at, row in enumerate(scores)
            }
            review_with(comparison=comparison, reviewer=reviewer, scores=sheet)
    return made


@replayed
def figure(comparison_set: ComparisonSet, *, by: Person | None = None) -> None:
    """Compute its figures as a worker does."""
    job = ask_for_figures(comparison_set=comparison_set, by=by or comparison_set.created_by, now=NOW)
    if job is not None:
        run_job(job=job.pk, clock=lambda: NOW)


@replayed
def make_figured(*, by: Person, people: Sequence[Person]) -> dict[str, object]:
    """A closed set with its figures, which those people review too, by the names that addresses use."""
    made = make_reviewed_set(by=by, questions=3, people=people, name="Answers about bread")
    close(made)
    figure(made)
    return {
        "figured_number": made.number,
        "figured_comparison": 1,
        "figured_reviewer": made.reviewers.filter(person=None).order_by("pk")[0].pk,
    }


# Not replayed: it changes the row that it was given.
def close(comparison_set: ComparisonSet) -> None:
    """Close the set; its figures are then computed."""
    close_set(comparison_set=comparison_set, by=comparison_set.created_by, now=NOW)
    comparison_set.refresh_from_db()
