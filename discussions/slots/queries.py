"""Who rates in a project, who is no longer blind to a game, and the free slots that one person may take.

Free slots are found by an index however many games there are. No longer blind are leads of a game's project and
admins, past and present.
"""

from collections import defaultdict
from collections.abc import Collection
from datetime import datetime
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple

import msgspec
from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils.translation import gettext as _
from msgspec import Struct

from discussions.core.evaluation_states import LAPSED, OPEN, SKIPPED, SUBMITTED
from discussions.core.intake import AGENT, CATEGORY, ROLE, Arrival, Filling, find_row, is_drawn
from discussions.core.iteration_states import RATING as BEING_RATED
from discussions.models import (
    Coding,
    Evaluation,
    FillRules,
    Game,
    GameText,
    Iteration,
    Measured,
    QueueDraw,
    Slot,
    TieRequest,
    Verdict,
)
from discussions.models.games import GameQuerySet
from discussions.models.queue_rules import BY_CHANCE, OLDEST
from discussions.models.slots import RATING
from discussions.queries import rubric_record
from discussions.slots.core import SlotRecord, plan_slot_changes
from workspace.core.refusals import Unacceptable
from workspace.database.locked_texts import keyed_text
from workspace.database.prepared_queries import Prepared
from workspace.models import Membership, Person, Project
from workspace.models.projects import EVALUATOR, LEAD

# How many are read at once; when several people try the same slot, all but one take the next. Of begun games so many
# are compared with one another.
CANDIDATES, MOST_RANKED = 8, 8


class FreeSlot(NamedTuple):
    """A free slot, with the values of an evaluation that begins in it.

    `measured` is None while its game is not measured under its iteration's rubric; it cannot be rated then. `has_open`
    says that an iteration of a stage of the project is open for rating, `has_begun` that evaluations of the project
    are submitted whose games have no verdict.
    """

    key: int
    number: int
    shuffle: int
    game: int
    game_number: int
    identification: str
    message_count: int
    measured: int | None
    has_open: bool
    has_begun: bool


def games_led_by(person: Person) -> GameQuerySet:
    """Games whose roles, figures and evaluations the person can or could see, so that they cannot rate them blind."""
    if person.is_admin or person.is_system:
        return Game.objects.all()
    led = memberships_beyond(person.pk, OuterRef("project"), OuterRef("created_at")).filter(role=LEAD)
    return Game.objects.filter(Exists(led))


def barred_until(person: Person, project: Project) -> int:
    """The key of the newest game that an evaluator could see as a former lead; 0 for people who never led.

    Games are ordered by import, so one index range excludes all of them.
    """
    return find_newest_before(project.pk, query_led_until(person.pk, project.pk).first())


def query_led_until(person: int, project: int) -> "QuerySet[Membership, datetime | None]":
    """When the person stopped leading the project, the last time first."""
    led = Membership.objects.filter(person=person, project=project, role=LEAD, ended_at__isnull=False)
    return led.order_by("-ended_at").values_list("ended_at", flat=True)


def find_newest_before(project: int, moment: datetime | None) -> int:
    """The key of the project's newest game that was there at that moment; 0 without one."""
    if moment is None:
        return 0
    games = Game.objects.filter(project=project, created_at__lt=moment)
    return games.order_by("-pk").values_list("pk", flat=True).first() or 0


def memberships_beyond(person: int, project: Any, since: Any) -> "QuerySet[Membership]":
    """The person's memberships that lasted beyond that moment."""
    lasted = Q(ended_at=None) | Q(ended_at__gt=since)
    return Membership.objects.filter(lasted, person=person, project=project)


def evaluators_in(project: Project) -> list[Person]:
    """The people who rate in the project now, by name."""
    rows = query_evaluators(project.pk)
    return sorted(rows, key=lambda person: (person.name.casefold(), person.pk))


def find_evaluator(project: Project, key: int) -> Person:
    """Somebody who rates in the project now. Raises Unacceptable for the field `person`."""
    person = query_evaluators(project.pk).filter(pk=key).first()
    if person is None:
        says = _("This person does not rate in the project.")
        raise Unacceptable(says, field="person", code="no_evaluator")
    return person


def query_evaluators(project: int) -> "QuerySet[Person]":
    found: QuerySet[Person] = Person.objects.filter(
        is_active=True,
        memberships__project=project,
        memberships__role=EVALUATOR,
        memberships__ended_at=None,
    )
    return found


def query_free_slots(person: Any, project: Any) -> "QuerySet[Slot]":
    """Free slots of a project, assigned to nobody, on games that count and that the person has not started.

    Games of which the person answers ties are not among them: their roles are shown beside some ties.

    A person who led the project once may not take all of them: see `games_led_by`.
    """
    known = Evaluation.objects.filter(game=OuterRef("game"), evaluator=person)
    asked = TieRequest.objects.filter(game=OuterRef("game"), evaluator=person)
    return Slot.objects.free().filter(
        ~Exists(known),
        ~Exists(asked),
        project=project,
        purpose=RATING,
        assigned_to=None,
        game__withdrawn_at=None,
    )


def query_kept_slots(person: Any) -> "QuerySet[Slot]":
    """Free slots that leads assigned to the person, the oldest assignment first."""
    kept = Slot.objects.free().filter(assigned_to=person, purpose=RATING, game__withdrawn_at=None)
    return kept.order_by("assigned_at", "pk")


def has_game_left(person: Person, project: Project) -> bool:
    """Whether an evaluator of the project can go on with a game of it, or take one; calibration aside."""
    barred = barred_until(person, project)
    if kept_for(person.pk, project.pk, barred):
        return True
    if next_free(OLDEST, person=person.pk, project=project.pk, barred=barred, since=0):
        return True
    own = Evaluation.objects.filter(evaluator=person, game__project=project, game__gt=barred, state__in=OPEN)
    return own.exists()


def kept_for(person: int, project: int, barred: int) -> list[FreeSlot]:
    """The next slots that are assigned to the person in a project, on games after `barred`."""
    return [FreeSlot(*row) for row in _NEXT[KEPT, False, False](person, project, barred, 0)]


def next_free(
    order: str,
    *,
    person: int,
    project: int,
    barred: int,
    since: int,
    iterations: Collection[int] = (),
    is_begun: bool = False,
) -> list[FreeSlot]:
    """The next free slots in an order, on games after `barred`; of these iterations, or of begun games, if asked for.

    The first has at least the shuffle number `since`, or that game key where the oldest games come first.
    """
    given = (person, project, barred, since, *([list(iterations)] if iterations else []))
    return [FreeSlot(*row) for row in _NEXT[order, is_begun, bool(iterations)](*given)]


def count_picks(person: int) -> int:
    return Evaluation.objects.filter(evaluator=person).count()


def _columns(slots: "QuerySet[Slot]", most: int = CANDIDATES) -> "QuerySet[Slot, Any]":
    newest = Measured.objects.filter(
        game=OuterRef("game"), rubric_version=OuterRef("game__iteration__rubric_version")
    )
    opened = Iteration.objects.filter(project=OuterRef("project"), stage__isnull=False, state=BEING_RATED)
    begun = Slot.objects.filter(project=OuterRef("project"), awaiting_since__isnull=False)
    with_measured = slots.annotate(
        newest=Subquery(newest.order_by("-pk").values("pk")[:1]),
        has_open=Exists(opened),
        has_begun=Exists(begun),
    )
    return with_measured.values_list(
        *("pk", "number", "shuffle", "game", "game__number", "game__iteration__identification"),
        *("game__message_count", "newest", "has_open", "has_begun"),
    )[:most]


def _query_next(
    order: str,
    is_begun: bool,
    person: int,
    project: int,
    barred: int,
    since: int,
    iterations: Collection[int] = (),
) -> "QuerySet[Slot, Any]":
    kept = query_kept_slots(person).filter(project=project)
    slots = (kept if order == KEPT else query_free_slots(person, project)).filter(game__gt=barred)
    if iterations:
        slots = slots.filter(game__iteration__in=iterations)
    if is_begun:
        begun = Slot.objects.filter(project=project, purpose=RATING, awaiting_since__isnull=False)
        slots = slots.filter(game__in=begun.values("game"))
    most = MOST_RANKED if is_begun else CANDIDATES
    if order == KEPT:
        return _columns(slots.filter(game__gte=since), most)
    if order == OLDEST:
        return _columns(slots.filter(game__gte=since).order_by("game", "number"), most)
    return _columns(slots.filter(shuffle__gte=since).order_by("shuffle", "pk"), most)


# Slots that leads assigned to the person, in the order of the assignments.
KEPT = "kept"
# These run while the person is locked and others wait; each takes 3 ms of CPU more if it is not prepared.
_NEXT = {
    (order, is_begun, bool(lists)): Prepared(
        partial(_query_next, order, is_begun), int, int, int, int, *lists
    )
    for order in (BY_CHANCE, OLDEST, KEPT)
    for is_begun in (False, True)
    for lists in ((), (list,))
}


class Effect(Struct, frozen=True):
    """The effect of asking `after` evaluators for each game instead of `before`.

    `kept` games have a verdict and keep their number. In the other games, `opened` slots open and `closed` free slots
    close. `waiting` games were complete and now wait for further evaluations; `complete` games need no more. `beyond`
    evaluations are in progress, no longer needed, and may still be submitted.
    """

    before: int
    after: int
    kept: int = 0
    opened: int = 0
    closed: int = 0
    waiting: int = 0
    complete: int = 0
    beyond: int = 0


def with_verdict(iteration: Iteration) -> GameQuerySet:
    return Game.objects.filter(_recorded(), iteration=iteration)


def without_verdict(iteration: Iteration) -> GameQuerySet:
    """The iteration's measured games without a verdict: their slots follow the number asked for."""
    measured = Measured.objects.filter(game=OuterRef("pk"), rubric_version=iteration.rubric_version_id)
    return Game.objects.filter(~_recorded(), Exists(measured), iteration=iteration)


def needed_if(own: int | None, count: int) -> int:
    """How many evaluators a game needs when `count` are asked for; `own` is the lower number that a lead set for it."""
    return min(own, count) if own else count


def left_out(game: str = "pk") -> Exists:
    """Whether the queue's rules, or a lead, keep a game out of the queue; `game` leads to its key."""
    return Exists(QueueDraw.objects.filter(game=OuterRef(game), is_in=False))


def load_arrivals(games: Collection[int], filling: Filling) -> dict[int, Arrival]:
    """What the rules read of these games, by key; texts and codes only if a rule asks for them."""
    asked = {row.condition for row in filling.rows}
    newest = Measured.objects.filter(game__in=games, rubric_version=F("game__iteration__rubric_version"))
    figures = dict(newest.order_by("pk").values_list("game", "figures"))
    players = _read_players(games) if asked & {AGENT, ROLE} else {}
    codes: dict[int, set[str]] = defaultdict(set)
    if CATEGORY in asked:
        rows = Coding.objects.filter(game__in=games, removed_at=None)
        names = ("category__name", "category__end__merged_into__name")
        for game, name, merged in rows.values_list("game", *names):
            codes[game].add((merged or name).casefold())
    columns = ("pk", "iteration__number", "iteration__rubric_version", "iteration__rubric_version__sha256")
    found = Game.objects.filter(pk__in=games).values_list(*columns, "model_build", "warning_count")
    return {
        key: Arrival(
            scores=_read_scores(figures.get(key, "{}"), version, sha256),
            iteration=number,
            model=model,
            is_odd=bool(warnings),
            names=frozenset(name for name, _role in players.get(key, ())),
            roles=frozenset(role for _name, role in players.get(key, ())),
            categories=frozenset(codes[key]),
        )
        for key, number, version, sha256, model, warnings in found
    }


def draw_games(*, rules: FillRules, games: Collection[int], now: datetime) -> list[QueueDraw]:
    """What this version of the rules decides on these games; unsaved. The draw is keyed: nobody can compute it."""
    filling, draws = rules.to_record(), []
    for game, arrival in load_arrivals(games, filling).items():
        row = find_row(filling, arrival)
        percent = filling.shares[row - 1]
        is_in = is_drawn(keyed_text("queue draw", f"{rules.project_id}:{game}"), percent)
        given = {"probability": percent / 100, "chance": percent / 100, "is_in": is_in, "drawn_at": now}
        draws.append(QueueDraw(game_id=game, rules=rules, row=row, **given))
    return draws


def _read_players(games: Collection[int]) -> dict[int, list[tuple[str, str]]]:
    records = ((text.game_id, text.to_record()) for text in GameText.objects.filter(game__in=games))
    return {
        key: [(player.name.casefold(), (player.role or "").casefold()) for player in record.players]
        for key, record in records
    }


def _read_scores(figures: str, version: int, sha256: str) -> dict[str, tuple[Fraction, Fraction]]:
    """The automatic scores that apply and need nobody's judgement; all measured metrics are shares, in percent."""
    needed = {row.key: row.threshold for row in rubric_record(version, sha256).criteria}
    counted: dict[str, tuple[int, int, bool, bool]] = msgspec.json.decode(figures)
    return {
        key: (Fraction(100 * right, of), Fraction(str(needed[key] or 0)))
        for key, (right, of, applies, is_pending) in counted.items()
        if key in needed and of and applies and not is_pending
    }


def load_effect(iteration: Iteration, count: int) -> Effect:
    """The effect of asking for `count` evaluators now; three queries."""
    before = iteration.evaluator_count
    waiting_games = without_verdict(iteration).filter(~left_out())
    slots = load_slots_by_game(waiting_games.values("pk"))
    is_submitted = Q(evaluations__state=SUBMITTED, evaluations__purpose=RATING)
    games = waiting_games.annotate(done=Count("evaluations", filter=is_submitted))
    opened = closed = waiting = complete = beyond = 0
    for key, own, done in games.values_list("pk", "needed_count", "done"):
        old, new = own or before, needed_if(own, count)
        fit = plan_slot_changes(slots[key], new)
        opened += len(fit.open) + len(fit.make)
        closed += len(fit.close)
        waiting += old <= done < new
        complete += new <= done < old
        beyond += max(0, sum(slot.is_taken for slot in slots[key]) - max(new, done))
    return Effect(
        before=before,
        after=count,
        kept=with_verdict(iteration).count(),
        opened=opened,
        closed=closed,
        waiting=waiting,
        complete=complete,
        beyond=beyond,
    )


def load_slots_by_game(games: "Collection[int] | QuerySet[Any, Any]") -> dict[int, list[SlotRecord]]:
    rows = Slot.objects.filter(game__in=games, purpose=RATING)
    found: dict[int, list[SlotRecord]] = defaultdict(list)
    for game, key, number, evaluator, is_closed, kept in rows.values_list(
        "game_id", "pk", "number", "evaluator_id", "is_closed", "assigned_to_id"
    ):
        found[game].append(SlotRecord(key, number, evaluator is not None, is_closed, kept is not None))
    return found


def _recorded() -> Exists:
    return Exists(Verdict.objects.filter(game=OuterRef("pk")))


def free_for(person: Person) -> "QuerySet[Slot]":
    """The slots in which a paused evaluation of the person can continue."""
    return Slot.objects.free_for(person).filter(game=OuterRef("game"), purpose=OuterRef("purpose"))


def set_aside(person: Person, projects: "Collection[int] | QuerySet[Any, Any]") -> "QuerySet[Evaluation]":
    """Evaluations that were skipped or lapsed and can continue in some slot."""
    own = Evaluation.objects.filter(evaluator=person, state__in=(SKIPPED, LAPSED), game__project__in=projects)
    barred = Game.objects.filter(pk__in=games_led_by(person).values("pk"), pk=OuterRef("game"))
    return own.filter(Exists(free_for(person)), ~Exists(barred), game__withdrawn_at=None)


def submitted_count() -> Coalesce:
    """How many evaluations of an evaluation's game are submitted: all that its evaluator learns of the others."""
    rows = Evaluation.objects.submitted_ratings().filter(game=OuterRef("game"))
    counted = rows.order_by().values("game").annotate(number=Count("pk")).values("number")
    return Coalesce(Subquery(counted), 0)
