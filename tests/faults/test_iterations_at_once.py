"""Leads at the same moment: a list that freezes while games leave it, two decisions, a gate and what it rests on."""

import time
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from threading import Event as Signal

import pytest
from django.db import connection, transaction

from discussions.comparison.actions import record_decision
from discussions.games.actions import enter_figure
from discussions.iterations import actions
from discussions.iterations.actions import (
    StagePlan,
    move_games,
    open_for_rating,
    open_next_stage,
    open_stage,
    sign_stage,
)
from discussions.models import Decision, Game, Iteration, ManualFigure, Slot, Stage
from discussions.planning.actions import edit_iteration, open_change
from discussions.queue.actions import take_next_game
from discussions.transcripts.actions import Upload, import_files
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
    plan,
    preview,
    record_figures,
)
from tests.factories.people import make_admin, make_lead, make_member, moment
from tests.factories.transcripts import as_bytes, import_game, make_games_project, native_game
from tests.faults.crowd import at_once, breaches
from tools.processes import PATIENCE
from workspace.core.refusals import Conflict, NotAllowed, Refusal

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.services(is_long_on_sqlite=True),
    pytest.mark.slow,
]

# Which of two acts comes first; the other order by `make faults` alone.
ORDERS = [True, pytest.param(False, marks=pytest.mark.long)]
# How long the second act is given to run into the first one's locks.
A_WHILE = 0.7


@pytest.fixture(autouse=True)
def own_folder(settings, tmp_path):
    settings.MEDIA_ROOT = settings.VAR_DIR = tmp_path


@pytest.fixture
def stage():
    return make_stage()


def broken():
    """What `manage.py verify` would name; but verdicts, which `rate_games` writes without what evaluators said."""
    return {code: said for code, said in breaches().items() if code not in ("I6", "I7v")}


def crossing(first, second):
    """`second` begins while the transaction of `first` is still open; gives what each gave, or how it was refused."""
    done, leave = Signal(), Signal()

    def hold():
        try:
            with transaction.atomic():
                try:
                    given = first()
                finally:
                    done.set()
                assert leave.wait(PATIENCE)
            return given
        except Refusal as refusal:
            return refusal
        finally:
            connection.close()

    def follow():
        try:
            return second()
        except Refusal as refusal:
            return refusal
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as pool:
        held = pool.submit(hold)
        assert done.wait(PATIENCE)
        followed = pool.submit(follow)
        time.sleep(A_WHILE)
        leave.set()
        return held.result(PATIENCE), followed.result(PATIENCE)


def load_unsorted(stage):
    return fresh(Iteration.objects.get(project=stage.project, stage=None))


def freeze(iteration):
    return lambda: open_for_rating(iteration=iteration, by=get_lead(iteration.stage), now=moment(5))


def move(number, to, by):
    return lambda: move_games(games=[number], to=to, by=by, now=moment(5))


@pytest.mark.parametrize("moves_first", ORDERS)
def test_no_game_leaves_a_list_while_it_freezes(stage, moves_first):
    baseline = make_baseline(stage=stage)
    import_games(iteration=baseline, games=[figures()] * 3)
    out = move(1, load_unsorted(stage), get_lead(stage))
    given = (out, freeze(baseline)) if moves_first else (freeze(baseline), out)
    first, second = crossing(*given)
    assert not isinstance(first, Refusal)
    assert isinstance(second, NotAllowed)
    assert second.code == ("too_few" if moves_first else "frozen")
    assert Game.objects.filter(iteration=baseline).count() == (2 if moves_first else 3)
    assert fresh(baseline).state == ("importing" if moves_first else "rating")
    assert broken() == {}


@pytest.mark.parametrize("moves_first", ORDERS)
def test_no_game_comes_into_a_list_while_it_freezes(stage, moves_first):
    baseline = make_baseline(stage=stage)
    import_games(iteration=baseline, games=[figures()] * 3)
    game = import_game(project=stage.project, by=get_lead(stage))
    into = move(game.number, baseline, get_lead(stage))
    given = (into, freeze(baseline)) if moves_first else (freeze(baseline), into)
    _first, second = crossing(*given)
    assert isinstance(second, NotAllowed) is not moves_first
    assert Game.objects.filter(iteration=baseline).count() == (4 if moves_first else 3)
    assert Slot.objects.filter(game__iteration=baseline).count() == (4 if moves_first else 3)
    assert broken() == {}


def test_one_game_moved_two_ways_at_once_is_in_one_place_and_nobody_waits_in_a_circle(stage):
    first, other = make_baseline(stage=stage), make_baseline(stage=stage, minutes=2)
    for iteration in (first, other):
        import_games(iteration=iteration, games=[figures()] * 2)
    lead = get_lead(stage)
    for _turn in range(6):
        at_once(
            *[move(number, first, lead) for number in (1, 3)],
            *[move(number, other, lead) for number in (1, 3)],
        )
    assert Game.objects.count() == 4
    assert broken() == {}


@pytest.mark.parametrize("moves_first", ORDERS)
def test_a_game_is_moved_or_taken_and_never_both(stage, moves_first):
    baseline = make_baseline(stage=stage)
    game = import_game(project=stage.project, by=get_lead(stage))
    evaluator = make_member(project=stage.project)

    def take():
        return take_next_game(project=stage.project, by=evaluator, now=moment(5))

    into = move(game.number, baseline, get_lead(stage))
    first, second = crossing(*((into, take) if moves_first else (take, into)))
    game.refresh_from_db()
    if moves_first:
        assert (first, second, game.iteration) == ([game.number], None, baseline)
    else:
        assert isinstance(second, NotAllowed | Conflict)
        assert game.iteration == load_unsorted(stage)
    assert broken() == {}


def deciding(iteration, choice, shown, by=None):
    return lambda: record_decision(
        iteration=iteration,
        choice=choice,
        reason="Seen.",
        basis_sha256=shown,
        by=by or get_lead(iteration.stage),
        now=moment(60),
    )


@pytest.fixture
def change(stage):
    make_iteration(stage=stage, games=[figures(coherence=score) for score in (60, 62, 64)])
    games = [figures(coherence=score) for score in (70, 72, 74)]
    return make_iteration(stage=stage, games=games, target="coherence", minutes=5)


def test_of_two_decisions_on_the_same_page_one_is_recorded(change):
    shown = preview(change).basis_sha256
    first, second = crossing(deciding(change, "keep", shown), deciding(change, "revert", shown))
    assert (first.choice, type(second)) == ("keep", Conflict)
    assert second.code == "decided_first"
    assert Decision.objects.get().choice == "keep"
    assert broken() == {}


@pytest.mark.parametrize("decides_first", ORDERS)
def test_a_decision_and_a_verdict_that_is_superseded_at_the_same_moment(change, decides_first):
    game = Game.objects.select_related("iteration__rubric_version", "project", "created_by").get(
        pk=Game.objects.filter(iteration=change).order_by("number").first().pk
    )
    decide = deciding(change, "keep", preview(change).basis_sha256)

    def correct():
        return record_figures(game=game, given=figures(coherence=20), minutes=50)

    first, second = crossing(*((decide, correct) if decides_first else (correct, decide)))
    # What is not committed yet is not there for others: a decision that runs beside the correction stands before it.
    decision = Decision.objects.first()
    found = [result for result in (first, second) if isinstance(result, Refusal)]
    assert bool(found) is (decision is None)
    assert all(refusal.code == "basis_changed" for refusal in found)
    assert record_again(change).code == "basis_changed" if decision is None else True
    assert "I6d" not in broken() and "I6e" not in broken()


def record_again(change):
    with pytest.raises(Conflict) as refusal:
        deciding(change, "keep", "0" * 64)()
    return refusal.value


def test_two_changes_opened_at_once_are_one(stage):
    make_iteration(stage=stage, games=[figures()] * 3)
    reference = history(stage).reference.id

    def opening():
        return open_change(
            stage=stage, plan=plan(), compared_with=reference, by=get_lead(stage), now=moment(9)
        )

    first, second = crossing(opening, opening)
    assert (first.number, type(second), second.code) == (2, NotAllowed, "undecided")
    assert broken() == {}


def test_a_change_opened_while_the_reference_moves_is_a_conflict(stage, change):
    reference = history(stage).reference.id
    keep = deciding(change, "keep", preview(change).basis_sha256)

    def opening():
        return open_change(
            stage=stage, plan=plan(), compared_with=reference, by=get_lead(stage), now=moment(61)
        )

    _first, second = crossing(keep, opening)
    assert (type(second), second.code) == (Conflict, "reference_changed")
    assert broken() == {}


def test_the_first_stage_is_opened_once():
    project = make_games_project()
    lead = make_lead(project=project)

    def opening():
        return open_stage(project=project, plan=StagePlan(name="One"), by=lead, now=moment(2))

    made = at_once(*[opening] * 6)
    assert sum(isinstance(result, Stage) for result in made) == 1
    assert {result.code for result in made if not isinstance(result, Stage)} == {"stage_there"}
    assert broken() == {}


def next_stage(stage, by, reason=""):
    return lambda: open_next_stage(
        stage=stage, plan=StagePlan(name="Two"), by=by, now=moment(90), reason=reason
    )


def test_the_next_stage_is_opened_once(stage):
    act = next_stage(stage, make_admin(), "We have to go on.")
    first, second = crossing(act, act)
    assert (first.number, type(second), second.code) == (2, NotAllowed, "stage_closed")
    assert Stage.objects.filter(closed_at=None).count() == 1
    assert broken() == {}


def sign(stage):
    return lambda: sign_stage(stage=stage, text="I laughed.", by=get_lead(stage), now=moment(80))


@pytest.mark.parametrize("signs_first", ORDERS)
def test_a_stage_is_not_signed_while_it_is_closed(stage, signs_first):
    acts = sign(stage), next_stage(stage, make_admin(), "We have to go on.")
    _first, second = crossing(*(acts if signs_first else acts[::-1]))
    kept = Stage.objects.get(pk=stage.pk)
    assert kept.closed_at is not None
    if signs_first:
        assert "I laughed." in kept.door
    else:
        assert (second.code, kept.statement) == ("stage_closed", "")
    assert broken() == {}


def succeed_but_for_a_cost(stage):
    """Three successes in a row, signed, but that one game does not report its cost."""
    make_iteration(stage=stage, games=[figures()] * 3)
    make_iteration(stage=stage, games=[figures()] * 3, decision="keep", minutes=5)
    make_iteration(stage=stage, games=[figures(), figures(), figures(cost=None)], decision="keep", minutes=9)
    sign(stage)()
    return Game.objects.select_related("project", "created_by").order_by("number").last()


def test_a_gate_is_read_once_also_when_a_cost_is_entered_meanwhile(stage, monkeypatch):
    """Between the look at the gate and its second look with the admin's reason the last missing cost comes in."""
    game = succeed_but_for_a_cost(stage)
    real = actions.compute_stage_gate

    def compute_stage_gate(locked, found, **given):
        gate = real(locked, found, **given)
        if not given and connection.vendor == "postgresql":
            with ThreadPoolExecutor(1) as pool:
                pool.submit(cost_comes_in, game).result(PATIENCE)
        return gate

    monkeypatch.setattr(actions, "compute_stage_gate", compute_stage_gate)
    next_stage(stage, make_admin(), "The bill is on its way.")()
    kept = Stage.objects.get(pk=stage.pk)
    assert kept.override_reason == "The bill is on its way."
    assert "is not reported" in kept.door
    assert broken() == {}


def cost_comes_in(game, dollars="1.5"):
    try:
        return enter_figure(
            game=game,
            kind="cost",
            value=Decimal(dollars),
            reason="Bill.",
            by=game.created_by,
            now=moment(85),
        )
    finally:
        connection.close()


def test_two_who_enter_a_cost_leave_a_chain_of_two_or_one(stage):
    game = succeed_but_for_a_cost(stage)
    made = at_once(*[lambda: cost_comes_in(game)] * 4)
    rows = ManualFigure.objects.filter(game=game)
    assert rows.count() == sum(isinstance(result, ManualFigure) for result in made) >= 1
    assert all(isinstance(result, ManualFigure | Conflict) for result in made)
    assert rows.not_superseded().count() == 1
    assert broken() == {}


@pytest.mark.parametrize("imports_first", ORDERS)
def test_a_list_freezes_before_an_upload_or_waits_for_it(stage, imports_first):
    baseline = make_baseline(stage=stage)
    import_games(iteration=baseline, games=[figures()] * 3)
    acts = upload_into(baseline), freeze(baseline)
    _first, second = crossing(*(acts if imports_first else acts[::-1]))
    assert (type(second), second.code) == (NotAllowed, "reading" if imports_first else "frozen")
    assert broken() == {}


@pytest.mark.parametrize("imports_first", ORDERS)
def test_an_iteration_is_dropped_before_an_upload_or_waits_for_it(stage, imports_first):
    make_iteration(stage=stage, games=[figures()] * 3)
    dropped = make_change(stage=stage, minutes=5)
    acts = upload_into(dropped), deciding(dropped, "revert", preview(dropped).basis_sha256)
    _first, second = crossing(*(acts if imports_first else acts[::-1]))
    assert (type(second), second.code) == (NotAllowed, "reading" if imports_first else "frozen")
    assert broken() == {}


@pytest.mark.parametrize("imports_first", ORDERS)
def test_a_plan_is_made_anew_before_an_upload_or_not_at_all(stage, imports_first):
    baseline = make_baseline(stage=stage)

    def anew():
        return edit_iteration(iteration=baseline, plan=plan(name="Anew"), by=get_lead(stage), now=moment(6))

    acts = upload_into(baseline), anew
    _first, second = crossing(*(acts if imports_first else acts[::-1]))
    assert isinstance(second, NotAllowed) is imports_first
    assert (fresh(baseline).name == "Anew") is not imports_first
    assert broken() == {}


def upload_into(iteration):
    file = Upload("more.json", as_bytes(native_game(gameId="more")))
    return lambda: (
        import_files(
            project=iteration.project,
            files=[file],
            by=get_lead(iteration.stage),
            now=moment(5),
            iteration=iteration,
        ).imported
    )
