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
        others: dict[int, list[OtherReview]] = defaultdict(list)
        for other in self.others:
            others[order.index(other.number) + 1].append(other)
        return others

    @cached_property
    def ranking(self) -> Ranking | None:
        """The ranking once all scores are given: the person's own, else the one computed from the scores."""
        work = self.work
        if work.missing:
            return None
        own = work.mark(RANKING, "")
        order = parse_ranking(own.value, work.sheet.count) if own.value else None
        record = build_record(work.sheet, work.values, work.rubric)
        groups = order or order_in(record.ranking)
        numbers = compute_rank_numbers([[str(place) for place in group] for group in groups])
        ranked = [place for group in groups for place in group]
        rest = [place for place in work.sheet.places if place not in ranked]
        return Ranking(
            rows=[self._rank_row(groups, place, numbers) for place in ranked + rest],
            value=format_ranking(groups),
            version=own.version,
            is_changed=order is not None,
            contradicts=contradicts_scores(record),
        )

    def _rank_row(self, order: Order, place: int, numbers: dict[str, int]) -> RankRow:
        group = next((group for group in order if place in group), [])
        rank = str(numbers.get(str(place), "")) + ("=" if len(group) > 1 else "")
        ways: dict[str, str] = {}
        for way in ("higher", "lower", "equal"):
            after = move_response(order, place, way) if self.is_open else None
            ways[way] = format_ranking(after) if after else ""
        return RankRow(id=f"item-ranking-{place}", place=place, label=get_label(place), rank=rank, **ways)

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
            others=self._say_others(place, criterion),
            may_correct=self.is_open and is_closed and not self.work.sheet.is_second,
            first=self._say_first(kind, subject, mark.value),
            points=points,
            is_row=len(points) <= LONGEST_ROW,
        )

    def format_score(self, subject: str, value: str) -> str:
        """A score in words, with its scale where criteria have their own."""
        if value == CANNOT:
            return _("cannot judge")
        return format_mark(value, subject.partition(".")[2], self.work.sheet.scales)

    def _say_first(self, kind: str, subject: str, value: str) -> str:
        """The value of the first round, if the second round says something else."""
        if not self.work.sheet.is_second:
            return ""
        first = self.work.started.get((kind, subject), "")
        return "" if first == value else self.format_score(subject, first) or _("no score")

    def _say_others(self, place: int, criterion: str) -> list[str]:
        """What others gave for a criterion; their holistic scores only where there are no criteria."""
        if not self.others or (self.work.sheet.scores and not criterion):
            return []
        said, key = [], criterion or HOLISTIC
        for other in self.others_at[place]:
            points, why = other.scores.get(key) if criterion else other.holistic, other.cannot_judge.get(key)
            if points is not None:
                said.append(format_mark(points, key, self.work.sheet.scales))
            else:
                said.append(_("cannot judge: %(why)s") % {"why": why} if why else _("no score"))
        return said


def item_id(kind: str, subject: str) -> str:
    return f"item-{kind}-{subject.replace('.', '-')}" if subject else f"item-{kind}"


def whole(visible: VisibleReview) -> list[ScoreItem]:
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


def score_lines(visible: VisibleReview) -> list[ScoreLine]:
    """The scores of each response so far, in the order shown; empty if all responses are side by side."""
    sheet = visible.work.sheet
    if len(sheet.places) <= MOST_SIDE_BY_SIDE:
        return []

    def say(kind: str, subject: str) -> str:
        value = visible.work.mark(kind, subject).value
        return _("cannot") if value == CANNOT else value

    lines, keys = [], [key for key, _label in sheet.criteria] if are_criteria_open(visible) else []
    for place in sheet.places:
        subjects = [f"{place}.{key}" for key in keys]
        asked = [(HOLISTIC, str(place)), *((SCORE, subject) for subject in subjects)]
        scores = [say(SCORE, subject) or "–" for subject in subjects]
        left = len(visible.asked.intersection(asked))
        lines.append(ScoreLine(place=place, whole=say(HOLISTIC, str(place)), scores=scores, left=left))
    return lines


def choose_opened(visible: VisibleReview) -> int:
    """The position of the response that is shown first: the one that lacks the next score, else the first."""
    return next((parse_position(step.kind, step.subject) for step in visible.work.missing), 1)


def progress(visible: VisibleReview) -> tuple[int, int]:
    sheet = visible.work.sheet
    needed = len(sheet.holistic) + len(sheet.scores)
    return needed - len(visible.work.missing), needed


def steps(visible: VisibleReview) -> list[StepTab]:
    sheet, tabs = visible.work.sheet, []
    for key, kind, label, asked in (
        (HOLISTIC_STEP, HOLISTIC, _("Holistic"), sheet.holistic),
        (CRITERIA_STEP, SCORE, _("By criterion"), sheet.scores),
    ):
        if asked:
            left = sum(step.kind == kind for step in visible.work.missing)
            count = _("%(done)s of %(all)s") % {"done": len(asked) - left, "all": len(asked)}
            tabs.append(StepTab(key, label, count, left > 0))
    last = _("not yet") if visible.work.missing else _("ready")
    go = visible.ranking.rows[0].id if visible.ranking else ""
    return [*tabs, StepTab(REVIEW_STEP, _("Ranking"), last, needs=False, go=go)]


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
    return [
        MissingLink(step.says, STEP_BY_KIND[step.kind], item_id(step.kind, step.subject))
        for step in visible.work.missing[:MOST_MISSING]
    ]
