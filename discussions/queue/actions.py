"""The queue: the next game of an evaluator, hidden duplicates, assignments, and the rule of a project's queue.

"Next game" takes a slot by a single conditional update. A hidden duplicate looks like any other game: it has its own
slot, and in a project with hidden duplicates every game from the queue is rated under a number that no game has.
"""

import hashlib
import hmac
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef, Q
from django.utils.translation import gettext as _

from discussions.adjudication.core.judgeable import join_seeds
from discussions.calibration.actions import begin_required_calibration
from discussions.calibration.permissions import check_guideline_is_read
from discussions.core.evaluation_states import LAPSED, OPEN, RETURNED
from discussions.models import Evaluation, Game, Iteration, QueueRule, Slot
from discussions.models.evaluations import EvaluationQuerySet
from discussions.models.queue_rules import MOST_REPEATS, ORDERS
from discussions.models.slots import RATING, REPEAT
from discussions.queries import newest_measured
from discussions.queue.queries import list_in_order, load_queue_state, next_draw
from discussions.slots.actions import (
    begin_alone,
    expire_leases,
    give_back,
    hold_slot,
    lock_evaluation,
    record_slot_event,
    take_free_slot,
    take_up,
    transition,
)
from discussions.slots.permissions import check_assign, check_may_get, check_take_game, reason_unblinded
from discussions.slots.queries import FreeSlot, find_newest_before, kept_for
from workspace.audit.actions import record_event
from workspace.core.hidden_duplicates import choose_duplicate, is_due
from workspace.core.refusals import Conflict, NotAllowed, Unacceptable
from workspace.database.locked_texts import keyed_text
from workspace.database.prepared_queries import insert_row, select_rows
from workspace.database.transactions import do_each
from workspace.display.core.number_lists import format_numbers
from workspace.models import Membership, Person, Project
from workspace.models.projects import EVALUATOR
from workspace.people.actions.people import system_person

TRIES = 3
_UNCLOSED = Q(purpose=RATING, is_closed=False)


def take_next_game(
    *, project: Project, by: Person, now: datetime, iteration: Iteration | None = None
) -> Evaluation | None:
    """The evaluation that the person works on next in the project; None when there is nothing for them.

    In this order: a returned evaluation, a started one, a required calibration, an assigned slot, sometimes a hidden
    duplicate, a free slot by the project's rule (of one of the games of `iteration` if that is given). No two people
    get one slot, no person gets a game twice. Raises NotAllowed for everybody but the project's evaluators, for a
    person who did not pass a required calibration, and for one who has not confirmed the guideline.
    """
    check_take_game(by, project)
    check_guideline_is_read(by, project)
    found = _next(project, by, now, iteration)
    if found is None and Slot.objects.filter(project=project, lease_until__lte=now).exists():
        # A lease ended since the last sweep: its slot is free, too.
        expire_leases(by=system_person(now=now), now=now, project=project)
        found = _next(project, by, now, iteration)
    return found


def _next(project: Project, by: Person, now: datetime, iteration: Iteration | None) -> Evaluation | None:
    """The first evaluation that one of WAYS gives, in one transaction."""
    for _attempt in range(TRIES):
        try:
            with transaction.atomic():
                # This row is the lock: one person takes one game at a time. `no_key`, so that an event of another act
                # of the same person, which refers to the row, does not wait.
                select_rows(Person, "pk", pk=by.pk, lock="NO KEY UPDATE")
                state = load_queue_state(by, project)
                found = (way(project, by, now, iteration, state) for way in WAYS)
                return next((evaluation for evaluation in found if evaluation), None)
        except IntegrityError:
            continue  # another transaction gave this person a slot on the game
    return None


def _started(
    project: Project, by: Person, now: datetime, iteration: Iteration | None, state: Any
) -> Evaluation | None:
    """The person's open evaluation, with a renewed lease; evaluations that they may no longer judge are left out."""
    if not state.has_open:
        return None
    own = Evaluation.objects.filter(evaluator=by, game__project=project, state__in=OPEN)
    rows = own.values_list("pk", "game", "state")
    for key, game, _state in sorted(rows, key=lambda row: (row[2] != RETURNED, row[0])):
        if not reason_unblinded(by, game):
            evaluation = lock_evaluation(Evaluation.objects.with_work().get(pk=key))
            if evaluation.state in OPEN:
                hold_slot(evaluation=evaluation, by=by, now=now)
                return evaluation
    return None


def _kept(
    project: Project, by: Person, now: datetime, iteration: Iteration | None, state: Any
) -> Evaluation | None:
    """A slot that is assigned to the person, who may have started there before the lease ended."""
    for slot in kept_for(by.pk, project.pk, find_newest_before(project.pk, state.led_until)):
        lapsed = Evaluation.objects.with_work().filter(game=slot.game, evaluator=by, purpose=RATING).first()
        if lapsed is None:
            evaluation = _take(slot, project, by, now, "assigned")
            if evaluation:
                return evaluation
        elif lock_evaluation(lapsed).state == LAPSED and take_up(evaluation=lapsed, by=by, now=now):
            return lapsed
    return None


def _calibrated(
    project: Project, by: Person, now: datetime, iteration: Iteration | None, state: Any
) -> Evaluation | None:
    """The next game of a required calibration; none where an iteration is asked for."""
    if iteration or not state.has_round:
        return None
    return begin_required_calibration(project=project, by=by, now=now)


def _drawn(
    project: Project, by: Person, now: datetime, iteration: Iteration | None, state: Any
) -> Evaluation | None:
    """A hidden duplicate, if one is due; else a game by the project's rule."""
    rule, barred = state.rule, find_newest_before(project.pk, state.led_until)
    if iteration is None and (repeated := _repeat(project, rule.repeat_percent, by, now)):
        return repeated
    draw = next_draw(rule, by, state.picks)
    shown = _draw_number(project, by) if rule.repeat_percent else None
    taken = (
        _take(slot, project, by, now, draw, shown)
        for slot in list_in_order(draw, project, by, rule, iteration, barred)
    )
    return next(filter(None, taken), None)


# The next evaluation is the first that one of these gives. Each is called with the person locked.
WAYS = (_started, _calibrated, _kept, _drawn)


def _draw_number(project: Project, by: Person) -> int:
    """The number under which the person rates what the queue gives them next; no game of the project has it.

    It has two digits more than the newest game's. Hidden duplicates and other games both get such a number, and it is
    keyed: no number reveals a hidden duplicate.
    """
    own = _own_work(project, by)
    newest = Project.objects.values_list("next_game_number", flat=True).get(pk=project.pk)
    least = int(10 ** (len(str(newest)) + 1))
    drawn = int(keyed_text("shown number", f"{project.pk}:{by.pk}:{own.count()}")[:12], 16) % (9 * least)
    while own.filter(shown_number=least + drawn).exists():
        drawn = (drawn + 1) % (9 * least)
    return least + drawn


def _own_work(project: Project, by: Person) -> EvaluationQuerySet:
    return Evaluation.objects.filter(evaluator=by, game__project=project, purpose__in=(RATING, REPEAT))


def _take(
    slot: FreeSlot,
    project: Project,
    by: Person,
    now: datetime,
    draw: str | tuple[int, int],
    shown: int | None = None,
) -> Evaluation | None:
    """An evaluation in this slot, taken by one conditional update; None when it was taken meanwhile."""
    if slot.measured is None:
        return None
    if not take_free_slot(slot=slot.key, by=by, now=now):
        return None
    evaluation = Evaluation(
        game_id=slot.game,
        slot_id=slot.key,
        evaluator=by,
        measured_id=slot.measured,
        seed=_seed(slot, by),
        identification=slot.identification,
        shown_number=shown,
        created_at=now,
    )
    insert_row(evaluation)
    detail = {
        "game": slot.game_number,
        "order": draw if isinstance(draw, str) else list(draw),
    } | ({"shown": shown} if shown else {})
    record_event("game:taken", evaluation, by=by, now=now, project=project, detail=detail)
    return evaluation


def _seed(slot: FreeSlot, by: Person) -> str:
    """The seed of the samples: from numbers only, so that the drawn messages reveal nothing hidden in the game.

    It is keyed, because the numbers can be guessed: a person who knew the sample of role consistency before labelling
    would know that every other message asked about is one the rules object to.
    """
    return join_seeds(
        _keyed(f"sample:{slot.game}", 15), _keyed(f"sample:{slot.game}:{slot.number}:{by.pk}", 16)
    )


def _keyed(text: str, length: int) -> str:
    return hmac.new(settings.AUDIT_KEY.encode(), text.encode(), hashlib.sha256).hexdigest()[:length]


def _repeat(project: Project, percent: int, by: Person, now: datetime) -> Evaluation | None:
    """Begin an evaluation that repeats an earlier one of the person, if one is due. Call it with the person locked."""
    if not percent:
        return None
    own = _own_work(project, by)
    # Keyed, since numbers can be guessed: nobody can compute when a duplicate comes.
    seed, given_count = keyed_text("repeats", f"project {project.pk}:{by.pk}"), own.count()
    if not is_due(seed, given_count, percent):
        return None
    submitted = own.submitted_ratings().filter(game__withdrawn_at=None)
    in_order = list(submitted.order_by("submitted_at", "pk").values_list("game", flat=True))
    repeated = set(own.filter(purpose=REPEAT).values_list("game", flat=True))
    chosen = choose_duplicate(seed, given_count, in_order, repeated)
    if chosen is None or reason_unblinded(by, chosen):
        return None
    game = Game.objects.select_related("iteration", "project").get(pk=chosen)
    measured = newest_measured(game)
    if measured is None:
        return None
    first = Evaluation.objects.get(game=game, evaluator=by, purpose=RATING)
    number = _draw_number(project, by)
    return begin_alone(
        game=game,
        purpose=REPEAT,
        measured=measured.pk,
        # The same messages are asked about, so that the answers can be compared.
        seed=first.seed,
        identification=first.identification,
        by=by,
        now=now,
        shown_number=number,
        detail={"shown": number},
    )


def assign_game(*, game: Game, person: Person, by: Person, now: datetime) -> Slot:
    """Assign a free slot of the game to this evaluator; they get it next. A second call changes nothing.

    Raises NotAllowed for everybody but leads, and when the person cannot rate the game or has started it already;
    Conflict when no slot is free.
    """
    return assign_games(project=game.project, numbers=[game.number], person=person, by=by, now=now)[0]


def assign_games(
    *, project: Project, numbers: Sequence[int], person: Person, by: Person, now: datetime
) -> list[Slot]:
    """Assign several games of a project, given by number: all of them, or none."""
    check_assign(by, project)
    if not numbers:
        raise Unacceptable(_("Choose at least one game."), field="games", code="required")
    with transaction.atomic():
        # A person who takes a game is locked, so a game that they are just starting is not assigned.
        Person.objects.select_for_update(no_key=True).get(pk=person.pk)
        games = _games(project, numbers)
        _refuse_started(games, person)
        for game in games:
            check_may_get(person, game)
        kept = [_keep(game, person, by, now) for game in games]
        # Events last, because the first one locks the audit chain.
        for slot, is_new in kept:
            if is_new:
                _record("game:assigned", slot, person.pk, by, now)
    return [slot for slot, _is_new in kept]


def unassign_game(*, slot: Slot, by: Person, now: datetime) -> None:
    """End an assignment; nothing happens when the slot is not assigned.

    Raises NotAllowed for everybody but leads and for slots of repeats and calibrations, Conflict when the person has
    started meanwhile.
    """
    check_assign(by, slot.project)
    if slot.purpose != RATING:
        raise NotAllowed(_("This slot is for its person alone. It cannot be given to somebody else."))
    with transaction.atomic():
        locked = Slot.objects.select_for_update(no_key=True).get(pk=slot.pk)
        if locked.assigned_to_id is None:
            return
        if locked.evaluator_id is not None:
            says = _(
                "They have started this game meanwhile. Release the slot instead; what they judged is kept."
            )
            raise Conflict(says, code="started")
        person = locked.assigned_to_id
        Slot.objects.filter(pk=slot.pk).update(assigned_to=None, assigned_at=None, assigned_by=None)
        _record("game:unassigned", locked, person, by, now)


def release_slots_of_departed(*, by: Person, now: datetime) -> int:
    """Free the slots of people who no longer rate in the project, held or assigned; return how many.

    A returned evaluation and an assignment have no lease that ends, so their games would wait for ever. What was judged
    is kept: who belongs to the project again can resume it while a slot is free.
    """
    return do_each(_free_departed, _held_by_departed(), by, now)


def _held_by_departed() -> Iterator[Evaluation | Slot]:
    """The open evaluations, and the assigned slots, of everybody who no longer rates in the project."""
    for project, person in _departed():
        slots = Slot.objects.filter(_UNCLOSED, project=project)
        held = Evaluation.objects.filter(
            evaluator=person, state__in=OPEN, slot__in=slots.filter(evaluator=person)
        )
        yield from held.select_related("slot", "game__project").order_by("pk")
        assigned = slots.filter(assigned_to=person, evaluator=None)
        yield from assigned.select_related("game__project").order_by("pk")


def _free_departed(held: Evaluation | Slot, by: Person, now: datetime) -> int:
    if isinstance(held, Evaluation):
        return _release_departed(held, by, now)
    person = held.assigned_to_id
    assert person is not None
    assigned = Slot.objects.filter(_UNCLOSED, pk=held.pk, assigned_to=person, evaluator=None)
    with transaction.atomic():
        if not assigned.update(assigned_to=None, assigned_at=None, assigned_by=None):
            return 0
        _record("game:unassigned", held, person, by, now)
    return 1


def _departed() -> list[tuple[int, int]]:
    """Project and person of everybody who no longer rates and still has a slot.

    The members come first: they are few, and their slots are found by an index, while a sweep over all slots would take
    longer with each game.
    """
    same = {"project": OuterRef("project")}
    rating = Membership.objects.filter(
        **same, person=OuterRef("person"), ended_at=None, role=EVALUATOR, person__is_active=True
    )
    held = Slot.objects.filter(_UNCLOSED, **same, evaluator=OuterRef("person"))
    assigned = Slot.objects.filter(_UNCLOSED, **same, assigned_to=OuterRef("person"), evaluator=None)
    found = Membership.objects.filter(~Exists(rating), Exists(held) | Exists(assigned))
    return list(found.order_by().values_list("project", "person").distinct())


def _release_departed(evaluation: Evaluation, by: Person, now: datetime) -> bool:
    with transaction.atomic():
        locked = lock_evaluation(evaluation)
        if locked.state not in OPEN:
            return False
        transition(locked, "lapse", released_reason="", set_aside_at=now)
        give_back(locked)
        record_slot_event(
            evaluation=locked, verb="place:released", by=by, now=now, person=locked.evaluator_id
        )
    return True


def _games(project: Project, numbers: Sequence[int]) -> list[Game]:
    found = list(Game.objects.filter(project=project, number__in=numbers).order_by("pk"))
    if missing := sorted(set(numbers) - {game.number for game in found}):
        says = _("The project has no %(games)s.") % {"games": format_numbers(missing)}
        raise Unacceptable(says, field="games", code="unknown")
    if withdrawn := sorted(game.number for game in found if game.withdrawn_at):
        says = _("%(games)s was withdrawn, so nobody is to rate it.")
        raise NotAllowed(says % {"games": format_numbers(withdrawn).capitalize()}, code="withdrawn")
    return found


def _refuse_started(games: list[Game], person: Person) -> None:
    known = Evaluation.objects.filter(game__in=games, evaluator=person, purpose=RATING)
    if numbers := sorted(known.values_list("game__number", flat=True)):
        says = _("%(name)s started %(games)s already, and nobody rates a game twice.")
        raise NotAllowed(says % {"name": person.name, "games": format_numbers(numbers)}, code="known")


def _keep(game: Game, person: Person, by: Person, now: datetime) -> tuple[Slot, bool]:
    """The slot assigned to the person, and whether the assignment is new."""
    slots = Slot.objects.filter(game=game, purpose=RATING).select_related("game__project")
    if assigned := slots.filter(assigned_to=person).first():
        return assigned, False
    free = slots.free().filter(assigned_to=None)
    for slot in free.order_by("number"):
        if free.filter(pk=slot.pk).update(assigned_to=person, assigned_at=now, assigned_by=by):
            return slot, True
    says = _("Game %(number)d has no open slot: all are taken, reserved for somebody, or not open yet.")
    raise Conflict(says % {"number": game.number}, code="no_place")


def _record(verb: str, slot: Slot, person: int, by: Person, now: datetime) -> None:
    detail = {"game": slot.game.number, "place": slot.number, "person": person}
    record_event(verb, slot, by=by, now=now, project=slot.game.project, detail=detail)


def change_queue(
    *, project: Project, order: str, repeat_percent: int, by: Person, now: datetime
) -> QueueRule:
    """Set the rule of the queue, from the next game on. The same rule changes nothing.

    Raises NotAllowed for everybody but leads, Unacceptable for an unknown order or too many repeats.
    """
    check_assign(by, project)
    if order not in dict(ORDERS):
        raise Unacceptable(_("Choose one of the orders."), field="order", code="unknown")
    if not 0 <= repeat_percent <= MOST_REPEATS:
        says = _("At most %(most)d percent of the games can be hidden duplicates.") % {"most": MOST_REPEATS}
        raise Unacceptable(says, field="repeat_percent", code="too_many")
    with transaction.atomic():
        made = {"changed_at": now, "changed_by": by}
        rule, is_new = QueueRule.objects.select_for_update().get_or_create(project=project, defaults=made)
        before = {"order": rule.order, "repeat_percent": rule.repeat_percent}
        after = {"order": order, "repeat_percent": repeat_percent}
        if before == after and not is_new:
            return rule
        rule.order, rule.repeat_percent, rule.changed_at, rule.changed_by = order, repeat_percent, now, by
        rule.save(update_fields=["order", "repeat_percent", "changed_at", "changed_by"])
        record_event("queue:changed", project, by=by, now=now, detail={"before": before, "after": after})
    return rule
