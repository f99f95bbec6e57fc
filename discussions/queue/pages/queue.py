"""The queue of a project for one evaluator: what is free, or why nothing is. Counts stop at a hundred."""

from datetime import datetime
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _
from msgspec import Struct

from discussions.access.queries import barred_until, games_led_by
from discussions.calibration.pages import OwnCalibration, own_calibrations
from discussions.core.evaluation_states import LAPSED, OPEN, SKIPPED, SUBMITTED
from discussions.models import Evaluation, Game, Slot
from discussions.models.queue_rules import load_rating_rule
from discussions.models.slots import CALIBRATION, RATING, REPEAT
from discussions.slots.permissions import check_take_game
from discussions.slots.queries import free_for, query_free_slots, query_kept_slots, submitted_count
from discussions.verdicts.permissions import check_reopen
from workspace.access.permissions import get_refusal, may
from workspace.access.queries import prepare_by_rights
from workspace.database.capped_counts import MOST_COUNTED, CappedCount, capped_count
from workspace.models import Job, Person, Project
from workspace.models.jobs import QUEUED, RUNNING


class QueuePage(Struct, frozen=True):
    """The queue of one project for one evaluator.

    `free_count` games can be taken; `kept` are the first numbers of the games assigned to the person; `comes_first`
    says what is given out before them; `reasons` say why nothing is free. A count of 100 means 100 or more.
    `calibration` is the person's progress in the open round, None without one.
    """

    free_count: int
    kept: list[int]
    comes_first: str
    refusal: str
    reasons: list[str]
    calibration: OwnCalibration | None = None

    @property
    def has_next(self) -> bool:
        """Whether "Next game" gives one."""
        return bool(self.free_count or self.kept or self.comes_first)


def queue_page(*, person: Person, project: Project) -> QueuePage:
    """How many games are free for the person, or why none are."""
    refusal = get_refusal(check_take_game, person, project)
    if refusal:
        return QueuePage(0, [], "", refusal, [])
    calibration = own_calibrations(person=person, projects=[project.pk]).get(project.pk)
    why = calibration.why_not if calibration else ""
    free = 0 if why else free_counts(person, [project.pk]).get(project.pk, 0)
    kept = query_kept_slots(person).filter(project=project).values_list("game__number", flat=True)
    numbers = list(kept[:MOST_COUNTED])
    return QueuePage(
        free,
        numbers,
        _comes_first(person, project, calibration),
        "",
        [] if free or numbers else [why] if why else _reasons(person, project),
        calibration,
    )


def free_counts(person: Person, projects: list[int]) -> dict[int, int]:
    """Project -> how many games are free for the person, as far as they may know; one query for all projects."""
    counted = _FREE[person.is_admin].rows(person.pk, projects)
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
    return free if free >= MOST_COUNTED else _known_free(free, started, aside)


def _known_free(free: int, started: int, aside: int) -> int:
    """The count as if hidden duplicates were ordinary games."""
    left = max(0, free - started)
    return max(min(left, 1), left - aside)


def count_says(count: int) -> str:
    """A count as text: "100 or more" where counting stopped."""
    return _("%(n)d or more") % {"n": MOST_COUNTED} if count >= MOST_COUNTED else str(count)


def _comes_first(person: Person, project: Project, calibration: OwnCalibration | None) -> str:
    if calibration is not None and calibration.comes_first:
        says = _("A calibration round comes first. Games of it to do: %(n)d.")
        return says % {"n": calibration.waiting}
    own = Evaluation.objects.filter(evaluator=person, game__project=project, state__in=OPEN)
    # As an EXISTS: SQLite would look at every game for an IN.
    if not own.filter(~Exists(games_led_by(person).filter(pk=OuterRef("game")))).exists():
        return ""
    return _("You have started a game here; it comes first.")


def _reasons(person: Person, project: Project) -> list[str]:
    """Each count uses its own index, so that none reads all games. Hidden duplicates count, too."""
    if not Game.objects.filter(project=project).exists():
        return [_("No game has been imported into this project yet. A team lead imports them.")]
    own = Evaluation.objects.filter(evaluator=person, game__project=project).exclude(purpose=CALIBRATION)
    slots = Slot.objects.filter(project=project, purpose=RATING, game__withdrawn_at=None)
    others = ~Exists(Evaluation.objects.filter(game=OuterRef("game"), evaluator=person))
    kept = slots.free().exclude(assigned_to=None)
    again = Exists(free_for(person))
    states = (
        (_("Rated by you: %(n)s."), own.filter(state=SUBMITTED)),
        (_("Started by you and not submitted yet: %(n)s."), own.filter(state__in=OPEN)),
        (
            _("Skipped by you: %(n)s. You can resume them from your home page."),
            own.filter(again, state=SKIPPED),
        ),
        (
            _("Started by you until your time ended: %(n)s. You can resume them from your home page."),
            own.filter(again, state=LAPSED),
        ),
        (
            _("Paused by you, with no open slot any more: %(n)s."),
            own.filter(~again, state__in=(SKIPPED, LAPSED)),
        ),
        (
            _("You do not rate here, since you could see their roles while you led this project: %(n)s."),
            _games(slots.filter(others, game__lte=barred_until(person, project))),
        ),
        (_("Reserved for other evaluators by a team lead: %(n)s."), _games(kept.exclude(assigned_to=person))),
        (
            _("Being rated by other evaluators: %(n)s."),
            _games(slots.filter(others, evaluator__isnull=False, is_closed=False)),
        ),
        (_("Rated by other evaluators: %(n)s."), _games(slots.filter(others, is_closed=True))),
    )
    counted = ((says, capped_count(rows)) for says, rows in states)
    sentences = [says % {"n": count_says(count)} for says, count in counted if count]
    jobs = Job.objects.filter(project=project, kind__in=("import", "measure"), state__in=(QUEUED, RUNNING))
    if jobs.exists():
        sentences.append(_("Games are still being measured. They appear by themselves."))
    return sentences or [_("The games that are here are not open for rating yet. A team lead opens them.")]


def _games(slots: "QuerySet[Slot]") -> "QuerySet[Slot, Any]":
    return slots.order_by("game").values("game").distinct()


class Submission(Struct, frozen=True):
    """A submitted evaluation of the person: its project, a sentence on its game, and whether it can be reopened.

    With `is_compared` its project shows where evaluators and the rule differ.
    """

    evaluation: int
    project: int
    says: str
    can_reopen: bool
    is_compared: bool


def find_submission(person: Person, key: int, now: datetime) -> Submission | None:
    """A submitted evaluation of the person, None when there is none with this key.

    A hidden duplicate is described by its shown number and the evaluations of its game, so that it reads like any
    other.
    """
    own = Evaluation.objects.visible_to(person).filter(pk=key, state=SUBMITTED).exclude(purpose=CALIBRATION)
    found = own.select_related("game__iteration").annotate(in_count=submitted_count()).first()
    if found is None:
        return None
    needed = found.game.evaluator_count
    values = {
        "game": found.rated_as or found.game_number,
        "count": min(found.in_count, needed),
        "needed": needed,
    }
    says = _("Game %(game)d is submitted.")
    if needed > 1:
        says = _("Game %(game)d: %(count)d of %(needed)d evaluations are submitted.")
    return Submission(
        evaluation=found.pk,
        project=found.game.project_id,
        says=says % values,
        can_reopen=may(check_reopen, person, found, now),
        is_compared=load_rating_rule(found.game.project_id).shows_differences,
    )


def query_submitted_since(person: Any, moment: Any) -> "QuerySet[Evaluation]":
    """The games that the person submitted since then, calibration aside."""
    own = Evaluation.objects.filter(evaluator=person, state=SUBMITTED, submitted_at__gte=moment)
    return own.exclude(purpose=CALIBRATION)


def start_of_day(now: datetime) -> datetime:
    """Midnight of the current time zone."""
    return timezone.localtime(now).replace(hour=0, minute=0, second=0, microsecond=0)
