"""One model and one comparison: the prompt, every answer, and what was read from it."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.db.models import Q
from django.db.models.functions import Length, Substr
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from msgspec import Struct

from rubric.core.records import ABSTAINED, HOLISTIC, UNREADABLE, ReviewRecord, RubricRecord
from rubric.core.response_order import map_labels
from rubric.core.scales import write_number
from rubric.core.scores import round_half_up, score_marks
from rubric.model_reviewers import queries
from rubric.model_reviewers.actions import answers, prompts
from rubric.model_reviewers.core import UNREAD
from rubric.model_reviewers.forms import PasteForm
from rubric.model_reviewers.views.overview import state_word
from rubric.models import Answer, Comparison, Review, ReviewedResponse, Reviewer, ReviewPrompt, WholePrompt
from rubric.models.comparisons import MODEL
from rubric.models.reviews import SUPERSEDED
from rubric.reviews.core.two_calls import WHOLE_PART
from rubric.reviews.pages import ASKING, SetFrame
from rubric.reviews.permissions import check_change_set, check_see_results, check_see_set
from rubric.reviews.queries import build_reviewed_rows
from rubric.reviews.views import SECTION, set_or_404
from rubric.versions.labels import format_mark
from workspace.access.permissions import get_refusal
from workspace.core.limits import LONGEST_COMMENT
from workspace.core.text import shorten
from workspace.models import Person
from workspace.web.form_page import form_page, press
from workspace.web.views import SignedIn, download, frame, only_parameters, require, respond

LONGEST_ANSWER_SHOWN = 20_000
SHOW, PLAIN_TEXT = "rubric/model_reviewers/show.html", "text/plain; charset=utf-8"


@require("see_set")
def model_answer(request: SignedIn, slug: str, number: int, comparison: int, reviewer: int) -> HttpResponse:
    row, model = pair_or_404(request, slug, number, comparison, reviewer)
    context = {"form": PasteForm(), **_build_context(request.user, row, model)}
    return respond(request, page=SHOW, context=context)


@require("change_set", methods=("POST",))
def make_prompt(request: SignedIn, slug: str, number: int, comparison: int, reviewer: int) -> HttpResponse:
    row, model = pair_or_404(request, slug, number, comparison, reviewer)
    check_change_set(request.user, model.set)
    return press(request, prompts.ensure_prompt, _address(row, model), comparison=row, reviewer=model)


@require("change_set", methods=("POST",))
def paste_answer(request: SignedIn, slug: str, number: int, comparison: int, reviewer: int) -> HttpResponse:
    row, model = pair_or_404(request, slug, number, comparison, reviewer)
    check_change_set(request.user, model.set)

    def paste(form: PasteForm) -> str:
        answers.paste_answer(
            comparison=row, reviewer=model, **form.cleaned_data, by=request.user, now=timezone.now()
        )
        return _address(row, model)

    return form_page(
        request, PasteForm, paste, page=SHOW, context=lambda: _build_context(request.user, row, model)
    )


@require("change_set", methods=("POST",))
def ask_again(request: SignedIn, slug: str, number: int, comparison: int, reviewer: int) -> HttpResponse:
    row, model = pair_or_404(request, slug, number, comparison, reviewer)
    check_change_set(request.user, model.set)
    return press(request, prompts.ask_again, _address(row, model), comparison=row, reviewer=model)


@require("see_set")
def prompt_text(request: SignedIn, slug: str, number: int, comparison: int, reviewer: int) -> HttpResponse:
    part = only_parameters(request, "part")["part"]
    row, model = pair_or_404(request, slug, number, comparison, reviewer)
    reviews = Review.objects.filter(comparison=row, reviewer=model).exclude(state=SUPERSEDED)
    prompts: Any = WholePrompt.objects if part == WHOLE_PART else ReviewPrompt.objects
    prompt = prompts.filter(Q(review__in=reviews) | Q(review__readings__in=reviews)).first()
    if prompt is None:
        raise Http404
    name = f"prompt-{slug}-{number}-{comparison}-{reviewer}.txt"
    return download(prompt.text.encode(), name, PLAIN_TEXT)


@require("see_results")
def answer_text(
    request: SignedIn, slug: str, number: int, comparison: int, reviewer: int, came: int
) -> HttpResponse:
    row, model = pair_or_404(request, slug, number, comparison, reviewer)
    check_see_results(request.user, model.set)
    kept = get_object_or_404(Answer, pk=came, review__comparison=row, review__reviewer=model)
    name = f"answer-{slug}-{number}-{comparison}-{reviewer}-{kept.attempt}.txt"
    return download(kept.text.encode(), name, PLAIN_TEXT)


def pair_or_404(
    request: SignedIn, slug: str, number: int, comparison: int, reviewer: int
) -> tuple[Comparison, Reviewer]:
    comparison_set = set_or_404(request.user, slug, number, check_see_set)
    row = get_object_or_404(Comparison, set=comparison_set, number=comparison)
    model = get_object_or_404(Reviewer, set=comparison_set, pk=reviewer, kind=MODEL)
    row.set = model.set = comparison_set
    return row, model


def _build_context(person: Person, row: Comparison, model: Reviewer) -> dict[str, Any]:
    page = build_asked_page(comparison=row, reviewer=model, person=person)
    return {"page": page, "head": page["head"], **frame(person, model.set.project, SECTION)}


def _address(row: Comparison, model: Reviewer) -> str:
    return reverse("model_answer", args=[model.set.project.slug, model.set.number, row.number, model.pk])


_PROMPTS = ("prompt", "whole_prompt", "read_from__prompt", "read_from__whole_prompt")


class CallPart(Struct, frozen=True):
    """One of the prompts that a review is asked with; `is_next` says that its answer can be pasted now."""

    part: str
    title: str
    prompt: ReviewPrompt | WholePrompt
    is_next: bool


def build_asked_page(*, comparison: Comparison, reviewer: Reviewer, person: Person) -> dict[str, Any]:
    """One model and one comparison. `see_refusal` says why answers are not shown yet; the page then holds none.

    Answers have `shown`, the first characters of their text, and its `length`. `labels` maps each label to the
    response's id; an id may name who wrote the response, so it is empty while the person has reviews to submit.
    `reading` is the review that can be read again, 0 without one. Of two answers, `answered` have come and `read` is
    what was found in the first one until both are there; `lost` says which call's answer lacks scores, "" if none does.
    """
    comparison_set = reviewer.set
    rows = Review.objects.filter(comparison=comparison, reviewer=reviewer, round=1).order_by("-pk")
    reviews = list(rows.select_related(*_PROMPTS))
    (asked,) = queries.load_asked(comparison_set, [reviewer], comparisons=[comparison.pk], reviews=reviews)
    head = SetFrame(comparison_set=comparison_set, current=ASKING, person=person)
    live = next((review for review in reviews if review.state != SUPERSEDED), None)
    keys = dict(comparison.responses.values_list("number", "key"))
    source = live.source if live else None
    earlier = [row for row in reviews if row.state == SUPERSEDED and row.read_from is None and row != source]
    may_see = not head.refusal
    texts = _load_answers(reviews) if may_see else {}
    change_refusal = get_refusal(check_change_set, person, comparison_set)
    half = queries.read_halves([asked]).get(asked.review or 0)
    rubric, read = comparison_set.rubric_version.to_record(), None
    if live and may_see and (half or live.mode):
        read = describe_reading(live, keys, rubric, half[0] if half else None)
    calls = _calls(source, asked) if source else []
    lost = _lost(half, calls, asked) if half else ""
    return {
        "head": head,
        "comparison": comparison,
        "reviewer": reviewer,
        "model": queries.get_model_name(reviewer),
        "state": state_word(asked, half),
        "error": asked.error,
        "calls": calls,
        "labels": {label: keys[number] for label, number in map_labels(live.order).items()}
        if live and calls and may_see
        else {},
        "answers": texts.get(source.pk, []) if source else [],
        "reading": live.pk if live and live.mode and may_see and texts.get(live.source.pk) else 0,
        "read": read,
        "earlier": [(row, texts.get(row.pk, [])) for row in earlier if may_see],
        "see_refusal": head.refusal,
        "change_refusal": change_refusal or (_("This model was removed.") if reviewer.ended_at else ""),
        "may_ask_again": asked.review is not None and (not asked.is_waiting or bool(lost)),
        "answered": 1 if asked.is_half else len(calls) if asked.mode or asked.state == UNREAD else 0,
        "lost": lost,
    }


def _lost(half: queries.HalfReview, calls: Sequence[CallPart], asked: queries.AskedComparison) -> str:
    record, missing = half
    if not missing:
        return ""
    sentence = {
        UNREADABLE: _("%(call)s. This answer cannot be read."),
        ABSTAINED: _("%(call)s. The model declined."),
    }.get(record.mode, _("%(call)s. Scores are missing or cannot be read: %(responses)s."))
    call = next(call.title for call in calls if call.part != asked.part)
    return sentence % {"call": call, "responses": ", ".join(missing)}


def _calls(source: Review, asked: queries.AskedComparison) -> list[CallPart]:
    prompt, whole = getattr(source, "prompt", None), getattr(source, "whole_prompt", None)
    if prompt is None:
        return []
    is_open = not asked.mode and asked.state != "unread"
    titles = {WHOLE_PART: _("First call: the holistic score"), queries.MAIN_PART: _("The prompt")}
    titles |= {queries.MAIN_PART: _("Second call: the criteria")} if whole else {}
    return [
        CallPart(part, titles[part], row, is_open and part == asked.part)
        for part, row in [(WHOLE_PART, whole), (queries.MAIN_PART, prompt)]
        if row
    ]


def _load_answers(reviews: Sequence[Review]) -> dict[int, list[Answer]]:
    """The answers of each review, newest first; only the beginnings of long texts are read."""
    rows = (
        Answer.objects.filter(review__in=reviews)
        .select_related("created_by")
        .defer("text")
        .annotate(shown=Substr("text", 1, LONGEST_ANSWER_SHOWN), length=Length("text"))
        .order_by("-attempt")
    )
    by_review: dict[int, list[Answer]] = {}
    for row in rows:
        by_review.setdefault(row.review_id, []).append(row)
    return by_review


def describe_reading(
    review: Review, keys: Mapping[int, str], rubric: RubricRecord, record: ReviewRecord | None = None
) -> dict[str, Any]:
    """What was read of a review; with a `record`, what that would say in place of it."""
    stored = review.reviewed.select_related("response").defer("response__text").order_by("position")
    rows = build_reviewed_rows(review, record, {}) if record else list(stored)
    flags = [flag.message for flag in record.flags] if record else [flag["message"] for flag in review.flags]
    labels = list(map_labels(review.order))
    has_scores = any(row.scores for row in rows)
    return {
        "criteria": [criterion.label for criterion in rubric.criteria] if has_scores else [],
        "lines": [
            _build_line(row, labels[row.position - 1], keys, rubric, has_scores=has_scores) for row in rows
        ],
        "flags": flags,
        "ranking": [_(" and ").join(tied) for tied in (record or review).ranking],
        "has_holistic": any(row.holistic is not None for row in rows),
        "has_reported": any(row.reported_overall is not None for row in rows),
    }


def _build_line(
    row: ReviewedResponse, label: str, keys: Mapping[int, str], rubric: RubricRecord, *, has_scores: bool
) -> dict[str, Any]:
    overall = score_marks(row.scores, rubric).value
    marks = [(criterion.key, row.scores.get(criterion.key)) for criterion in rubric.criteria]
    return {
        "label": label,
        "key": keys[row.response.number],
        "scores": [format_mark(value, key, rubric.scales) for key, value in marks] if has_scores else [],
        "holistic": format_mark(row.holistic, HOLISTIC, rubric.scales),
        "overall": "" if overall is None else str(round_half_up(overall)),
        "reported": "" if row.reported_overall is None else write_number(row.reported_overall),
        "is_incomplete": row.is_incomplete,
        "is_own": row.is_own,
        "notes": shorten(row.notes, LONGEST_COMMENT),
    }
