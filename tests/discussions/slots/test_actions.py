"""Fewer evaluators for one game, with a reason: free places close, whoever has started keeps theirs.

Another number of evaluators for unsorted games: places follow, work stays, verdicts keep their number.
"""

import msgspec
import pytest

from discussions.core.evaluation_states import DRAFT, LAPSED, SKIPPED, SUBMITTED
from discussions.iterations.actions import change_iteration
from discussions.models import Evaluation, Game, Iteration, Slot, Verdict
from discussions.queue.actions import take_next_game
from discussions.rating.actions import return_to_game, skip_game
from discussions.slots.actions import reduce_required_evaluators, release_slot
from discussions.slots.permissions import (
    check_assign,
    check_rate,
    check_return_to_game,
    check_skip,
    check_submit,
)
from discussions.slots.queries import load_effect
from discussions.verdicts.actions import replay_verdict
from discussions.verdicts.queries import load_verdict_preview
from tests.factories.adjudication import (
    breaches,
    list_evaluations,
    make_shared_game,
    submit_as,
    submitted_game,
)
from tests.factories.people import make_admin, make_lead, make_member, make_project, moment
from tests.factories.rating import make_game, make_rating_project, start
from tests.factories.replays import replayed
from tests.factories.verdicts import fresh, preview, record
from workspace.core.refusals import NotAllowed, Unacceptable
from workspace.models import Event

pytestmark = pytest.mark.django_db


def lower(game, count, *, reason="Nobody else is there.", by=None):
    """Lower it as a lead."""
    return reduce_required_evaluators(
        game=game, count=count, reason=reason, by=by or make_lead(project=game.project), now=moment(9)
    )


@replayed
def started(count, *, k=3):
    """A game that needs k, with so many evaluations started."""
    project = make_rating_project(evaluator_count=k)
    game = make_game(project=project)
    for _one in range(count):
        take_next_game(project=project, by=make_member(project=project), now=moment())
    return fresh(game)


def free_places(game):
    """Places that somebody could take."""
    return Slot.objects.filter(game=game, evaluator=None, is_closed=False).count()


def test_free_places_close_and_the_verdict_can_be_recorded():
    game = started(1)
    submit_as(list_evaluations(game)[0])
    lead = make_lead(project=game.project)
    with pytest.raises(NotAllowed, match="1 of 3 evaluations"):
        record(game, by=lead)
    found = lower(game, 1, by=lead, reason=" The others left. ")
    assert (found.evaluator_count, found.needed_reason, found.needed_by) == (1, "The others left.", lead)
    assert free_places(game) == 0
    assert take_next_game(project=game.project, by=make_member(project=game.project), now=moment(10)) is None
    assert load_verdict_preview(fresh(game)).basis.evaluator_count == 1
    assert record(game, by=lead).number == 1
    event = Event.objects.filter(verb="game:needs_fewer").get()
    assert '"closed":2' in event.detail.replace(" ", "")


def test_whoever_has_started_hands_in_all_the_same_and_counts():
    game = started(2)
    first, second = list_evaluations(game)
    submit_as(first)
    lower(game, 1)
    assert load_verdict_preview(fresh(game)).is_complete
    submit_as(second)
    assert len(load_verdict_preview(fresh(game)).basis.evaluations) == 2


def test_a_place_that_is_given_back_closes_where_fewer_are_needed():
    game = started(3)
    first, second, _third = list_evaluations(game)
    submit_as(first)
    lower(game, 2)
    skip_game(evaluation=second, reason="Ill", by=second.evaluator, now=moment(20))
    assert free_places(game) == 0
    assert take_next_game(project=game.project, by=make_member(project=game.project), now=moment(21)) is None


def test_whose_place_closed_is_told_that_fewer_are_needed():
    game = started(3)
    first, second, _third = list_evaluations(game)
    submit_as(first)
    lower(game, 2)
    release_slot(evaluation=second, reason="", by=make_lead(project=game.project), now=moment(20))
    with pytest.raises(NotAllowed, match="needs no further evaluation: fewer are needed"):
        return_to_game(evaluation=second, by=second.evaluator, now=moment(21))


def test_a_place_that_is_given_back_and_still_needed_stays_free():
    game = started(2)
    lower(game, 2)
    second = list_evaluations(game)[1]
    skip_game(evaluation=second, reason="Ill", by=second.evaluator, now=moment(20))
    assert free_places(game) == 1


@pytest.mark.parametrize(
    ("count", "reason", "field", "says"),
    [
        (3, "Why not", "count", "needs 3"),
        (4, "Why not", "count", "needs 3"),
        (0, "Why not", "count", "needs 3"),
        (1, "Why not", "count", "2 evaluations are submitted"),
        (2, "  ", "reason", "why fewer"),
        (2, "x" * 2001, "reason", "2,000"),
    ],
)
def test_what_cannot_be_is_refused(count, reason, field, says):
    game = started(3)
    for evaluation in list_evaluations(game)[:2]:
        submit_as(evaluation)
    with pytest.raises(Unacceptable, match=says) as caught:
        lower(game, count, reason=reason)
    assert caught.value.field == field
    assert Game.objects.get(pk=game.pk).needed_count is None


def test_only_leads_and_only_before_the_verdict():
    game = submitted_game(2)
    with pytest.raises(NotAllowed, match="Only team leads"):
        lower(game, 1, by=list_evaluations(game)[0].evaluator)
    record(game, by=make_lead(project=game.project))
    with pytest.raises(NotAllowed, match="verdict on this game is recorded"):
        lower(game, 1)
    with pytest.raises(NotAllowed, match="needs one evaluation"):
        lower(make_shared_game(k=1), 1)


def test_verify_finds_nothing_after_every_one_of_these():
    game = started(3)
    first, second, _third = list_evaluations(game)
    submit_as(first)
    lower(game, 2)
    skip_game(evaluation=second, reason="Ill", by=second.evaluator, now=moment(20))
    lower(game, 1)
    assert Evaluation.objects.filter(game=game, state="draft").count() == 1
    assert breaches() == []


def unsorted(project):
    """The iteration of its unsorted games."""
    return Iteration.objects.select_related("project").get(project=project, stage=None)


def ask_for(project, count, *, by=None):
    """Change the number as a lead, and what it was said to do before."""
    said = load_effect(unsorted(project), count)
    change_iteration(
        iteration=unsorted(project),
        identification="question",
        evaluator_count=count,
        by=by or make_lead(project=project),
        now=moment(50),
    )
    return said


def free(game):
    """Places that somebody could take."""
    return Slot.objects.filter(game=game, evaluator=None, is_closed=False).count()


def rated(project, *, lead=None):
    """A game with its one evaluation in; with a lead its verdict is recorded too."""
    game = make_game(project=project)
    taken = take_next_game(project=project, by=make_member(project=project), now=moment())
    submit_as(Evaluation.objects.with_work().get(pk=taken.pk))
    if lead:
        record(fresh(game), by=lead)
    return fresh(game)


def test_further_places_open_on_games_without_a_verdict_only():
    project = make_rating_project(evaluator_count=1)
    lead = make_lead(project=project)
    recorded, complete = rated(project, lead=lead), rated(project)
    untouched = make_game(project=project)
    said = ask_for(project, 3, by=lead)
    assert (said.before, said.after, said.kept, said.opened, said.waiting) == (1, 3, 1, 4, 1)
    assert [free(game) for game in (recorded, complete, untouched, make_game(project=project))] == [
        0,
        2,
        3,
        3,
    ]
    assert [fresh(game).evaluator_count for game in (recorded, complete)] == [1, 3]
    with pytest.raises(NotAllowed, match="1 of 3 evaluations"):
        record(fresh(complete), by=lead)
    assert record(fresh(recorded), by=lead, reason="Again.", minutes=99).number == 2
    assert [replay_verdict(verdict=verdict).differences for verdict in Verdict.objects.all()] == [[], []]
    detail = msgspec.json.decode(Event.objects.get(verb="iteration:changed").detail)
    assert detail == {"from": 1, "evaluator_count": 3, "kept": [recorded.number], "opened": 4, "closed": 0}
    assert breaches() == []


def test_with_fewer_free_places_close_and_work_goes_on():
    project = make_rating_project(evaluator_count=3)
    game = make_game(project=project)
    people = [make_member(project=project) for _ in range(2)]
    first, second = (take_next_game(project=project, by=person, now=moment()) for person in people)
    said = ask_for(project, 1)
    assert (said.closed, said.beyond, said.opened, said.complete) == (1, 1, 0, 0)
    assert free(game) == 0
    submit_as(Evaluation.objects.with_work().get(pk=first.pk))
    assert preview(game).is_complete
    submit_as(Evaluation.objects.with_work().get(pk=second.pk))
    assert len(preview(game).basis.evaluations) == 2
    assert breaches() == []


def test_up_again_opens_the_same_places_and_what_was_given_back_closed():
    project = make_rating_project(evaluator_count=3)
    game = make_game(project=project)
    taken = take_next_game(project=project, by=make_member(project=project), now=moment())
    ask_for(project, 1)
    skip_game(evaluation=taken, reason="Ill", by=taken.evaluator, now=moment(60))
    assert free(game) == 1
    ask_for(project, 4)
    assert (free(game), Slot.objects.filter(game=game).count()) == (4, 4)
    assert breaches() == []


def test_what_a_lead_said_is_enough_for_one_game_stands_while_it_is_fewer():
    project = make_rating_project(evaluator_count=3)
    lead = make_lead(project=project)
    game = fresh(make_game(project=project))
    reduce_required_evaluators(game=game, count=2, reason="Short of people.", by=lead, now=moment(5))
    ask_for(project, 5, by=lead)
    assert (fresh(game).evaluator_count, free(game)) == (2, 2)
    ask_for(project, 2, by=lead)
    assert (Game.objects.get(pk=game.pk).needed_count, fresh(game).evaluator_count) == (None, 2)
    assert breaches() == []


def test_games_become_complete_with_fewer():
    project = make_rating_project(evaluator_count=2)
    game = rated(project)
    said = ask_for(project, 1)
    assert (said.complete, said.closed) == (1, 1)
    assert record(fresh(game), by=list_evaluations(game)[0].evaluator).number == 1


def test_the_same_number_changes_nothing():
    project = make_rating_project(evaluator_count=2)
    ask_for(project, 2)
    assert not Event.objects.filter(verb="iteration:changed").exists()


@pytest.mark.parametrize("count", [0, 11, -1])
def test_a_game_has_one_to_ten_evaluators(count):
    project = make_rating_project()
    with pytest.raises(Unacceptable, match="1 to 10") as caught:
        ask_for(project, count)
    assert caught.value.field == "evaluator_count"


def test_evaluators_do_not_change_it():
    project = make_rating_project()
    with pytest.raises(NotAllowed):
        ask_for(project, 3, by=make_member(project=project))


def test_what_it_does_is_read_in_the_same_queries_for_any_number_of_games(django_assert_num_queries):
    project = make_rating_project(evaluator_count=2)
    iteration = unsorted(project)
    for _size in range(2):
        make_game(project=project)
        with django_assert_num_queries(3):
            load_effect(iteration, 4)


@pytest.mark.parametrize(
    ("check", "state"),
    [
        (check_rate, DRAFT),
        (check_skip, DRAFT),
        (check_submit, DRAFT),
        (check_return_to_game, SKIPPED),
        (check_return_to_game, LAPSED),
    ],
)
def test_an_evaluation_is_its_evaluators_alone_while_the_account_is_active(check, state):
    evaluation = start()
    evaluation.state, person = state, evaluation.evaluator
    check(person, evaluation)
    project = evaluation.game.project
    for other in (make_member(project=project), make_lead(project=project), make_admin()):
        with pytest.raises(NotAllowed, match="Only the evaluator"):
            check(other, evaluation)
    person.is_active = False
    with pytest.raises(NotAllowed, match="Only the evaluator"):
        check(person, evaluation)


@pytest.mark.parametrize(
    ("check", "states"),
    [
        (check_rate, (SKIPPED, LAPSED, SUBMITTED)),
        (check_skip, (SKIPPED, LAPSED, SUBMITTED)),
        (check_return_to_game, (DRAFT, SUBMITTED)),
    ],
)
def test_an_evaluation_in_another_state_stays_as_it_is(check, states):
    evaluation = start()
    for state in states:
        evaluation.state = state
        with pytest.raises(NotAllowed) as refused:
            check(evaluation.evaluator, evaluation)
        assert "Only the evaluator" not in refused.value.sentence


def test_leads_and_admins_assign_games_and_nobody_else_does():
    project, other = make_project(), make_project()
    for person in (make_lead(project=project), make_admin()):
        check_assign(person, project)
    for person in (make_member(project=project), make_lead(project=other)):
        with pytest.raises(NotAllowed, match="Only team leads"):
            check_assign(person, project)
