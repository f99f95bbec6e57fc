"""Slots are opened, closed, held under a lease and released; work on a game is kept when its lease ends."""

import hashlib
from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import F, OuterRef, Subquery
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from discussions.core.evaluation_states import LAPSED, OPEN, state_after
from discussions.models import Evaluation, Game, QueueDraw, Slot
from discussions.models.games import NEEDED
from discussions.models.queue_rules import load_fill_rules
from discussions.models.slots import RATING
from discussions.slots.core import LEASE, RENEWED_AFTER, SHUFFLES, SlotChanges, lease_from, plan_slot_changes
from discussions.slots.permissions import check_assign, check_need_fewer, check_rate, check_return_to_game
from discussions.slots.queries import draw_games, load_slots_by_game
from workspace.audit.actions import record_event
from workspace.core.refusals import Conflict, NotAllowed, Unacceptable
from workspace.core.text import clean_text
from workspace.database.bulk_rows import insert_rows
from workspace.database.prepared_queries import Prepared, build_part
from workspace.database.transactions import do_each
from workspace.models import Person, Project
from workspace.people.actions.people import system_person

GONE = gettext_lazy(
    "Your slot on this game went back, and somebody else has it now. What you judged is kept, but it cannot be "
    "submitted while no slot is free. Take the next game from your home page."
)


def hold_slot(*, evaluation: Evaluation, by: Person, now: datetime) -> None:
    """Keep the evaluator's slot while they work. Every act calls this on the locked evaluation, before its checks.

    Renews the lease when that is due. A lapsed evaluation resumes if a slot is free. Raises NotAllowed when none is
    free, or when a lead released the slot. The act checks everything else.
    """
    if evaluation.evaluator_id != by.pk:
        return
    if evaluation.state in OPEN:
        lease_until = evaluation.slot.lease_until
        if lease_until is None or lease_until - now <= LEASE - RENEWED_AFTER:
            until = lease_from(now)
            held = Slot.objects.filter(pk=evaluation.slot_id, evaluator=by, is_closed=False)
            if held.update(lease_until=until):
                evaluation.slot = slot_with_lease(evaluation.slot_id, until)
    elif evaluation.state == LAPSED:
        check_return_to_game(by, evaluation)
        if why := evaluation.released_reason:
            raise NotAllowed(_released(why), code="released")
        if not take_up(evaluation=evaluation, by=by, now=now):
            check_needed(evaluation)
            raise NotAllowed(str(GONE), code="place_gone")


def lock_for_work(*, evaluation: Evaluation, by: Person, now: datetime) -> Evaluation:
    """Lock one's own open evaluation for an act, and keep its slot; raises what `hold_slot` and `check_rate` raise."""
    locked = lock_evaluation(evaluation)
    hold_slot(evaluation=locked, by=by, now=now)
    check_rate(by, locked)
    return locked


def check_needed(evaluation: Evaluation) -> None:
    """Raise NotAllowed if the slot of an evaluation that was paused is closed because fewer are needed now."""
    if Slot.objects.filter(pk=evaluation.slot_id, evaluator=None, is_closed=True).exists():
        says = _(
            "This game needs no further evaluation: fewer are needed now. What you judged is kept, but it "
            "cannot be submitted. Take the next game from your home page."
        )
        raise NotAllowed(says, code="enough")


def _released(why: str) -> str:
    return _(
        "A team lead released this slot: %(why)s What you judged is kept. You can resume the game from your home "
        "page while its slot is free."
    ) % {"why": why if why.endswith((".", "!", "?")) else f"{why}."}


def slot_with_lease(key: int, lease_until: datetime | None) -> Slot:
    """The slot with that key; only its lease is loaded, other fields are deferred."""
    return build_part(Slot, ("id", "lease_until"), (key, lease_until), "")


def take_up(*, evaluation: Evaluation, by: Person, now: datetime) -> bool:
    """Resume a skipped or lapsed, locked evaluation in a free slot of its game; False when there is none.

    A slot that is assigned to the person comes first; one that is assigned to another person is not free.
    """
    free = Slot.objects.free_for(by).filter(game=evaluation.game_id, purpose=evaluation.purpose)
    in_order = free.order_by(F("assigned_to").asc(nulls_last=True), "number")
    for slot in in_order.values_list("pk", flat=True):
        if take_slot(slot=slot, by=by, now=now):
            transition(evaluation, "resume", slot_id=slot, released_reason="", set_aside_at=None)
            evaluation.slot = slot_with_lease(slot, lease_from(now))
            record_slot_event(evaluation=evaluation, verb="evaluation:resumed", by=by, now=now)
            return True
    return False


def take_slot(*, slot: int, by: Person, now: datetime) -> bool:
    """Take a free slot by one conditional update; False when it was taken meanwhile or is assigned to another."""
    try:
        with transaction.atomic():
            return take_free_slot(slot=slot, by=by, now=now)
    except IntegrityError:
        return False


def take_free_slot(*, slot: int, by: Person, now: datetime) -> bool:
    """The same within a transaction of the caller. Raises IntegrityError when the person has a slot on the game."""
    rows = Slot.objects.free_for(by).filter(pk=slot)
    return rows.update(evaluator=by, taken_at=now, lease_until=lease_from(now)) == 1


def give_back(evaluation: Evaluation) -> None:
    """Free the slot of a locked evaluation; close it if fewer are needed now.

    The slot of a hidden duplicate or a calibration stays assigned to its person.
    """
    slot = Slot.objects.filter(pk=evaluation.slot_id)
    slot.update(evaluator=None, taken_at=None, lease_until=None)
    if slot.filter(purpose=RATING).update(assigned_to=None, assigned_at=None, assigned_by=None):
        close_given_back(game=evaluation.game_id)


def transition(evaluation: Evaluation, move: str, **changes: object) -> None:
    """Change the state by the table of moves, if the locked row is unchanged since it was read; else raise Conflict."""
    state = state_after(evaluation.state, move)
    if state is None:
        raise changed_elsewhere()
    rows = Evaluation.objects.filter(pk=evaluation.pk, state=evaluation.state, version=evaluation.version)
    if rows.update(state=state, version=F("version") + 1, **changes) != 1:
        raise changed_elsewhere()
    evaluation.state, evaluation.version = state, evaluation.version + 1
    for name, value in changes.items():
        setattr(evaluation, name, value)


def record_slot_event(
    *, evaluation: Evaluation, verb: str, by: Person, now: datetime, **detail: object
) -> None:
    told = {"game": evaluation.game.number, "version": evaluation.version} | detail
    record_event(verb, evaluation, by=by, now=now, detail=told)


def changed_elsewhere() -> Conflict:
    return Conflict(_("This evaluation was changed elsewhere meanwhile. Load the page again."), code="stale")


MOST_AT_ONCE = 500


def renew_lease(*, evaluation: Evaluation, by: Person, now: datetime) -> datetime | None:
    """Renew the lease while the evaluator reads; returns its new end. Writes only when that is due.

    A lapsed evaluation resumes if a slot is free. Raises NotAllowed when the evaluation is not open.
    """
    with transaction.atomic():
        return lock_for_work(evaluation=evaluation, by=by, now=now).slot.lease_until


def expire_leases(*, by: Person, now: datetime, project: Project | None = None) -> int:
    """Free the slots with an ended lease, in one project or in all; return how many. Their evaluations lapse.

    Each has its own transaction: an evaluator who saves at the same moment keeps the slot, or finds it free.
    """
    ended = Slot.objects.filter(lease_until__lte=now).order_by("lease_until")
    if project is not None:
        ended = ended.filter(project=project)
    holding = Evaluation.objects.filter(slot__in=ended[:MOST_AT_ONCE].values("pk"))
    held = holding.filter(evaluator=F("slot__evaluator"), state__in=OPEN)
    rows = held.select_related("slot", "game__project").order_by("slot__lease_until", "pk")
    return do_each(_expire, rows, by, now)


def _expire(evaluation: Evaluation, by: Person, now: datetime) -> bool:
    with transaction.atomic():
        locked = lock_evaluation(evaluation)
        ended = Slot.objects.filter(pk=locked.slot_id, evaluator=locked.evaluator_id, lease_until__lte=now)
        if locked.state not in OPEN or not ended.update(evaluator=None, taken_at=None, lease_until=None):
            return False
        transition(locked, "lapse", released_reason="", set_aside_at=now)
        close_given_back(game=locked.game_id)
        record_slot_event(evaluation=locked, verb="lease:ended", by=by, now=now, person=locked.evaluator_id)
    return True


def release_slot(*, evaluation: Evaluation, reason: str, by: Person, now: datetime) -> Evaluation:
    """A lead releases a slot, also of a returned evaluation. The work is kept and can be resumed while a slot is free.

    A second call changes nothing. Raises NotAllowed for everybody but leads, Conflict when the evaluation was submitted
    or given back meanwhile, Unacceptable for a reason that is too long.
    """
    check_assign(by, evaluation.game.project)
    reason = clean_text(reason) or _("no reason was given.")
    with transaction.atomic():
        locked = lock_evaluation(evaluation)
        if locked.state == LAPSED:
            return locked
        if locked.state not in OPEN:
            says = _(
                "%(name)s submitted game %(number)d, or gave its slot back, meanwhile. Nothing was changed."
            )
            values = {"name": locked.evaluator.name, "number": locked.game.number}
            raise Conflict(says % values, code="not_held")
        transition(locked, "lapse", released_reason=reason, set_aside_at=now)
        give_back(locked)
        record_slot_event(
            evaluation=locked, verb="place:released", by=by, now=now, person=locked.evaluator_id
        )
    return locked


CHUNK = 500


def sync_slots(*, games: Collection[int]) -> tuple[int, int]:
    """Give each of these games as many slots as it needs: how many closed, and how many opened.

    All are measured and open for rating.
    The games must be locked: every action that opens, returns or closes slots of a game waits for that lock.
    """
    closed = opened = 0
    ordered = sorted(games)
    for start in range(0, len(ordered), CHUNK):
        keys = ordered[start : start + CHUNK]
        changes = _plan_changes(keys)
        close = [key for change in changes.values() for key in change.close]
        reopen = [key for change in changes.values() for key in change.open]
        idle = Slot.objects.filter(evaluator=None)
        # A closed slot is assigned to nobody.
        closed += idle.filter(pk__in=close, is_closed=False).update(
            is_closed=True, assigned_to=None, assigned_at=None, assigned_by=None
        )
        opened += idle.filter(pk__in=reopen, is_closed=True).update(is_closed=False)
        opened += _make(changes)
    return closed, opened


def close_given_back(*, game: int) -> None:
    """Close a slot that was just given back, if the game needs fewer evaluators now."""
    Game.objects.select_for_update(no_key=True).get(pk=game)
    if excess := _plan_changes([game])[game].close:
        Slot.objects.filter(pk__in=excess, evaluator=None).update(is_closed=True)


def _plan_changes(games: list[int]) -> dict[int, SlotChanges]:
    needed = dict(Game.objects.filter(pk__in=games).values_list("pk", NEEDED))
    outside = QueueDraw.objects.filter(game__in=games, is_in=False).values_list("game", flat=True)
    needed |= dict.fromkeys(outside, 0)
    slots = load_slots_by_game(games)
    return {game: plan_slot_changes(slots[game], needed[game]) for game in games}


def _make(changes: dict[int, SlotChanges]) -> int:
    projects = dict(Game.objects.filter(pk__in=changes).values_list("pk", "project_id"))
    rows = [
        (projects[game], game, number, compute_shuffle(projects[game], game, number))
        for game, change in changes.items()
        for number in change.make
    ]
    insert_rows(Slot, ("project_id", "game_id", "number", "shuffle"), rows)
    return len(rows)


def compute_shuffle(project: int, game: int, number: int) -> int:
    """The random position of a slot among all slots of its project; the same in a second demo."""
    digest = hashlib.sha256(f"place:{project}:{game}:{number}".encode()).digest()
    return int.from_bytes(digest[:8]) % SHUFFLES


def begin_alone(
    *,
    game: Game,
    purpose: str,
    measured: int,
    seed: str,
    identification: str,
    by: Person,
    now: datetime,
    shown_number: int | None = None,
    detail: Mapping[str, Any],
) -> Evaluation:
    """Begin an evaluation for that purpose in a slot of the person's own, with its event.

    Call it in a transaction. Fetch the game with its project.
    """
    evaluation = Evaluation.objects.create(
        game=game,
        slot=_insert_slot(game, purpose, by, now),
        evaluator=by,
        purpose=purpose,
        measured_id=measured,
        seed=seed,
        identification=identification,
        shown_number=shown_number,
        created_at=now,
    )
    told = {"game": game.number, "order": purpose} | dict(detail)
    record_event("game:taken", evaluation, by=by, now=now, project=game.project, detail=told)
    return evaluation


def _insert_slot(game: Game, purpose: str, by: Person, now: datetime) -> Slot:
    # The lock on this row keeps slot numbers unique when two people begin the same game.
    Game.objects.select_for_update(no_key=True).get(pk=game.pk)
    return Slot.objects.create(
        project_id=game.project_id,
        game=game,
        purpose=purpose,
        number=Slot.objects.filter(game=game, purpose=purpose).count() + 1,
        shuffle=0,
        evaluator=by,
        taken_at=now,
        lease_until=lease_from(now),
        assigned_to=by,
        assigned_at=now,
        assigned_by=system_person(now=now),
    )


def reduce_required_evaluators(*, game: Game, count: int, reason: str, by: Person, now: datetime) -> Game:
    """Set that fewer evaluations of this game are enough: at least one, and at least as many as are submitted.

    Free slots beyond that close. A started evaluation keeps its slot and counts when it is submitted; a slot that is
    given back closes. Raises NotAllowed (not a lead, a verdict is recorded, not open for rating), Unacceptable for a
    number that is not lower than now, or lower than the submitted ones, and without a reason.
    """
    with transaction.atomic():
        rows = Game.objects.select_related("iteration", "project")
        locked = rows.select_for_update(of=("self",), no_key=True).get(pk=game.pk)
        check_need_fewer(by, locked)
        before = locked.evaluator_count
        _refuse_count(locked, count)
        reason = clean_text(reason, ask=_("Say why fewer are enough: it is kept with the verdict."))
        changes = {"needed_count": count, "needed_at": now, "needed_by": by, "needed_reason": reason}
        Game.objects.filter(pk=locked.pk).update(**changes)
        for name, value in changes.items():
            setattr(locked, name, value)
        closed, _opened = sync_slots(games=[locked.pk])
        detail = {"game": locked.number, "from": before, "to": count, "closed": closed}
        record_event("game:needs_fewer", locked, by=by, now=now, detail=detail)
    return locked


def _refuse_count(game: Game, count: int) -> None:
    needed = game.evaluator_count
    if not 1 <= count < needed:
        says = _("This game needs %(needed)d evaluations; choose a lower number, at least 1.")
        raise Unacceptable(says % {"needed": needed}, field="count")
    there = Evaluation.objects.submitted_ratings().filter(game=game).count()
    if count < there:
        raise Unacceptable(
            _("%(there)d evaluations are submitted, and all of them count; choose %(there)d or more.")
            % {"there": there},
            field="count",
        )


def lock_evaluation(evaluation: Evaluation) -> Evaluation:
    """Lock the evaluation and read its state and version again.

    The lease may be older than the lock: use it to renew the lease, never to end it.
    """
    ((evaluation.state, evaluation.version, slot, lease_until),) = _LOCK(evaluation.pk)
    evaluation.slot = slot_with_lease(slot, lease_until)
    return evaluation


# The lease comes from a subquery: of a joined row PostgreSQL would return the version from before the lock.
_LOCK = Prepared(
    lambda key: (
        Evaluation.objects.select_for_update()
        .filter(pk=key)
        .annotate(lease=Subquery(Slot.objects.filter(pk=OuterRef("slot")).values("lease_until")))
        .values_list("state", "version", "slot", "lease")
    ),
    int,
)


SLOT_RELATIONS = ("project__id", "iteration__state", "iteration__stage", "iteration__opened_at")


def open_slots(*, games: Iterable[Game], by: Person, now: datetime) -> None:
    """Give measured games as many slots as they need; taken slots stay.

    Called in the transaction that stores a game's measurement, and when an iteration is opened for rating: only
    measured games can be taken, and in a stage only once their iteration is open. The games are locked, because
    another transaction may move them into another iteration.
    """
    keys = sorted(game.pk for game in games)
    rows = Game.objects.filter(pk__in=keys).order_by("pk")
    # Their iterations are read after the lock: the transaction that held it may have moved a game.
    list(rows.select_for_update(no_key=True).values_list("pk", flat=True))
    present = list(rows.select_related("iteration", "project").only(*SLOT_RELATIONS))
    if opened := [game.pk for game in present if game.iteration.has_slots]:
        fill_slots(project=present[0].project, games=opened, by=by, now=now)


def fill_slots(*, project: Project, games: Collection[int], by: Person, now: datetime) -> None:
    """Let the project's rules decide which of its locked, measured games enter the queue; these get their slots.

    What was decided before, or had slots before there were rules, stays. One event for all games.
    """
    rules = load_fill_rules(project.pk)
    draws: list[QueueDraw] = []
    if rules is not None and not rules.to_record().is_everything:
        known = set(QueueDraw.objects.filter(game__in=games).values_list("game", flat=True))
        known |= set(Slot.objects.filter(game__in=games, purpose=RATING).values_list("game", flat=True))
        draws = draw_games(rules=rules, games=[game for game in games if game not in known], now=now)
        QueueDraw.objects.bulk_create(draws, batch_size=CHUNK)
    sync_slots(games=games)
    if draws and rules is not None:
        detail = {"version": rules.number, "entered": sum(draw.is_in for draw in draws), "of": len(draws)}
        record_event("queue:filled", project, by=by, now=now, detail=detail)
