"""Read answers: those that the current reader reads differently, and one answer with both readings."""

from copy import copy
from functools import partial
from typing import Any

from django.db.models import Q
from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from rubric.core.records import ABSTAINED, BOTH, HOLISTIC, PARTIAL, RUBRIC, UNREADABLE, ReviewRecord
from rubric.core.response_order import labels
from rubric.core.scales import write_number
from rubric.model_reviewers.actions import answers
from rubric.model_reviewers.forms import CorrectionForm
from rubric.model_reviewers.queries import list_readable, load_answers, parse_answer, reads_otherwise
from rubric.model_reviewers.views.single_answer import describe_reading
from rubric.models import Review
from rubric.models.reviews import SUBMITTED, SUPERSEDED
from rubric.reviews.core.answer_record import READER
from rubric.reviews.pages import ASKING, SetFrame
from rubric.reviews.permissions import check_change_set, check_see_results, check_see_set
from rubric.reviews.views import SECTION, set_or_404
from workspace.access.permissions import get_refusal
from workspace.database.prepared_queries import LARGEST_KEY
from workspace.models import Person
from workspace.web.form_page import form_page, press
from workspace.web.views import SignedIn, frame, require, respond

MOST_LISTED = 200
LONGEST_SHOWN = 20_000
READINGS, READING = "rubric/model_reviewers/readings.html", "rubric/model_reviewers/reading.html"


@require("see_results")
def set_readings(request: SignedIn, slug: str, number: int) -> HttpResponse:
    """List answers that the current reader reads differently, that are unreadable, or that a person corrected."""
    comparison_set = set_or_404(request.user, slug, number, check_see_set)
    check_see_results(request.user, comparison_set)
    rows = [row for review in list_readable(comparison_set) if (row := _compare(review)) is not None]
    context = {
        "head": SetFrame(comparison_set, ASKING, request.user),
        "rows": rows[:MOST_LISTED],
        "more": max(0, len(rows) - MOST_LISTED),
        "changed_count": sum(bool(present) for _review, _stored, present in rows),
        "change_refusal": get_refusal(check_change_set, request.user, comparison_set),
        **frame(request.user, comparison_set.project, SECTION),
    }
    return respond(request, page=READINGS, context=context)


@require("change_set", methods=("POST",), costs="computations")
def reread_answers(request: SignedIn, slug: str, number: int) -> HttpResponse:
    comparison_set = set_or_404(request.user, slug, number, check_change_set)
    to = reverse("set_readings", args=[slug, number])
    return press(request, answers.reread_answers, to, comparison_set=comparison_set)


@require("see_results")
def reading(request: SignedIn, slug: str, number: int, review: int) -> HttpResponse:
    row = _readable_or_404(request, slug, number, review)
    check_see_results(request.user, row.reviewer.set)
    form = CorrectionForm(**_sheet(row), initial=_initial(row))
    return respond(request, page=READING, context={"form": form, **_build_context(request.user, row)})


@require("change_set", methods=("POST",))
def reread_answer(request: SignedIn, slug: str, number: int, review: int) -> HttpResponse:
    row = _readable_or_404(request, slug, number, review)
    check_change_set(request.user, row.reviewer.set)
    return press(request, answers.reread_answer, partial(_reading, slug, number), review=row)


@require("change_set", methods=("POST",))
def correct_reading(request: SignedIn, slug: str, number: int, review: int) -> HttpResponse:
    row = _readable_or_404(request, slug, number, review)
    check_change_set(request.user, row.reviewer.set)

    def correct(form: CorrectionForm) -> str:
        correction = form.to_correction()
        made = answers.correct_reading(review=row, correction=correction, by=request.user, now=timezone.now())
        return _reading(slug, number, made)

    return form_page(
        request,
        CorrectionForm,
        correct,
        page=READING,
        context=lambda: _build_context(request.user, row),
        **_sheet(row),
    )


def _reading(slug: str, number: int, review: Review) -> str:
    return reverse("reading", args=[slug, number, review.pk])


def _readable_or_404(request: SignedIn, slug: str, number: int, review: int) -> Review:
    comparison_set = set_or_404(request.user, slug, number, check_see_set)
    rows = list_readable(comparison_set, states=(SUBMITTED, SUPERSEDED))
    row = get_object_or_404(rows, pk=min(review, LARGEST_KEY))
    row.reviewer.set = row.comparison.set = comparison_set
    return row


def _sheet(row: Review) -> dict[str, Any]:
    held_by = row.reviewer.set
    record = held_by.rubric_version.to_record()
    criteria = {HOLISTIC: _("Holistic")} if held_by.mode in (HOLISTIC, BOTH) else {}
    if held_by.mode != HOLISTIC:
        criteria |= {criterion.key: criterion.label for criterion in record.criteria}
    return {"labels": labels(len(row.order)), "criteria": criteria, "scales": record.scales}


def _initial(row: Review) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for line in row.reviewed.all():
        scores = {**line.scores, **({} if line.holistic is None else {HOLISTIC: line.holistic})}
        values |= {f"s{line.position}-{key}": write_number(score) for key, score in scores.items()}
    ranking = row.reported_ranking or []
    return values | {"ranking": " > ".join(" = ".join(label[-1] for label in place) for place in ranking)}


def _build_context(person: Person, review: Review) -> dict[str, Any]:
    """`present` is the current reader's reading, None if it is the stored one; `answers` are (beginning, is more)."""
    comparison_set = review.reviewer.set
    rubric = comparison_set.rubric_version.to_record()
    keys = dict(review.comparison.responses.values_list("number", "key"))
    texts = [answer.text for _part, answer in sorted(load_answers(review).items(), reverse=True)]
    present = _present(review)
    chain = Review.objects.filter(Q(read_from=review.source_id) | Q(pk=review.source_id))
    return {
        "head": SetFrame(comparison_set, ASKING, person),
        "review": review,
        "answers": [(text[:LONGEST_SHOWN], len(text) > LONGEST_SHOWN) for text in texts],
        "stored": describe_reading(review, keys, rubric),
        "present": describe_reading(review, keys, rubric, present) if present else None,
        "earlier": chain.exclude(pk=review.pk).select_related("corrected_by").order_by("pk"),
        "change_refusal": get_refusal(check_change_set, person, comparison_set),
        **frame(person, comparison_set.project, SECTION),
    }


def name_mode(mode: str) -> str:
    return {
        RUBRIC: _("all criteria scored"),
        PARTIAL: _("some criteria missing"),
        HOLISTIC: _("a holistic score or ranking"),
        ABSTAINED: _("declined"),
        UNREADABLE: _("not readable"),
    }.get(mode, mode)


def _present(review: Review) -> ReviewRecord | None:
    if review.correction:
        bare = copy(review)
        bare.correction = {}
        return parse_answer(bare)
    return parse_answer(review) if review.reader < READER and reads_otherwise(review) else None


def _compare(review: Review) -> tuple[Review, str, str] | None:
    is_changed = reads_otherwise(review)
    if not (is_changed or review.correction or review.mode == UNREADABLE):
        return None
    record = parse_answer(review) if is_changed else None
    return review, name_mode(review.mode), name_mode(record.mode) if record else ""
