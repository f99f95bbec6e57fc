"""Figures of a set: asked for once, computed for the input there is, kept beside what they came from."""

import json

import pytest

from rubric.actions.figuring import ask_for_figures
from rubric.core.figured import KINDS, AgreementFigures
from rubric.models import SetFigures
from rubric.models.figured import SET_STATISTICS, input_of, present_figures
from tests.compared import RECORD_SCORES, make_set, review_with
from tests.factories import NOW, make_member, moment, run_waiting_jobs
from tests.figured import close, figure, make_reviewed_set
from workspace.core.refusals import NotAllowed
from workspace.models import Event, Job
from workspace.pages.stored_statistics import decode_body

pytestmark = pytest.mark.django_db


def test_all_kinds_are_computed_and_found_for_the_present_input():
    made = make_reviewed_set()
    events = Event.objects.count()
    figure(made)
    assert set(SET_STATISTICS.present(made).rows) == set(KINDS)
    job = Job.objects.get(kind="figure_set")
    assert (job.state, job.done_count, job.total_count, job.project) == ("done", 4, 4, made.project)
    row = present_figures(made, "agreement")
    assert row.created_at == NOW
    assert decode_body(row, AgreementFigures).reviews == 4
    assert Event.objects.count() == events


def test_asking_again_does_nothing_until_a_review_comes_in():
    made = make_reviewed_set()
    figure(made)
    assert ask_for_figures(comparison_set=made, by=made.created_by, now=moment(1)) is None
    late = make_late_reviewer(made)
    review_with(comparison=made.comparisons.get(number=1), reviewer=late, scores=RECORD_SCORES)
    assert SET_STATISTICS.present(made).rows == {}
    assert present_figures(made, "success") is None
    assert ask_for_figures(comparison_set=made, by=made.created_by, now=moment(2)).state == "queued"
    run_waiting_jobs(now=moment(3))
    assert set(SET_STATISTICS.present(made).rows) == set(KINDS)
    assert SetFigures.objects.filter(set=made).count() == 2 * len(KINDS)
    assert json.loads(present_figures(made, "success").body)["reviews"] == 5


def make_late_reviewer(made):
    from rubric.actions.comparing import add_reviewer

    return add_reviewer(comparison_set=made, kind="elsewhere", name="Late", by=made.created_by, now=NOW)


def test_a_review_that_comes_in_before_the_worker_is_counted():
    made = make_reviewed_set()
    ask_for_figures(comparison_set=made, by=made.created_by, now=NOW)
    late = make_late_reviewer(made)
    review_with(comparison=made.comparisons.get(number=1), reviewer=late, scores=RECORD_SCORES)
    run_waiting_jobs()
    assert set(SET_STATISTICS.present(made).rows) == set(KINDS)


def test_without_reviews_there_is_nothing_to_compute():
    made = make_set()
    assert ask_for_figures(comparison_set=made, by=made.created_by, now=NOW) is None
    assert not Job.objects.filter(kind="figure_set").exists()


def test_closing_a_set_asks_for_its_figures():
    made = make_reviewed_set()
    close(made)
    job = Job.objects.get(kind="figure_set")
    assert (job.subject, job.created_by) == (f"comparison_set:{made.pk}", made.created_by)
    run_waiting_jobs()
    assert set(SET_STATISTICS.present(made).rows) == set(KINDS)


def test_who_may_not_see_results_may_not_ask():
    made = make_reviewed_set()
    with pytest.raises(NotAllowed):
        ask_for_figures(comparison_set=made, by=make_member(project=made.project), now=NOW)
    assert not Job.objects.filter(kind="figure_set").exists()


def test_the_first_round_alone_counts():
    made = make_reviewed_set(questions=1, has_second_round=True)
    before = input_of(made)
    reviewer = made.reviewers.order_by("pk").first()
    review_with(comparison=made.comparisons.get(), reviewer=reviewer, scores=RECORD_SCORES, round_number=2)
    after = input_of(made)
    assert after.rows == before.rows
    assert (before.reviews, after.reviews) == (2, 3)


def test_rankings_that_reviewers_gave_become_preferences():
    made = make_set(elsewhere=1)
    review = review_with(
        comparison=made.comparisons.get(), reviewer=made.reviewers.get(), scores=RECORD_SCORES
    )
    assert input_of(made).preferences == []
    labels = dict(zip(review.order, ("Response A", "Response B", "Response C"), strict=True))
    review.reported_ranking = [[labels[2]], [labels[1], labels[3]]]
    review.save()
    found = [(each.comparison, each.preferred, each.other) for each in input_of(made).preferences]
    assert sorted(found) == [("1", "2", "1"), ("1", "2", "3")]
