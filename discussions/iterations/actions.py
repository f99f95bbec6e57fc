"""Open projects, stages and iterations, move games between iterations, sign stages, and pass gates."""

from collections.abc import Collection
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Exists
from django.utils.translation import gettext as _
from msgspec import Struct
from msgspec.structs import asdict, replace

from discussions.core.iteration_states import AVERAGE, ITERATION, TEST, state_after, states_before
from discussions.iterations import permissions
from discussions.iterations.core.gates import GateStatus, Signed
from discussions.iterations.permissions import check_change_iteration, check_freeze
from discussions.iterations.queries import compute_stage_gate, load_history, refuse_new_rules, refuse_unready
from discussions.metrics.actions import ask_to_measure
from discussions.models import Evaluation, Game, Iteration, Slot, Stage, UnindexedGame, Verdict
from discussions.models.iterations import ENGAGEMENT_RULES, IDENTIFICATIONS, MOST_EVALUATORS, STREAK_UNITS
from discussions.queries import measured_for
from discussions.slots.actions import open_slots, sync_slots
from discussions.slots.queries import with_verdict, without_verdict
from discussions.transcripts.permissions import check_takes_games
from rubric.core.records import DISCUSSION
from rubric.models import RubricVersion
from rubric.versions.actions import publish_first_versions
from workspace.audit.actions import record_event
from workspace.core.canonical import bytes_hash, canonical_bytes
from workspace.core.limits import LONGEST_NAME
from workspace.core.refusals import Conflict, NotAllowed, Unacceptable
from workspace.core.text import clean_text
from workspace.core.words import for_storage, plainly, say_stored
from workspace.display.core.number_lists import format_numbers
from workspace.models import Person, Project
from workspace.people.actions.people import system_person
from workspace.people.actions.projects import create_project

OPEN_FOR_RATING = "open_for_rating"
NO_OWN_NUMBER: dict[str, Any] = {
    **dict.fromkeys(("needed_count", "needed_at", "needed_by")),
    "needed_reason": "",
}


def move_games(*, games: Collection[int], to: Iteration, by: Person, now: datetime) -> list[int]:
    """Move games of the project, given by number, into another iteration; returns the numbers that were moved.

    All games move or none. A game must not be started, and the lists of both iterations must not be frozen. Raises
    NotAllowed; Unacceptable for no game or an unknown one; Conflict when a game was taken in the meantime.
    """
    check_change_iteration(by, to.project)
    if not games:
        raise Unacceptable(_("Choose at least one game."), field="games", code="required")
    with transaction.atomic():
        there = Game.objects.filter(project=to.project_id, number__in=games)
        lists = {to.pk, *there.values_list("iteration_id", flat=True)}
        changed = Iteration.objects.select_related("project", "rubric_version").filter(pk__in=lists)
        locked = list(changed.order_by("pk").select_for_update(of=("self",), no_key=True))
        target = next(row for row in locked if row.pk == to.pk)
        check_takes_games(target)
        rows = _games_to_move(target, games, lists)
        _refuse_rated(rows)
        _close_slots(rows)
        keys = [game.pk for game in rows]
        # A lower number of evaluators was set for the old iteration.
        Game.objects.filter(pk__in=keys).update(iteration=target, **NO_OWN_NUMBER)
        UnindexedGame.objects.queue(keys)
        ask_to_measure(iteration=target, by=by, now=now)
        open_slots(games=Game.objects.filter(Exists(measured_for(target)), pk__in=keys), by=by, now=now)
        numbers = sorted(game.number for game in rows)
        if numbers:
            detail = {"games": numbers, "from": sorted({game.iteration.number for game in rows})}
            record_event("games:moved", target, by=by, now=now, detail=detail | {"to": target.number})
        return numbers


def open_for_rating(*, iteration: Iteration, by: Person, now: datetime) -> None:
    """Freeze the iteration's list of games permanently, and open their slots.

    Raises NotAllowed: not a lead, not open for import, too few games, or some not read or measured yet.
    """
    check_freeze(by, iteration)
    with transaction.atomic():
        # Locked, so that imports and its opening wait for each other.
        rows = Iteration.objects.select_related("project", "rubric_version")
        locked = rows.select_for_update(of=("self",), no_key=True).get(pk=iteration.pk)
        check_freeze(by, locked)
        games = list(Game.objects.filter(iteration=locked, withdrawn_at=None).order_by("number"))
        refuse_unready(locked)
        state = state_after(locked.state, OPEN_FOR_RATING)
        assert state is not None
        waiting = Iteration.objects.filter(pk=locked.pk, state__in=states_before(OPEN_FOR_RATING))
        waiting.update(state=state, opened_at=now, opened_by=by)
        open_slots(games=games, by=by, now=now)
        detail = {"number": locked.number, "games": [game.number for game in games]}
        record_event("iteration:opened_for_rating", locked, by=by, now=now, detail=detail)


def _games_to_move(target: Iteration, numbers: Collection[int], lists: Collection[int]) -> list[Game]:
    rows = Game.objects.filter(project=target.project_id, number__in=numbers)
    # Lock first and read after that, since another action may have moved a game.
    keys = list(rows.order_by("pk").select_for_update(no_key=True).values_list("pk", flat=True))
    found = list(Game.objects.filter(pk__in=keys).select_related("iteration").order_by("pk"))
    missing = sorted(set(numbers) - {game.number for game in found})
    if missing:
        says = _("The project has no %(games)s.")
        raise Unacceptable(says % {"games": format_numbers(missing)}, field="games", code="unknown")
    moving = [game for game in found if game.iteration_id != target.pk]
    if any(game.iteration_id not in lists for game in moving):
        raise Conflict(
            _(
                "Somebody moved one of these games at this moment. Nothing was moved; look where they are now."
            ),
            code="moved",
        )
    for game in moving:
        check_takes_games(game.iteration)
    return moving


def _refuse_rated(games: list[Game]) -> None:
    keys = [game.pk for game in games]
    started = set(Evaluation.objects.filter(game__in=keys).values_list("game_id", flat=True))
    started |= set(Verdict.objects.filter(game__in=keys).values_list("game_id", flat=True))
    if numbers := sorted(game.number for game in games if game.pk in started):
        says = _("Somebody rates or rated %(games)s already; only games that nobody has started are moved.")
        raise NotAllowed(says % {"games": format_numbers(numbers)}, code="rated")
    if numbers := sorted(game.number for game in games if game.withdrawn_at is not None):
        raise NotAllowed(
            _("%(games)s was withdrawn; it stays where it is.")
            % {"games": format_numbers(numbers).capitalize()},
            code="withdrawn",
        )


def _close_slots(games: list[Game]) -> None:
    slots = Slot.objects.filter(game__in=[game.pk for game in games])
    # Lock before the check, since an evaluator may take a slot at the same moment.
    locked = list(slots.order_by("pk").select_for_update())
    if any(slot.evaluator_id is not None for slot in locked):
        raise Conflict(
            _("Somebody started to rate one of these games at this moment. Nothing was moved."), code="taken"
        )
    slots.update(is_closed=True, assigned_to=None, assigned_at=None, assigned_by=None)


UNSORTED_NAME = "Unsorted"
# Iterations of stages count from 1.
UNSORTED_NUMBER = 0


def open_project(*, slug: str, name: str, by: Person, now: datetime) -> Project:
    """Create a project with its unsorted iteration under the newest discussion version.

    A database without versions gets the shipped ones first. Raises what `create_project` raises.
    """
    with transaction.atomic():
        project = create_project(slug=slug, name=name, by=by, now=now)
        newest = RubricVersion.objects.newest(DISCUSSION)
        if newest is None:
            publish_first_versions(by=system_person(now=now), now=now)
            newest = RubricVersion.objects.newest(DISCUSSION)
        assert newest is not None
        Iteration.objects.create(
            project=project,
            number=UNSORTED_NUMBER,
            name=UNSORTED_NAME,
            identification=TEST,
            rubric_version=newest,
            created_at=now,
            created_by=by,
        )
    return project


def change_iteration(
    *,
    iteration: Iteration,
    identification: str,
    by: Person,
    now: datetime,
    evaluator_count: int | None = None,
) -> None:
    """Set how unsorted games ask who said what, and how many evaluators rate each; None keeps the number.

    Started evaluations keep their form, so that no transcript closes again. The number applies to new games and to
    games without a verdict: slots open, or free slots close; started work continues. Games with a verdict keep their
    number. The same values change nothing. Raises NotAllowed, and Unacceptable for an unknown value.
    """
    check_change_iteration(by, iteration.project)
    if identification not in dict(IDENTIFICATIONS):
        raise Unacceptable(_("Choose the question or the test."), field="identification")
    if evaluator_count is not None:
        check_evaluator_count(evaluator_count)
    with transaction.atomic():
        rows = Iteration.objects.select_related("project").filter(stage=None)
        locked = rows.select_for_update(of=("self",), no_key=True).get(pk=iteration.pk)
        detail: dict[str, object] = {}
        if locked.identification != identification:
            detail["identification"] = locked.identification = identification
        if evaluator_count is not None and locked.evaluator_count != evaluator_count:
            detail |= _change_evaluator_count(locked, evaluator_count, by, now)
        if not detail:
            return
        locked.save(update_fields=["identification", "evaluator_count"])
        record_event("iteration:changed", iteration, by=by, now=now, detail=detail)


def check_evaluator_count(count: int) -> None:
    if not 1 <= count <= MOST_EVALUATORS:
        says = _("A game is rated by 1 to %(most)d evaluators.") % {"most": MOST_EVALUATORS}
        raise Unacceptable(says, field="evaluator_count")


def _change_evaluator_count(iteration: Iteration, count: int, by: Person, now: datetime) -> dict[str, object]:
    before, iteration.evaluator_count = iteration.evaluator_count, count
    # The lock makes actions on the slots of these games wait until the slots fit.
    games = Game.objects.filter(iteration=iteration).order_by("pk")
    list(games.select_for_update(no_key=True).values_list("pk", flat=True))
    recorded = with_verdict(iteration).filter(needed_count=None)
    kept = sorted(recorded.values_list("number", flat=True))
    says = _("Its verdict was recorded when %(count)d were required.") % {"count": before}
    recorded.update(needed_count=before, needed_at=now, needed_by=by, needed_reason=says)
    # A number that a lead lowered for one game is dropped when it is no longer lower.
    without_verdict(iteration).filter(needed_count__gte=count).update(**NO_OWN_NUMBER)
    Iteration.objects.filter(pk=iteration.pk).update(evaluator_count=count)
    closed, opened = sync_slots(games=without_verdict(iteration).values_list("pk", flat=True))
    detail = {"from": before, "evaluator_count": count, "kept": kept}
    return detail | {"opened": opened, "closed": closed}


RULES = {"streak_unit", "engagement_rule"}


class StagePlan(Struct, frozen=True):
    name: str
    goal: str = ""
    streak_unit: str = ITERATION
    engagement_rule: str = AVERAGE


def open_stage(*, project: Project, plan: StagePlan, by: Person, now: datetime) -> Stage:
    """Open the project's first stage.

    Raises NotAllowed; Unacceptable for an invalid plan; Conflict when there is a stage, since `open_next_stage` opens
    later ones.
    """
    permissions.check_open_stage(by, project)
    plan = _clean_plan(plan)
    with transaction.atomic():
        Project.objects.select_for_update(no_key=True).get(pk=project.pk)
        last = Stage.objects.filter(project=project).order_by("-number").first()
        if last is not None:
            says = _("Stage %(number)d is there already; the next one is created on the page of its gate.")
            raise Conflict(says % {"number": last.number}, code="stage_there")
        return _insert_stage(project, 1, plan, by, now)


def change_stage(*, stage: Stage, plan: StagePlan, by: Person, now: datetime) -> None:
    """Change the name and goal of an open stage, and its rules until an iteration is opened for rating.

    The same plan changes nothing. Raises NotAllowed (also for other rules after that), Unacceptable.
    """
    permissions.check_change_stage(by, stage)
    plan = _clean_plan(plan)
    with transaction.atomic():
        Project.objects.select_for_update(no_key=True).get(pk=stage.project_id)
        locked = Stage.objects.select_related("project").get(pk=stage.pk)
        permissions.check_change_stage(by, locked)
        changed = {name: value for name, value in asdict(plan).items() if getattr(locked, name) != value}
        if RULES & changed.keys():
            refuse_new_rules(locked)
        if changed:
            Stage.objects.filter(pk=locked.pk).update(**changed)
            detail = {name: changed[name] for name in sorted(changed)}
            record_event("stage:changed", locked, by=by, now=now, detail=detail)


def sign_stage(*, stage: Stage, text: str, by: Person, now: datetime) -> None:
    """Sign, for good, that the games of the stage are fascinating to watch.

    Raises NotAllowed (also when it is signed already), Unacceptable without a text.
    """
    permissions.check_sign_stage(by, stage)
    ask = _("Say in a sentence what makes these games fascinating to watch.")
    text = clean_text(text, field="statement", ask=ask)
    with transaction.atomic():
        unsigned = Stage.objects.filter(pk=stage.pk, stated_at=None, closed_at=None)
        if not unsigned.update(stated_at=now, stated_by=by, statement=text):
            permissions.check_stage_open(Stage.objects.get(pk=stage.pk))
            raise Conflict(_("Somebody signed this first; that statement counts."), code="stated_first")
        detail = {"statement_sha256": bytes_hash(text.encode())}
        record_event("stage:stated", stage, by=by, now=now, detail=detail)


def open_next_stage(*, stage: Stage, plan: StagePlan, by: Person, now: datetime, reason: str = "") -> Stage:
    """Close the stage, store its gate with it, and open the next stage.

    While the gate is closed, only an admin can do this, and gives a reason, which is stored. Raises NotAllowed;
    Unacceptable for an invalid plan or without a reason; Conflict when the next stage is open already.
    """
    plan = _clean_plan(plan)
    with transaction.atomic():
        Project.objects.select_for_update(no_key=True).get(pk=stage.project_id)
        # The lock keeps others from signing a stage that closes. The row is read after it, since it may have been
        # signed meanwhile. Both gates use one history.
        Stage.objects.select_for_update(no_key=True).get(pk=stage.pk)
        locked = Stage.objects.select_related("stated_by", "project").get(pk=stage.pk)
        history = load_history(locked)
        gate = compute_stage_gate(locked, history)
        permissions.check_open_next_stage(by, locked, gate)
        override = None
        if not gate.is_open:
            ask = _("The gate is closed. Say why the next stage is created anyway.")
            reason = clean_text(reason, ask=ask)
            override = Signed(by.name, now.date().isoformat(), reason)
        with for_storage():
            gate = compute_stage_gate(locked, history, override=override)
        _close(locked, gate, reason if override else "", by, now)
        return _insert_stage(locked.project, locked.number + 1, plan, by, now)


def _close(stage: Stage, gate: GateStatus, reason: str, by: Person, now: datetime) -> None:
    body = canonical_bytes(gate)
    Stage.objects.filter(pk=stage.pk).update(
        closed_at=now, closed_by=by, door=body.decode(), override_reason=reason
    )
    with plainly():
        missing = say_stored(gate.missing)
    detail = {"door_sha256": bytes_hash(body), "is_by_override": bool(reason), "missing": missing}
    record_event("stage:closed", stage, by=by, now=now, detail=detail)


def _insert_stage(project: Project, number: int, plan: StagePlan, by: Person, now: datetime) -> Stage:
    try:
        with transaction.atomic():
            stage = Stage.objects.create(
                project=project,
                number=number,
                **asdict(plan),
                created_at=now,
                created_by=by,
            )
    except IntegrityError:
        raise Conflict(_("Somebody opened this stage first."), code="opened_first") from None
    rules = {"streak_unit": plan.streak_unit, "engagement_rule": plan.engagement_rule}
    record_event("stage:opened", stage, by=by, now=now, detail={"number": number, "name": plan.name, **rules})
    return stage


def _clean_plan(plan: StagePlan) -> StagePlan:
    name = " ".join(plan.name.split())
    if not name or len(name) > LONGEST_NAME:
        raise Unacceptable(_("Give the stage a name of at most 200 characters."), field="name")
    goal = clean_text(plan.goal, field="goal")
    if plan.streak_unit not in dict(STREAK_UNITS):
        raise Unacceptable(_("Choose whether iterations or games succeed in a row."), field="streak_unit")
    if plan.engagement_rule not in dict(ENGAGEMENT_RULES):
        raise Unacceptable(
            _("Choose whether engagement is asked for on average or in every game."), field="engagement_rule"
        )
    return replace(plan, name=name, goal=goal)
