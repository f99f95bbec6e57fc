"""`verify` on iteration history: clean when nothing was touched, and every kind of damage is named."""

import re
from decimal import Decimal

import msgspec
import pytest
from django.db import connection

from discussions.checks.games import GAME_CHECKS
from discussions.checks.iterations import ITERATION_CHECKS
from discussions.games.actions import enter_figure, restore_game
from discussions.iterations.actions import StagePlan, open_for_rating, open_next_stage, sign_stage
from discussions.models import Decision, Game, Iteration, ManualFigure, Slot, Stage, Verdict, Withdrawal
from tests.factories.iterations import (
    decide_on,
    figures,
    get_lead,
    import_games,
    make_baseline,
    make_change,
    make_iteration,
    make_stage,
    record_figures,
    withdraw,
)
from tests.factories.people import make_admin, moment
from tests.factories.tampering import without_triggers
from tests.factories.transcripts import import_game
from workspace.checks.core import run_check
from workspace.core.canonical import bytes_hash

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def built(shared_rows):
    """A stage with a baseline, a kept change, a reverted one, and games that wait."""
    made = make_stage()
    make_iteration(stage=made, games=[figures(), figures(memory_accuracy=None), figures(coherence=71)])
    make_iteration(
        stage=made, games=[figures(coherence=75)] * 3, decision="keep", target="coherence", minutes=10
    )
    make_iteration(stage=made, games=[figures()] * 3, decision="revert", minutes=20)
    return made


@pytest.fixture
def stage(built):
    """The stage as it was built."""
    return Stage.objects.select_related("project").get(pk=built.pk)


def breaches(checks=ITERATION_CHECKS):
    found = {check.code: run_check(check, moment(90)).breaches for check in checks}
    return {code: said for code, said in found.items() if said}


def damage(rows, **changes):
    with without_triggers():
        rows.update(**changes)


def test_history_that_nobody_touched_holds(stage):
    last = Iteration.objects.latest("pk")
    decide_on(iteration=last, choice="inconclusive", minutes=30)
    game = Game.objects.filter(iteration=last).first()
    record_figures(game=game, given=figures(coherence=20), minutes=31)
    decide_on(iteration=last, choice="revert", minutes=32)
    for value in ("1.5", "1.75"):
        enter_figure(
            game=game, kind="cost", value=Decimal(value), reason="Bill.", by=get_lead(stage), now=moment(33)
        )
    import_games(iteration=make_change(stage=stage, minutes=40), games=[figures()], minutes=41)
    import_game(project=stage.project, by=get_lead(stage))
    sign_stage(stage=stage, text="I watch them.", by=get_lead(stage), now=moment(42))
    plan = StagePlan(name="Stage 2")
    open_next_stage(stage=stage, plan=plan, by=make_admin(), reason="On with it.", now=moment(43))
    make_baseline(stage=Stage.objects.get(number=2), minutes=44)
    assert breaches() == {}
    assert breaches(GAME_CHECKS) == {}


def test_no_history_holds():
    assert breaches() == {}


def test_a_tampered_basis_or_proposal_is_named(stage):
    decision = Decision.objects.earliest("pk")
    damage(Decision.objects.filter(pk=decision.pk), basis=decision.basis.replace("75.0", "76.0"))
    (said,) = breaches()["I6d"]
    assert said == (
        f"Decision 1 on iteration 2 (row {decision.pk}): the stored basis does not have the hash that was recorded "
        "with it."
    )
    basis = decision.basis.replace("75.0", "76.0")
    damage(Decision.objects.filter(pk=decision.pk), basis=basis, basis_sha256=bytes_hash(basis.encode()))
    said = " ".join(breaches()["I6d"])
    assert "another proposal than was stored" in said
    assert "are not those of its verdict" in said


def test_a_proposal_by_an_earlier_rule_is_kept_as_it_was_recorded(stage):
    decision = Decision.objects.filter(choice="keep")
    proposal = msgspec.json.decode(decision.get().proposal)
    other = msgspec.json.encode(proposal | {"answer": "as it was called then"}).decode()
    damage(decision, proposal=other)
    assert "another proposal than was stored, at /answer" in breaches()["I6d"][0]
    for number in (1, 2, 3):
        basis = decision.get().basis
        earlier = re.sub('"format":[0-9]+', f'"format":{number}', basis)
        damage(decision, basis=earlier, basis_sha256=bytes_hash(earlier.encode()))
        assert earlier != basis and breaches() == {}


def test_a_look_that_its_basis_does_not_name_is_named(stage):
    damage(Decision.objects.filter(choice="keep"), look=2)
    assert "another pair or another look" in breaches()["I6d"][0]
    damage(Decision.objects.filter(choice="keep"), look=4)
    assert "more than 3 looks" in breaches()["I6e"][0]


def test_a_verdict_that_was_changed_under_a_decision_is_named(stage):
    verdict = Verdict.objects.latest("pk")
    damage(
        Verdict.objects.filter(pk=verdict.pk), outcome=verdict.outcome.replace('"score":4.0', '"score":3.0')
    )
    assert "are not those of its verdict" in breaches()["I6d"][0]


def test_a_gap_between_decisions_and_a_state_that_they_do_not_say_are_named(stage):
    damage(Decision.objects.filter(choice="keep"), number=2)
    damage(Iteration.objects.filter(number=3), state="rating")
    said = breaches()["I6e"]
    assert any("does not follow the decision before it" in breach for breach in said)
    assert any(breach.startswith("Iteration 3") and "is rating" in breach for breach in said)


def test_a_replay_of_another_prompt_is_named(stage):
    played = Iteration.objects.filter(stage=stage).earliest("pk")
    again = make_baseline(stage=stage, minutes=50)
    damage(Iteration.objects.filter(pk=again.pk), replay_of=played)
    assert "I6f" not in breaches()
    damage(Iteration.objects.filter(pk=again.pk), prompt_sha256="0" * 64)
    assert any("plays another prompt than the iteration" in said for said in breaches()["I6f"])


def test_a_broken_chain_a_foreign_baseline_and_another_prompt_are_named(stage):
    iterations = {row.number: row for row in Iteration.objects.filter(stage=stage)}
    damage(Iteration.objects.filter(number=3), compared_with=iterations[1], baseline=iterations[2])
    damage(Iteration.objects.filter(number=2), prompt="Play.")
    said = " ".join(breaches()["I6f"])
    assert "Iteration 3 is compared with another iteration" in said
    assert "names another baseline" in said
    assert f"Iteration 2 (row {iterations[2].pk}): its prompt does not have the hash" in said


def test_a_game_that_slipped_into_a_frozen_list_is_named(stage):
    game = import_game(project=stage.project, by=get_lead(stage))
    baseline = Iteration.objects.get(number=1, stage=stage)
    Game.objects.filter(pk=game.pk).update(iteration=baseline)
    assert "holds other games than when it was opened" in breaches()["I6g"][0]


def test_a_game_that_was_withdrawn_later_is_no_breach(stage):
    game = withdraw(game=Game.objects.get(number=1), minutes=50)
    assert breaches() == {}
    restore_game(game=game, reason="It counts.", by=get_lead(stage), now=moment(51))
    assert breaches() == {}


def test_a_game_that_was_out_when_the_list_was_frozen_is_no_breach_when_it_counts_again(stage):
    waiting = make_change(stage=stage, minutes=40)
    import_games(iteration=waiting, games=[figures()] * 4, minutes=41)
    game = withdraw(game=Game.objects.filter(iteration=waiting).first(), minutes=42)
    open_for_rating(iteration=waiting, by=get_lead(stage), now=moment(43))
    assert breaches() == {}
    restore_game(game=game, reason="It counts.", by=get_lead(stage), now=moment(44))
    assert Slot.objects.filter(game=game).count() == 1
    assert breaches() == {}


def test_withdrawals_that_do_not_take_turns_are_named(stage):
    game = withdraw(game=Game.objects.get(number=1), minutes=50)
    Game.objects.filter(pk=game.pk).update(withdrawn_reason="Another.")
    assert "says another thing" in breaches()["I6j"][0]
    Game.objects.filter(pk=game.pk).update(withdrawn_at=None, withdrawn_by=None, withdrawn_reason="")
    assert "says another thing" in breaches()["I6j"][0]
    damage(Withdrawal.objects.all(), is_withdrawn=False)
    assert "does not follow the last" in breaches()["I6j"][0]


def test_a_place_that_is_open_too_early_is_named(stage):
    waiting = make_change(stage=stage, minutes=40)
    import_games(iteration=waiting, games=[figures()], minutes=41)
    game = Game.objects.latest("pk")
    Slot.objects.create(project=game.project, game=game, number=1, shuffle=1)
    assert "its game's iteration is not" in breaches()["I6g"][0]


def test_a_gate_that_was_forced_and_a_statement_that_was_changed_are_named(stage):
    sign_stage(stage=stage, text="I watch them.", by=get_lead(stage), now=moment(42))
    plan = StagePlan(name="Stage 2")
    open_next_stage(stage=stage, plan=plan, by=make_admin(), reason="On with it.", now=moment(43))
    damage(Stage.objects.filter(pk=stage.pk), override_reason="", statement="They are fine.")
    said = " ".join(breaches()["I6h"])
    assert "closed while its gate was closed" in said
    assert "its statement is not the one that was signed" in said
    damage(Stage.objects.filter(pk=stage.pk), door="{}")
    assert "is not the one that was passed" in breaches()["I6h"][0]


def test_a_gap_between_figures_by_hand_is_named(stage):
    game = Game.objects.first()
    enter_figure(game=game, kind="cost", value=Decimal(1), reason="Bill.", by=get_lead(stage), now=moment(33))
    damage(ManualFigure.objects.all(), number=2)
    assert "does not follow the last" in breaches()["I6i"][0]


@pytest.mark.parametrize(
    "verb",
    ["stage:opened", "iteration:opened", "iteration:opened_for_rating", "decision:recorded"],
)
def test_rows_without_their_audit_line_are_named(stage, verb):
    with without_triggers(), connection.cursor() as cursor:
        cursor.execute(f"DELETE FROM workspace_event WHERE verb = '{verb}'")
    assert f"has 0 lines of {verb}" in breaches()["I7i"][0]
