"""Decisions on changes: on the figures that were shown, with a reason, superseded and never changed."""

from decimal import Decimal

import msgspec
import pytest

from discussions.comparison.actions import record_decision
from discussions.comparison.core.decision_basis import DecisionBasis
from discussions.games.actions import enter_figure
from discussions.models import Decision, Game, Iteration
from tests.factories.iterations import (
    decide_on,
    figures,
    fresh,
    get_lead,
    history,
    make_baseline,
    make_change,
    make_iteration,
    make_stage,
    preview,
    record_figures,
)
from tests.factories.outbox import make_webhook
from tests.factories.people import make_member, moment
from workspace.core.canonical import bytes_hash
from workspace.core.refusals import Conflict, NotAllowed, Unacceptable
from workspace.models import Delivery, Event

pytestmark = pytest.mark.django_db


@pytest.fixture
def stage():
    made = make_stage()
    make_iteration(stage=made, games=[figures(strategic_depth=score) for score in (60, 62, 64)])
    return made


@pytest.fixture
def change(stage):
    games = [figures(strategic_depth=score) for score in (90, 92, 94)]
    return make_iteration(stage=stage, games=games, target="strategic_depth", minutes=5)


def lower(iteration, number=0):
    """One of the iteration's games looked at again, with a lower figure."""
    game = Game.objects.filter(iteration=iteration).order_by("number")[number]
    record_figures(game=game, given=figures(strategic_depth=50 + number), minutes=8)


def test_a_decision_stores_what_it_was_made_on_and_tells_webhooks(stage, change):
    make_webhook(project=stage.project)
    made = decide_on(iteration=change, choice="keep", reason=" It talks more. ", minutes=9)
    assert (made.choice, made.reason, made.number, made.look) == ("keep", "It talks more.", 1, 1)
    assert made.compared_with == change.compared_with
    assert bytes_hash(made.basis.encode()) == made.basis_sha256
    told = msgspec.json.decode(Delivery.objects.get().body)
    assert (told["type"], told["data"]) == ("iteration.decided", {"iteration": change.number, "decision": 1})
    basis = msgspec.json.decode(made.basis, type=DecisionBasis)
    assert [game.figures.scores["strategic_depth"] for game in basis.control] == [60, 62, 64]
    assert [game.figures.scores["strategic_depth"] for game in basis.change] == [90, 92, 94]
    assert (basis.target, basis.material["strategic_depth"]) == ("strategic_depth", 5)
    assert msgspec.json.decode(made.proposal)["proposal"] == "keep"
    assert fresh(change).state == "decided"
    assert history(stage).reference.id == change.pk
    event = Event.objects.get(verb="decision:recorded")
    assert made.basis_sha256 in event.detail


def test_a_lead_may_differ_from_the_proposal(change):
    made = decide_on(iteration=change, choice="revert", reason="It shouts.")
    assert made.choice == "revert"
    assert msgspec.json.decode(made.proposal)["proposal"] == "keep"
    assert history(change.stage).reference.id == change.compared_with_id


def test_a_figure_that_changed_since_the_page_was_shown_is_a_conflict(change):
    shown = preview(change).basis_sha256
    lower(change)
    with pytest.raises(Conflict, match="has changed since the page was shown"):
        record_decision(
            iteration=change,
            choice="keep",
            reason="So.",
            basis_sha256=shown,
            by=get_lead(change.stage),
            now=moment(9),
        )
    assert not Decision.objects.exists()
    assert fresh(change).state == "rating"


def test_the_newest_decision_counts_and_the_same_figures_are_no_further_look(change):
    first = decide_on(iteration=change, choice="keep", minutes=9)
    for minutes, choice in ((10, "revert"), (11, "inconclusive"), (12, "revert"), (13, "keep")):
        last = decide_on(iteration=change, choice=choice, minutes=minutes)
    assert (last.number, last.look) == (5, 1)
    assert Decision.objects.not_superseded().get() == last
    assert Decision.objects.get(supersedes=first).number == 2
    assert Event.objects.filter(verb="decision:superseded").count() == 4
    assert history(change.stage).find(change.pk).decision.choice == "keep"


def test_three_looks_at_a_pair_are_the_most(change):
    looks = []
    for number in range(3):
        looks.append(decide_on(iteration=change, choice="inconclusive", minutes=9 + number).look)
        lower(change, number)
    assert looks == [1, 2, 3]
    assert history(change.stage).looks(change.compared_with_id, change.prompt_sha256) == 3
    with pytest.raises(NotAllowed, match="compared 3 times already"):
        decide_on(iteration=change, choice="revert", minutes=20)
    assert preview(change).compared is None


def test_the_same_prompt_in_another_iteration_is_another_look_at_the_same_pair(stage, change):
    decide_on(iteration=change, choice="inconclusive", minutes=9)
    again = make_iteration(stage=stage, games=[figures()] * 3, prompt=change.prompt, minutes=10)
    assert preview(again).basis.look == 2
    assert decide_on(iteration=again, choice="inconclusive", minutes=12).look == 2
    other = make_iteration(stage=stage, games=[figures()] * 3, minutes=14)
    assert preview(other).basis.look == 1


def test_what_is_not_known_in_full_is_not_kept_but_may_be_reverted(stage):
    change = make_iteration(stage=stage, games=[figures(), None, None], minutes=5)
    numbers = [game.number for game in Game.objects.filter(iteration=change).order_by("number")]
    with pytest.raises(
        NotAllowed, match=f"The figures of games {numbers[1]} and {numbers[2]} are not known yet"
    ):
        decide_on(iteration=change, choice="keep")
    assert decide_on(iteration=change, choice="revert").choice == "revert"


def test_what_was_never_rated_is_dropped_and_not_kept(stage):
    change = make_change(stage=stage, minutes=5)
    with pytest.raises(NotAllowed, match="not open for rating yet"):
        decide_on(iteration=change, choice="keep")
    made = decide_on(iteration=change, choice="revert", reason="Nobody has time for it.")
    assert (made.look, fresh(change).state, fresh(change).opened_at) == (1, "decided", None)
    assert make_change(stage=stage, minutes=9).compared_with_id == change.compared_with_id


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"choice": "improve"}, "choice"),
        ({"reason": "  "}, "reason"),
        ({"reason": "x" * 2001}, "reason"),
    ],
)
def test_a_decision_needs_a_choice_and_a_reason(change, given, field):
    with pytest.raises(Unacceptable) as refusal:
        decide_on(iteration=change, **({"choice": "keep"} | given))
    assert refusal.value.field == field
    assert not Decision.objects.exists()


def test_baselines_and_unsorted_games_are_not_decided_on_and_evaluators_do_not_decide(stage, change):
    for iteration in (change.compared_with, Iteration.objects.get(project=stage.project, stage=None)):
        with pytest.raises(NotAllowed, match="Only a change is kept or reverted"):
            record_decision(
                iteration=iteration,
                choice="keep",
                reason="So.",
                basis_sha256="",
                by=get_lead(stage),
                now=moment(9),
            )
    with pytest.raises(NotAllowed, match="Only team leads"):
        decide_on(iteration=change, choice="keep", by=make_member(project=stage.project))


def test_other_batches_of_the_same_protocol_widen_the_ground(stage, change):
    decide_on(iteration=change, choice="revert", minutes=9)
    third = make_iteration(stage=stage, games=[figures(), figures(), figures()], minutes=10)
    assert [len(batch) for batch in preview(third).basis.earlier] == [3]
    decide_on(iteration=third, choice="revert", minutes=12)
    control = make_baseline(stage=stage, games=[figures()] * 3, evaluator_count=2, minutes=14)
    other = make_change(stage=stage, games=[figures()] * 3, minutes=16)
    assert other.compared_with == control
    assert preview(other).basis.earlier == []


def test_withdrawn_games_are_not_decided_on(change):
    game = Game.objects.filter(iteration=change).first()
    Game.objects.filter(pk=game.pk).update(withdrawn_at=moment(8), withdrawn_by=get_lead(change.stage))
    assert len(preview(change).basis.change) == 2
    assert history(change.stage).find(change.pk).withdrawn == [game.number]


def test_a_cost_entered_meanwhile_is_shown_first_but_is_no_further_look(change):
    decide_on(iteration=change, choice="inconclusive", minutes=9)
    shown = preview(change).basis_sha256
    game = Game.objects.select_related("project").filter(iteration=change).first()
    enter_figure(
        game=game, kind="cost", value=Decimal("2.5"), reason="Bill.", by=game.created_by, now=moment(10)
    )
    assert preview(change).basis_sha256 != shown
    assert decide_on(iteration=change, choice="revert", minutes=12).look == 1
