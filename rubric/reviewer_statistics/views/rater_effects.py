"""The page of a set's reviewers: severity, straight-lining, halo effect, position bias and self-preference; and of one.

A note is for the lead who coordinates the set. No scores are dropped because of it.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction

from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy
from django.utils.translation import ngettext

from rubric.core.records import HOLISTIC, RubricRecord
from rubric.core.scores import compute_overall, get_weights
from rubric.models import ComparisonSet, Reviewer
from rubric.models.comparisons import PERSON
from rubric.reviewer_statistics.core.figure_kinds import RATER_EFFECTS, RaterEffectFigures
from rubric.reviewer_statistics.core.rater_effects import (
    PositionEffect,
    RaterEffect,
    find_unused,
    group_alike,
    is_flat,
)
from rubric.reviewer_statistics.permissions import check_see_reviewer
from rubric.reviewer_statistics.queries import FIRST_ROUND, load_self_agreement
from rubric.reviewer_statistics.views.figures import load_figures
from rubric.reviews.pages import SetFrame
from rubric.reviews.queries import Reviewed, load_own_numbers, load_reviewed, reviewer_names
from rubric.reviews.views import SECTION, set_or_404
from rubric.versions.labels import format_mark
from workspace.core.text import format_signed
from workspace.core.words import decode_stored
from workspace.display.core.charts import IntervalsChart, interval_plot, symmetric
from workspace.markup import interval_text
from workspace.statistics.labels import figure_row
from workspace.web.bind_form import parse_number
from workspace.web.views import SignedIn, frame, only_parameters, require, respond

# One reviewer's effect, their name, what it rests on, and what it says. The effect of all together has no reviewer.
EffectLine = tuple[RaterEffect, str, str, str]
LEAST_SCALE = 1.0


# By effect: the column heading of its figures, the word for a figure without a note, and the text of a note.
TEXTS: dict[str, dict[str, object]] = {
    "severity": {
        "title": _lazy("Severity"),
        "says": _lazy(
            "How far a reviewer's overalls lie above or below those of the others on the same responses, in points. "
            "Where everybody reviews everything, this changes no ranking."
        ),
        "column": _lazy("Points"),
        "unflagged": _lazy("within chance"),
        "note": _lazy("Worth a look: these scores lie apart from the others'."),
    },
    "flat": {
        "title": _lazy("Straight-lining"),
        "says": _lazy(
            "The share of responses with one number on every criterion, against 10\u00a0% or what the "
            "other reviewers do if "
            "that is more: an exact binomial test, from 8 responses on."
        ),
        "column": _lazy("Share"),
        "unflagged": _lazy("as can be expected"),
        "note": _lazy("Worth a look: more often than can be expected."),
    },
    "halo": {
        "title": _lazy("Halo effect"),
        "says": _lazy(
            "How similar a reviewer's differences from the others are across criteria: near 0 where "
            "each criterion is judged separately, whatever the responses are like. It takes 15 responses."
        ),
        "column": _lazy("Correlation"),
        "unflagged": _lazy("none shown"),
        "note": _lazy("Worth a look: the criteria move together."),
    },
    "position": {
        "title": _lazy("Position bias"),
        "says": _lazy(
            "Points by which a score changes from one position to the next, beyond what the others "
            "gave. Each reviewer sees the responses in a different order."
        ),
        "column": _lazy("Points per position"),
        "unflagged": "",
        "note": _lazy("Worth a look: the position affects the score."),
    },
    "self_preference": {
        "title": _lazy("Self-preference"),
        "says": _lazy(
            "How much more a model gives its own responses than others', beyond what the other reviewers give. Own "
            "responses never count in a ranking. It takes 5 own and 20 other responses."
        ),
        "column": _lazy("Points"),
        "unflagged": _lazy("none shown"),
        "note": _lazy("Worth a look: own responses get more."),
    },
}


@require("see_results")
def set_rater_effects(request: SignedIn, slug: str, number: int) -> HttpResponse:
    """How each reviewer scores; reviewers who are not leads see only their own lines.

    `own` shows leads how far each person, by name, agrees with themselves.
    """
    comparison_set, context, row = load_figures(request, slug, number, RATER_EFFECTS)
    head = context["head"]
    names = reviewer_names(comparison_set, request.user, is_lead=head.may_lead)
    agreements = load_self_agreement(comparison_set) if head.may_lead else []
    context["own"] = [(names[str(line["reviewer"])], line) for line in agreements]
    if row is not None:
        figures: RaterEffectFigures = decode_stored(row.body, RaterEffectFigures)
        visible = set(names)
        if not head.may_lead:
            visible = {str(reviewer.pk) for reviewer in comparison_set.reviewers.filter(person=request.user)}
        sections = [
            (texts | {"key": key}, _list_lines(figures, key, names, visible)) for key, texts in TEXTS.items()
        ]
        context |= {
            "sections": sections,
            "unused": describe_unused(figures.flat) if head.may_lead else "",
            "plot": _plot(figures.severity, names, visible),
            "flag_count": sum(effect.is_flagged for _texts, lines in sections for effect, *_words in lines),
        }
    return respond(
        request,
        page="rubric/reviewer_statistics/rater_effects.html",
        region="rubric/reviewer_statistics/_rater_effects.html",
        context=context,
    )


def describe_unused(flat: Sequence[RaterEffect]) -> str:
    """That the whole panel gives one number on all criteria; "" where it does not, or on fewer than 20 responses."""
    share = find_unused(flat)
    if share is None:
        return ""
    says = _(
        "%(share).0f\u00a0%% of all scored responses have one number on all criteria; honest ones rarely exceed 20 to "
        "37\u00a0%%. The criteria were not used."
    )
    return says % {"share": 100 * share}


def _list_lines(
    figures: RaterEffectFigures, key: str, names: Mapping[str, str], visible: set[str]
) -> list[EffectLine]:
    is_unused = key == "flat" and find_unused(figures.flat) is not None
    unflagged = _("everybody does: the criteria were not used") if is_unused else ""
    return [
        _position_line(effect, names)
        if isinstance(effect, PositionEffect)
        else _line(effect, key, names, unflagged)
        for effect in getattr(figures, key)
        if effect.reviewer in visible | {""}
    ]


def _severity_word(effect: RaterEffect) -> str:
    """The interval behind the flag is widened for the number of reviewers."""
    if effect.value is None or effect.interval is None:
        return _("can't tell")
    if not effect.is_flagged:
        return _("within chance")
    return _("lenient") if effect.value > 0 else _("severe")


def _plot(
    effects: Sequence[RaterEffect], names: Mapping[str, str], visible: set[str]
) -> IntervalsChart | None:
    rows = [
        figure_row(
            names.get(effect.reviewer, effect.reviewer),
            effect,
            format_signed(effect.value),
            says=_severity_word(effect) if effect.reviewer in visible else "",
            tone="wait" if effect.is_flagged and effect.reviewer in visible else "",
        )
        for effect in sorted(effects, key=lambda effect: effect.value or 0)
        if effect.value is not None
    ]
    if not rows:
        return None
    minimum, maximum = symmetric(rows, least=LEAST_SCALE)
    return interval_plot(rows, minimum=minimum, maximum=maximum, reference=0)


def _line(effect: RaterEffect, key: str, names: Mapping[str, str], unflagged: str) -> EffectLine:
    name = names.get(effect.reviewer, effect.reviewer)
    if effect.value is None:
        # The reason starts with the reviewer's key.
        says = _cannot_tell(effect.reason.replace(effect.reviewer, name, 1))
    elif effect.needed is not None and effect.rows < effect.needed:
        says = _cannot_tell(_("it takes %(needed)d responses.") % {"needed": effect.needed})
    elif key == "severity":
        says = _severity_word(effect)
    else:
        says = "" if effect.is_flagged else str(unflagged or TEXTS[key]["unflagged"])
    return (effect, name, _basis(effect) if effect.rows else "", says)


def _basis(effect: RaterEffect) -> str:
    responses = ngettext("%(n)d response", "%(n)d responses", effect.rows) % {"n": effect.rows}
    questions = ngettext("%(n)d question", "%(n)d questions", effect.comparisons) % {"n": effect.comparisons}
    return f"{responses}, {questions}"


def _position_line(position: PositionEffect, names: Mapping[str, str]) -> EffectLine:
    name = names.get(position.reviewer, position.reviewer) if position.reviewer else _("all together")
    slope, ends = position.slope, position.first_less_last
    if slope.value is None:
        return (slope, name, "", _cannot_tell(slope.reason))
    says = _("first position minus last: %(points)s") % {"points": format_signed(ends.value)}
    if ends.interval:
        says = f"{says} ({interval_text(ends.interval)})"
    values = {"sheets": position.sheets, "needed": position.needed or "?"}
    return (slope, name, _("%(sheets)d orders of about %(needed)s needed") % values, says)


def _cannot_tell(reason: str) -> str:
    return _("Can't tell: %(reason)s") % {"reason": reason}


RESPONSES_A_PAGE = 100


class ScoredLine:
    """One response that the reviewer scored: the marks as they were given, "" where one is missing.

    `overall` is None if it is incomplete, `others` are the overalls of the other reviewers.
    """

    def __init__(
        self, reviewed: Reviewed, record: RubricRecord, overall: Fraction | None, others: list[Fraction]
    ) -> None:
        self.reviewed, self.overall = reviewed, overall
        scales, keys = record.scales, [criterion.key for criterion in record.criteria]
        self.scores = [format_mark(reviewed.scores.get(key), key, scales) for key in keys]
        self.holistic = format_mark(reviewed.holistic, HOLISTIC, scales)
        self.mean = sum(others, Fraction()) / len(others) if others else None
        self.difference = None if overall is None or self.mean is None else float(overall - self.mean)
        is_complete = all(key in reviewed.scores for key in keys)
        self.is_flat = is_complete and is_flat(reviewed.scores, group_alike(keys, scales))


@require("see_reviewer")
def set_reviewer(request: SignedIn, slug: str, number: int, reviewer: int) -> HttpResponse:
    """The reviewer's first-round reviews, `RESPONSES_A_PAGE` responses from `first` to `last` of `count`."""
    start = parse_number(only_parameters(request, "from")["from"]) or 1
    comparison_set = set_or_404(request.user, slug, number)
    row = get_object_or_404(Reviewer, pk=reviewer, set=comparison_set)
    check_see_reviewer(request.user, comparison_set, row)
    record = comparison_set.rubric_version.to_record()
    lines, count = _scored_lines(comparison_set, row, record, start)
    if start > max(1, count):
        raise Http404
    head = SetFrame(comparison_set, "set_reviewers", request.user)
    # Gaps in these numbers would reveal to a reviewer which comparisons were hidden duplicates.
    is_told = head.may_lead and row.kind == PERSON
    context = {
        "head": head,
        "reviewer": row,
        "criteria": record.criteria,
        "lines": lines,
        "own_numbers": load_own_numbers(row.pk) if is_told else None,
        "count": count,
        "first": start,
        "last": start + len(lines) - 1,
        "previous": max(1, start - RESPONSES_A_PAGE) if start > 1 else 0,
        "has_scales": bool(record.scales),
        **frame(request.user, comparison_set.project, SECTION),
    }
    return respond(request, page="rubric/reviewer_statistics/reviewer.html", context=context)


def _scored_lines(
    comparison_set: ComparisonSet, reviewer: Reviewer, record: RubricRecord, start: int
) -> tuple[list[ScoredLine], int]:
    shares = get_weights(record)
    everything = load_reviewed(comparison_set, round_number=FIRST_ROUND)
    overalls = {id(review): compute_overall(review.common, shares) for review in everything}
    complete = {key: overall.value for key, overall in overalls.items() if not overall.is_incomplete}
    others: dict[tuple[int, int], list[Fraction]] = {}
    for review in everything:
        value = complete.get(id(review))
        if review.reviewer != reviewer.pk and not review.is_own and value is not None:
            others.setdefault((review.comparison, review.response), []).append(value)
    own = [review for review in everything if review.reviewer == reviewer.pk]
    lines = [
        ScoredLine(
            review, record, complete.get(id(review)), others.get((review.comparison, review.response), [])
        )
        for review in own[start - 1 : start - 1 + RESPONSES_A_PAGE]
    ]
    return lines, len(own)
