"""The reviewer's page, and the part of it that the response to one act updates.

Hides authors, keys, lengths and weights, and in round 1 other reviews: no record has a field for them.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any

from django.utils.translation import gettext as _
from msgspec import Struct

from rubric.core.records import HOLISTIC
from rubric.core.scores import rank_values, round_half_up, score_marks
from rubric.core.weights import exact
from rubric.human_reviewers import core
from rubric.human_reviewers.permissions import check_review
from rubric.human_reviewers.queries.reviews import ReviewState, load_other_reviews
from rubric.models import MarkRevision, Response
from rubric.models.reviews import CALIBRATION
from rubric.reviews.core.panel import compute_rank_numbers
from rubric.reviews.queries import load_own_numbers
from rubric.versions.labels import format_mark
from workspace.access.permissions import get_refusal
from workspace.models import Person
from workspace.people.labels import keys_of

HOLISTIC_STEP, CRITERIA_STEP, REVIEW_STEP = "whole", "criteria", "review"
MOST_MISSING = 6
MOST_SIDE_BY_SIDE = 4  # columns of 232 px, beside the scores in a window of 1366 px


class ScoreItem(Struct, frozen=True):
    """One score that is asked for: of the response at `place`, as a whole or by a criterion.

    `word` is the value as it is shown. `is_open` says whether it can be changed now; `others` are what others gave.
    `may_correct` says that only a slip can be corrected; `first` is the first round's value if the second round changed
    it. `points` are the scores to choose from, each with its key; `is_row` says that they are a row of buttons.
    """

    id: str
    kind: str
    subject: str
    place: int
    label: str
    what: str
    version: int
    value: str
    word: str
    reason: str
    needs: bool
    is_open: bool
    others: list[str]
    may_correct: bool = False
    first: str = ""
    points: list[tuple[str, str]] = []
    is_row: bool = True


class CriterionScores(Struct, frozen=True):
    """One criterion with what it asks and a score for every response; `scale` is its own in words, "" for 1 to 10.

    `spans` says how many scores each anchor heads, if the anchors cover the row of scores in its order; else [].
    """

    key: str
    label: str
    description: str
    question: str
    guiding_questions: list[str]
    good_examples: list[str]
    bad_examples: list[str]
    anchors: list[tuple[str, str]]
    items: list[ScoreItem]
    scale: str = ""
    spans: list[int] = []

    @property
    def step(self) -> str:
        return get_step(core.SCORE, f"0.{self.key}")


class ShownResponse(Struct, frozen=True):
    """One response as its reviewer sees it, with the notes on it and, in round 2, those of others."""

    place: int
    label: str
    text: str
    notes: str
    version: int
    others: list[str]


@dataclass(frozen=True)
class VisibleReview:
    """A review as its reviewer may see it now. `others` is empty in a first round."""

    work: ReviewState
    closed_because: str
    others: Sequence[core.FirstRoundScores] = field(default=())

    @property
    def is_open(self) -> bool:
        return not self.closed_because

    @cached_property
    def asked(self) -> frozenset[tuple[str, str]]:
        """(kind, subject) of everything that is missing for the submission."""
        return frozenset((step.kind, step.subject) for step in self.work.missing)

    @cached_property
    def others_at(self) -> dict[int, list[core.FirstRoundScores]]:
        """What others gave, by the position that the response has in this review."""
        order = self.work.review.order
        others: dict[int, list[core.FirstRoundScores]] = defaultdict(list)
        for other in self.others:
            others[order.index(other.number) + 1].append(other)
        return others

    @cached_property
    def ranking(self) -> dict[str, Any] | None:
        """The ranking once all scores are given: the person's own, else the one computed from the scores.

        `value` is the value of its mark; a row has the values of the buttons that move it, "" if it cannot move there.
        """
        work = self.work
        if work.missing:
            return None
        own = work.mark(core.RANKING, "")
        order = core.parse_ranking(own.value, work.sheet.count) if own.value else None
        record = core.build_record(work.sheet, work.values, work.rubric)
        groups = order or core.order_in(record.ranking)
        numbers = compute_rank_numbers([[str(place) for place in group] for group in groups])
        ranked = [place for group in groups for place in group]
        rest = [place for place in work.sheet.places if place not in ranked]
        return {
            "rows": [self._rank_row(groups, place, numbers) for place in ranked + rest],
            "value": core.format_ranking(groups),
            "version": own.version,
            "is_changed": order is not None,
            "contradicts": core.contradicts_scores(record),
        }

    def _rank_row(self, order: core.Order, place: int, numbers: dict[str, int]) -> dict[str, Any]:
        group = next((group for group in order if place in group), [])
        rank = str(numbers.get(str(place), "")) + ("=" if len(group) > 1 else "")
        row = {"id": f"item-ranking-{place}", "place": place, "label": core.get_label(place), "rank": rank}
        for way in ("higher", "lower", "equal"):
            after = core.move_response(order, place, way) if self.is_open else None
            row[way] = core.format_ranking(after) if after else ""
        return row

    def item(self, kind: str, subject: str) -> ScoreItem:
        mark = self.work.mark(kind, subject)
        place = core.parse_position(kind, subject)
        criterion = subject.partition(".")[2]
        label = core.get_label(place)
        what = dict(self.work.sheet.criteria)[criterion] if criterion else _("overall (holistic)")
        is_closed = kind == HOLISTIC and self.work.is_locked
        points = core.list_keys(self.work.sheet.get_scale(subject))
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
            is_row=len(points) <= core.LONGEST_ROW,
        )

    def format_score(self, subject: str, value: str) -> str:
        if value == core.CANNOT:
            return _("cannot judge")
        return format_mark(value, subject.partition(".")[2], self.work.sheet.scales)

    def _say_first(self, kind: str, subject: str, value: str) -> str:
        if not self.work.sheet.is_second:
            return ""
        first = self.work.started.get((kind, subject), "")
        return "" if first == value else self.format_score(subject, first) or _("no score")

    def _say_others(self, place: int, criterion: str) -> list[str]:
        """What others gave for a criterion; their holistic scores only where there are no criteria."""
        if not self.others or (self.work.sheet.scores and not criterion):
            return []
        words, key = [], criterion or HOLISTIC
        for other in self.others_at[place]:
            points, why = other.scores.get(key) if criterion else other.holistic, other.cannot_judge.get(key)
            if points is not None:
                words.append(format_mark(points, key, self.work.sheet.scales))
            else:
                words.append(_("cannot judge: %(why)s") % {"why": why} if why else _("no score"))
        return words

    def whole(self) -> list[ScoreItem]:
        return [self.item(kind, subject) for kind, subject in self.work.sheet.holistic]

    def are_criteria_open(self) -> bool:
        """Whether the criteria are shown: from the beginning, or once every holistic score is given."""
        sheet = self.work.sheet
        return bool(sheet.scores) and (not sheet.holistic or self.work.is_locked)

    def criteria(self) -> list[CriterionScores]:
        """The criteria with their scores; none before they are open, so that they do not shape the first impression."""
        if not self.are_criteria_open():
            return []
        scales = self.work.sheet.scales
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
                items=[self.item(core.SCORE, f"{place}.{criterion.key}") for place in self.work.sheet.places],
                scale=scales[criterion.key].text if scales else "",
                spans=core.find_spans([*criterion.anchors], self.work.sheet.get_scale(f"0.{criterion.key}")),
            )
            for criterion in self.work.rubric.criteria
        ]

    def score_lines(self) -> list[dict[str, Any]]:
        """The scores of each response so far, in the order shown; empty if all responses are side by side.

        `whole` is "" without a score, `left` counts the missing scores among those asked for now.
        """
        sheet = self.work.sheet
        if len(sheet.places) <= MOST_SIDE_BY_SIDE:
            return []

        def say(kind: str, subject: str) -> str:
            value = self.work.mark(kind, subject).value
            return _("cannot") if value == core.CANNOT else value

        lines, keys = [], [key for key, _label in sheet.criteria] if self.are_criteria_open() else []
        for place in sheet.places:
            subjects = [f"{place}.{key}" for key in keys]
            asked = [(HOLISTIC, str(place)), *((core.SCORE, subject) for subject in subjects)]
            scores = [say(core.SCORE, subject) or "–" for subject in subjects]
            left = len(self.asked.intersection(asked))
            lines.append({"place": place, "whole": say(HOLISTIC, str(place)), "scores": scores, "left": left})
        return lines

    def choose_opened(self) -> int:
        return next((core.parse_position(step.kind, step.subject) for step in self.work.missing), 1)

    def progress(self) -> tuple[int, int]:
        sheet = self.work.sheet
        needed = len(sheet.holistic) + len(sheet.scores)
        return needed - len(self.work.missing), needed

    def so_far(self) -> dict[str, Any] | None:
        """The ranking by the criteria of which every response has a score; None before the first, or of many responses.

        `x` is the percentage of the common scale at which the overall lies.
        """
        work, places = self.work, self.work.sheet.places
        given = {place: core.read_scores(work.sheet, work.values, place) for place in places}
        asked = [
            each for each in work.rubric.criteria if all(each.key in scores for scores in given.values())
        ]
        if not asked or len(places) > MOST_SIDE_BY_SIDE:
            return None
        kept = {place: {each.key: given[place][each.key] for each in asked} for place in places}
        means = {str(place): score_marks(kept[place], work.rubric).value or 1 for place in places}
        ranks = compute_rank_numbers(rank_values(means))
        rows = [
            {
                "letter": core.get_label(place).rpartition(" ")[2],
                "rank": ranks[place],
                "overall": str(round_half_up(exact(means[place]), 1)),
                "x": float(means[place] - 1) / 0.09,
                "scores": [work.values[core.SCORE, f"{place}.{each.key}"] for each in asked],
            }
            for place in sorted(means, key=lambda place: -means[place])
        ]
        return {"labels": [each.label for each in asked], "rows": rows}

    def steps(self) -> list[dict[str, Any]]:
        """The holistic scores, each criterion once the criteria are open, and the ranking."""
        sheet, names = self.work.sheet, dict(self.work.sheet.criteria)
        asked = {HOLISTIC_STEP: sheet.holistic} if sheet.holistic else {}
        for kind, subject in sheet.scores:
            step = get_step(kind, subject) if self.are_criteria_open() else CRITERIA_STEP
            asked.setdefault(step, []).append((kind, subject))
        labels = {get_step(core.SCORE, f"0.{key}"): label for key, label in names.items()}
        labels |= {HOLISTIC_STEP: _("Overall"), CRITERIA_STEP: _("Criteria")}
        tabs = []
        for key, subjects in asked.items():
            left = len(self.asked.intersection(subjects))
            count = _("%(done)s of %(all)s") % {"done": len(subjects) - left, "all": len(subjects)}
            tabs.append({"key": key, "label": labels[key], "count": count, "is_done": not left, "go": ""})
        last = _("not yet") if self.work.missing else _("ready")
        go = self.ranking["rows"][0]["id"] if self.ranking else ""
        return [*tabs, {"key": REVIEW_STEP, "label": _("Ranking"), "count": last, "is_done": False, "go": go}]

    def open_step(self, wanted: str) -> str:
        """The wanted step, else the first one that lacks something or shows what others gave."""
        keys = [step["key"] for step in self.steps()]
        if wanted in keys:
            return wanted
        if self.work.sheet.is_second and not self.work.missing:
            return keys[1] if keys[0] == HOLISTIC_STEP and len(keys) > 2 else keys[0]
        first = next(iter(self.work.missing), None)
        return get_step(first.kind, first.subject) if first else REVIEW_STEP


def get_step(kind: str, subject: str) -> str:
    return {HOLISTIC: HOLISTIC_STEP, core.RANKING: REVIEW_STEP}.get(kind) or f"by-{subject.partition('.')[2]}"


def item_id(kind: str, subject: str) -> str:
    return f"item-{kind}-{subject.replace('.', '-')}" if subject else f"item-{kind}"


def see_review(work: ReviewState, person: Person) -> VisibleReview:
    return VisibleReview(
        work, get_refusal(check_review, person, work.review), load_other_reviews(work.review)
    )


class ActOutcome(Struct, frozen=True):
    """The outcome of an act: saved, in conflict, or refused.

    `is_new` says that it was stored now and is not a repeated request, `is_undo` that it undid another act,
    `is_elsewhere` that the value was not typed into its own field, which the response then updates.
    """

    kind: str = ""
    subject: str = ""
    saved_at: datetime | None = None
    conflict: Mapping[str, Any] | None = None
    refusal: str = ""
    is_new: bool = False
    is_undo: bool = False
    is_elsewhere: bool = False


def review_page(*, work: ReviewState, nonce: str, step: str, person: Person) -> dict[str, Any]:
    """The whole page of a draft, in a fixed number of queries for any comparison.

    `nonce` is the part of every key that changes with every page load. `lines` is filled if there are too many
    responses to show side by side: then only the text at `opened` is shown, and the others are lines with their
    letters and scores. A small screen shows the responses first if the page `begins_with_responses`.
    """
    review, visible = work.review, see_review(work, person)
    newest = MarkRevision.objects.filter(mark__review=review).order_by("-pk").first()
    texts = dict(Response.objects.filter(comparison=review.comparison_id).values_list("number", "text"))
    return {
        **_shared(visible, nonce, step, newest.created_at if newest else None),
        "number": load_own_numbers(review.reviewer_id)[review.pk],
        "whole": visible.whole(),
        "criteria": visible.criteria(),
        "opened": visible.choose_opened(),
        "question": review.comparison.question,
        "responses": [
            _show_response(visible, place, texts[number])
            for place, number in enumerate(review.order, start=1)
        ],
        "begins_with_responses": not (step or visible.progress()[0]),
        "single_keys": person.has_single_keys,
        "key": keys_of(person.keys),
    }


def review_answer(
    *, work: ReviewState, nonce: str, step: str, done: ActOutcome, person: Person
) -> tuple[dict[str, Any], dict[str, Any]]:
    """What the response to an act draws of the page, and which regions it updates besides status, steps and ranking."""
    visible = see_review(work, person)
    changed = NOTHING_CHANGED | {"refusal": done.refusal} | _changed(visible, done)
    # The last act can be undone, unless it was the last score before the criteria opened.
    is_undoable = done.is_new and not done.is_undo and not (done.kind == HOLISTIC and work.is_locked)
    page = {
        **_shared(visible, nonce, step, done.saved_at, is_undoable=is_undoable and visible.is_open),
        "key": keys_of(person.keys),
        "whole": visible.whole() if HOLISTIC_STEP in changed["steps"] else [],
        "criteria": visible.criteria() if CRITERIA_STEP in changed["steps"] else [],
    }
    return page, changed


def _shared(
    visible: VisibleReview, nonce: str, step: str, saved_at: datetime | None, *, is_undoable: bool = False
) -> dict[str, Any]:
    work = visible.work
    done, needed = visible.progress()
    return {
        "review_id": work.review.pk,
        "nonce": nonce,
        "is_calibration": work.review.purpose == CALIBRATION,
        "set_name": work.review.reviewer.set.name,
        "project_name": work.review.reviewer.set.project.name,
        "round": work.review.round,
        "step": visible.open_step(step),
        "is_open": visible.is_open,
        "closed_because": visible.closed_because,
        "saved_at": saved_at,
        "done": done,
        "needed": needed,
        "steps": visible.steps(),
        "is_locked": work.is_locked,
        "has_criteria": bool(work.sheet.scores),
        "waiting_count": sum(step.kind == HOLISTIC for step in work.missing),
        "ranking": visible.ranking,
        "missing": [
            {
                "says": step.says,
                "step": get_step(step.kind, step.subject),
                "item_id": item_id(step.kind, step.subject),
            }
            for step in work.missing[:MOST_MISSING]
        ],
        "more_missing": max(len(work.missing) - MOST_MISSING, 0),
        "can_undo": is_undoable or (visible.is_open and work.undoable().exists()),
        "lines": visible.score_lines(),
        "so_far": visible.so_far(),
        "undo_key": f"{nonce}:undo:{work.review.version}",
    }


def _show_response(visible: VisibleReview, place: int, text: str = "") -> ShownResponse:
    mark = visible.work.mark(core.NOTES, str(place))
    notes = [other.notes for other in visible.others_at[place] if other.notes] if visible.others else []
    return ShownResponse(place, core.get_label(place), text, mark.value, mark.version, notes)


# `kept_notes` stay in their fields: a text that is being typed, of which only the version is updated.
NOTHING_CHANGED: dict[str, Any] = {"scores": [], "steps": [], "notes": [], "kept_notes": [], "conflict": None}


def _changed(visible: VisibleReview, done: ActOutcome) -> dict[str, Any]:
    """The regions that an act of this kind changes. A refused act may name something that does not exist."""
    sheet = visible.work.sheet
    conflict = _conflict(visible, done.conflict) if done.conflict else None
    if not done.kind or core.find_mark_fault(sheet, done.kind, done.subject, None):
        return {}
    changed: dict[str, Any] = {"conflict": conflict}
    if done.kind == core.NOTES:
        is_whole = done.is_undo or done.is_elsewhere or conflict is not None
        changed["notes" if is_whole else "kept_notes"] = [_show_response(visible, int(done.subject))]
    elif done.kind == HOLISTIC and sheet.scores and visible.work.is_locked:
        changed["steps"] = [HOLISTIC_STEP, CRITERIA_STEP]
    elif done.kind == HOLISTIC or (done.kind != core.RANKING and visible.are_criteria_open()):
        changed["scores"] = [visible.item(done.kind, done.subject)]
    return changed


def _conflict(visible: VisibleReview, detail: Mapping[str, Any]) -> dict[str, Any]:
    """What was sent, what is stored, and what posting one's own version again would send."""
    kind, subject = detail["kind"], detail["subject"]
    yours = detail["stored"] if detail["yours"] is None else detail["yours"]
    is_text = kind == core.NOTES
    return {
        "item_id": choose_anchor(kind, subject),
        "kind": kind,
        "subject": subject,
        "version": detail["version"],
        "yours": _in_words(visible, kind, subject, yours),
        "yours_value": "" if is_text else yours,
        "yours_text": yours if is_text else detail["yours_reason"],
        "stored": _in_words(visible, kind, subject, detail["stored"]),
        "stored_at": detail["stored_at"],
    }


def _in_words(visible: VisibleReview, kind: str, subject: str, value: str) -> str:
    if not value:
        return _("nothing")
    if kind == core.RANKING:  # such as "B, then A and C"
        groups = [
            _(" and ").join(core.get_label(place).rpartition(" ")[2] for place in group.split("="))
            for group in value.split(">")
        ]
        return _(", then ").join(groups)
    return visible.format_score(subject, value) if kind in (HOLISTIC, core.SCORE) else value


def choose_anchor(kind: str, subject: str) -> str:
    if kind == core.NOTES:
        return f"note-{subject}"
    if kind == core.RANKING:
        return f"step-{REVIEW_STEP}"
    return item_id(kind, subject)
