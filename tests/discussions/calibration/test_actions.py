"""Calibration: given first, with the key's own samples; not passing holds up, a lead's word lets through."""

import pytest

from discussions.calibration.actions import RoundPlan, close_round, let_rate, open_round, take_calibration
from discussions.calibration.queries import load_progress
from discussions.checks.actions import CHECKS
from discussions.models import Evaluation, Slot
from discussions.models.slots import CALIBRATION, RATING
from discussions.queue.actions import take_next_game
from discussions.verdicts.queries import load_basis
from tests.factories.adjudication import submit_as
from tests.factories.calibration import make_round, make_trainee, take
from tests.factories.people import NOW, make_lead, make_member, moment
from tests.factories.queue import finish
from tests.factories.rating import make_game, make_rating_project, say, submitted
from tests.factories.verdicts import fresh, recorded_verdict
from workspace.core.refusals import Conflict, NotAllowed, Unacceptable
from workspace.models import Event

pytestmark = pytest.mark.django_db


def test_the_games_of_a_round_come_first_in_their_order_with_the_samples_of_their_keys():
    opened = make_round(games=2)
    make_game(project=opened.project)
    person = make_trainee(opened)
    for place in (1, 2):
        evaluation = take(opened, person)
        game = opened.games.get(place=place)
        assert (evaluation.purpose, evaluation.game) == (CALIBRATION, game.game)
        assert evaluation.seed == Evaluation.objects.get(game=game.game, purpose=RATING).seed
        submit_as(evaluation)
    assert take(opened, person).purpose == RATING


def test_a_round_changes_no_verdict_and_leaves_what_verify_wants():
    opened = make_round()
    game = fresh(opened.games.get().game)
    before = load_basis(game)
    submit_as(take(opened, make_trainee(opened)))
    assert load_basis(fresh(game)) == before
    assert Slot.objects.filter(game=game, purpose=RATING).count() == 1
    assert [says for check in CHECKS for says in check.find(NOW)] == []


def test_who_answers_like_the_key_passes():
    opened = make_round(pass_percent=100, rating_within=0)
    person = make_trainee(opened)
    finish(take(opened, person))
    result = load_progress(opened, person).result
    assert (result.passes, result.alike == result.count, result.rating_error) == (True, True, 0)


def test_who_does_not_pass_waits_for_a_leads_word():
    opened = make_round(pass_percent=100)
    make_game(project=opened.project)
    person = make_trainee(opened)
    evaluation = take(opened, person)
    for question in "12":
        say(evaluation, "question", question, "no")
    finish(evaluation)
    progress = load_progress(opened, person)
    assert progress.result.passes is False
    assert len(next(iter(progress.compared.values())).differences) == 2
    with pytest.raises(NotAllowed, match="did not pass"):
        take_next_game(project=opened.project, by=person, now=NOW)
    lead = make_lead(project=opened.project)
    with pytest.raises(Unacceptable, match="Say why"):
        let_rate(opened=opened, person=person, reason=" ", by=lead, now=NOW)
    let_rate(opened=opened, person=person, reason="We talked it through.", by=lead, now=NOW)
    let_rate(opened=opened, person=person, reason="Twice", by=lead, now=NOW)
    assert take(opened, person).purpose == RATING
    assert Event.objects.filter(verb="calibration:waived").count() == 1


def test_a_closed_round_asks_nobody():
    opened = make_round()
    make_game(project=opened.project)
    lead = make_lead(project=opened.project)
    for _again in range(2):
        close_round(opened=opened, by=lead, now=moment(1))
    assert take(opened, make_trainee(opened)).purpose == RATING
    assert Event.objects.filter(verb="calibration:closed").count() == 1
    with pytest.raises(NotAllowed, match="closed"):
        take_calibration(opened=opened, by=make_trainee(opened), now=NOW)


def test_a_round_that_is_not_required_is_taken_by_who_wants_to():
    opened = make_round(is_required=False)
    make_game(project=opened.project)
    person, other = make_trainee(opened), make_trainee(opened)
    assert take(opened, other).purpose == RATING
    assert take_calibration(opened=opened, by=person, now=NOW).purpose == CALIBRATION
    with pytest.raises(NotAllowed):
        take_calibration(opened=opened, by=make_lead(project=opened.project), now=NOW)


def test_who_rated_a_game_before_is_not_asked_for_it():
    project = make_rating_project()
    verdict = recorded_verdict(project=project)
    person = Evaluation.objects.get(game=verdict.game).evaluator
    plan = RoundPlan(name="Again", games=[verdict.game.number])
    opened = open_round(project=project, plan=plan, by=make_lead(project=project), now=NOW)
    assert take_next_game(project=project, by=person, now=NOW) is None
    assert load_progress(opened, person).result.passes


def test_an_evaluation_of_an_earlier_round_counts_in_the_next_and_is_told():
    first = make_round()
    person, lead = make_trainee(first), make_lead(project=first.project)
    finish(take(first, person))
    assert load_progress(first, person).reused == 0
    close_round(opened=first, by=lead, now=NOW)
    plan = RoundPlan(name="Next", games=[first.games.get().game.number])
    second = open_round(project=first.project, plan=plan, by=lead, now=moment(5))
    progress = load_progress(second, person)
    assert (progress.result.done, progress.result.asked, progress.reused) == (1, 1, 1)


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"name": " "}, "name"),
        ({"games": []}, "games"),
        ({"games": [1, 1]}, "games"),
        ({"games": [99]}, "games"),
        ({"pass_percent": 0}, "pass_percent"),
        ({"rating_within": -1}, "rating_within"),
        ({"notes": {1: "x" * 2001}}, "notes"),
    ],
)
def test_a_plan_that_cannot_be_is_refused(changes, field):
    verdict = recorded_verdict()
    project = verdict.game.project
    plan = RoundPlan(**({"name": "Round", "games": [verdict.game.number]} | changes))
    with pytest.raises(Unacceptable) as refused:
        open_round(project=project, plan=plan, by=make_lead(project=project), now=NOW)
    assert refused.value.field == field


def test_a_game_without_a_verdict_has_no_key():
    evaluation = submitted()
    project = evaluation.game.project
    plan = RoundPlan(name="Round", games=[evaluation.game.number])
    with pytest.raises(Unacceptable, match="no recorded verdict"):
        open_round(project=project, plan=plan, by=make_lead(project=project), now=NOW)


def test_one_round_is_open_at_a_time_and_only_leads_open_it():
    opened = make_round()
    plan = RoundPlan(name="Next", games=[opened.games.get().game.number])
    with pytest.raises(Conflict, match="open already"):
        open_round(project=opened.project, plan=plan, by=make_lead(project=opened.project), now=NOW)
    for person in (make_member(project=opened.project), make_lead(project=make_rating_project())):
        with pytest.raises(NotAllowed):
            open_round(project=opened.project, plan=plan, by=person, now=NOW)
