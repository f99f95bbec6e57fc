"""What is free for a person in a project and in which order, and the workload of its evaluators."""

import hashlib
from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from functools import lru_cache, partial
from itertools import islice
from typing import Any

from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone

from discussions.core.evaluation_states import DRAFT, LAPSED, OPEN, RETURNED, SKIPPED, SUBMITTED
from discussions.core.iteration_states import RATING as BEING_RATED
from discussions.core.judgement_kinds import HELPS
from discussions.metrics.core.registry import METRICS
from discussions.models import (
    Adjudication,
    Admission,
    CalibrationRound,
    Evaluation,
    Game,
    Iteration,
    QueueRule,
    Revision,
    Slot,
)
from discussions.models.queue_rules import BY_CHANCE, CLOSEST, OLDEST
from discussions.models.slots import CALIBRATION, RATING, REPEAT
from discussions.queries import load_measurements
from discussions.queue.core import (
    FARTHEST,
    LONG_DAYS,
    CompletedWork,
    Held,
    Load,
    active_minutes,
    compute_loads,
    rank_closeness,
)
from discussions.rating.core.visibility import count_judged
from discussions.rating.queries import load_state
from discussions.slots.core import SHUFFLES
from discussions.slots.queries import (
    CANDIDATES,
    MOST_RANKED,
    FreeSlot,
    barred_until,
    count_picks,
    evaluators_in,
    games_led_by,
    next_free,
    query_free_slots,
    query_led_until,
)
from discussions.verdicts.core.basis import Basis
from discussions.verdicts.queries import load_verdict_preview
from workspace.database.prepared_queries import prepared
from workspace.database.unions import MOST_COUNTED, CappedCount
from workspace.models import Person, Project
from workspace.models.people import prepare_by_rights

# Timing reads every act; a project with more evaluations in four weeks is timed by its newest.
MOST_TIMED = 500


def free_counts(person: Person, projects: list[int]) -> dict[int, int]:
    """Project -> how many games are free for the person, as far as they may know; one query for all projects."""
    counted = _FREE[person.is_admin](person.pk, projects)
    return {key: tell_free(free, started, aside) for key, free, started, aside in counted}


def query_free(person: Person, projects: list[int]) -> "QuerySet[Project]":
    """These projects with what is free for the person in each: the three counts that `tell_free` takes."""
    free = query_free_slots(person, OuterRef("pk")).filter(
        ~Exists(games_led_by(person).filter(pk=OuterRef("game")))
    )
    games = free.order_by("game").values("game").distinct()
    repeats = Evaluation.objects.filter(evaluator=person, game__project=OuterRef("pk"), purpose=REPEAT)
    return (
        Project.objects.filter(pk__in=projects)
        .order_by("pk")
        .annotate(
            free=CappedCount(games),
            open_repeats=CappedCount(repeats.filter(state__in=OPEN).values("pk")),
            repeats_aside=CappedCount(repeats.filter(state__in=(SKIPPED, LAPSED)).values("pk")),
        )
    )


FREE_COLUMNS = ("pk", "free", "open_repeats", "repeats_aside")


_FREE = prepare_by_rights(
    lambda person, projects: query_free(person, projects).values_list(*FREE_COLUMNS), list
)


def tell_free(free: int, started: int, aside: int) -> int:
    """How many games a person is told to be free, of those that are and of their hidden duplicates.

    A hidden duplicate counts as a game that was given out; the last free game is always offered.
    """
    if free >= MOST_COUNTED:
        return free
    left = max(0, free - started)
    return max(min(left, 1), left - aside)


def load_queue_state(person: Person, project: Project) -> Any:
    """The project with what decides how a person's next game in it is found; one query.

    `rule` is that of its queue. `picks` counts the games of all projects that were given to the person, `has_open`
    says whether they have one of this project open, `has_round` whether a calibration round is. `led_until` is when
    they last stopped leading it.
    """
    state: Any = _list_states(person.pk, project.pk)[0]
    state.rule = getattr(state, "queue_rule", None) or QueueRule(project=project)
    return state


@prepared  # while the person is locked
def _list_states(person: int, project: int) -> "QuerySet[Project]":
    own = Evaluation.objects.filter(evaluator=person)
    picks = own.order_by().values("evaluator").annotate(count=Count("pk")).values("count")
    return (
        Project.objects.filter(pk=project)
        .select_related("queue_rule")
        .annotate(
            picks=Coalesce(Subquery(picks), 0),
            has_open=Exists(own.filter(game__project=project, state__in=OPEN)),
            has_round=Exists(CalibrationRound.objects.filter(project=project, closed_at=None)),
            led_until=Subquery(query_led_until(person, project)[:1]),
        )
    )


def next_draw(rule: QueueRule, person: Person, picks: int | None = None) -> str | tuple[int, int]:
    """How the person's next game is drawn: "oldest", or the number of the draw and the shuffle number it points to.

    It depends only on the person, the project and the number of games given out, so that it can be computed again;
    `picks` is that number where it is known.
    """
    if rule.order == OLDEST:
        return OLDEST
    number = count_picks(person.pk) if picks is None else picks
    return number, compute_draw_point(person, rule.project_id, number)


def compute_draw_point(person: Person, project: int, number: int) -> int:
    """The shuffle number that a person's draw with that number points to."""
    digest = hashlib.sha256(f"order:{project}:{person.pk}:{number}".encode()).digest()
    return int.from_bytes(digest[:8]) % SHUFFLES


def list_in_order(
    draw: str | tuple[int, int],
    project: Project,
    person: Person,
    rule: QueueRule,
    iteration: Iteration | None = None,
    barred: int | None = None,
) -> Iterator[FreeSlot]:
    """Free slots for the person: of open iterations, of games that others submitted, then of all, each in draw order.

    A verdict or a comparison waits for the first two. The games of open iterations are mixed, so that nobody can tell
    the sides of a comparison. If the rule says so, the first games that others submitted are those whose verdict is
    closest to another one. Which games are begun stays with the draw, so each has the same chance to enter figures of
    rated games, such as the accuracy. A slot can come twice. Of one iteration if that is given. `barred` is what
    `barred_until` gives, where it is known.
    """
    barred = barred_until(person, project) if barred is None else barred
    in_order = partial(_in_order, draw, person=person.pk, project=project.pk, barred=barred)
    if iteration is not None:
        yield from in_order(iterations=[iteration.pk])
        return
    slots = in_order()
    first = next(slots, None)
    if first is None:
        return
    if first.has_open:
        opened = Iteration.objects.filter(project=project, stage__isnull=False, state=BEING_RATED)
        yield from in_order(iterations=list(opened.values_list("pk", flat=True)))
    if first.has_begun:
        begun = in_order(is_begun=True)
        if rule.order == CLOSEST:
            yield from _list_closest_first(list(islice(begun, MOST_RANKED)))
        yield from begun
    yield first
    yield from slots


def _in_order(draw: str | tuple[int, int], **given: Any) -> Iterator[FreeSlot]:
    """Free slots for a person in order: the oldest first, or from a shuffle number onwards and around."""
    order, start = (draw, 0) if isinstance(draw, str) else (BY_CHANCE, draw[1])
    most = MOST_RANKED if given.get("is_begun") else CANDIDATES
    tried: set[int] = set()
    for since in (0,) if order == OLDEST else (start, 0):
        while found := next_free(order, **given, since=since):
            new = [slot for slot in found if slot.key not in tried]
            yield from new
            tried.update(slot.key for slot in new)
            if len(found) < most:
                break
            last = found[-1].game if order == OLDEST else found[-1].shuffle
            since = last if new else last + 1


def _list_closest_first(slots: list[FreeSlot]) -> list[FreeSlot]:
    """The slots by `rank_closeness` of what the submitted evaluations say, of equal ones those first in which judges
    contradict the rule most, then as they come; one query, and some for each game in which something changed.
    """
    decided = Adjudication.objects.filter(game=OuterRef("game")).order_by("-pk").values("pk")[:1]
    rows = (
        Evaluation.objects.submitted_ratings().filter(game__in={slot.game for slot in slots}).order_by("pk")
    )
    known = defaultdict[int, list[Any]](list)
    for game, *facts in rows.values_list("game", "pk", "version", "seed", "submitted_at", Subquery(decided)):
        known[game].append(tuple(facts))
    return sorted(slots, key=lambda slot: _closeness(slot.game, slot.measured, tuple(known[slot.game])))


# Computing a verdict takes milliseconds. A cost by hand is not among what it is kept for: it only may come late.
@lru_cache(maxsize=1024)
def _closeness(game: int, _measured: int | None, _submitted: tuple[Any, ...]) -> tuple[int, float]:
    rows = Game.objects.select_related("iteration__rubric_version", "transcript")
    preview = load_verdict_preview(rows.get(pk=game))
    if preview is None:
        return FARTHEST, 0.0
    close = rank_closeness(preview.outcome, len(preview.found.ties), preview.basis.rater_count)
    return close, -_share_contradicted(preview.basis)


def _share_contradicted(basis: Basis) -> float:
    """The share of what judges that help say of a game that is not the automatic value; 0 where they say nothing."""
    if not basis.judges:
        return 0.0
    measured = load_measurements(basis.measured.id, basis.measured.findings_sha256)
    keys = [key for one in basis.judges for key in one.admissions]
    helping = set(Admission.objects.filter(pk__in=keys, use=HELPS).values_list("pk", flat=True))
    pairs = [
        (METRICS[one.metric].machine_values(measured[one.metric]).get(subject), value)
        for one in basis.judges
        if helping.intersection(one.admissions)
        for subject, value in one.answers.items()
    ]
    return sum(rule != said for rule, said in pairs) / max(1, len(pairs))


def query_submitted_since(person: Any, moment: Any) -> "QuerySet[Evaluation]":
    """The games that the person submitted since then, calibration aside."""
    own = Evaluation.objects.filter(evaluator=person, state=SUBMITTED, submitted_at__gte=moment)
    return own.exclude(purpose=CALIBRATION)


def start_of_day(now: datetime) -> datetime:
    return timezone.localtime(now).replace(hour=0, minute=0, second=0, microsecond=0)


def load_progress(evaluation: Evaluation) -> tuple[int, int]:
    """(judged, needed) of an evaluation as its evaluator reads it."""
    return _progress(evaluation.pk, evaluation.version, evaluation.game.content_sha256)


# Called every few seconds for the same evaluations. Each change raises the version, so the others stay cached.
@lru_cache(maxsize=1024)
def _progress(key: int, version: int, content_sha256: str) -> tuple[int, int]:
    # The hash guards against another database.
    state = load_state(Evaluation.objects.with_work().get(pk=key))
    return count_judged(state.progress, state.visibility.missing)


def load_workloads(*, project: Project, now: datetime) -> tuple[list[Load], int]:
    """A load for each evaluator, and how many evaluations the medians are taken from, 0 for all; five queries."""
    submitted = Evaluation.objects.filter(
        game__project=project,
        purpose=RATING,
        state=SUBMITTED,
        submitted_at__gt=now - timedelta(days=LONG_DAYS),
    )
    columns = ("pk", "evaluator", "evaluator__name", "created_at", "submitted_at", "game__message_count")
    rows = list(submitted.order_by("-submitted_at", "-pk").values_list(*columns))
    spans = {key: (started, submitted_at) for key, _person, _name, started, submitted_at, _count in rows}
    times = load_times(dict(list(spans.items())[:MOST_TIMED]))
    done = [
        CompletedWork(person, submitted_at, count, active_minutes(times.get(key, ())))
        for key, person, _name, _started, submitted_at, count in rows
    ]
    names = {evaluator.pk: evaluator.name for evaluator in evaluators_in(project)}
    names |= {person: name for _key, person, name, *_rest in rows}
    held, holders = _held(project)
    return compute_loads(names | holders, done, held, now), MOST_TIMED if len(rows) > MOST_TIMED else 0


def load_times(spans: Mapping[int, tuple[datetime, datetime]]) -> dict[int, list[datetime]]:
    """Evaluation -> when it was taken, judged in, and submitted; `spans` has the first and the last of these."""
    times = {key: [*span] for key, span in spans.items()}
    if times:
        acts = Revision.objects.filter(judgement__evaluation__in=list(times)).order_by()
        for key, moment in acts.values_list("judgement__evaluation", "created_at"):
            times[key].append(moment)
    return times


def _held(project: Project) -> tuple[dict[int, Held], dict[int, str]]:
    """Person -> what they have now, and the names of those for whom games wait."""
    started = Evaluation.objects.filter(game__project=project, purpose=RATING).order_by()
    counted = started.values("evaluator", "evaluator__name").annotate(
        open=Count("pk", filter=Q(state=DRAFT)),
        back=Count("pk", filter=Q(state=RETURNED)),
        aside=Count("pk", filter=Q(state__in=(SKIPPED, LAPSED))),
    )
    kept = Slot.objects.free().filter(project=project, purpose=RATING, assigned_to__isnull=False).order_by()
    assigned: dict[int, int] = defaultdict(int)
    names: dict[int, str] = {}
    for person, name, count in kept.values_list("assigned_to", "assigned_to__name").annotate(Count("pk")):
        assigned[person], names[person] = count, name
    held = {person: Held(assigned=count) for person, count in assigned.items()}
    rows = counted.values_list("evaluator", "evaluator__name", "open", "back", "aside")
    for person, name, is_open, back, aside in rows:
        held[person] = Held(is_open, back, aside, assigned.get(person, 0))
        if is_open or back:
            names[person] = name
    return held, names
