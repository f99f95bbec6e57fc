"""Slots are opened, closed, held under a lease and released; work on a game is kept when its lease ends."""

import hashlib
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any, NamedTuple

from django.db import IntegrityError, transaction
from django.db.models import F, OuterRef, Q, Subquery
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from discussions.core.evaluation_states import LAPSED, OPEN, SUBMITTED, state_after
from discussions.models import Evaluation, Game, Slot
from discussions.models.games import NEEDED
from discussions.models.slots import RATING, slot_with_lease
from discussions.slots.core import SlotChanges, SlotRecord, is_due, lease_from, plan_slot_changes
from discussions.slots.permissions import check_deal_out, check_need_fewer, check_rate, check_return_to_game
from workspace.audit.actions import record_event
from workspace.core.refusals import Conflict, NotAllowed, Unacceptable
from workspace.database.prepared_queries import Prepared
from workspace.models import Person, Project
from workspace.people.actions import system_person
from workspace.texts import clean_text

GONE = gettext_lazy(
    "Your place on this game went back, and somebody else has it now. What you judged is kept, but it cannot be handed "
    "in while no place is free. Take the next game from your home page."
)


def hold_slot(*, evaluation: Evaluation, by: Person, now: datetime) -> None:
    """Keep the evaluator's place while they work. Every act calls this, on the locked evaluation, before its checks.

    Renews the lease when that is due. What lapsed goes on silently, if its place is still free; NotAllowed when it is
    not, or when a lead took it back. Whatever else is wrong is left to the checks of the act.
    """
    if evaluation.evaluator_id != by.pk:
        return
    if evaluation.state in OPEN:
        _renew(evaluation, by, now)
    elif evaluation.state == LAPSED:
        check_return_to_game(by, evaluation)
        if why := evaluation.released_reason:
            raise NotAllowed(_released(why), code="released")
        if not take_up(evaluation=evaluation, by=by, now=now):
            check_needed(evaluation)
            raise NotAllowed(str(GONE), code="place_gone")


def check_needed(evaluation: Evaluation) -> None:
    """What was set aside without finding a place: refuses if its own closed because fewer are needed by now."""
    if Slot.objects.filter(pk=evaluation.slot_id, evaluator=None, is_closed=True).exists():
        raise NotAllowed(
            _(
                "This game needs no further evaluation: fewer are asked for by now. What you judged is kept, but it "
                "cannot be handed in. Take the next game from your home page."
            ),
            code="enough",
        )


def _released(why: str) -> str:
    return _(
        "A team lead took this place back: %(why)s What you judged is kept. You can take the game up again from your "
        "home page while its place is free."
    ) % {"why": why if why.endswith((".", "!", "?")) else f"{why}."}


def _renew(evaluation: Evaluation, by: Person, now: datetime) -> None:
    if not is_due(evaluation.slot.lease_until, now):
        return
    until = lease_from(now)
    held = Slot.objects.filter(pk=evaluation.slot_id, evaluator=by, is_closed=False)
    if held.update(lease_until=until):
        evaluation.slot = slot_with_lease(evaluation.slot_id, until)


def take_up(*, evaluation: Evaluation, by: Person, now: datetime) -> bool:
    """Let a skipped or lapsed evaluation, locked, go on in a free place on its game; whether there was one.

    A place that is kept for the person comes first; one that is kept for somebody else is not free.
    """
    free = Slot.objects.filter(
        Q(assigned_to=None) | Q(assigned_to=by),
        game=evaluation.game_id,
        purpose=evaluation.purpose,
        evaluator=None,
        is_closed=False,
    )
    in_order = free.order_by(F("assigned_to").asc(nulls_last=True), "number")
    for slot in in_order.values_list("pk", flat=True):
        if take_slot(slot=slot, by=by, now=now):
            transition(evaluation, "resume", slot_id=slot, released_reason="", set_aside_at=None)
            evaluation.slot = slot_with_lease(slot, lease_from(now))
            record_slot_event(evaluation=evaluation, verb="evaluation:resumed", by=by, now=now)
            return True
    return False


def take_slot(*, slot: int, by: Person, now: datetime) -> bool:
    """Take a free place by one conditional update; False when somebody was faster, or it is kept for another."""
    free = Slot.objects.filter(
        Q(assigned_to=None) | Q(assigned_to=by), pk=slot, evaluator=None, is_closed=False
    )
    try:
        with transaction.atomic():
            return free.update(evaluator=by, taken_at=now, lease_until=lease_from(now)) == 1
    except IntegrityError:
        return False


def give_back(evaluation: Evaluation) -> None:
    """Free the place of a locked evaluation, for anybody; it closes where fewer are needed by now. One that is of its
    person alone, for a repeat or a calibration, stays theirs.
    """
    place = Slot.objects.filter(pk=evaluation.slot_id)
    place.update(evaluator=None, taken_at=None, lease_until=None)
    if place.filter(purpose=RATING).update(assigned_to=None, assigned_at=None, assigned_by=None):
        close_given_back(game=evaluation.game_id)


def transition(evaluation: Evaluation, move: str, **changes: object) -> None:
    """Change the state by the table of moves, if the row is still where it was read; the row is locked by then."""
    state = state_after(evaluation.state, move)
    if state is None:
        raise _stale()
    rows = Evaluation.objects.filter(pk=evaluation.pk, state=evaluation.state, version=evaluation.version)
    if rows.update(state=state, version=F("version") + 1, **changes) != 1:
        raise _stale()
    evaluation.state, evaluation.version = state, evaluation.version + 1
    for name, value in changes.items():
        setattr(evaluation, name, value)


def record_slot_event(
    *, evaluation: Evaluation, verb: str, by: Person, now: datetime, **detail: object
) -> None:
    """The audit line of an act on a whole evaluation."""
    record_event(
        by=by,
        now=now,
        project=evaluation.game.project,
        verb=verb,
        object_kind="evaluation",
        object_id=evaluation.pk,
        detail={"game": evaluation.game.number, "version": evaluation.version} | detail,
    )


def _stale() -> Conflict:
    return Conflict(_("This evaluation was changed elsewhere meanwhile. Load the page again."), code="stale")


MOST_AT_ONCE = 500


def renew_lease(*, evaluation: Evaluation, by: Person, now: datetime) -> datetime | None:
    """Hold the evaluator's place longer while they read; until when it is held. Writes only when that is due.

    What lapsed goes on, if its place is still free. Raises NotAllowed when the evaluation is not open.
    """
    with transaction.atomic():
        locked = lock_evaluation(evaluation)
        hold_slot(evaluation=locked, by=by, now=now)
        check_rate(by, locked)
        return locked.slot.lease_until


def expire_leases(*, by: Person, now: datetime, project: Project | None = None) -> int:
    """Give places back whose lease has ended, of one project or of all; how many. The work stays, as lapsed.

    Each in a transaction of its own: whoever saves at this moment keeps the place, or finds it free.
    """
    ended = Slot.objects.filter(lease_until__lte=now).order_by("lease_until")
    if project is not None:
        ended = ended.filter(project=project)
    holding = Evaluation.objects.filter(slot__in=ended[:MOST_AT_ONCE].values("pk"))
    held = holding.filter(evaluator=F("slot__evaluator"), state__in=OPEN)
    rows = held.select_related("slot", "game__project").order_by("slot__lease_until", "pk")
    return sum(_expire(evaluation, by, now) for evaluation in rows)


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
    """A lead takes a place back, also one that was sent back; the work stays, and goes on while a place is free.

    Releasing again changes nothing. Raises NotAllowed for anybody but leads, Conflict when it was handed in or given
    back meanwhile, Unacceptable for a reason that is too long.
    """
    check_deal_out(by, evaluation.game.project)
    reason = clean_text(reason) or _("no reason was given.")
    with transaction.atomic():
        locked = lock_evaluation(evaluation)
        if locked.state == LAPSED:
            return locked
        if locked.state not in OPEN:
            raise Conflict(_given_back(locked), code="not_held")
        transition(locked, "lapse", released_reason=reason, set_aside_at=now)
        give_back(locked)
        record_slot_event(
            evaluation=locked, verb="place:released", by=by, now=now, person=locked.evaluator_id
        )
    return locked


def _given_back(evaluation: Evaluation) -> str:
    return _(
        "%(name)s handed game %(number)d in, or gave its place back, meanwhile. Nothing was changed."
    ) % {
        "name": evaluation.evaluator.name,
        "number": evaluation.game.number,
    }


SHUFFLES = 2**31


CHUNK = 500


class Fitted(NamedTuple):
    """How many free places closed, and how many opened."""

    closed: int
    opened: int


def sync_slots(*, games: Collection[int]) -> Fitted:
    """Make the places of these games, all measured and open for rating, as many as each needs.

    The games must be locked: whoever opens, gives back or closes places of a game waits for that.
    """
    closed = opened = 0
    for keys in _chunks(games):
        fits = dict(_fits(keys))
        close = [key for fit in fits.values() for key in fit.close]
        again = [key for fit in fits.values() for key in fit.open]
        idle = Slot.objects.filter(evaluator=None)
        # Nobody is told any more that the place is kept for them.
        closed += idle.filter(pk__in=close, is_closed=False).update(
            is_closed=True, assigned_to=None, assigned_at=None, assigned_by=None
        )
        opened += idle.filter(pk__in=again, is_closed=True).update(is_closed=False)
        opened += len(_make(fits))
    return Fitted(closed, opened)


def close_given_back(*, game: int) -> None:
    """Close a place that was just given back, if the game needs fewer evaluators by now."""
    Game.objects.select_for_update(no_key=True).get(pk=game)
    fits = dict(_fits([game]))
    if excess := [key for fit in fits.values() for key in fit.close]:
        Slot.objects.filter(pk__in=excess, evaluator=None).update(is_closed=True)


def _chunks(games: Collection[int]) -> Iterator[list[int]]:
    keys = sorted(games)
    for start in range(0, len(keys), CHUNK):
        yield keys[start : start + CHUNK]


def _fits(games: list[int]) -> Iterator[tuple[int, SlotChanges]]:
    needed = dict(Game.objects.filter(pk__in=games).values_list("pk", NEEDED))
    rows = Slot.objects.filter(game__in=games, purpose=RATING)
    places: dict[int, list[SlotRecord]] = defaultdict(list)
    for game, key, number, evaluator, is_closed, kept in rows.values_list(
        "game_id", "pk", "number", "evaluator_id", "is_closed", "assigned_to_id"
    ):
        places[game].append(SlotRecord(key, number, evaluator is not None, is_closed, kept is not None))
    for game in games:
        yield game, plan_slot_changes(places[game], needed[game])


def _make(fits: dict[int, SlotChanges]) -> list[Slot]:
    projects = dict(Game.objects.filter(pk__in=fits).values_list("pk", "project_id"))
    return Slot.objects.bulk_create(
        Slot(
            project_id=projects[game],
            game_id=game,
            number=number,
            shuffle=compute_shuffle(projects[game], game, number),
        )
        for game, fit in fits.items()
        for number in fit.make
    )


def compute_shuffle(project: int, game: int, number: int) -> int:
    """Where a place stands among all of its project: by chance, and at the same place again in a second demo."""
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
    """Begin an evaluation for that purpose in a place of the person's own, with its audit line.

    Called in a transaction. Fetch the game with its project.
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
    record_event(
        by=by,
        now=now,
        project=game.project,
        verb="game:taken",
        object_kind="evaluation",
        object_id=evaluation.pk,
        detail={"game": game.number, "order": purpose} | dict(detail),
    )
    return evaluation


def _insert_slot(game: Game, purpose: str, by: Person, now: datetime) -> Slot:
    # Whoever begins the same game at the same moment waits for this row, so that places have numbers of their own.
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
    """Say with a reason that fewer evaluations of this game are enough, at least as many as are in, at least one.

    Free places beyond that close. Whoever has begun keeps their place and may still hand in, which then counts; a place
    that they give back closes. Raises NotAllowed (not a lead, a verdict is recorded, not open for rating),
    Unacceptable for a number that is not lower than now, or lower than what is in, and without a reason.
    """
    with transaction.atomic():
        rows = Game.objects.select_related("iteration", "project")
        locked = rows.select_for_update(of=("self",), no_key=True).get(pk=game.pk)
        check_need_fewer(by, locked)
        before = locked.evaluator_count
        _refuse_count(locked, count)
        reason = clean_text(reason, ask=_("Say why fewer are enough: it stays beside the verdict."))
        stands = {"needed_count": count, "needed_at": now, "needed_by": by, "needed_reason": reason}
        Game.objects.filter(pk=locked.pk).update(**stands)
        for name, value in stands.items():
            setattr(locked, name, value)
        fitted = sync_slots(games=[locked.pk])
        record_event(
            by=by,
            now=now,
            project=locked.project,
            verb="game:needs_fewer",
            object_kind="game",
            object_id=locked.pk,
            detail={"game": locked.number, "from": before, "to": count, "closed": fitted.closed},
        )
    return locked


def _refuse_count(game: Game, count: int) -> None:
    needed = game.evaluator_count
    if not 1 <= count < needed:
        raise Unacceptable(
            _("This game needs %(needed)d evaluations; choose a lower number, at least 1.")
            % {"needed": needed},
            field="count",
        )
    there = Evaluation.objects.filter(game=game, purpose=RATING, state=SUBMITTED).count()
    if count < there:
        raise Unacceptable(
            _("%(there)d evaluations are in, and all of them count; choose %(there)d or more.")
            % {"there": there},
            field="count",
        )


def lock_evaluation(evaluation: Evaluation) -> Evaluation:
    """The evaluation with state and version as they are now; whoever changes it waits for this transaction.

    Its lease may be the one from before this waited: good enough to renew by, never to end it by.
    """
    ((evaluation.state, evaluation.version, slot, lease_until),) = _LOCK.rows(evaluation.pk)
    evaluation.slot = slot_with_lease(slot, lease_until)
    return evaluation


# The lease by a subquery, no join: of a joined row PostgreSQL would still see the one from before it waited.
_LOCK = Prepared(
    lambda key: (
        Evaluation.objects.select_for_update()
        .filter(pk=key)
        .annotate(lease=Subquery(Slot.objects.filter(pk=OuterRef("slot")).values("lease_until")))
        .values_list("state", "version", "slot", "lease")
    ),
    int,
)


SLOT_RELATIONS = ("iteration__state", "iteration__stage", "iteration__opened_at")


def open_slots(*, games: Iterable[Game]) -> None:
    """Make the places of measured games, as many as each needs; those that somebody has stay.

    Called in the transaction that stores a game's measurement, and when an iteration is opened for rating: only
    measured games can be taken, and in a stage only once their iteration is open. The games are locked, since somebody
    may be moving them into another iteration at this moment.
    """
    keys = sorted(game.pk for game in games)
    rows = Game.objects.filter(pk__in=keys).order_by("pk")
    # Read with their iterations only once all are locked: whoever was waited for may have moved one.
    list(rows.select_for_update(no_key=True).values_list("pk", flat=True))
    present = rows.select_related("iteration").only(*SLOT_RELATIONS)
    sync_slots(games=[game.pk for game in present if game.iteration.has_slots])
