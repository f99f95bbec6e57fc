"""The parts of the reviewer's page, built from the current state of a review."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from django.utils.translation import gettext as _

from rubric.core.records import HOLISTIC
from rubric.human_reviewers.core import (
    CANNOT,
    LONGEST_ROW,
    RANKING,
    SCORE,
    Order,
    build_record,
    contradicts_scores,
    format_ranking,
    get_label,
    list_keys,
    move_response,
    order_in,
    parse_position,
    parse_ranking,
)
from rubric.human_reviewers.pages.records import (
    CriterionScores,
    MissingLink,
    Ranking,
    RankRow,
    ScoreItem,
    ScoreLine,
    StepTab,
)
from rubric.human_reviewers.queries.reviews import OtherReview, ReviewState
from rubric.reviews.core.panel import compute_rank_numbers
from rubric.versions.labels import format_mark

HOLISTIC_STEP, CRITERIA_STEP, REVIEW_STEP = "whole", "criteria", "review"
MOST_MISSING = 6
MOST_SIDE_BY_SIDE = 4  # columns of 232 px, beside the scores in a window of 1366 px
STEP_BY_KIND = {HOLISTIC: HOLISTIC_STEP, SCORE: CRITERIA_STEP, RANKING: REVIEW_STEP}


@dataclass(frozen=True)
class VisibleReview:
    """A review as its reviewer may see it now. `others` is empty in a first round."""

    work: ReviewState
    is_open: bool
    others: Sequence[OtherReview] = field(default=())

    @cached_property
    def asked(self) -> frozenset[tuple[str, str]]:
        """(kind, subject) of everything that is missing for the submission."""
        return frozenset((step.kind, step.subject) for step in self.work.missing)

    @cached_property
    def others_at(self) -> dict[int, list[OtherReview]]:
        """What others gave, by the position that the response has in this review."""
        order = self.work.review.order
        found: dict[int, list[OtherReview]] = defaultdict(list)
        for other in self.others:
            found[order.index(other.number) + 1].append(other)
        return found

    @cached_property
    def ranking(self) -> Ranking | None:
        """The ranking once all scores are given: the person's own, else the one computed from the scores."""
        return _ranking(self)

    def item(self, kind: str, subject: str) -> ScoreItem:
        mark = self.work.mark(kind, subject)
        place = parse_position(kind, subject)
        criterion = subject.partition(".")[2]
        label = get_label(place)
        what = dict(self.work.sheet.criteria)[criterion] if criterion else _("overall (holistic)")
        is_closed = kind == HOLISTIC and self.work.is_locked
        points = list_keys(self.work.sheet.get_scale(subject))
        return ScoreItem(
            id=item_id(kind, subject),
            kind=kind,
            subject=subject,
            place=place,
            label=label,
            what=_("%(label)s: %(what)s") % {"label": label, "what": what},
            version=mark.version,
            value=mark.value,
            word=self.format_score(subject, mark.value),
            reason=mark.reason,
            needs=(kind, subject) in self.asked,
            is_open=self.is_open and not is_closed,
            others=self._others(place, criterion),
            may_correct=self.is_open and is_closed and not self.work.sheet.is_second,
            first=self._first(kind, subject, mark.value),
            points=points,
            is_row=len(points) <= LONGEST_ROW,
        )

    def format_score(self, subject: str, value: str) -> str:
        """A score in words, with its scale where criteria have their own."""
        if value == CANNOT:
            return _("cannot judge")
        return format_mark(value, subject.partition(".")[2], self.work.sheet.scales)

    def _first(self, kind: str, subject: str, value: str) -> str:
        """The value of the first round, if the second round says something else."""
        if not self.work.sheet.is_second:
            return ""
        first = self.work.started.get((kind, subject), "")
        return "" if first == value else self.format_score(subject, first) or _("no score")

    def _others(self, place: int, criterion: str) -> list[str]:
        """What others gave for a criterion; their holistic scores only where there are no criteria."""
        others = self.others_at[place] if self.others else []
        if criterion:
            return [
                self._given(criterion, other.scores.get(criterion), other.cannot_judge.get(criterion))
                for other in others
            ]
        if self.work.sheet.scores:
            return []
        return [self._given(HOLISTIC, other.holistic, other.cannot_judge.get(HOLISTIC)) for other in others]

    def _given(self, key: str, points: float | None, why: str | None) -> str:
        if points is not None:
            return format_mark(points, key, self.work.sheet.scales)
        return _("cannot judge: %(why)s") % {"why": why} if why else _("no score")


def item_id(kind: str, subject: str) -> str:
    """The DOM id of the thing that is marked."""
    return f"item-{kind}-{subject.replace('.', '-')}" if subject else f"item-{kind}"


def whole(visible: VisibleReview) -> list[ScoreItem]:
    """The holistic scores, if they are asked for."""
    return [visible.item(kind, subject) for kind, subject in visible.work.sheet.holistic]


def are_criteria_open(visible: VisibleReview) -> bool:
    """Whether the criteria are shown: from the beginning, or once every holistic score is given."""
    sheet = visible.work.sheet
    return bool(sheet.scores) and (not sheet.holistic or visible.work.is_locked)


def criteria(visible: VisibleReview) -> list[CriterionScores]:
    """The criteria with their scores; none before they are open, so that they do not shape the first impression."""
    if not are_criteria_open(visible):
        return []
    scales = visible.work.sheet.scales
    return [
        CriterionScores(
            key=criterion.key,
            label=criterion.label,
            description=criterion.description,
            question=criterion.question,
            guiding_questions=criterion.guiding_questions,
            good_examples=criterion.good_examples,
            bad_examples=criterion.bad_examples,
            anchors=list(criterion.anchors.items()),
            items=[visible.item(SCORE, f"{place}.{criterion.key}") for place in visible.work.sheet.places],
            scale=scales[criterion.key].text if scales else "",
        )
        for criterion in visible.work.rubric.criteria
    ]


def _ranking(visible: VisibleReview) -> Ranking | None:
    work = visible.work
    if work.missing:
        return None
    own = work.mark(RANKING, "")
    order = parse_ranking(own.value, work.sheet.count) if own.value else None
    record = build_record(work.sheet, work.values, work.rubric)
    shown = order or order_in(record.ranking)
    numbers = compute_rank_numbers([[str(place) for place in group] for group in shown])
    ranked = [place for group in shown for place in group]
    rest = [place for place in work.sheet.places if place not in ranked]
    return Ranking(
        rows=[_row(visible, shown, place, numbers) for place in ranked + rest],
        value=format_ranking(shown),
        version=own.version,
        is_changed=order is not None,
        contradicts=contradicts_scores(record),
    )


def _row(visible: VisibleReview, order: Order, place: int, numbers: dict[str, int]) -> RankRow:
    group = next((group for group in order if place in group), [])
    rank = str(numbers.get(str(place), "")) + ("=" if len(group) > 1 else "")
    ways = {
        way: move_response(order, place, way) if visible.is_open else None
        for way in ("higher", "lower", "equal")
    }
    values = {way: format_ranking(after) if after else "" for way, after in ways.items()}
    return RankRow(id=f"item-ranking-{place}", place=place, label=get_label(place), rank=rank, **values)


def score_lines(visible: VisibleReview) -> list[ScoreLine]:
    """The scores of each response so far, in the order shown; empty if all responses are side by side."""
    places = visible.work.sheet.places
    return [_line(visible, place) for place in places] if len(places) > MOST_SIDE_BY_SIDE else []


def _line(visible: VisibleReview, place: int) -> ScoreLine:
    sheet = visible.work.sheet
    subjects = [f"{place}.{key}" for key, _label in sheet.criteria] if are_criteria_open(visible) else []
    asked = [(HOLISTIC, str(place)), *((SCORE, subject) for subject in subjects)]
    return ScoreLine(
        place=place,
        whole=_short(visible.work.mark(HOLISTIC, str(place)).value),
        scores=[_short(visible.work.mark(SCORE, subject).value) or "–" for subject in subjects],
        left=len(visible.asked.intersection(asked)),
    )


def _short(value: str) -> str:
    return _("cannot") if value == CANNOT else value


def choose_opened(visible: VisibleReview) -> int:
    """The position of the response that is shown first: the one that lacks the next score, else the first."""
    return next((parse_position(step.kind, step.subject) for step in visible.work.missing), 1)


def progress(visible: VisibleReview) -> tuple[int, int]:
    """How many scores are given, and how many are asked for."""
    sheet = visible.work.sheet
    needed = len(sheet.holistic) + len(sheet.scores)
    return needed - len(visible.work.missing), needed


def steps(visible: VisibleReview) -> list[StepTab]:
    """The steps of this mode, with how far each is."""
    sheet, found = visible.work.sheet, []
    for key, kind, label, asked in (
        (HOLISTIC_STEP, HOLISTIC, _("Holistic"), sheet.holistic),
        (CRITERIA_STEP, SCORE, _("By criterion"), sheet.scores),
    ):
        if asked:
            left = sum(step.kind == kind for step in visible.work.missing)
            count = _("%(done)s of %(all)s") % {"done": len(asked) - left, "all": len(asked)}
            found.append(StepTab(key, label, count, left > 0))
    last = _("not yet") if visible.work.missing else _("ready")
    go = visible.ranking.rows[0].id if visible.ranking else ""
    return [*found, StepTab(REVIEW_STEP, _("Ranking"), last, needs=False, go=go)]


def open_step(visible: VisibleReview, wanted: str) -> str:
    """The step that is shown: the wanted one, else the first step that lacks something or shows what others gave."""
    sheet = visible.work.sheet
    known = {HOLISTIC_STEP: sheet.holistic, CRITERIA_STEP: sheet.scores, REVIEW_STEP: True}
    if known.get(wanted):
        return wanted
    if sheet.is_second and not visible.work.missing:
        return CRITERIA_STEP if sheet.scores else HOLISTIC_STEP
    return STEP_BY_KIND[visible.work.missing[0].kind] if visible.work.missing else REVIEW_STEP


def missing_links(visible: VisibleReview) -> list[MissingLink]:
    """The first few missing things."""
    return [
        MissingLink(step.says, STEP_BY_KIND[step.kind], item_id(step.kind, step.subject))
        for step in visible.work.missing[:MOST_MISSING]
    ]
