"""One model and one comparison: the prompt, every answer as it came, and what was read from it."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from fractions import Fraction

from django.db.models.functions import Length, Substr
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from msgspec import Struct

from rubric.core.records import RubricRecord
from rubric.core.response_order import map_labels
from rubric.core.scores import compute_overall, get_weights, round_half_up
from rubric.core.weights import decimal_text, exact
from rubric.model_reviewers.pages.overview import StateWord, cost_text, state_word
from rubric.model_reviewers.queries import get_model_name, load_asked, may_call
from rubric.models import Answer, Comparison, Review, ReviewedResponse, Reviewer, ReviewPrompt
from rubric.models.reviews import FETCHED, PASTED, SUPERSEDED, UPLOADED
from rubric.sets.pages import ASKING, SetFrame, build_set_frame
from rubric.sets.permissions import check_change_set
from workspace.access.permissions import get_refusal
from workspace.core.limits import LONGEST_COMMENT
from workspace.core.text import shorten
from workspace.models import Person

LONGEST_PROMPT_SHOWN = 400_000


LONGEST_ANSWER_SHOWN = 20_000


SOURCES = {
    PASTED: gettext_lazy("pasted"),
    UPLOADED: gettext_lazy("uploaded"),
    FETCHED: gettext_lazy("fetched by a call"),
}


class PromptPart(Struct, frozen=True):
    """The stored prompt. `text` is "" when it is too long for a page; `labels` leads from label to response's id.

    An id may name who wrote the response, so there are no labels for who has reviews of the set to hand in.
    """

    text: str
    length: str
    sha256: str
    at: datetime
    labels: list[tuple[str, str]]


class CameLine(Struct, frozen=True):
    """One answer as it came: its first characters, how many more there are, and what the call says."""

    id: int
    attempt: int
    source: str
    model: str
    text: str
    more: int
    at: datetime
    by: str
    seconds: str
    finish_reason: str
    prompt_tokens: int | None
    answer_tokens: int | None
    cost: str
    error: str


class ReadLine(Struct, frozen=True):
    """What was read about one response. Figures are "" where there is none."""

    label: str
    key: str
    scores: list[str]
    holistic: str
    overall: str
    reported: str
    is_incomplete: bool
    is_own: bool
    notes: str


class ReadPart(Struct, frozen=True):
    """What was read from the answer: the criteria's names, a line for each response, remarks, the ranking by places."""

    criteria: list[str]
    lines: list[ReadLine]
    flags: list[str]
    ranking: list[str]
    has_holistic: bool
    has_reported: bool


class SupersededReview(Struct, frozen=True):
    """A review that was superseded, with what had come for it."""

    begun_at: datetime
    mode: str
    came: list[CameLine]


class AskedPage(Struct, frozen=True):
    """One model and one comparison. `see_refusal` says why answers are not shown yet; nothing of them is here then."""

    head: SetFrame
    comparison: int
    question: str
    reviewer: int
    name: str
    model: str
    said: StateWord
    error: str
    prompt: PromptPart | None
    came: list[CameLine]
    read: ReadPart | None
    earlier: list[SupersededReview]
    see_refusal: str
    change_refusal: str
    may_paste: bool
    may_ask_again: bool
    is_called: bool


def build_asked_page(*, comparison: Comparison, reviewer: Reviewer, person: Person) -> AskedPage:
    """The page of a model and a comparison of the same set, fetched with its project and rubric."""
    comparison_set = reviewer.set
    rows = Review.objects.filter(comparison=comparison, reviewer=reviewer, round=1).order_by("-pk")
    reviews = list(rows.select_related("prompt"))
    (asked,) = load_asked(comparison_set, [reviewer], comparisons=[comparison.pk], reviews=reviews)
    head = build_set_frame(comparison_set=comparison_set, current=ASKING, person=person)
    live = next((review for review in reviews if review.state != SUPERSEDED), None)
    keys = dict(comparison.responses.values_list("number", "key"))
    prompt = getattr(live, "prompt", None)
    may_see = not head.refusal
    came = _came(reviews) if may_see else {}
    change_refusal = get_refusal(check_change_set, person, comparison_set)
    is_open = asked.is_waiting or asked.review is None
    return AskedPage(
        head=head,
        comparison=comparison.number,
        question=comparison.question,
        reviewer=reviewer.pk,
        name=reviewer.name,
        model=get_model_name(reviewer),
        said=state_word(asked),
        error=asked.error,
        prompt=_prompt(prompt, live, keys if may_see else {}) if prompt and live else None,
        came=came.get(live.pk, []) if live else [],
        read=_read(live, keys, comparison_set.rubric_version.to_record())
        if live and live.mode and may_see
        else None,
        earlier=[
            SupersededReview(review.created_at, review.mode, came.get(review.pk, []))
            for review in reviews
            if review.state == SUPERSEDED and may_see
        ],
        see_refusal=head.refusal,
        change_refusal=change_refusal or (_("This model was taken out.") if reviewer.ended_at else ""),
        may_paste=prompt is not None and not asked.mode and asked.state != "unread",
        may_ask_again=not is_open,
        is_called=may_call(reviewer),
    )


def _prompt(prompt: ReviewPrompt, review: Review, keys: Mapping[int, str]) -> PromptPart:
    return PromptPart(
        text=prompt.text if len(prompt.text) <= LONGEST_PROMPT_SHOWN else "",
        length=f"{len(prompt.text):,}",
        sha256=prompt.sha256,
        at=prompt.created_at,
        labels=[(label, keys[number]) for label, number in map_labels(review.order).items() if keys],
    )


def _came(reviews: Sequence[Review]) -> dict[int, list[CameLine]]:
    """Everything that came for these reviews, newest first; only the beginnings of long texts are read."""
    rows = (
        Answer.objects.filter(review__in=reviews)
        .select_related("created_by")
        .defer("text")
        .annotate(shown=Substr("text", 1, LONGEST_ANSWER_SHOWN), length=Length("text"))
        .order_by("-attempt")
    )
    found: dict[int, list[CameLine]] = {}
    for row in rows:
        found.setdefault(row.review_id, []).append(_came_line(row))
    return found


def _came_line(row: Answer) -> CameLine:
    shown = row.shown  # type: ignore[attr-defined]
    return CameLine(
        id=row.pk,
        attempt=row.attempt,
        source=str(SOURCES[row.source]),
        model=row.model,
        text=shown,
        more=row.length - len(shown),  # type: ignore[attr-defined]
        at=row.created_at,
        by=row.created_by.name,
        seconds="" if row.took_ms is None else f"{row.took_ms / 1000:.1f}",
        finish_reason=row.finish_reason,
        prompt_tokens=row.prompt_tokens,
        answer_tokens=row.answer_tokens,
        cost=cost_text(row.cost_usd),
        error=row.error,
    )


def _read(review: Review, keys: Mapping[int, str], rubric: RubricRecord) -> ReadPart:
    shares = get_weights(rubric)
    rows = list(review.reviewed.select_related("response").defer("response__text").order_by("position"))
    labels = list(map_labels(review.order))
    has_scores = any(row.scores for row in rows)
    return ReadPart(
        criteria=[criterion.label for criterion in rubric.criteria] if has_scores else [],
        lines=[_line(row, labels[row.position - 1], keys, shares, has_scores=has_scores) for row in rows],
        flags=[str(flag["message"]) for flag in review.flags],
        ranking=[_(" and ").join(place) for place in review.ranking],
        has_holistic=any(row.holistic is not None for row in rows),
        has_reported=any(row.reported_overall is not None for row in rows),
    )


def _line(
    row: ReviewedResponse,
    label: str,
    keys: Mapping[int, str],
    shares: Mapping[str, Fraction],
    *,
    has_scores: bool,
) -> ReadLine:
    overall = compute_overall(row.scores, shares).value
    return ReadLine(
        label=label,
        key=keys[row.response.number],
        scores=[_figure(row.scores.get(key)) for key in shares] if has_scores else [],
        holistic=_figure(row.holistic),
        overall="" if overall is None else str(round_half_up(overall)),
        reported=_figure(row.reported_overall),
        is_incomplete=row.is_incomplete,
        is_own=row.is_own,
        notes=shorten(row.notes, LONGEST_COMMENT),
    )


def _figure(value: float | None) -> str:
    return "" if value is None else decimal_text(exact(value))
