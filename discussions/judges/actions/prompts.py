"""What a judge is asked: a run is planned in the request, and its prompts are made by a job."""

import hashlib
import secrets
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Exists, Max, QuerySet
from django.utils.translation import gettext as _
from msgspec import Struct

from discussions.judges.actions.jobs import MAKE, start_calls
from discussions.judges.core.prompts import CRITERIA, draw_repeats, split_items
from discussions.judges.permissions import check_call_judge, check_use_judge
from discussions.judges.queries import build_text, find_open, list_asked, list_items
from discussions.models import Game, Judge, JudgePrompt
from discussions.models.slots import RATING, REPEAT
from discussions.queries import measured_for
from workspace.access.permissions import get_refusal, may
from workspace.audit.actions import record_event
from workspace.core.refusals import Conflict, Unacceptable, Unavailable
from workspace.jobs.actions import Clock, enqueue, finish, note_progress, renew
from workspace.models import Event, Job, Person, Project

MOST_GAMES, MOST_PROMPTS = 200, 5_000


class RunPlan(Struct, frozen=True):
    """What a judge is asked: games by number, kinds of judgements, "answered" (blind, by people) or "all" items.

    `repeat_percent` of the items are asked twice, under other names and in another order. With `asks` it is called when
    the prompts are there, if this site calls it.
    """

    games: Sequence[int]
    kinds: Collection[str]
    which: str
    repeat_percent: int = 30
    asks: bool = False


def plan_run(*, judge: Judge, plan: RunPlan, by: Person, now: datetime) -> Job:
    """Queue the job that makes the prompts for every item that has no answer yet. The audit line holds the plan.

    Raises NotAllowed, Unacceptable for games that are not there or not measured.
    """
    check_use_judge(by, judge)
    numbers = _check_games(judge.project, plan)
    with transaction.atomic():
        detail = {"games": numbers, "kinds": sorted(plan.kinds), "items": plan.which}
        detail |= {"repeat_percent": plan.repeat_percent, "asks": plan.asks}
        event = record_event("judge:run", judge, by=by, now=now, detail=detail)
        about, run = f"judge:{judge.pk}", str(event.pk)
        job = enqueue(project=judge.project, kind=MAKE, subject=about, input_hash=run, by=by, now=now)
        note_progress(job=job.pk, total_count=len(numbers))
    return job


def _check_games(project: Project, plan: RunPlan) -> list[int]:
    """The numbers of the games, ascending."""
    if not plan.kinds or not CRITERIA.keys() >= set(plan.kinds):
        raise Unacceptable(_("Choose what the judge answers."), field="kinds")
    found = _find_games(project, plan.games).annotate(is_measured=Exists(measured_for()))
    games = dict(found.values_list("number", "is_measured"))
    if not games or len(plan.games) > MOST_GAMES:
        says = _("Name 1 to %(most)d games of this project.") % {"most": MOST_GAMES}
        raise Unacceptable(says, field="games")
    if missing := sorted(set(plan.games) - games.keys()):
        says = _("The project has no game %(number)d, or it was withdrawn.") % {"number": missing[0]}
        raise Unacceptable(says, field="games")
    if waiting := [number for number, is_measured in games.items() if not is_measured]:
        says = _("Game %(number)d is not measured yet. Wait for it, or leave it out.") % {
            "number": waiting[0]
        }
        raise Unacceptable(says, field="games")
    return list(games)


def _find_games(project: Project, numbers: Collection[int]) -> "QuerySet[Game]":
    return Game.objects.filter(project=project, withdrawn_at=None, number__in=numbers).order_by("number")


def make_prompts(*, job: Job, clock: Clock, **_given: Any) -> None:
    """Make the prompts of a run, those of a game in one transaction: after a crash, the next worker makes the rest.

    Then the judge is called, if the run says so and this site may. Raises JobLost, Unavailable for a judge that may not
    be used any more, Unacceptable for too many open prompts, Conflict if nothing is new.
    """
    judge = Judge.objects.select_related("project").get(pk=int(job.subject.partition(":")[2]))
    plan = Event.objects.get(pk=int(job.input_hash)).details
    games = _find_games(judge.project, plan["games"]).select_related("project", "iteration__rubric_version")
    done = 0
    for done, game in enumerate(games, start=1):
        with transaction.atomic():
            renew(job=job, now=clock(), done_count=done, total_count=len(plan["games"]))
            judge = Judge.objects.select_for_update(of=("self",)).select_related("project").get(pk=judge.pk)
            if refusal := get_refusal(check_use_judge, job.created_by, judge):
                raise Unavailable(refusal, code="not_usable")
            _add_prompts(judge, game, plan, job)
    with transaction.atomic():
        finish(job=job, now=clock())
        if not find_open(judge).exists():
            raise Conflict(_("The judge was asked all of that already."), code="nothing_to_ask")
        if plan["asks"] and may(check_call_judge, job.created_by, judge):
            start_calls(judge=judge, by=job.created_by, now=clock())


def _add_prompts(judge: Judge, game: Game, plan: Mapping[str, Any], job: Job) -> None:
    """For everything in a game that the locked judge was not asked."""
    asked = list_asked(judge, [game.pk])
    rows = [row for kind in plan["kinds"] for row in _make_prompts(judge, game, kind, plan, asked, job)]
    if find_open(judge).count() + len(rows) > MOST_PROMPTS:
        says = _(
            "%(most)d open prompts are the most. Give their answers, then run the judge on the other games."
        )
        raise Unacceptable(says % {"most": MOST_PROMPTS}, field="games")
    newest = JudgePrompt.objects.filter(judge=judge).aggregate(newest=Max("number"))["newest"] or 0
    for number, row in enumerate(rows, start=newest + 1):
        row.number = number
    JudgePrompt.objects.bulk_create(rows, batch_size=200)


def _make_prompts(
    judge: Judge,
    game: Game,
    kind: str,
    plan: Mapping[str, Any],
    asked: Mapping[tuple[int, str, str], set[str]],
    job: Job,
) -> list[JudgePrompt]:
    first = sorted(set(list_items(game, kind, plan["items"])) - asked.get((game.pk, kind, RATING), set()))
    repeats = draw_repeats(first, plan["repeat_percent"], secrets.token_hex(16))
    again = sorted(set(repeats) - asked.get((game.pk, kind, REPEAT), set()))
    rows = []
    for purpose, wanted in ((RATING, first), (REPEAT, again)):
        for part in split_items(wanted, secrets.token_hex(16)) if wanted else ():
            row = JudgePrompt(
                judge=judge,
                game=game,
                rubric_version=game.iteration.rubric_version,
                kind=kind,
                purpose=purpose,
                # Who wrote the game cannot know it.
                seed=secrets.token_hex(16),
                subjects=part,
                # What people answer from the request on is no part of the judge's trial.
                created_at=job.created_at,
                created_by=job.created_by,
            )
            row.sha256 = hashlib.sha256(build_text(row).encode()).hexdigest()
            rows.append(row)
    return rows
