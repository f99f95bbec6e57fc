"""A stage's history: each game's figures from its verdict, or from what would be recorded now, or not at all."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from discussions.core.outcome import ENGAGEMENT
from discussions.iterations.actions import open_for_rating
from discussions.iterations.queries import compute_stage_streak, load_history, load_rubric
from discussions.models import Game, Iteration
from discussions.queue.actions import take_next_game
from discussions.rating.actions import reveal_roles, submit_evaluation
from rubric.core.records import DISCUSSION
from rubric.models import RubricVersion
from tests.factories.iterations import (
    figures,
    fresh,
    get_lead,
    history,
    import_games,
    make_baseline,
    make_change,
    make_iteration,
    make_stage,
    record_figures,
    withdraw,
)
from tests.factories.people import make_member, moment
from tests.factories.rating import say_what_is_missing
from tests.factories.transcripts import import_game
from tests.factories.verdicts import preview, record
from workspace.core.canonical import bytes_hash

pytestmark = pytest.mark.django_db


def hand_in(evaluation):
    """Judge everything and submit."""
    say_what_is_missing(evaluation)
    reveal_roles(evaluation=evaluation, by=evaluation.evaluator, now=moment(20))
    say_what_is_missing(evaluation)
    submit_evaluation(evaluation=evaluation, by=evaluation.evaluator, now=moment(20))


def list_games(stage, place=0):
    return history(stage).iterations[place].games


def test_figures_are_those_of_the_verdicts_that_are_not_superseded(stage):
    make_iteration(
        stage=stage, games=[figures(coherence=61), figures(memory_accuracy=None), figures(engagement=2)]
    )
    first, second, third = list_games(stage)
    assert [game.state for game in list_games(stage)] == ["recorded"] * 3
    assert (first.figures.scores["coherence"], first.figures.rating, first.figures.is_pass) == (61, 4, True)
    assert (first.figures.cache_hit_rate, first.figures.input_tokens) == (0.8, 90_000)
    assert second.figures.not_applicable == ["memory_accuracy"]
    assert second.figures.scores["memory_accuracy"] == 100
    assert (third.figures.rating, third.figures.is_pass) == (2, False)
    game = Game.objects.get(number=first.figures.number)
    again = record_figures(game=game, given=figures(coherence=33), minutes=9)
    assert list_games(stage)[0].verdict == again.pk
    assert list_games(stage)[0].figures.scores["coherence"] == 33


def test_figures_say_how_a_game_was_played(stage):
    baseline = make_baseline(stage=stage)
    said = {
        "timestamp": "2026-01-31T20:15:00Z",
        "modelBuild": ["model-b", "model-a"],
        "seed": 7,
        "pair": "p1",
    }
    import_game(project=stage.project, by=get_lead(stage), **said)
    import_game(project=stage.project, by=get_lead(stage))
    Game.objects.update(iteration=baseline)
    told = [
        (figures.played_on, figures.build, figures.seed, figures.pair)
        for figures in (game.figures for game in list_games(stage))
    ]
    assert told == [("2026-01-31", "model-a, model-b", "7", "p1"), ("2025-01-15", "", "", "")]


def test_of_a_game_that_is_not_rated_in_full_nothing_is_told(stage):
    make_iteration(stage=stage, games=[figures(), None, None])
    evaluation = take_next_game(project=stage.project, by=make_member(project=stage.project), now=moment(5))
    say_what_is_missing(evaluation)
    _rated, *others = list_games(stage)
    assert len(others) == 2
    for game in others:
        assert (game.state, game.verdict) == ("open", None)
        assert set(game.figures.scores.values()) == {None}
        assert len(game.figures.scores) == 6
        assert (game.figures.rating, game.figures.is_pass) == (None, None)
        assert game.figures.cost_usd is not None


def test_complete_games_without_a_verdict_have_the_figures_that_would_be_recorded(stage):
    baseline = make_baseline(stage=stage)
    import_games(iteration=baseline, games=[figures()] * 3)
    open_for_rating(iteration=baseline, by=get_lead(stage), now=moment(5))
    evaluator = make_member(project=stage.project)
    for _ in range(2):
        hand_in(take_next_game(project=stage.project, by=evaluator, now=moment(6)))
    complete = [game for game in list_games(stage) if game.state == "complete"]
    assert len(complete) == 2
    row = Game.objects.get(pk=complete[0].id)
    outcome = preview(row).outcome
    found = complete[0].figures
    assert found.scores == {line.key: line.score for line in outcome.lines if line.key != ENGAGEMENT}
    assert (found.rating, found.is_pass) == (3.5, outcome.passes)
    record(row, by=evaluator)
    (after,) = [game for game in list_games(stage) if game.state == "recorded"]
    assert after.figures == found


def test_a_game_that_waits_for_its_second_evaluator_tells_nothing(stage):
    baseline = make_baseline(stage=stage, evaluator_count=2)
    import_games(iteration=baseline, games=[figures()] * 3)
    open_for_rating(iteration=baseline, by=get_lead(stage), now=moment(5))
    hand_in(take_next_game(project=stage.project, by=make_member(project=stage.project), now=moment(6)))
    assert {game.state for game in list_games(stage)} == {"open"}


def test_withdrawn_games_are_named_and_not_counted(stage):
    iteration = make_iteration(stage=stage, games=[figures()] * 3)
    game = Game.objects.filter(iteration=iteration).order_by("number")[1]
    withdraw(game=game, by=get_lead(stage))
    found = history(stage).iterations[0]
    assert found.withdrawn == [game.number]
    (out,) = found.left_out
    assert (out.reason, out.by, out.at) == ("Cut short.", get_lead(stage).name, moment(8))
    assert out.game.figures.scores["coherence"] == 80
    assert [game.figures.number for game in found.games] == [1, 3]


def test_the_gate_counts_what_was_opened_in_that_order(stage):
    first = make_baseline(stage=stage, minutes=1)
    import_games(iteration=first, games=[figures()] * 3)
    second = make_baseline(stage=stage, games=[figures()] * 3, minutes=5)
    open_for_rating(iteration=first, by=get_lead(stage), now=moment(10))
    reverted = make_iteration(stage=stage, games=[figures()] * 3, decision="revert", minutes=20)
    make_change(stage=stage, minutes=30)
    found = history(stage).for_gate(load_rubric)
    assert [iteration.number for iteration in found] == [second.number, first.number, reverted.number]
    assert [iteration.is_reverted for iteration in found] == [False, False, True]


def test_every_iteration_is_judged_by_its_own_rubric_version_at_the_gate(stage):
    old = make_baseline(stage=stage, games=[figures()] * 3, minutes=1)
    version = old.rubric_version
    body = version.body.replace('"cost_success_usd":2.0', '"cost_success_usd":1.0')
    assert body != version.body
    stricter = RubricVersion.objects.create(
        rubric=version.rubric,
        number="1.9",
        state="published",
        body=body,
        sha256=bytes_hash(body.encode()),
        created_at=version.created_at,
        created_by=version.created_by,
        published_at=version.published_at,
        published_by=version.published_by,
    )
    assert RubricVersion.objects.newest(DISCUSSION) == stricter
    make_baseline(stage=stage, minutes=5, least_games=1)
    steps = compute_stage_streak(stage, history(stage)).steps
    assert [(step.iteration, step.state) for step in steps] == [(old.number, "success")]
    make_baseline(stage=stage, games=[figures()] * 3, minutes=9)
    assert [step.state for step in compute_stage_streak(stage, history(stage)).steps] == ["success", "broken"]


def test_rows_say_who_when_and_what_was_named_beforehand(stage):
    make_iteration(stage=stage, games=[figures()] * 3)
    change = make_iteration(
        stage=stage,
        games=[figures()] * 3,
        target="coherence",
        material={"coherence": 7},
        decision="keep",
        minutes=9,
    )
    found = history(stage).iterations[1]
    assert (found.id, found.target, found.material["coherence"]) == (change.pk, "coherence", 7)
    assert (found.created_by, found.opened_by) == (get_lead(stage).name,) * 2
    assert (found.created_at, found.opened_at) == (moment(9), moment(9))
    assert (found.decision.choice, found.decision.by) == ("keep", get_lead(stage).name)
    assert history(stage).baseline.id == change.baseline_id


def test_another_stage_and_unsorted_games_are_not_in_it(stage):
    make_iteration(stage=stage, games=[figures()] * 3)
    other = make_stage()
    make_iteration(stage=other, games=[figures()] * 3)
    assert len(history(stage).iterations) == len(history(other).iterations) == 1
    assert Iteration.objects.filter(stage=None).count() == 2


def count_queries(stage):
    with CaptureQueriesContext(connection) as queries:
        load_history(stage)
    return len(queries)


def test_as_many_queries_for_many_iterations_as_for_one(stage):
    make_iteration(stage=stage, games=[figures()] * 3)
    assert count_queries(stage) == 5
    for number in range(4):
        make_iteration(stage=stage, games=[figures()] * 4, decision="keep", minutes=10 * (number + 1))
    assert count_queries(stage) == 5


def test_and_a_few_more_while_games_wait_for_their_verdict(stage):
    baseline = make_baseline(stage=stage)
    import_games(iteration=baseline, games=[figures()] * 3)
    open_for_rating(iteration=fresh(baseline), by=get_lead(stage), now=moment(5))
    evaluator = make_member(project=stage.project)
    counts = []
    for _ in range(3):
        hand_in(take_next_game(project=stage.project, by=evaluator, now=moment(6)))
        counts.append(count_queries(stage))
    assert len(set(counts)) == 1
    assert counts[0] <= 12
