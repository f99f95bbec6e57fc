"""One model and one comparison: the prompt, every answer, and what was read from it."""

from collections.abc import Mapping, Sequence
from fractions import Fraction

from django.db.models.functions import Length, Substr
from django.utils.translation import gettext as _
from msgspec import Struct

from rubric.core.records import RubricRecord
from rubric.core.response_order import map_labels
from rubric.core.scores import compute_overall, get_weights, round_half_up
from rubric.core.weights import decimal_text, exact
from rubric.model_reviewers.pages.overview import StateWord, state_word
from rubric.model_reviewers.queries import get_model_name, load_asked
from rubric.models import Answer, Comparison, Review, ReviewedResponse, Reviewer, ReviewPrompt
from rubric.models.reviews import SUPERSEDED
from rubric.sets.pages import ASKING, SetFrame, build_set_frame
from rubric.sets.permissions import check_change_set
from workspace.access.permissions import get_refusal
from workspace.core.limits import LONGEST_COMMENT
from workspace.core.text import shorten
from workspace.models import Person

LONGEST_ANSWER_SHOWN = 20_000


class ReadLine(Struct, frozen=True):
    """The part of a review about one response. Missing figures are ""."""

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
    """What was read from the answer: labels of criteria, a line for each response, remarks, the ranking."""

    criteria: list[str]
    lines: list[ReadLine]
    flags: list[str]
    ranking: list[str]
    has_holistic: bool
    has_reported: bool


class SupersededReview(Struct, frozen=True):
    """A review that was superseded, with its answers."""

    review: Review
    answers: list[Answer]


class AskedPage(Struct, frozen=True):
    """One model and one comparison. `see_refusal` says why answers are not shown yet; the page then holds none.

    Answers have `shown`, the first characters of their text, and its `length`. `labels` leads from label to the
    response's id; an id may name who wrote the response, so it is empty as long as the person has reviews to submit.
    """

    head: SetFrame
    comparison: Comparison
    reviewer: Reviewer
    model: str
    state: StateWord
    error: str
    prompt: ReviewPrompt | None
    labels: dict[str, str]
    answers: list[Answer]
    read: ReadPart | None
    earlier: list[SupersededReview]
    see_refusal: str
    change_refusal: str
    may_paste: bool
    may_ask_again: bool


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
    answers = _answers(reviews) if may_see else {}
    change_refusal = get_refusal(check_change_set, person, comparison_set)
    read = None
    if live and live.mode and may_see:
        read = _read(live, keys, comparison_set.rubric_version.to_record())
    return AskedPage(
        head=head,
        comparison=comparison,
        reviewer=reviewer,
        model=get_model_name(reviewer),
        state=state_word(asked),
        error=asked.error,
        prompt=prompt,
        labels={label: keys[number] for label, number in map_labels(live.order).items()}
        if live and prompt and may_see
        else {},
        answers=answers.get(live.pk, []) if live else [],
        read=read,
        earlier=[
            SupersededReview(review, answers.get(review.pk, []))
            for review in reviews
            if review.state == SUPERSEDED and may_see
        ],
        see_refusal=head.refusal,
        change_refusal=change_refusal or (_("This model was taken out.") if reviewer.ended_at else ""),
        may_paste=prompt is not None and not asked.mode and asked.state != "unread",
        may_ask_again=not asked.is_waiting and asked.review is not None,
    )


def _answers(reviews: Sequence[Review]) -> dict[int, list[Answer]]:
    """The answers of each review, newest first; only the beginnings of long texts are read."""
    rows = (
        Answer.objects.filter(review__in=reviews)
        .select_related("created_by")
        .defer("text")
        .annotate(shown=Substr("text", 1, LONGEST_ANSWER_SHOWN), length=Length("text"))
        .order_by("-attempt")
    )
    found: dict[int, list[Answer]] = {}
    for row in rows:
        found.setdefault(row.review_id, []).append(row)
    return found


def _read(review: Review, keys: Mapping[int, str], rubric: RubricRecord) -> ReadPart:
    weights = get_weights(rubric)
    rows = list(review.reviewed.select_related("response").defer("response__text").order_by("position"))
    labels = list(map_labels(review.order))
    has_scores = any(row.scores for row in rows)
    return ReadPart(
        criteria=[criterion.label for criterion in rubric.criteria] if has_scores else [],
        lines=[_line(row, labels[row.position - 1], keys, weights, has_scores=has_scores) for row in rows],
        flags=[str(flag["message"]) for flag in review.flags],
        ranking=[_(" and ").join(tied) for tied in review.ranking],
        has_holistic=any(row.holistic is not None for row in rows),
        has_reported=any(row.reported_overall is not None for row in rows),
    )


def _line(
    row: ReviewedResponse,
    label: str,
    keys: Mapping[int, str],
    weights: Mapping[str, Fraction],
    *,
    has_scores: bool,
) -> ReadLine:
    overall = compute_overall(row.scores, weights).value
    return ReadLine(
        label=label,
        key=keys[row.response.number],
        scores=[_figure(row.scores.get(key)) for key in weights] if has_scores else [],
        holistic=_figure(row.holistic),
        overall="" if overall is None else str(round_half_up(overall)),
        reported=_figure(row.reported_overall),
        is_incomplete=row.is_incomplete,
        is_own=row.is_own,
        notes=shorten(row.notes, LONGEST_COMMENT),
    )


def _figure(value: float | None) -> str:
    return "" if value is None else decimal_text(exact(value))
