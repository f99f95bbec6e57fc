"""Judges of a project for its leads: the list, the page of one, runs, and answers that come by hand."""

import json
from collections.abc import Callable
from functools import partial
from typing import Any

from django.forms import BaseForm
from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from discussions.judges import queries
from discussions.judges.actions import prompts, runs
from discussions.judges.core.contract import REFUSED
from discussions.judges.core.prompts import DEFAULT_PROMPT, read_lines
from discussions.judges.forms import AdmitForm, JudgeForm, PlaceForm, PromptAnswerForm, RunForm, SuspendForm
from discussions.judges.labels import KIND_LABELS
from discussions.judges.pages import (
    ContractRow,
    build_drift,
    build_rows,
    describe_admission,
    describe_state,
    say_counts,
    say_headline,
)
from discussions.judges.permissions import check_call_judge, check_judges, check_use_judge
from discussions.models import Game, Judge
from rubric.core.call_parameters import describe_parameters
from rubric.model_reviewers.views.overview import take_file
from workspace.access.permissions import get_refusal, may
from workspace.display.core.number_lists import write_numbers
from workspace.jobs.pages import ProgressBar, worker_note
from workspace.models import Person, Project
from workspace.models.jobs import CANCELLED, FAILED
from workspace.web.bind_form import bind_form, project_or_404
from workspace.web.form_page import form_page, press, send
from workspace.web.forms import NothingForm
from workspace.web.views import SignedIn, frame, require, respond, stream

SECTION = "team"
SHOW, PROGRESS = "discussions/judges/show.html", "discussions/judges/_progress.html"


def judge_or_404(person: Person, slug: str, number: int) -> Judge:
    project = project_or_404(person, slug, check_judges)
    found = get_object_or_404(Judge.objects.select_related("created_by"), project=project, number=number)
    found.project = project
    return found


@require("judges", methods=("GET", "POST"))
def judges(request: SignedIn, slug: str) -> HttpResponse:
    project = project_or_404(request.user, slug, check_judges)

    def add(form: JudgeForm) -> str:
        made = runs.add_judge(project=project, plan=form.to_plan(), by=request.user, now=timezone.now())
        return reverse("run_judge", args=[slug, made.number])

    def context() -> dict[str, Any]:
        rows = list(queries.judges_in(project))
        progress = queries.load_progress([row.pk for row in rows])
        admitted = {row.judge_id for row in queries.find_admissions(project)}
        return {
            "rows": [
                (row, progress[row.pk], describe_state(row, is_admitted=row.pk in admitted)) for row in rows
            ],
            **frame(request.user, project, SECTION),
        }

    guideline = queries.load_default_guideline(project)
    initial: dict[str, object] = {"prompt": "\n\n".join(filter(None, (DEFAULT_PROMPT, guideline)))}
    return form_page(
        request, JudgeForm, add, page="discussions/judges/list.html", context=context, initial=initial
    )


@require("judges")
def show_judge(request: SignedIn, slug: str, number: int) -> HttpResponse:
    """Show a judge. While it is asked, the region polls."""
    return _respond(request, judge_or_404(request.user, slug, number))


def _respond(request: SignedIn, row: Judge, form: BaseForm | None = None, status: int = 200) -> HttpResponse:
    """`form` is the one that was refused."""
    progress = queries.load_progress([row.pk])[row.pk]
    admitted = queries.load_admitted(row.project)
    rows = build_rows(queries.load_contracts(row), admitted) if progress.answers else []
    own = [admission for admission in admitted.values() if admission.judge_id == row.pk]
    context = {
        "judge": row,
        "rows": rows,
        "has_acts": bool(own) or any(one.may_admit(row) for one in rows),
        "headline": say_headline(row, rows),
        "counts": say_counts(rows) if rows else "",
        "costs": queries.load_costs(row, progress) if rows else None,
        "gains": _list_gains(row, rows),
        "drift": build_drift(queries.load_drifts(row)) if rows else None,
        "state": describe_state(row, is_admitted=bool(own)),
        "admissions": [describe_admission(one) for one in queries.list_admissions(row)],
        "said": describe_parameters(row.parameters),
        "progress": progress,
        "form": form if isinstance(form, SuspendForm) else SuspendForm(),
        "is_refused": isinstance(form, SuspendForm),
        "refused": form if isinstance(form, PlaceForm) else None,
        "use_refusal": get_refusal(check_use_judge, request.user, row),
        "call_refusal": get_refusal(check_call_judge, request.user, row),
        **_describe_job(row, progress),
        **frame(request.user, row.project, SECTION),
    }
    return respond(request, page=SHOW, region=PROGRESS, context=context, status=status)


def _list_gains(row: Judge, rows: list[ContractRow]) -> list[tuple[str, int, int, int]]:
    """Metric in words, answers of people, as many without the judge, games: where it may make strata."""
    usable = {one.key[0]: one.metric for one in rows if one.contract.use != REFUSED}
    gains = queries.load_gains(row) if usable else {}
    return [(usable[key], *gain) for key, gain in gains.items() if key in usable and gain[1] > gain[0]]


def _describe_job(row: Judge, progress: queries.JudgeProgress) -> dict[str, Any]:
    """How far the prompts of a run are, else the calls; and why they did not get to their end."""
    making, asking = prompts.find_job(row, prompts.MAKE), prompts.find_job(row) if row.is_called else None
    is_making, is_live, bar, error = prompts.is_live(making), prompts.is_live(asking), None, ""
    if making is not None and is_making:
        bar = ProgressBar(_("Prompts are being made"), making.done_count, making.total_count, _("games"))
    elif is_live:
        done = progress.prompts - progress.open
        bar = ProgressBar(_("Answered prompts"), done, progress.prompts, _("prompts"))
    elif making is not None and making.state == FAILED:
        error = making.error
    elif asking is not None and asking.state in (FAILED, CANCELLED) and progress.open:
        stopped = _("The calls were stopped before all were made.")
        error = asking.error if asking.state == FAILED else stopped
    note = worker_note(timezone.now()) if bar else ""
    return {"is_making": is_making, "is_live": is_live, "bar": bar, "error": error, "worker_note": note}


@require("judges", methods=("GET", "POST"), costs="computations")
def run_judge(request: SignedIn, slug: str, number: int) -> HttpResponse:
    """Choose what a judge is asked; where this site may call it, the calls start when the prompts are there."""
    row = judge_or_404(request.user, slug, number)

    def run(form: RunForm) -> str:
        prompts.plan_run(judge=row, plan=form.to_plan(), by=request.user, now=timezone.now())
        return _find_page(row)

    def context() -> dict[str, Any]:
        return {
            "judge": row,
            "refusal": get_refusal(check_use_judge, request.user, row),
            **frame(request.user, row.project, SECTION),
        }

    initial: dict[str, object] = {"games": _offer_games(row.project), "kinds": list(KIND_LABELS)}
    return form_page(
        request, RunForm, run, page="discussions/judges/run.html", context=context, initial=initial
    )


def _offer_games(project: Project) -> str:
    """The numbers of the games that people submitted, as the form takes them."""
    rated = Game.objects.filter(
        project=project, withdrawn_at=None, evaluations__state="submitted", evaluations__purpose="rating"
    )
    return write_numbers(sorted(set(rated.values_list("number", flat=True)))[: prompts.MOST_GAMES])


@require("call_judge", methods=("POST",), costs="computations")
def ask_judge(request: SignedIn, slug: str, number: int) -> HttpResponse:
    row = judge_or_404(request.user, slug, number)
    check_call_judge(request.user, row)
    return press(request, prompts.start_calls, _find_page(row), judge=row)


@require("judges", methods=("POST",))
def stop_judge(request: SignedIn, slug: str, number: int) -> HttpResponse:
    row = judge_or_404(request.user, slug, number)
    return press(request, prompts.stop_calls, _find_page(row), judge=row)


@require("judges", methods=("GET", "POST"))
def judge_answers(request: SignedIn, slug: str, number: int) -> HttpResponse:
    """The next open prompt, and where its answer is pasted."""
    row = judge_or_404(request.user, slug, number)

    def paste(form: PromptAnswerForm) -> str:
        prompts.paste_answer(judge=row, **form.cleaned_data, by=request.user, now=timezone.now())
        return reverse("judge_answers", args=[slug, number])

    def context() -> dict[str, Any]:
        prompt = queries.find_open(row).first()
        return {
            "judge": row,
            "prompt": prompt,
            "text": queries.build_text(prompt) if prompt else "",
            "progress": queries.load_progress([row.pk])[row.pk],
            "refusal": get_refusal(check_use_judge, request.user, row),
            **frame(request.user, row.project, SECTION),
        }

    return form_page(
        request, PromptAnswerForm, paste, page="discussions/judges/answers.html", context=context
    )


@require("judges", methods=("POST",))
def judge_prompts(request: SignedIn, slug: str, number: int) -> HttpResponse:
    row = judge_or_404(request.user, slug, number)
    bind_form(request, NothingForm)
    found = prompts.open_prompts(judge=row, by=request.user)
    lines = (json.dumps(prompt, ensure_ascii=False) + "\n" for prompt in found)
    return stream(lines, f"prompts-{slug}-judge-{number}.jsonl", "application/jsonl")


def may_upload(person: Person, slug: str, number: int) -> bool:
    """Whether the person may give that judge's answers; checked before any file is read."""
    project = Project.objects.visible_to(person).filter(slug=slug).first()
    found = Judge.objects.filter(project=project, number=number).first() if project else None
    return found is not None and may(check_use_judge, person, found)


@require("judges", methods=("GET", "POST"), files=may_upload, costs="uploads")
def upload_judge_answers(request: SignedIn, slug: str, number: int) -> HttpResponse:
    row = judge_or_404(request.user, slug, number)
    check_use_judge(request.user, row)
    keep = partial(prompts.upload_answers, judge=row)
    context = {"judge": row, **frame(request.user, row.project, SECTION)}
    page = "discussions/judges/upload.html"
    return take_file(request, read_lines, keep, to=_find_page(row), page=page, context=context)


def _send(
    request: SignedIn, slug: str, number: int, form_class: type[BaseForm], act: Callable[..., Any]
) -> HttpResponse:
    row = judge_or_404(request.user, slug, number)
    form = bind_form(request, form_class)

    def show(status: int) -> HttpResponse:
        return _respond(request, row, form, status)

    return send(request, form, act, _find_page(row), show=show, judge=row)


@require("judges", methods=("POST",))
def admit_judge(request: SignedIn, slug: str, number: int) -> HttpResponse:
    return _send(request, slug, number, AdmitForm, runs.admit_judge)


@require("judges", methods=("POST",))
def withdraw_admission(request: SignedIn, slug: str, number: int) -> HttpResponse:
    return _send(request, slug, number, PlaceForm, runs.withdraw_admission)


@require("judges", methods=("POST",))
def suspend_judge(request: SignedIn, slug: str, number: int) -> HttpResponse:
    return _send(request, slug, number, SuspendForm, runs.suspend_judge)


@require("judges", methods=("POST",))
def resume_judge(request: SignedIn, slug: str, number: int) -> HttpResponse:
    row = judge_or_404(request.user, slug, number)
    return press(request, runs.resume_judge, _find_page(row), judge=row)


@require("judges", methods=("POST",))
def end_judge(request: SignedIn, slug: str, number: int) -> HttpResponse:
    row = judge_or_404(request.user, slug, number)
    return press(request, runs.end_judge, _find_page(row), judge=row)


def _find_page(row: Judge) -> str:
    return reverse("show_judge", args=[row.project.slug, row.number])
