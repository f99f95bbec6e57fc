"""Answers of judges: kept as they came, read, and stored by item, apart from everything that people judge."""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.db import transaction
from django.db.models import Count
from django.utils.translation import gettext as _
from msgspec import to_builtins

from discussions.judges.core.answers import CUT_OFF, READER, AnswerLine, ReadAnswers, read_answers
from discussions.judges.core.prompts import draw_code
from discussions.judges.permissions import check_use_judge
from discussions.judges.queries import build_text, find_open
from discussions.models import Judge, JudgeAnswer, JudgePrompt, JudgeReply
from discussions.models.judges import ANSWERED, FAILED, OPEN, UNREADABLE
from rubric.core.records import Flag
from rubric.model_reviewers.actions.calls import is_last_try
from rubric.model_reviewers.core import LONGEST_ANSWER, Reply
from rubric.model_reviewers.queries import STOPPED_BY_LENGTH
from rubric.models.reviews import FETCHED, PASTED, UPLOADED
from workspace.audit.actions import record_event
from workspace.core.canonical import canonical_hash
from workspace.core.json_faults import Problem
from workspace.core.refusals import Conflict, Unacceptable
from workspace.core.strict_json import normalise_text
from workspace.models import Person

_KEPT = ("text", "finish_reason", "prompt_tokens", "answer_tokens", "error_code", "error", "took_ms")


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


def upload_answers(*, judge: Judge, lines: Sequence[AnswerLine], by: Person, now: datetime) -> list[Problem]:
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


def _find_faults(lines: Sequence[AnswerLine], rows: dict[int, JudgePrompt]) -> Iterator[Problem]:
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
        values = {name: getattr(reply, name) for name in _KEPT} | {
            "reader": READER,
            "flags": to_builtins(flags),
        }
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
