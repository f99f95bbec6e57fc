"""Fewer evaluators for one game, with a reason: free places close, whoever has begun keeps theirs."""

import pytest

from discussions.actions.finishing import return_to_game, skip_game
from discussions.actions.leasing import release_place
from discussions.actions.needing import need_fewer
from discussions.actions.taking import take_next_game
from discussions.models import Evaluation, Game, Slot
from discussions.models.bases import preview_of
from tests.factories import make_lead, make_member, moment
from tests.rated import make_game, make_rating_project
from tests.settled import fresh, record
from tests.team import breaches, evaluations_of, make_shared_game, submit_as, submitted_game
from workspace.core.refusals import NotAllowed, Unacceptable
from workspace.models import Event

pytestmark = pytest.mark.django_db


def lower(game, count, *, reason="Nobody else is there.", by=None):
    """Lower it as a lead."""
    return need_fewer(
        game=game, count=count, reason=reason, by=by or make_lead(project=game.project), now=moment(9)
    )


def begun(count, *, k=3):
    """A game that needs k, with so many evaluations begun."""
    project = make_rating_project(evaluator_count=k)
    game = make_game(project=project)
    for _one in range(count):
        take_next_game(project=project, by=make_member(project=project), now=moment())
    return fresh(game)


def free_places(game):
    """Places that somebody could take."""
    return Slot.objects.filter(game=game, evaluator=None, is_closed=False).count()


def test_free_places_close_and_the_verdict_can_be_recorded():
    game = begun(1)
    submit_as(evaluations_of(game)[0])
    lead = make_lead(project=game.project)
    with pytest.raises(NotAllowed, match="1 of 3 evaluations"):
        record(game, by=lead)
    found = lower(game, 1, by=lead, reason=" The others left. ")
    assert (found.evaluator_count, found.needed_reason, found.needed_by) == (1, "The others left.", lead)
    assert free_places(game) == 0
    assert take_next_game(project=game.project, by=make_member(project=game.project), now=moment(10)) is None
    assert preview_of(fresh(game)).basis.evaluator_count == 1
    assert record(game, by=lead).number == 1
    event = Event.objects.filter(verb="game:needs_fewer").get()
    assert '"closed":2' in event.detail.replace(" ", "")


def test_whoever_has_begun_hands_in_all_the_same_and_counts():
    game = begun(2)
    first, second = evaluations_of(game)
    submit_as(first)
    lower(game, 1)
    assert preview_of(fresh(game)).is_complete
    submit_as(second)
    assert len(preview_of(fresh(game)).basis.evaluations) == 2


def test_a_place_that_is_given_back_closes_where_fewer_are_needed():
    game = begun(3)
    first, second, _third = evaluations_of(game)
    submit_as(first)
    lower(game, 2)
    skip_game(evaluation=second, reason="Ill", by=second.evaluator, now=moment(20))
    assert free_places(game) == 0
    assert take_next_game(project=game.project, by=make_member(project=game.project), now=moment(21)) is None


def test_whose_place_closed_is_told_that_fewer_are_needed():
    game = begun(3)
    first, second, _third = evaluations_of(game)
    submit_as(first)
    lower(game, 2)
    release_place(evaluation=second, reason="", by=make_lead(project=game.project), now=moment(20))
    with pytest.raises(NotAllowed, match="needs no further evaluation: fewer are asked for"):
        return_to_game(evaluation=second, by=second.evaluator, now=moment(21))


def test_a_place_that_is_given_back_and_still_needed_stays_free():
    game = begun(2)
    lower(game, 2)
    second = evaluations_of(game)[1]
    skip_game(evaluation=second, reason="Ill", by=second.evaluator, now=moment(20))
    assert free_places(game) == 1


@pytest.mark.parametrize(
    ("count", "reason", "field", "says"),
    [
        (3, "Why not", "count", "needs 3"),
        (4, "Why not", "count", "needs 3"),
        (0, "Why not", "count", "needs 3"),
        (1, "Why not", "count", "2 evaluations are in"),
        (2, "  ", "reason", "why fewer"),
        (2, "x" * 2001, "reason", "2,000"),
    ],
)
def test_what_cannot_be_is_refused(count, reason, field, says):
    game = begun(3)
    for evaluation in evaluations_of(game)[:2]:
        submit_as(evaluation)
    with pytest.raises(Unacceptable, match=says) as caught:
        lower(game, count, reason=reason)
    assert caught.value.field == field
    assert Game.objects.get(pk=game.pk).needed_count is None


def test_only_leads_and_only_before_the_verdict():
    game = submitted_game(2)
    with pytest.raises(NotAllowed, match="Only team leads"):
        lower(game, 1, by=evaluations_of(game)[0].evaluator)
    record(game, by=make_lead(project=game.project))
    with pytest.raises(NotAllowed, match="verdict on this game is recorded"):
        lower(game, 1)
    with pytest.raises(NotAllowed, match="needs one evaluation"):
        lower(make_shared_game(k=1), 1)


def test_verify_finds_nothing_after_every_one_of_these():
    game = begun(3)
    first, second, _third = evaluations_of(game)
    submit_as(first)
    lower(game, 2)
    skip_game(evaluation=second, reason="Ill", by=second.evaluator, now=moment(20))
    lower(game, 1)
    assert Evaluation.objects.filter(game=game, state="draft").count() == 1
    assert breaches() == []
