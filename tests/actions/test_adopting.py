"""Fitted weights become a draft when an admin says so, from figures of the present reviews, if they are worth it."""

import pytest

from rubric.actions.adopting import adopt_weights
from rubric.actions.comparing import add_reviewer
from rubric.models import RubricVersion
from rubric.models.figured import present_figures
from tests.factories import NOW, make_admin, make_member
from tests.figured import figure, make_reviewed_set
from workspace.core.refusals import Conflict, NotAllowed, Unacceptable
from workspace.models import Event

pytestmark = pytest.mark.django_db


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
    weights = {each.key: each.weight for each in after.criteria}
    assert sum(weights.values()) == pytest.approx(1)
    assert weights["clarity"] > 0.4
    assert [each.label for each in after.criteria] == [each.label for each in before.criteria]
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
    with pytest.raises(NotAllowed, match="Hand in all your reviews"):
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
