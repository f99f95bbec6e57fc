"""The reviews behind what is said of one reviewer: every response scored in the first round, beside the others."""

from collections.abc import Mapping
from fractions import Fraction

from django.utils.translation import gettext as _
from msgspec import Struct

from rubric.core.scores import compute_overall, get_weights
from rubric.models import ComparisonSet, Reviewer
from rubric.reviewer_statistics.queries import FIRST_ROUND
from rubric.reviews.queries import Reviewed, load_reviewed
from rubric.sets.pages import SetFrame, build_set_frame
from workspace.models import Person
from workspace.statistics.labels import format_signed, number

RESPONSES_A_PAGE = 100


class ScoredLine(Struct, frozen=True):
    """One response that the reviewer scored. `apart` is the overall less the mean of the others' overalls."""

    comparison: int
    response: int
    review: int
    position: int
    scores: list[str]
    overall: str
    holistic: str
    others: str
    apart: str
    says: str


class ReviewerPage(Struct, frozen=True):
    """One reviewer's first-round reviews, `RESPONSES_A_PAGE` responses from `start` on."""

    head: SetFrame
    reviewer: int
    name: str
    criteria: list[str]
    lines: list[ScoredLine]
    count: int
    previous: int | None
    next: int | None
    says: str


def build_reviewer_page(
    *, comparison_set: ComparisonSet, reviewer: Reviewer, person: Person, start: int = 1
) -> ReviewerPage:
    """The page of a set fetched with its project and rubric."""
    record = comparison_set.rubric_version.to_record()
    shares = get_weights(record)
    everything = load_reviewed(comparison_set, round_number=FIRST_ROUND)
    overalls = {id(review): compute_overall(review.scores, shares) for review in everything}
    complete = {key: found.value for key, found in overalls.items() if not found.is_incomplete}
    others: dict[tuple[int, int], list[Fraction]] = {}
    for review in everything:
        value = complete.get(id(review))
        if review.reviewer != reviewer.pk and not review.is_own and value is not None:
            others.setdefault((review.comparison, review.response), []).append(value)
    own = [review for review in everything if review.reviewer == reviewer.pk]
    shown = own[start - 1 : start - 1 + RESPONSES_A_PAGE]
    last = start + len(shown) - 1
    return ReviewerPage(
        head=build_set_frame(comparison_set=comparison_set, current="set_manners", person=person),
        reviewer=reviewer.pk,
        name=reviewer.name,
        criteria=[criterion.label for criterion in record.criteria],
        lines=[_line(review, list(shares), complete.get(id(review)), others) for review in shown],
        count=len(own),
        previous=max(1, start - RESPONSES_A_PAGE) if start > 1 else None,
        next=last + 1 if last < len(own) else None,
        says=_("%(first)d to %(last)d of %(count)d") % {"first": start, "last": last, "count": len(own)},
    )


def _line(
    found: Reviewed,
    keys: list[str],
    overall: Fraction | None,
    others: Mapping[tuple[int, int], list[Fraction]],
) -> ScoredLine:
    given = others.get((found.comparison, found.response), [])
    mean = sum(given, Fraction()) / len(given) if given else None
    apart = None if overall is None or mean is None else float(overall - mean)
    scores = [found.scores.get(key) for key in keys]
    is_flat = len(keys) > 1 and None not in scores and len(set(scores)) == 1
    said = [_("own response")] if found.is_own else []
    said += [_("the same score throughout")] if is_flat else []
    return ScoredLine(
        comparison=found.comparison,
        response=found.response,
        review=found.review,
        position=found.position,
        scores=["–" if score is None else f"{score:.4g}" for score in scores],
        overall=number(None if overall is None else float(overall)) or "–",
        holistic="–" if found.holistic is None else f"{found.holistic:.4g}",
        others=number(None if mean is None else float(mean)) or "–",
        apart=format_signed(apart) or "–",
        says=", ".join(said),
    )
