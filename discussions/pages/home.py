"""What waits for somebody and where they stopped: the home page, one's own evaluations, and why a queue is empty."""

from datetime import datetime

from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils.translation import gettext as _
from msgspec import Struct

from discussions.core.moves import OPEN, SKIPPED, SUBMITTED
from discussions.models import Evaluation, Game, Judgement, Slot, Transcript, Verdict
from discussions.models.games import NEEDED
from discussions.models.leading import games_led_by
from discussions.models.slots import RATING
from discussions.permissions import check_take_game
from rubric.models.waiting import waiting_count
from workspace.models import Membership, Person, Project
from workspace.permissions import is_admin, refusal_of

LISTED = 5
A_PAGE = 50


class Started(Struct, frozen=True):
    """An evaluation of one's own that is not handed in."""

    evaluation: int
    game_number: int
    project: str
    state: str
    begun_at: datetime
    judged: int
    comment: str


class Place(Struct, frozen=True):
    """One project as it concerns the person: what can be taken, what waits for a verdict, which imports have faults.

    `verdicts` are game numbers, `faulty` transcripts as (number, name); both the first few, with counts of all.
    """

    slug: str
    name: str
    role: str
    free_count: int
    verdict_count: int
    verdicts: list[int]
    faulty_count: int
    faulty: list[tuple[int, str]]


class HomePage(Struct, frozen=True):
    """Everything that waits for one person; `review_count` is None for who reviews no comparisons at all."""

    name: str
    started: list[Started]
    places: list[Place]
    may_create: bool
    review_count: int | None


class Row(Struct, frozen=True):
    """One evaluation in the person's own history; with several evaluators `in_count` of `needed` are handed in."""

    evaluation: int
    project: str
    slug: str
    game_number: int
    state: str
    begun_at: datetime
    submitted_at: datetime | None
    rating: str
    has_verdict: bool
    purpose: str
    in_count: int
    needed: int


class MinePage(Struct, frozen=True):
    """One's own evaluations, newest first; `older` is the number to go on from, 0 at the end."""

    rows: list[Row]
    older: int


class QueuePage(Struct, frozen=True):
    """The queue of one project for one evaluator; `reasons` say why nothing is free."""

    slug: str
    name: str
    free_count: int
    refusal: str
    reasons: list[str]


def home_page(*, person: Person) -> HomePage:
    """The same number of queries however many projects and games there are."""
    memberships = Membership.objects.filter(person=person, ended_at=None)
    roles = dict(memberships.values_list("project", "role"))
    projects = list(Project.objects.visible_to(person)[:A_PAGE])
    led = [project.pk for project in projects if is_admin(person) or roles.get(project.pk) == "lead"]
    rated = [project.pk for project in projects if roles.get(project.pk) == "evaluator"]
    free = _free_counts(person, rated)
    waiting = _waiting(person, led, rated)
    faulty = _faulty(led)
    places = [
        Place(
            slug=project.slug,
            name=project.name,
            role="admin" if is_admin(person) else str(roles.get(project.pk, "")),
            free_count=free.get(project.pk, 0),
            verdict_count=len(waiting.get(project.pk, [])),
            verdicts=waiting.get(project.pk, [])[:LISTED],
            faulty_count=len(faulty.get(project.pk, [])),
            faulty=faulty.get(project.pk, [])[:LISTED],
        )
        for project in projects
    ]
    return HomePage(
        person.name,
        _started(person),
        places,
        may_create=is_admin(person),
        review_count=waiting_count(person),
    )


def _started(person: Person) -> list[Started]:
    own = Evaluation.objects.visible_to(person).filter(state__in=OPEN).select_related("game__project")
    counted = own.annotate(judged=Count("judgements", filter=~Q(judgements__value=""))).order_by("pk")
    return [
        Started(
            one.pk,
            one.game_number,
            one.game.project.name,
            one.state,
            one.created_at,
            one.judged,
            one.returned_comment,
        )
        for one in counted
    ]


def _free_counts(person: Person, projects: list[int]) -> dict[int, int]:
    known = Evaluation.objects.filter(evaluator=person, game=OuterRef("game"))
    free = Slot.objects.filter(
        ~Exists(known),
        ~Exists(games_led_by(person).filter(pk=OuterRef("game"))),
        game__project__in=projects,
        game__withdrawn_at=None,
        purpose=RATING,
        evaluator=None,
        is_closed=False,
    )
    counted = free.values("game__project").annotate(games=Count("game", distinct=True))
    return dict(counted.values_list("game__project", "games"))


def _waiting(person: Person, led: list[int], rated: list[int]) -> dict[int, list[int]]:
    """Project -> numbers of games whose verdict this person is to record."""
    submitted = Count("evaluations", filter=Q(evaluations__state=SUBMITTED, evaluations__purpose=RATING))
    games = Game.objects.filter(~Exists(Verdict.objects.filter(game=OuterRef("pk"))), withdrawn_at=None)
    complete = games.annotate(done=submitted, needed=NEEDED).filter(done__gte=NEEDED)
    own = Evaluation.objects.filter(game=OuterRef("pk"), evaluator=person, state=SUBMITTED)
    alone = Q(Exists(own), project__in=rated, needed=1)
    found: dict[int, list[int]] = {}
    for project, number in (
        complete.filter(Q(project__in=led) | alone).order_by("number").values_list("project", "number")
    ):
        found.setdefault(project, []).append(number)
    return found


def _faulty(led: list[int]) -> dict[int, list[tuple[int, str]]]:
    transcripts = Transcript.objects.filter(project__in=led, fault_count__gt=0).order_by("-pk")
    found: dict[int, list[tuple[int, str]]] = {}
    for project, key, name in transcripts.values_list("project", "pk", "name"):
        found.setdefault(project, []).append((key, name))
    return found


def mine_page(*, person: Person, before: int = 0) -> MinePage:
    """One's own evaluations, fifty to a page; `before` continues behind the evaluation with that number."""
    own = Evaluation.objects.visible_to(person).select_related("game__project").order_by("-pk")
    if before:
        own = own.filter(pk__lt=before)
    verdict = Verdict.objects.filter(game=OuterRef("game"))
    told = own.select_related("game__project", "game__iteration").annotate(
        has_verdict=Exists(verdict), in_count=_handed_in()
    )
    found = list(told[: A_PAGE + 1])
    ratings = _ratings(own.filter(pk__in=[one.pk for one in found]))
    rows = [
        Row(
            evaluation=one.pk,
            project=one.game.project.name,
            slug=one.game.project.slug,
            game_number=one.game_number,
            purpose=one.purpose,
            state=one.state,
            begun_at=one.created_at,
            submitted_at=one.submitted_at,
            rating=ratings.get(one.pk, ""),
            has_verdict=one.state == SUBMITTED and one.purpose == RATING and one.has_verdict,
            in_count=one.in_count if one.state == SUBMITTED and one.purpose == RATING else 0,
            needed=one.game.evaluator_count,
        )
        for one in found[:A_PAGE]
    ]
    return MinePage(rows, older=rows[-1].evaluation if len(found) > A_PAGE else 0)


def _handed_in() -> Coalesce:
    """How many evaluations of an evaluation's game are in: all that its evaluator learns of the others."""
    rows = Evaluation.objects.filter(game=OuterRef("game"), purpose=RATING, state=SUBMITTED)
    counted = rows.order_by().values("game").annotate(number=Count("pk")).values("number")
    return Coalesce(Subquery(counted), 0)


def _ratings(own: "QuerySet[Evaluation]") -> dict[int, str]:
    rated = Judgement.objects.filter(evaluation__in=own.values("pk"), kind="rating", subject="")
    return dict(rated.values_list("evaluation", "value"))


def queue_page(*, person: Person, project: Project) -> QueuePage:
    """How many games are free for the person, and why there are none when there are none."""
    free = _free_counts(person, [project.pk]).get(project.pk, 0)
    refusal = refusal_of(check_take_game, person, project)
    reasons = [] if free else _reasons(person, project)
    return QueuePage(project.slug, project.name, free, refusal, reasons)


def _reasons(person: Person, project: Project) -> list[str]:
    games = Game.objects.filter(project=project, withdrawn_at=None)
    slots = Slot.objects.filter(game=OuterRef("pk"), purpose=RATING)
    own = Evaluation.objects.filter(game=OuterRef("pk"), evaluator=person)
    led = games_led_by(person).filter(pk=OuterRef("pk"))
    counts = games.aggregate(
        all=Count("pk"),
        measuring=Count("pk", filter=~Exists(slots)),
        done=Count("pk", filter=Exists(own.filter(state=SUBMITTED))),
        started=Count("pk", filter=Exists(own.filter(state__in=OPEN))),
        skipped=Count("pk", filter=Exists(own.filter(state=SKIPPED))),
        led=Count("pk", filter=Q(Exists(slots), ~Exists(own), Exists(led))),
    )
    known = sum(counts[name] for name in ("measuring", "done", "started", "skipped", "led"))
    others = counts["all"] - known
    sentences = (
        (not counts["all"], _("No game has been imported into this project yet. A team lead imports them.")),
        (counts["done"], _("Rated by you: %(n)s.") % {"n": counts["done"]}),
        (counts["started"], _("Begun by you and not submitted yet: %(n)s.") % {"n": counts["started"]}),
        (
            counts["skipped"],
            _("Skipped by you: %(n)s. You can take them up again.") % {"n": counts["skipped"]},
        ),
        (
            counts["led"],
            _("Not for you, since you could see their roles while you led this project: %(n)s.")
            % {"n": counts["led"]},
        ),
        (others > 0, _("Rated or being rated by other evaluators: %(n)s.") % {"n": others}),
        (
            counts["measuring"],
            _("Still being measured: %(n)s. They appear by themselves.") % {"n": counts["measuring"]},
        ),
    )
    return [sentence for holds, sentence in sentences if holds]
