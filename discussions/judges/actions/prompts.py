"""What a judge is asked, in prompts that a job makes, and what it answered: by calls, by hand or in a file."""

import hashlib
import secrets
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Count, Exists, Max, QuerySet
from django.utils.translation import gettext as _
from msgspec import Struct, to_builtins

from discussions.judges.core.prompts import (
    CRITERIA,
    CUT_OFF,
    READER,
    AnswerText,
    ReadAnswers,
    draw_code,
    draw_repeats,
    read_answers,
    split_items,
)
from discussions.judges.permissions import check_call_judge, check_judges, check_use_judge
from discussions.judges.queries import build_text, find_open, list_asked, list_items, sum_cost
from discussions.models import Game, Judge, JudgeAnswer, JudgePrompt, JudgeReply
from discussions.models.judges import ANSWERED, FAILED, OPEN, UNREADABLE
from discussions.models.slots import RATING, REPEAT
from discussions.queries import measured_for
from rubric.core.call_parameters import SYSTEM, select_sampling
from rubric.core.records import Flag
from rubric.model_reviewers.actions.calls import Caller, end_turn, is_last_try
from rubric.model_reviewers.core import LONGEST_ANSWER, Call, Reply, compute_cost
from rubric.model_reviewers.queries import STOPPED_BY_LENGTH
from rubric.models.reviews import FETCHED, PASTED, UPLOADED
from workspace.access.permissions import get_refusal, may
from workspace.audit.actions import record_event
from workspace.core.canonical import canonical_hash
from workspace.core.json_faults import Problem
from workspace.core.refusals import Conflict, Unacceptable, Unavailable
from workspace.core.strict_json import normalise_text
from workspace.jobs.actions import Clock, cancel_job, enqueue, finish, hand_back, note_progress, renew
from workspace.models import Event, Job, Person, Project
from workspace.models.jobs import QUEUED, RUNNING

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


def open_prompts(*, judge: Judge, by: Person) -> Iterator[dict[str, Any]]:
    """Number, game and text of every open prompt, one at a time. Raises NotAllowed at once."""
    check_use_judge(by, judge)
    return (
        {"prompt": prompt.number, "game": prompt.game.number, "text": build_text(prompt)}
        for prompt in find_open(judge).iterator(chunk_size=50)
    )


def paste_answer(*, judge: Judge, prompt: int, text: str, by: Person, now: datetime) -> None:
    """Keep and read the answer to the judge's prompt of that number.

    Raises NotAllowed, Unacceptable, Conflict when it was answered.
    """
    check_use_judge(by, judge)
    if not text.strip():
        raise Unacceptable(_("Paste what the judge wrote."), field="text")
    if len(text.encode()) > LONGEST_ANSWER:
        raise Unacceptable(
            _("The answer is larger than 2 MB, which no judge needs. Shorten it."), field="text"
        )
    row = JudgePrompt.objects.filter(judge=judge, number=prompt).first()
    if row is None:
        raise Unacceptable(_("The judge has no prompt %(number)d.") % {"number": prompt}, field="prompt")
    with transaction.atomic():
        if JudgePrompt.objects.select_for_update().get(pk=row.pk).state != OPEN:
            raise Conflict(_("This prompt was answered already."), code="answered")
        _store([(row, _as_reply(text))], PASTED, by, now)
        record_event("judge:answered", judge, by=by, now=now, detail={"answers": 1, "sha256": _hash([text])})


def upload_answers(*, judge: Judge, lines: Sequence[AnswerText], by: Person, now: datetime) -> list[Problem]:
    """Keep and read all of them, or none and return the faults. Raises NotAllowed."""
    check_use_judge(by, judge)
    with transaction.atomic():
        Judge.objects.select_for_update().get(pk=judge.pk)
        wanted = {line.prompt for line in lines}
        rows = {row.number: row for row in JudgePrompt.objects.filter(judge=judge) if row.number in wanted}
        faults = list(_find_faults(lines, rows))
        if faults:
            return faults
        _store([(rows[line.prompt], _as_reply(line.text)) for line in lines], UPLOADED, by, now)
        detail = {"answers": len(lines), "sha256": _hash(line.text for line in lines)}
        record_event("judge:answered", judge, by=by, now=now, detail=detail)
    return []


def _find_faults(lines: Sequence[AnswerText], rows: dict[int, JudgePrompt]) -> Iterator[Problem]:
    for line in lines:
        row = rows.get(line.prompt)
        if row is None:
            says = _("The judge has no prompt %(number)d.") % {"number": line.prompt}
            yield Problem("unknown", says, line.line, pointer="/prompt")
        elif row.state != OPEN:
            says = _("This prompt was answered already. Run the judge again on what is missing.")
            yield Problem("answered", says, line.line, pointer="/prompt")


def _as_reply(text: str) -> Reply:
    return Reply(text=normalise_text(text)[0])


def _hash(texts: Iterable[str]) -> str:
    return canonical_hash([hashlib.sha256(text.encode()).hexdigest() for text in texts])


def keep_reply(
    *, prompt: JudgePrompt, reply: Reply, tries: int, cost: Decimal | None, by: Person, now: datetime
) -> None:
    """Keep what the last of so many calls brought, and read it; nothing if there is an answer meanwhile.

    A failure leaves the prompt open while another try may help.
    """
    with transaction.atomic():
        if JudgePrompt.objects.select_for_update().get(pk=prompt.pk).state == OPEN:
            _store([(prompt, reply)], FETCHED, by, now, cost=cost)
            if reply.error_code and is_last_try(reply, tries):
                JudgePrompt.objects.filter(pk=prompt.pk).update(state=FAILED)


def read_reply(prompt: JudgePrompt, text: str, finish_reason: str = "") -> ReadAnswers:
    values, flags = read_answers(
        text, prompt.kind, code=draw_code(prompt.seed), item_count=len(prompt.subjects)
    )
    if finish_reason == STOPPED_BY_LENGTH:
        flags.append(Flag(CUT_OFF, "The model was stopped at its limit of length."))
    return values, flags


def _store(
    given: Sequence[tuple[JudgePrompt, Reply]],
    source: str,
    by: Person,
    now: datetime,
    *,
    cost: Decimal | None = None,
) -> None:
    """Replies, answers and states of locked open prompts of one judge, in few queries for any number of them."""
    earlier = JudgeReply.objects.filter(prompt__judge=given[0][0].judge_id, prompt__state=OPEN).order_by()
    tries = dict(earlier.values_list("prompt").annotate(Count("pk")))
    replies, answers = [], []
    states: dict[str, list[int]] = {ANSWERED: [], UNREADABLE: []}
    for prompt, reply in given:
        read, flags = ({}, []) if reply.error_code else read_reply(prompt, reply.text, reply.finish_reason)
        values = {**reply.columns, "reader": READER, "flags": to_builtins(flags)}
        act = {"source": source, "cost_usd": cost, "created_at": now, "created_by": by}
        replies.append(JudgeReply(prompt=prompt, attempt=1 + tries.get(prompt.pk, 0), **values, **act))
        answers += [
            JudgeAnswer(prompt=prompt, subject=prompt.subjects[item - 1], value=value)
            for item, value in read.items()
        ]
        if not reply.error_code:
            states[ANSWERED if read else UNREADABLE].append(prompt.pk)
    JudgeReply.objects.bulk_create(replies, batch_size=200)
    JudgeAnswer.objects.bulk_create(answers, batch_size=1000)
    for state, keys in states.items():
        for at in range(0, len(keys), 500):
            JudgePrompt.objects.filter(pk__in=keys[at : at + 500]).update(state=state)


ASK, MAKE = "ask_judge", "make_prompts"


def find_job(judge: Judge, kind: str = ASK) -> Job | None:
    """The newest of that kind."""
    return Job.objects.filter(kind=kind, subject=f"judge:{judge.pk}").order_by("-pk").first()


def is_live(job: Job | None) -> bool:
    return job is not None and job.state in (QUEUED, RUNNING)


def start_calls(*, judge: Judge, by: Person, now: datetime) -> Job:
    """Queue the calls for all open prompts. Raises NotAllowed, Conflict when there is none."""
    check_call_judge(by, judge)
    if not find_open(judge).exists():
        raise Conflict(_("No prompt is open. Run the judge on games first."), code="nothing_to_ask")
    with transaction.atomic():
        subject = f"judge:{judge.pk}"
        return enqueue(project=judge.project, kind=ASK, subject=subject, input_hash="", by=by, now=now)


def stop_calls(*, judge: Judge, by: Person, now: datetime) -> None:
    """Make no further call; one in progress is wasted. Raises NotAllowed, Conflict if no calls are being made."""
    check_judges(by, judge.project)
    job = find_job(judge)
    if job is None or not is_live(job):
        raise Conflict(_("The judge is not being asked, so there is nothing to stop."), code="not_asking")
    cancel_job(job=job, by=by, now=now)


def ask_judge(*, job: Job, clock: Clock, **given: Any) -> None:
    """Call the job's judge for every open prompt; one that fails does not affect the others. `given`: see Caller.

    Raises JobLost when the job was cancelled or taken over, Unavailable when the endpoint takes no more calls, when
    the budget is spent, and when the judge may not be called any more.
    """
    caller = Caller.begin(job, clock, **given)
    judge = Judge.objects.select_related("project").get(pk=int(job.subject.partition(":")[2]))
    for key in list(find_open(judge).values_list("pk", flat=True)):
        if not _ask(caller, judge, key):
            hand_back(job=job, now=clock())
            return
    end_turn(job=job, clock=clock, is_more=find_open(judge).exists)


def _ask(caller: Caller, judge: Judge, key: int) -> bool:
    """Call until there is an answer or no try is left; False if the turn ended before that."""
    by = caller.job.created_by
    while True:
        if caller.is_turn_over:
            return False
        prompt = find_open(judge).filter(pk=key).first()
        if prompt is None:
            return True
        # A turn is long, and calls cost money.
        judge.refresh_from_db()
        if refusal := get_refusal(check_call_judge, by, judge):
            raise Unavailable(refusal, code="not_callable")
        if judge.budget_usd is not None and sum_cost(judge) >= judge.budget_usd:
            says = _("The budget of %(usd)s US dollars is spent. The rest was not asked for.")
            raise Unavailable(says % {"usd": judge.budget_usd}, code="budget_spent")
        system = str(judge.parameters.get(SYSTEM, ""))
        call = Call(judge.model, build_text(prompt), select_sampling(judge.parameters), system)
        reply = caller.call(call)
        tries = prompt.replies.exclude(error_code="").count() + 1
        cost = compute_cost(settings.REVIEW_PRICES.get(judge.model), reply.prompt_tokens, reply.answer_tokens)
        with transaction.atomic():
            is_over = is_last_try(reply, tries)
            renew(job=caller.job, now=caller.clock(), done_count=caller.job.done_count + is_over)
            keep_reply(prompt=prompt, reply=reply, tries=tries, cost=cost, by=by, now=caller.clock())
        caller.rest(reply, tries)
        if is_over:
            return True
