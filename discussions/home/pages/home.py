"""The home page: what waits for a person, what they have started, and their week."""

from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import Case, Count, Exists, F, OuterRef, Q, QuerySet, Subquery, Value, When
from django.db.models.functions import Coalesce

from discussions.calibration.queries import own_calibrations
from discussions.core.evaluation_states import LAPSED, OPEN, SKIPPED
from discussions.games.queries.flags import count_for_evaluator, count_for_leads
from discussions.home.pages.own_list import list_lines, load_week
from discussions.home.queries import Ready, ToDo, find_tied, query_unopened
from discussions.iterations.queries import query_undecided
from discussions.models import CalibrationRound, Evaluation, Judgement, TieRequest
from discussions.queue.pages import find_submission
from discussions.queue.queries import FREE_COLUMNS, query_free, tell_free
from discussions.slots.core import minutes_left
from discussions.slots.queries import query_kept_slots, set_aside
from discussions.verdicts.queries import complete_alone, complete_games, faulty_transcripts
from rubric.human_reviewers.queries.waiting import waiting_sets
from rubric.models import Reviewer
from rubric.models.comparisons import PERSON
from workspace.access.permissions import is_admin
from workspace.core.limits import PAGE_SIZE
from workspace.database.prepared_queries import Prepared
from workspace.database.unions import MOST_COUNTED, CappedCount, CappedNumbers, numbers_in
from workspace.models import Membership, Person, Project
from workspace.models.people import prepare_by_rights
from workspace.models.projects import LEAD

LISTED, ASIDE = 5, 10


def was_skipped(person: Person, key: int) -> bool:
    return Evaluation.objects.filter(pk=key, evaluator=person, state=SKIPPED).exists()


def build_home(
    *,
    person: Person,
    now: datetime,
    submitted: int = 0,
    is_skipped: bool = False,
    only: Project | None = None,
) -> dict[str, Any]:
    """What waits for the person: `lines`, what comes next first. A fixed number of queries, some more for what waits.

    `submitted` is the key of the evaluation that was just submitted, or 0; `is_skipped` says that one was just skipped.
    If `only` is set, there are only the person's games in that project. `reviews` says that they review comparisons.
    """
    held = [row for row in _MEMBERSHIPS(person.pk) if only is None or row.project_id == only.pk]
    roles, projects = _projects(person, only, held)
    led = [project.pk for project in projects if is_admin(person) or roles.get(project.pk) == "lead"]
    rated = [project.pk for project in projects if roles.get(project.pk) == "evaluator"]
    own = _load_own(person, None if only is None else projects, rated)
    started = [evaluation for evaluation in own if evaluation.state in OPEN]
    for evaluation in started:
        evaluation.minutes = minutes_left(evaluation.slot.lease_until, now)  # type: ignore[attr-defined]
    may_review = only is None and (not held or any(row.reviews for row in held))
    reviewed = waiting_sets(person) if may_review else []
    page: dict[str, Any] = {
        "submission": find_submission(person, submitted, now) if submitted else None,
        "is_skipped": is_skipped,
        "returned": [evaluation for evaluation in started if evaluation.is_returned],
        "started": [evaluation for evaluation in started if not evaluation.is_returned],
        "aside": [evaluation for evaluation in own if evaluation.state not in OPEN][:ASIDE],
        "projects": _list_work(person, projects, roles, led, rated),
        "may_create": is_admin(person),
        "reviews": bool(reviewed),
        "rates": bool(rated),
        "week": load_week(person, now, only) if rated else None,
    }
    return page | {"lines": list_lines(page, person=person, reviewed=reviewed, held=held)}


def _list_work(
    person: Person, projects: list[Project], roles: dict[int, str], led: list[int], rated: list[int]
) -> list[dict[str, Any]]:
    """What waits for the person in each project. Lists have the first few, counts are of all; 100 is 100 or more.

    `verdicts` are numbers of games without a verdict, `to_do` is what needs a lead, or an evaluator's own verdicts and
    answered flags, `kept` games that leads assigned to the person, as (number, name of the lead, messages).
    """
    mine, led_work = _own_work(person, rated), _lead_work(person, led)
    assigned = [project for project, work in mine.items() if work.has_kept]
    kept = _kept(person, assigned) if assigned else {}
    trained = [project for project, work in mine.items() if work.has_round]
    calibrations = own_calibrations(person=person, projects=trained) if trained else {}
    tied = find_tied({key: work.complete for key, work in led_work.items() if work.complete})
    listed = []
    for project in projects:
        own_work, leading = mine.get(project.pk, _NOTHING_TO_RATE), led_work.get(project.pk, _NOTHING_TO_LEAD)
        verdicts = leading.complete if project.pk in led_work else own_work.alone
        ties = tied.get(project.pk, [])
        given, own = kept.get(project.pk, []), calibrations.get(project.pk)
        has_next = bool(own_work.free or given)
        if own is not None and own.round.is_required and (own.comes_first or own.why_not):
            has_next = own.comes_first
        listed.append(
            {
                "project": project,
                "role": "admin" if is_admin(person) else str(roles.get(project.pk, "")),
                "free_count": own_work.free,
                "left_count": min(own_work.free + len(given), MOST_COUNTED),
                "has_next": has_next,
                "kept": given,
                "calibration": own,
                "verdict_count": len(verdicts),
                "verdicts": verdicts[:LISTED],
                "to_do": _find_to_do(verdicts, ties, leading, own_work.flags + leading.flags),
                "tie_count": own_work.ties,
            }
        )
    return listed


def _find_to_do(verdicts: list[int], ties: list[int], leading: "_ToLead", flags: int) -> ToDo:
    return ToDo(
        ready=Ready([number for number in verdicts if number not in ties], ties, 0),
        flags=flags,
        faulty=len(leading.faulty),
        failed_jobs=0,
        undecided=leading.undecided[:LISTED],
        unopened=leading.unopened[:LISTED],
    )


def _projects(
    person: Person, only: Project | None, held: list[Membership]
) -> tuple[dict[int, str], list[Project]]:
    """The person's roles by project, and the projects that they may see, by name; a query for an admin."""
    present = [row for row in held if row.ended_at is None]
    roles = {one.project_id: one.role for one in present}
    if only is not None:
        return roles, [only]
    projects = (
        list(Project.objects.all()[:PAGE_SIZE]) if person.is_admin else [one.project for one in present]
    )
    return roles, projects[:PAGE_SIZE]


def _query_memberships(person: int) -> "QuerySet[Membership]":
    """The memberships of a person, and those as a lead that ended; with how many games they took, and `reviews`."""
    picks = Evaluation.objects.filter(evaluator=OuterRef("person")).order_by().values("evaluator")
    reviewers = Reviewer.objects.filter(person=OuterRef("person"), kind=PERSON, ended_at=None)
    return (
        Membership.objects.filter(Q(ended_at=None) | Q(role=LEAD), person=person)
        .select_related("project__queue_rule")
        .annotate(
            picks=Coalesce(Subquery(picks.annotate(count=Count("pk")).values("count")), 0),
            reviews=Exists(reviewers),
        )
        .order_by("project__name", "pk")
    )


_MEMBERSHIPS = Prepared(_query_memberships, int)


def _load_own(person: Person, shown: list[Project] | None, rated: list[int]) -> list[Evaluation]:
    """The open evaluations of the person, returned ones first, then those they could take up again, newest first.

    Open evaluations come from all projects that the person may see, or from `shown`. One query.
    """
    rated = rated or [0]
    if shown is None:
        return _OWN[person.is_admin](person.pk, rated)
    return _OWN_IN[person.is_admin](person.pk, rated, [project.pk for project in shown])


def _query_own(
    person: Person, rated: list[int], shown: "list[int] | QuerySet[Any, Any]"
) -> "QuerySet[Evaluation]":
    aside = set_aside(person, rated).values("pk")
    is_open = Q(state__in=OPEN)
    judged = Judgement.objects.counting().filter(evaluation=OuterRef("pk")).exclude(value="").order_by()
    counted = judged.values("evaluation").annotate(count=Count("pk")).values("count")
    rows = Evaluation.objects.filter(evaluator=person, state__in=(*OPEN, SKIPPED, LAPSED))
    return (
        rows.filter(Q(is_open, game__project__in=shown) | Q(pk__in=aside))
        .select_related("game__project", "slot")
        .only(*_OWN_COLUMNS)
        .annotate(judged=Coalesce(Subquery(counted), 0))
        .order_by(
            Case(When(is_open, then=0), default=1),
            Case(When(is_open & Q(returned_comment=""), then=1), default=0),
            Case(When(is_open, then=F("state")), default=Value("")).desc(),
            Case(When(is_open, then=F("pk")), default=-F("pk")),
        )[: PAGE_SIZE + ASIDE]
    )


_OWN_COLUMNS = (
    *("state", "purpose", "shown_number", "submitted_at", "created_at", "skipped_reason", "released_reason"),
    *("returned_comment", "slot__lease_until", "game__number", "game__message_count", "game__project__name"),
)
_OWN = prepare_by_rights(
    lambda person, rated: _query_own(person, rated, Project.objects.visible_to(person).values("pk")), list
)
_OWN_IN = prepare_by_rights(_query_own, list, list)


def _kept(person: Person, rated: list[int]) -> dict[int, list[tuple[int, str, int]]]:
    """By project: games that leads assigned to the person, as (number, name of the lead, messages)."""
    found: dict[int, list[tuple[int, str, int]]] = {}
    slots = query_kept_slots(person).filter(project__in=rated)
    columns = ("project", "game__number", "assigned_by__name", "game__message_count")
    for project, *game in slots.values_list(*columns)[:PAGE_SIZE]:
        found.setdefault(project, []).append(tuple(game))
    return found


class _ToLead(NamedTuple):
    """Of one project: numbers of games without a verdict, keys of imports with faults, flags that wait for leads.

    `unopened` and `undecided` are numbers of iterations to open for rating, and of changes to decide on.
    """

    complete: list[int]
    faulty: list[int]
    flags: int
    unopened: list[int] = []
    undecided: list[int] = []


class _ToRate(NamedTuple):
    """One project's free games, the games whose verdict the person records alone (numbers), flags and ties for them.

    The last two say whether games are assigned to them, and whether a calibration round is open.
    """

    free: int
    alone: list[int]
    flags: int
    ties: int = 0
    has_kept: bool = False
    has_round: bool = False


_NOTHING_TO_LEAD, _NOTHING_TO_RATE = _ToLead([], [], 0), _ToRate(0, [], 0)


def _lead_work(person: Person, led: list[int]) -> dict[int, _ToLead]:
    """The lead's work by project: at most a hundred games and imports, the newest imports first; one query."""
    return {
        key: _ToLead(
            numbers_in(complete), numbers_in(faulty)[::-1], flags, numbers_in(unopened), numbers_in(undecided)
        )
        for key, complete, faulty, flags, unopened, undecided in _LED[person.is_admin](person.pk, led)
    }


_LED = prepare_by_rights(
    lambda person, led: (
        Project.objects.led_by(person)
        .filter(pk__in=led)
        .order_by("pk")
        .annotate(
            complete=CappedNumbers(complete_games(OuterRef("pk")), "game__number"),
            faulty=CappedNumbers(faulty_transcripts(OuterRef("pk")), "pk"),
            flags=count_for_leads(OuterRef("pk")),
            unopened=CappedNumbers(query_unopened(OuterRef("pk")), "number"),
            undecided=CappedNumbers(query_undecided(OuterRef("pk")), "number"),
        )
        .values_list("pk", "complete", "faulty", "flags", "unopened", "undecided")
    ),
    list,
)


def _own_work(person: Person, rated: list[int]) -> dict[int, _ToRate]:
    """The person's own work by project, at most a hundred games; one query."""
    return {
        key: _ToRate(tell_free(free, started, aside), numbers_in(alone), *others)
        for key, free, started, aside, alone, *others in _RATED[person.is_admin](person.pk, rated)
    }


_RATED = prepare_by_rights(
    lambda person, rated: (
        query_free(person, rated)
        .annotate(
            alone=CappedNumbers(complete_alone(OuterRef("pk"), person), "game__number"),
            flags=count_for_evaluator(person, OuterRef("pk")),
            ties=CappedCount(
                TieRequest.objects.waiting_for(person).filter(game__project=OuterRef("pk")).values("pk")
            ),
            has_kept=Exists(query_kept_slots(person).filter(project=OuterRef("pk"))),
            has_round=Exists(CalibrationRound.objects.filter(project=OuterRef("pk"), closed_at=None)),
        )
        .values_list(*FREE_COLUMNS, "alone", "flags", "ties", "has_kept", "has_round")
    ),
    list,
)
