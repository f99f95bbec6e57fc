"""Figures of a set: asked for once, computed for the input there is, kept beside what they came from.

Fitted weights become a draft when an admin says so, from figures of the present reviews, if they are worth it.
"""

import json

import pytest

from rubric.comparisons.actions import add_reviewer
from rubric.models import RubricVersion, SetFigures
from rubric.reviewer_statistics.actions import adopt_weights, ask_for_figures
from rubric.reviewer_statistics.core.figure_kinds import KINDS, AgreementFigures
from rubric.reviewer_statistics.queries import SET_STATISTICS, load_input, present_figures
from tests.factories.comparisons import RECORD_SCORES, make_set, review_with
from tests.factories.jobs import run_waiting_jobs
from tests.factories.people import NOW, make_admin, make_member, moment
from tests.factories.reviewer_statistics import close, figure, make_reviewed_set
from workspace.core.refusals import Conflict, NotAllowed, Unacceptable
from workspace.core.words import decode_stored
from workspace.models import Event, Job

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
    assert decode_stored(row.body, AgreementFigures).reviews == 4
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
    from rubric.comparisons.actions import add_reviewer

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
    before = load_input(made)
    reviewer = made.reviewers.order_by("pk").first()
    review_with(comparison=made.comparisons.get(), reviewer=reviewer, scores=RECORD_SCORES, round_number=2)
    after = load_input(made)
    assert after.rows == before.rows
    assert (before.reviews, after.reviews) == (2, 3)


def test_rankings_that_reviewers_gave_become_preferences():
    made = make_set(elsewhere=1)
    review = review_with(
        comparison=made.comparisons.get(), reviewer=made.reviewers.get(), scores=RECORD_SCORES
    )
    assert load_input(made).preferences == []
    labels = dict(zip(review.order, ("Response A", "Response B", "Response C"), strict=True))
    review.reported_ranking = [[labels[2]], [labels[1], labels[3]]]
    review.save()
    found = [
        (preference.comparison, preference.preferred, preference.other)
        for preference in load_input(made).preferences
    ]
    assert sorted(found) == [("1", "2", "1"), ("1", "2", "3")]


@pytest.fixture(scope="module")
def fitted(django_db_setup, django_db_blocker):
    """A set whose reviews speak for other weights; undone at the end."""
    from django.db import transaction

    with django_db_blocker.unblock(), transaction.atomic():
        made = make_reviewed_set(questions=30, reviewers=2)
        figure(made)
        yield made
        transaction.set_rollback(True)


def adopt(made, by=None, **changes):
    given = {"target": "holistic", "basis": present_figures(made, "tuning").input_sha256} | changes
    return adopt_weights(comparison_set=made, **given, by=by or make_admin(), now=NOW)


def test_the_draft_has_the_weights_and_the_fit_as_its_note(fitted):
    basis = present_figures(fitted, "tuning").input_sha256
    made = adopt(fitted)
    assert (made.state, made.rubric) == ("draft", fitted.rubric_version.rubric)
    before, after = fitted.rubric_version.to_record(), made.to_record()
    weights = {criterion.key: criterion.weight for criterion in after.criteria}
    assert sum(weights.values()) == pytest.approx(1)
    assert weights["clarity"] > 0.4
    assert [criterion.label for criterion in after.criteria] == [
        criterion.label for criterion in before.criteria
    ]
    for said in (fitted.name, "90 responses to 30 questions", "clarity", "(0.2000)", "standard error", basis):
        assert said in made.note
    event = Event.objects.get(verb="rubric_version:imported")
    assert event.object_id == str(made.pk)


def test_leads_do_not_adopt(fitted):
    with pytest.raises(NotAllowed):
        adopt(fitted, by=fitted.created_by)


def test_an_admin_who_reviews_the_set_adopts_nothing_before_handing_in(fitted):
    admin = make_admin()
    make_member(project=fitted.project, person=admin)
    add_reviewer(comparison_set=fitted, kind="person", person=admin, by=fitted.created_by, now=NOW)
    with pytest.raises(NotAllowed, match="Submit all your reviews"):
        adopt(fitted, by=admin)


def test_figures_of_other_reviews_are_not_adopted(fitted):
    with pytest.raises(Conflict):
        adopt(fitted, basis="0" * 64)


@pytest.mark.parametrize("target", ["preferences", "luck"])
def test_where_there_are_no_weights_nothing_is_adopted(fitted, target):
    count = RubricVersion.objects.count()
    with pytest.raises(Unacceptable):
        adopt(fitted, target=target)
    assert RubricVersion.objects.count() == count


def test_too_few_responses_are_refused_with_the_sentence():
    made = make_reviewed_set(questions=2)
    figure(made)
    with pytest.raises(Unacceptable) as refusal:
        adopt(made)
    assert "at least 50 responses" in refusal.value.sentence
    assert "there are 6" in refusal.value.sentence
