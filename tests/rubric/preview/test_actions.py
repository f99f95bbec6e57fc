"""Previews of a response rubric's draft: winners and places that change, over the scores that are stored."""

import pytest
from msgspec.structs import replace

from rubric.comparisons.actions import add_comparisons
from rubric.comparisons.core.lines import NewComparison, NewResponse
from rubric.core.records import Criterion
from rubric.models import ImpactPreview, Review, ReviewedResponse, RubricVersion
from rubric.preview.queries import reviews_hash
from rubric.reviews.actions import supersede_review
from tests.factories.comparisons import RECORD_SCORES, make_set, review_with
from tests.factories.people import NOW, moment
from tests.factories.preview import asked, draft_with, previewed, weights
from workspace.jobs.actions import run_job
from workspace.models import Job

pytestmark = pytest.mark.django_db


LESS_ACCURACY = weights(0.33, 0.25, 0.22, 0.2)


def reviewed_set(*, scores=RECORD_SCORES, questions=1, **given):
    """A set whose comparisons one reader reviewed with these scores."""
    made = make_set(questions=questions, elsewhere=1, **given)
    for comparison in made.comparisons.order_by("number"):
        review_with(comparison=comparison, reviewer=made.reviewers.get(), scores=scores)
    return made


def test_a_little_less_weight_on_accuracy_changes_the_winner():
    made = reviewed_set()
    impact = previewed(draft_with(LESS_ACCURACY, key="response"))
    assert (impact.part, impact.looked_at, impact.flip_count, impact.notes) == ("comparisons", 1, 1, [])
    (flip,) = impact.flips
    assert (flip.where.project, flip.where.number, flip.where.within) == (made.project.slug, made.number, 1)
    assert (flip.before, flip.after) == ("Response 1", "Response 2")
    assert flip.reasons == [
        "Response 2 has 8.10 and would have 8.14.",
        "Response 1 has 8.15 and would have 8.11.",
    ]
    assert [(move.name, move.place_before, move.place_after) for move in impact.moves] == [
        ("Response 1", 1, 2), ("Response 2", 2, 1),
    ]  # fmt: skip
    assert [round(move.after - move.before, 2) for move in impact.moves] == [-0.04, 0.04]
    assert impact.ranked_count == 3


def test_reviewers_are_put_together_as_the_panel_does():
    """The second reader likes response 1 so much better that it stays first under either weights."""
    made = make_set(elsewhere=2)
    first, second = made.reviewers.order_by("pk")
    comparison = made.comparisons.get()
    review_with(comparison=comparison, reviewer=first, scores=RECORD_SCORES)
    strong = {number: dict.fromkeys(RECORD_SCORES[1], 10 if number == 1 else 2) for number in (1, 2, 3)}
    review_with(comparison=comparison, reviewer=second, scores=strong)
    impact = previewed(draft_with(LESS_ACCURACY, key="response"))
    assert (impact.looked_at, impact.flip_count, impact.move_count) == (1, 0, 0)


def test_sets_of_every_version_of_the_rubric_count_and_no_others():
    reviewed_set(questions=2)
    reviewed_set()
    other = draft_with(lambda record: record, key="response")
    assert previewed(other).looked_at == 3


def test_what_the_draft_adds_was_not_scored_and_that_is_said():
    reviewed_set()
    safety = Criterion("safety", "Safety", "Does no harm.", 0.5, question="How safe is it?")

    def change(record):
        halves = [replace(criterion, weight=criterion.weight / 2) for criterion in record.criteria]
        return replace(record, criteria=[*halves, safety])

    impact = previewed(draft_with(change, key="response"))
    assert (impact.flip_count, impact.unknown_count, impact.looked_at) == (0, 0, 1)
    assert impact.notes[0].startswith("Nobody scored Safety under version 1.2, which the draft adds.")


def test_holistic_sets_are_counted_aside():
    whole = {number: {"holistic": 10 - number} for number in (1, 2, 3)}
    reviewed_set(scores=whole, mode="holistic")
    impact = previewed(draft_with(LESS_ACCURACY, key="response"))
    assert (impact.looked_at, impact.flip_count) == (0, 0)
    assert impact.notes == ["1 comparison has no scored criteria, so nothing can change there."]


def test_nothing_but_the_preview_is_written_and_twice_gives_the_same():
    reviewed_set()
    draft = draft_with(LESS_ACCURACY, key="response")

    def rows():
        return [
            list(table.objects.order_by("pk").values()) for table in (Review, ReviewedResponse, RubricVersion)
        ]

    before = rows()
    job = asked(draft)
    run_job(job=job.pk, clock=lambda: NOW)
    row = ImpactPreview.objects.get()
    assert (row.part, row.sha256, row.basis_sha256) == (
        "comparisons", draft.sha256, reviews_hash(draft.rubric_id),
    )  # fmt: skip
    Job.objects.filter(pk=job.pk).update(state="running", lease_until=NOW, attempt=1, finished_at=None)
    assert run_job(job=job.pk, clock=lambda: moment(5))
    assert ImpactPreview.objects.get().body == row.body
    assert rows() == before
    job.refresh_from_db()
    assert (job.state, job.done_count, job.total_count) == ("done", 1, 1)


def test_reviews_that_come_and_go_change_what_is_looked_at():
    made = reviewed_set()
    rubric = made.rubric_version.rubric_id
    hashes = [reviews_hash(rubric)]
    add_comparisons(
        comparison_set=made,
        comparisons=[
            NewComparison(question="Why?", responses=[NewResponse(text="a"), NewResponse(text="b")])
        ],
        by=made.created_by,
        now=NOW,
    )
    assert reviews_hash(rubric) == hashes[0]
    second = made.comparisons.get(number=2)
    review = review_with(comparison=second, reviewer=made.reviewers.get(), scores=RECORD_SCORES)
    hashes.append(reviews_hash(rubric))
    supersede_review(review=review, by=made.created_by, now=NOW)
    hashes.append(reviews_hash(rubric))
    assert hashes[1] not in (hashes[0], hashes[2])


def test_a_set_takes_one_query_however_many_comparisons(django_assert_num_queries):
    reviewed_set()
    draft = draft_with(LESS_ACCURACY, key="response")
    job = asked(draft)
    with django_assert_num_queries(18):
        run_job(job=job.pk, clock=lambda: NOW)
    reviewed_set(questions=4)
    job = asked(draft)
    with django_assert_num_queries(20):
        run_job(job=job.pk, clock=lambda: NOW)
