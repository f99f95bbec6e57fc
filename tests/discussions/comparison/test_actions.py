"""Decisions on changes, on the figures that were shown; looks at one pair, whose games add up over iterations."""

from decimal import Decimal
from math import sqrt

import msgspec
import pytest

from discussions.comparison.actions import record_decision
from discussions.comparison.core.decision_basis import DecisionBasis
from discussions.games.actions import enter_figure
from discussions.models import Decision, Game, Iteration, Measured, Slot
from discussions.planning.actions import edit_iteration
from discussions.transcripts.actions import Upload, cancel_import, import_files
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
    plan,
    preview,
    rate_games,
    record_figures,
)
from tests.factories.jobs import run_waiting_jobs
from tests.factories.outbox import make_webhook
from tests.factories.people import make_member, moment
from tests.factories.transcripts import as_bytes, native_game
from tests.faults.crowd import breaches
from workspace.core.canonical import bytes_hash
from workspace.core.refusals import Conflict, NotAllowed, Unacceptable
from workspace.jobs.actions import run_job
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


PROMPT = "You play Mafia, and you play it well.\n"


@pytest.fixture
def looked_at():
    made = make_stage()
    make_iteration(stage=made, games=[figures(coherence=score) for score in (60, 62, 64)])
    return made


def broken():
    """What `manage.py verify` would name; but verdicts, which `rate_games` writes without what evaluators said."""
    return {code: said for code, said in breaches().items() if code not in ("I6", "I7v")}


def play(looked_at, *scores, minutes=5, **given):
    """Another iteration of the same prompt against the same reference."""
    games = [None if score is None else figures(coherence=score) for score in scores]
    return make_iteration(
        stage=looked_at, games=games, prompt=PROMPT, target="coherence", minutes=minutes, **given
    )


def look_again(iteration, score, minutes):
    game = Game.objects.filter(iteration=iteration).order_by("number").first()
    record_figures(game=game, given=figures(coherence=score), minutes=minutes)


def list_scores(games):
    return [game.figures.scores["coherence"] for game in games]


def test_games_of_one_prompt_against_one_reference_add_up(looked_at):
    first = play(looked_at, 66, 67, 68)
    assert (
        preview(first).basis.look,
        preview(first).compared.metric("coherence").difference.change_count,
    ) == (
        1,
        3,
    )
    decide_on(iteration=first, choice="inconclusive", minutes=6)
    second = play(looked_at, 70, 71, 72, minutes=10)
    found = preview(second)
    assert list_scores(found.basis.change) == [66, 67, 68, 70, 71, 72]
    assert found.basis.earlier == []
    metric = found.compared.metric("coherence")
    assert (found.basis.look, metric.difference.change_count, metric.difference.control_count) == (2, 6, 3)
    # Squares 8 and 28 with 2 and 5 df, three games against six.
    assert metric.difference.error.size == pytest.approx(sqrt(36 / 7 * (1 / 3 + 1 / 6)))
    assert list_scores(preview(first).basis.change) == [66, 67, 68]
    decide_on(iteration=second, choice="keep", minutes=12)
    assert history(looked_at).reference.id == second.pk
    assert broken() == {}


def test_games_that_were_never_rated_are_not_waited_for_in_another_iteration(looked_at):
    decide_on(iteration=play(looked_at, 66, None, 68), choice="inconclusive", minutes=6)
    second = play(looked_at, 70, 71, 72, minutes=10)
    assert list_scores(preview(second).basis.change) == [66, 68, 70, 71, 72]
    assert preview(second).basis.pending == []


def test_games_of_another_prompt_stay_apart_and_a_fresh_baseline_counts_with_the_old_one(looked_at):
    other = make_iteration(stage=looked_at, games=[figures()] * 3, decision="keep", minutes=5)
    decide_on(iteration=play(looked_at, 66, 67, 68, minutes=8), choice="revert", minutes=9)
    make_baseline(stage=looked_at, games=[figures()] * 3, minutes=10)
    second = play(looked_at, 70, 71, 72, minutes=12)
    assert second.compared_with_id != other.pk
    assert list_scores(preview(second).basis.change) == [70, 71, 72]
    assert [len(batch) for batch in preview(second).basis.earlier] == [3, 3]
    assert list_scores(preview(second).basis.control) == [80, 80, 80, 60, 62, 64]
    assert preview(second).basis.look == 1


def test_what_nobody_knows_anything_of_is_no_look(looked_at):
    change = play(looked_at, None, None, None)
    assert decide_on(iteration=change, choice="inconclusive", minutes=6).look == 1
    rate_games(iteration=change, games=[figures()] * 3, minutes=7)
    assert preview(change).basis.look == 1
    assert decide_on(iteration=change, choice="inconclusive", minutes=8).look == 1
    again = play(looked_at, None, None, None, minutes=9)
    assert preview(again).basis.look == 1
    rate_games(iteration=again, games=[figures()] * 3, minutes=10)
    assert preview(again).basis.look == 2


def test_a_prompt_that_was_looked_at_three_times_is_not_opened_again(looked_at):
    change = play(looked_at, 66, 67, 68)
    for look in (1, 2, 3):
        assert decide_on(iteration=change, choice="inconclusive", minutes=5 + look).look == look
        look_again(change, 70 + look, 5.5 + look)
    with pytest.raises(Unacceptable, match="compared with the reference 3 times already") as refusal:
        play(looked_at, 70, 71, 72, minutes=20)
    assert (refusal.value.field, refusal.value.code) == ("prompt", "too_many_looks")
    other = make_change(stage=looked_at, minutes=21)
    with pytest.raises(Unacceptable, check=lambda refusal: refusal.code == "too_many_looks"):
        edit_iteration(iteration=other, plan=plan(prompt=PROMPT), by=get_lead(looked_at), now=moment(22))


def test_what_would_be_a_fourth_look_is_taken_back_without_one_and_never_kept(looked_at):
    first = play(looked_at, 66, 67, 68)
    for minutes in (6, 7):
        decide_on(iteration=first, choice="inconclusive", minutes=minutes)
        look_again(first, 80 + minutes, minutes + 0.5)
    second = play(looked_at, 70, 71, 72, minutes=10)
    assert decide_on(iteration=first, choice="inconclusive", minutes=12).look == 3
    assert preview(second).basis.look == 4
    with pytest.raises(NotAllowed, match="compared 3 times already"):
        decide_on(iteration=second, choice="keep", minutes=13)
    made = decide_on(iteration=second, choice="inconclusive", minutes=14)
    assert (made.look, made.proposal) == (4, "null")
    with pytest.raises(NotAllowed, match="compared 3 times already"):
        decide_on(iteration=second, choice="revert", minutes=15)
    assert broken() == {}
    assert make_change(stage=looked_at, minutes=16).state == "importing"


def test_whoever_did_not_see_a_decision_does_not_supersede_it(looked_at):
    change = play(looked_at, 66, 67, 68)
    shown = preview(change).basis_sha256
    decide_on(iteration=change, choice="keep", minutes=6)
    between = preview(change).basis_sha256
    decide_on(iteration=change, choice="inconclusive", minutes=7)
    for stale in (shown, between):
        with pytest.raises(Conflict, match="Somebody decided on this since the page was shown") as refusal:
            record_decision(
                iteration=change,
                choice="revert",
                reason="No.",
                basis_sha256=stale,
                by=get_lead(looked_at),
                now=moment(8),
            )
        assert refusal.value.code == "decided_first"
    assert Decision.objects.count() == 2


def test_nothing_is_dropped_while_its_games_are_on_their_way(looked_at):
    change = make_change(stage=looked_at, minutes=5)
    lead = get_lead(looked_at)
    (made,) = import_files(
        project=looked_at.project,
        files=[Upload("late.json", as_bytes(native_game(gameId="late")))],
        by=lead,
        now=moment(6),
        iteration=change,
    ).imported
    with pytest.raises(NotAllowed, match="1 upload is still being read") as refusal:
        decide_on(iteration=change, choice="revert", minutes=7)
    assert refusal.value.code == "reading"
    assert fresh(change).state == "importing"
    cancel_import(transcript=made.transcript, by=lead, now=moment(8))
    decide_on(iteration=change, choice="revert", minutes=9)
    run_waiting_jobs(now=moment(10))
    assert not Game.objects.filter(iteration=change).exists()


def test_games_of_an_iteration_that_was_dropped_have_no_places(looked_at):
    change = make_change(stage=looked_at, minutes=5)
    (made,) = import_files(
        project=looked_at.project,
        files=[Upload("late.json", as_bytes(native_game(gameId="late")))],
        by=get_lead(looked_at),
        now=moment(6),
        iteration=change,
    ).imported
    run_job(job=made.transcript.job_id, clock=lambda: moment(6))
    decide_on(iteration=change, choice="revert", minutes=7)
    run_waiting_jobs(now=moment(9))
    assert Measured.objects.filter(game__iteration=change).exists()
    assert not fresh(change).has_slots
    assert not Slot.objects.filter(game__iteration=change).exists()
