"""Invariants of stages, iterations and decisions: part of `manage.py verify`."""

from collections.abc import Iterator
from datetime import datetime

import msgspec
from django.db.models import Q

from discussions.checks.chains import broken_links
from discussions.comparison.core.decision_basis import (
    FORMAT,
    DecidedGame,
    DecisionBasis,
    compute_proposal,
    other_proposal,
)
from discussions.comparison.core.difference import MOST_LOOKS
from discussions.core.iteration_states import CHANGE, DECIDED, KEEP, UNSORTED
from discussions.core.outcome import Outcome
from discussions.iterations.core.figures import GameFigures, game_figures
from discussions.iterations.core.history import History, chain_faults, find_baseline
from discussions.iterations.queries import load_history
from discussions.models import Decision, Game, Iteration, ManualFigure, Slot, Stage, Verdict, Withdrawal
from discussions.queries import rubric_record
from rubric.models import RubricVersion
from workspace.audit.queries import list_changed
from workspace.checks.actions import missing_events, read_details
from workspace.checks.core import Checks
from workspace.core.canonical import bytes_hash

ITERATION_CHECKS = Checks()


@ITERATION_CHECKS.add("I6d", "Every decision comes out of its basis again")
def _decisions_are_reproduced(_now: datetime) -> Iterator[str]:
    rows, erased = Decision.objects.select_related("iteration").order_by("pk"), list_changed()
    for decision in rows.iterator(chunk_size=50):
        if sha256 := erased.get(("decision", decision.pk)):
            if bytes_hash((decision.basis + decision.proposal).encode()) != sha256:
                yield f"{_decision(decision)}: it is not what an erasure left of it."
            continue
        yield from (f"{_decision(decision)}: {wrong}" for wrong in _wrong_with(decision))


def _wrong_with(decision: Decision) -> Iterator[str]:
    if bytes_hash(decision.basis.encode()) != decision.basis_sha256:
        yield "the stored basis does not have the hash that was recorded with it."
        return
    basis = msgspec.json.decode(decision.basis, type=DecisionBasis)
    named = (basis.iteration, basis.compared_with, basis.look, basis.supersedes)
    row = (decision.iteration_id, decision.compared_with_id, decision.look, decision.supersedes_id)
    if named != row:
        yield "its row names another pair or another look than its basis, or supersedes another decision."
    version = RubricVersion.objects.get(pk=basis.rubric_version)
    if bytes_hash(version.body.encode()) != basis.rubric_sha256:
        yield "the rubric version is not what the decision rests on."
        return
    rubric = rubric_record(basis.rubric_version, basis.rubric_sha256)
    if basis.format == FORMAT:
        yield from other_proposal(decision.proposal, compute_proposal(basis, rubric))
    yield from _other_figures([*basis.control, *basis.change])


def _other_figures(games: list[DecidedGame]) -> Iterator[str]:
    """Games whose figures differ from their verdict; the cost may be a manual one."""
    judged = [game for game in games if game.verdict is not None]
    verdicts = Verdict.objects.filter(pk__in=[game.verdict for game in judged])
    outcomes = dict(verdicts.values_list("pk", "outcome"))
    for game in judged:
        stored = outcomes.get(game.verdict or 0)
        if stored is None:
            yield f"the verdict on game {game.figures.number} that it names is not there."
            continue
        outcome = msgspec.json.decode(stored, type=Outcome)
        recorded = game_figures(game.figures.number, outcome, cost_usd=None)
        if _compared_figures(recorded) != _compared_figures(game.figures):
            yield f"the figures of game {game.figures.number} are not those of its verdict."


def _compared_figures(figures: GameFigures) -> tuple[object, ...]:
    return figures.scores, figures.rating, figures.passes, sorted(figures.not_applicable), figures.is_pass


@ITERATION_CHECKS.add("I6e", "Every decision follows the one before it, on a change")
def _decisions_are_chained(_now: datetime) -> Iterator[str]:
    rows = Decision.objects.select_related("iteration")
    for decision in broken_links(rows, "iteration_id"):
        yield f"{_decision(decision)} does not follow the decision before it."
    for decision in rows.order_by("iteration", "number").iterator(chunk_size=200):
        is_blind = decision.proposal == "null" and decision.choice != KEEP  # reverted without a look
        if decision.iteration.kind != CHANGE or (decision.look > MOST_LOOKS and not is_blind):
            yield f"{_decision(decision)} is on no change, or on more than {MOST_LOOKS} looks at its pair."
    decided = Q(state=DECIDED)
    has_decision = Q(pk__in=Decision.objects.values("iteration"))
    for row in Iteration.objects.filter((decided & ~has_decision) | (~decided & has_decision)).order_by("pk"):
        yield f"{_iteration_name(row)} is {row.state}, which its decisions do not say."


@ITERATION_CHECKS.add("I6f", "Every change is compared with the reference of its time")
def _references_are_valid(_now: datetime) -> Iterator[str]:
    for stage in Stage.objects.order_by("pk"):
        history = load_history(stage)
        chain = history.iterations
        yield from (f"Stage {stage.number} (row {stage.pk}): {fault}" for fault in chain_faults(chain))
        for place, result in enumerate(chain):
            if result.kind == CHANGE and result.baseline != find_baseline(chain[:place]):
                yield f"Iteration {result.number} (row {result.id}) names another baseline than its stage's newest."
        yield from _other_replays(history)
    rows = Iteration.objects.exclude(kind=UNSORTED).select_related("stage")
    for row in rows.order_by("pk").iterator(chunk_size=50):
        if bytes_hash(row.prompt.encode()) != row.prompt_sha256:
            yield f"{_iteration_name(row)}: its prompt does not have the hash beside it."
        if row.stage is not None and row.stage.project_id != row.project_id:
            yield f"{_iteration_name(row)} is in a stage of another project."


def _other_replays(history: History) -> Iterator[str]:
    """Re-plays whose prompt is not that of the iteration that they play again. Their rubric versions may differ."""
    for row in history.iterations:
        played = history.find(row.replay_of)
        if row.replay_of is not None and (played is None or played.prompt_sha256 != row.prompt_sha256):
            yield f"Iteration {row.number} (row {row.id}) plays another prompt than the iteration that it plays again."


@ITERATION_CHECKS.add("I6g", "Lists of games are as they were frozen, and no place is open before")
def _lists_are_frozen(_now: datetime) -> Iterator[str]:
    listed = {key: detail["games"] for key, detail in read_details("iteration:opened_for_rating")}
    for row in Iteration.objects.exclude(opened_at=None).order_by("pk"):
        there = set(Game.with_erased.filter(iteration=row).values_list("number", flat=True))
        if sorted(there - _withdrawn_before(row)) != listed.get(row.pk, []):
            yield f"{_iteration_name(row)} holds other games than when it was opened for rating."
    shut = Q(game__iteration__stage__isnull=False, game__iteration__opened_at=None)
    for slot in Slot.objects.filter(shut, is_closed=False).order_by("pk"):
        yield f"Place {slot.number} (row {slot.pk}) is open, and its game's iteration is not."


def _withdrawn_before(iteration: Iteration) -> set[int]:
    out: set[int] = set()
    acts = Withdrawal.objects.filter(game__iteration=iteration, created_at__lt=iteration.opened_at)
    for number, is_withdrawn in acts.order_by("pk").values_list("game__number", "is_withdrawn"):
        (out.add if is_withdrawn else out.discard)(number)
    return out


@ITERATION_CHECKS.add("I6h", "Every stage was closed through an open gate, or with a reason")
def _gates_were_open(_now: datetime) -> Iterator[str]:
    closings, erased = dict(read_details("stage:closed")), list_changed()
    for stage in Stage.objects.exclude(closed_at=None).order_by("pk"):
        name = f"Stage {stage.number} (row {stage.pk})"
        sealed = erased.get(("stage", stage.pk)) or closings.get(stage.pk, {}).get("door_sha256")
        if bytes_hash(stage.door.encode()) != sealed:
            yield f"{name}: the gate that is kept is not the one that was passed."
            continue
        gate = msgspec.json.decode(stage.door)
        if not gate["is_open"] or bool(gate["missing"]) != bool(stage.override_reason):
            yield f"{name} was closed while its gate was closed, without a reason that says why."
    statements = dict(read_details("stage:stated"))
    for stage in Stage.objects.exclude(stated_at=None).order_by("pk"):
        if bytes_hash(stage.statement.encode()) != statements.get(stage.pk, {}).get("statement_sha256"):
            yield f"Stage {stage.number} (row {stage.pk}): its statement is not the one that was signed."


@ITERATION_CHECKS.add("I6i", "Every figure by hand follows the one before it")
def _manual_costs_are_chained(_now: datetime) -> Iterator[str]:
    for row in broken_links(ManualFigure.objects.select_related("game"), "game_id", "kind"):
        yield f"The {row.kind} of game {row.game.number} by hand (row {row.pk}) does not follow the last."


@ITERATION_CHECKS.add("I6j", "Games are withdrawn and taken back in turns, and their rows say so")
def _withdrawals_alternate(_now: datetime) -> Iterator[str]:
    last: dict[int, Withdrawal] = {}
    for row in Withdrawal.objects.select_related("game").order_by("game", "number").iterator(chunk_size=200):
        before = last.get(row.game_id)
        expected = (before.number + 1, not before.is_withdrawn) if before else (1, True)
        if (row.number, row.is_withdrawn) != expected:
            yield f"Withdrawal {row.number} of game {row.game.number} (row {row.pk}) does not follow the last."
        last[row.game_id] = row
    columns = ("pk", "number", "withdrawn_at", "withdrawn_by_id", "withdrawn_reason")
    rows = Game.objects.filter(Q(pk__in=last) | Q(withdrawn_at__isnull=False)).order_by("pk")
    for key, number, *stands in rows.values_list(*columns):
        act = last.get(key)
        is_out = act is not None and act.is_withdrawn
        if stands != (
            [act.created_at, act.created_by_id, act.reason] if act and is_out else [None, None, ""]
        ):
            yield f"Game {number} (row {key}) is withdrawn or counts, and its last withdrawal says another thing."


@ITERATION_CHECKS.add("I7i", "Every stage, iteration, decision, figure by hand and withdrawal has its line")
def _have_events(_now: datetime) -> Iterator[str]:
    yield from missing_events(
        ("stage", "stage:opened", Stage.objects.all()),
        ("stage", "stage:stated", Stage.objects.exclude(stated_at=None)),
        ("stage", "stage:closed", Stage.objects.exclude(closed_at=None)),
        ("iteration", "iteration:opened", Iteration.objects.exclude(kind=UNSORTED)),
        ("iteration", "iteration:opened_for_rating", Iteration.objects.exclude(opened_at=None)),
        ("decision", "decision:recorded", Decision.objects.filter(supersedes=None)),
        ("decision", "decision:superseded", Decision.objects.exclude(supersedes=None)),
        ("manual_figure", "figure:entered", ManualFigure.objects.all()),
        ("withdrawal", "game:withdrawn", Withdrawal.objects.filter(is_withdrawn=True)),
        ("withdrawal", "game:restored", Withdrawal.objects.filter(is_withdrawn=False)),
    )


def _decision(decision: Decision) -> str:
    return f"Decision {decision.number} on iteration {decision.iteration.number} (row {decision.pk})"


def _iteration_name(iteration: Iteration) -> str:
    return f"Iteration {iteration.number} (row {iteration.pk})"
