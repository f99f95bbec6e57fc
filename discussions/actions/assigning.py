"""Places kept for people by name: given by a lead, and taken back while nobody has begun."""

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from discussions.core.game_figures import numbered
from discussions.models import Evaluation, Game, Slot
from discussions.models.slots import RATING
from discussions.permissions import check_deal_out, check_may_get
from workspace.actions.events import record_event
from workspace.core.refusals import Conflict, NotAllowed, Unacceptable
from workspace.models import Person, Project


def assign_game(*, game: Game, person: Person, by: Person, now: datetime) -> Slot:
    """Keep a free place on the game for this evaluator; it is the next that they are dealt. Again changes nothing.

    Raises NotAllowed for anybody but leads, and when the person cannot rate the game or has something to do with it
    already; Conflict when no place is free.
    """
    return assign_games(project=game.project, numbers=[game.number], person=person, by=by, now=now)[0]


def assign_games(
    *, project: Project, numbers: Sequence[int], person: Person, by: Person, now: datetime
) -> list[Slot]:
    """The same for several games of a project, named by their numbers: all of them, or none."""
    check_deal_out(by, project)
    if not numbers:
        raise Unacceptable(_("Choose at least one game."), field="games", code="required")
    with transaction.atomic():
        # Whoever takes a game locks themselves, so a place is not kept on a game that they are just beginning.
        Person.objects.select_for_update(no_key=True).get(pk=person.pk)
        games = _games(project, numbers)
        _refuse_begun(games, person)
        for game in games:
            check_may_get(person, game)
        kept = [_keep(game, person, by, now) for game in games]
        # Only now, since the audit log is locked from its first line on, and places were waited for until here.
        for slot, is_new in kept:
            if is_new:
                _record("game:assigned", slot, person.pk, by, now)
    return [slot for slot, _is_new in kept]


def unassign_game(*, slot: Slot, by: Person, now: datetime) -> None:
    """Keep the place for nobody any more; nothing happens when it is not kept.

    Raises NotAllowed for anybody but leads and for places that are of their person alone, Conflict when the person has
    begun meanwhile.
    """
    check_deal_out(by, slot.project)
    if slot.purpose != RATING:
        raise NotAllowed(_("This place is of its person alone; it cannot be given to somebody else."))
    with transaction.atomic():
        locked = Slot.objects.select_for_update(no_key=True).get(pk=slot.pk)
        if locked.assigned_to_id is None:
            return
        if locked.evaluator_id is not None:
            raise Conflict(
                _(
                    "They have begun this game meanwhile. Release the place instead; what they judged is kept."
                ),
                code="begun",
            )
        person = locked.assigned_to_id
        Slot.objects.filter(pk=slot.pk).update(assigned_to=None, assigned_at=None, assigned_by=None)
        _record("game:unassigned", locked, person, by, now)


def _games(project: Project, numbers: Sequence[int]) -> list[Game]:
    found = list(Game.objects.filter(project=project, number__in=numbers).order_by("pk"))
    if missing := sorted(set(numbers) - {game.number for game in found}):
        says = _("The project has no %(games)s.") % {"games": numbered(missing)}
        raise Unacceptable(says, field="games", code="unknown")
    if withdrawn := sorted(game.number for game in found if game.withdrawn_at):
        says = _("%(games)s was withdrawn, so nobody is to rate it.")
        raise NotAllowed(says % {"games": numbered(withdrawn).capitalize()}, code="withdrawn")
    return found


def _refuse_begun(games: list[Game], person: Person) -> None:
    known = Evaluation.objects.filter(game__in=games, evaluator=person, purpose=RATING)
    if numbers := sorted(known.values_list("game__number", flat=True)):
        raise NotAllowed(
            _("%(name)s began %(games)s already, and nobody rates a game twice.")
            % {"name": person.name, "games": numbered(numbers)},
            code="known",
        )


def _keep(game: Game, person: Person, by: Person, now: datetime) -> tuple[Slot, bool]:
    """The place kept for the person, and whether it is new."""
    places = Slot.objects.filter(game=game, purpose=RATING).select_related("game__project")
    if standing := places.filter(assigned_to=person).first():
        return standing, False
    free = places.filter(evaluator=None, assigned_to=None, is_closed=False)
    for slot in free.order_by("number"):
        still = free.filter(pk=slot.pk)
        if still.update(assigned_to=person, assigned_at=now, assigned_by=by):
            return slot, True
    raise Conflict(
        _("Game %(number)d has no free place: all are taken, kept for somebody, or not open yet.")
        % {"number": game.number},
        code="no_place",
    )


def _record(verb: str, slot: Slot, person: int, by: Person, now: datetime) -> None:
    record_event(
        by=by,
        now=now,
        project=slot.game.project,
        verb=verb,
        object_kind="slot",
        object_id=slot.pk,
        detail={"game": slot.game.number, "place": slot.number, "person": person},
    )
