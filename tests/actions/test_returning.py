"""Sending an evaluation back: a comment is needed, a verdict is not touched, and only who may rate gets it."""

import pytest

from discussions.actions.finishing import return_to_game, skip_game
from discussions.actions.returning import return_evaluation
from discussions.models import Evaluation, Slot
from tests.factories import make_admin, make_lead, make_member, moment
from tests.settled import record
from tests.team import breaches, evaluations_of, make_shared_game, submitted_game
from workspace.actions.projects import end_membership
from workspace.core.refusals import NotAllowed, Unacceptable
from workspace.models import Event, Membership

pytestmark = pytest.mark.django_db


def send_back(evaluation, *, comment="Look at message 3.", by=None):
    """Send it back as a lead."""
    by = by or make_lead(project=evaluation.game.project)
    return return_evaluation(evaluation=evaluation, comment=comment, by=by, now=moment(60))


@pytest.mark.parametrize(("comment", "says"), [("  ", "what to look at"), ("x" * 2001, "2,000")])
def test_a_comment_is_needed(comment, says):
    (evaluation,) = evaluations_of(submitted_game(1))
    with pytest.raises(Unacceptable, match=says) as caught:
        send_back(evaluation, comment=comment)
    assert caught.value.field == "comment"
    assert Evaluation.objects.get().state == "submitted"


def test_the_same_again_changes_nothing():
    (evaluation,) = evaluations_of(submitted_game(1))
    lead = make_lead(project=evaluation.game.project)
    first = send_back(evaluation, by=lead)
    assert send_back(evaluation, by=lead).version == first.version
    assert Event.objects.filter(verb="evaluation:returned").count() == 1


def test_what_a_verdict_rests_on_stays():
    game = submitted_game(1)
    record(game)
    with pytest.raises(NotAllowed, match="A verdict rests on this evaluation"):
        send_back(evaluations_of(game)[0])


def test_only_what_is_submitted_goes_back_and_only_leads_send_it():
    game = make_shared_game(k=1)
    with pytest.raises(NotAllowed, match="not submitted"):
        send_back(evaluations_of(game)[0])
    (evaluation,) = evaluations_of(submitted_game(1))
    for person in (evaluation.evaluator, make_member(project=evaluation.game.project)):
        with pytest.raises(NotAllowed, match="Only team leads"):
            send_back(evaluation, by=person)


def test_it_does_not_go_back_to_somebody_who_cannot_rate_any_more():
    (evaluation,) = evaluations_of(submitted_game(1))
    lead = make_lead(project=evaluation.game.project)
    membership = Membership.objects.get(person=evaluation.evaluator, ended_at=None)
    end_membership(membership=membership, by=make_admin(), now=moment(30))
    with pytest.raises(NotAllowed, match="cannot rate this game any more"):
        send_back(evaluation, by=lead)


def test_what_was_sent_back_can_be_skipped_with_its_place_free_for_others_and_taken_up_again():
    (evaluation,) = evaluations_of(submitted_game(1))
    send_back(evaluation)
    skip_game(evaluation=evaluation, reason="I am away.", by=evaluation.evaluator, now=moment(61))
    place = Slot.objects.get(game=evaluation.game)
    evaluation.refresh_from_db()
    assert (evaluation.state, place.evaluator, place.is_closed) == ("skipped", None, False)
    assert breaches(moment(62)) == []
    return_to_game(evaluation=evaluation, by=evaluation.evaluator, now=moment(63))
    evaluation.refresh_from_db()
    assert (evaluation.state, evaluation.returned_comment) == ("draft", "Look at message 3.")
    assert breaches(moment(64)) == []
