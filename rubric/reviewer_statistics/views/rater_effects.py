"""The page of a set's reviewers: severity, straight-lining, halo effect, position bias and self-preference.

A note is for the lead who coordinates the set. No scores are dropped because of it.
"""

from collections.abc import Mapping, Sequence

from django.http import HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy
from django.utils.translation import ngettext
from msgspec import Struct

from rubric.reviewer_statistics.core.figure_kinds import RATER_EFFECTS, RaterEffectFigures
from rubric.reviewer_statistics.core.position import PositionEffect
from rubric.reviewer_statistics.core.rater_effects import RaterEffect
from rubric.reviewer_statistics.queries import load_self_agreement
from rubric.reviewer_statistics.views.state import get_results_set, load_figures
from rubric.sets.queries import reviewer_names
from workspace.display.core.charts import IntervalRow, IntervalsChart, interval_plot, symmetric
from workspace.statistics.labels import format_signed, interval_text
from workspace.stored_statistics.pages import decode_body
from workspace.web.require import SignedIn, require
from workspace.web.respond import respond

# One reviewer's effect, their name, what it rests on, and what it says. The effect of all together has no reviewer.
EffectLine = tuple[RaterEffect, str, str, str]
LEAST_SCALE = 1.0


class EffectTexts(Struct, frozen=True):
    """The words about one rater effect.

    `column` is the column heading of its figures, `unflagged` the word for a figure without a note, `note` the text of
    a note.
    """

    key: str
    title: object
    says: object
    column: object
    unflagged: object
    note: object


TEXTS = [
    EffectTexts(
        "severity",
        _lazy("Severity"),
        _lazy(
            "How far a reviewer's overalls lie above or below those of the others on the same responses, in points. "
            "Where everybody reviews everything, this changes no ranking."
        ),
        _lazy("Points"),
        _lazy("within chance"),
        _lazy("Worth a look: these scores lie apart from the others'."),
    ),
    EffectTexts(
        "flat",
        _lazy("Straight-lining"),
        _lazy(
            "The share of responses with one number on every criterion, against 10\u00a0% or what the "
            "other reviewers do if "
            "that is more: an exact binomial test, from 8 responses on."
        ),
        _lazy("Share"),
        _lazy("as can be expected"),
        _lazy("Worth a look: more often than can be expected."),
    ),
    EffectTexts(
        "halo",
        _lazy("Halo effect"),
        _lazy(
            "How similar a reviewer's differences from the others are across criteria: near 0 where "
            "each criterion is judged separately, whatever the responses are like. It takes 15 responses."
        ),
        _lazy("Correlation"),
        _lazy("none shown"),
        _lazy("Worth a look: the criteria move together."),
    ),
    EffectTexts(
        "position",
        _lazy("Position bias"),
        _lazy(
            "Points by which a score changes from one position to the next, beyond what the others "
            "gave. Each reviewer sees the responses in a different order."
        ),
        _lazy("Points per position"),
        "",
        _lazy("Worth a look: the position affects the score."),
    ),
    EffectTexts(
        "self_preference",
        _lazy("Self-preference"),
        _lazy(
            "How much more a model gives its own responses than others', beyond what the other reviewers give. Own "
            "responses never count in a ranking. It takes 5 own and 20 other responses."
        ),
        _lazy("Points"),
        _lazy("none shown"),
        _lazy("Worth a look: own responses get more."),
    ),
]


@require("see_results")
def set_rater_effects(request: SignedIn, slug: str, number: int) -> HttpResponse:
    """How each reviewer scores; reviewers who are not leads see only their own lines.

    `own` shows leads how far each person, by name, agrees with themselves.
    """
    comparison_set = get_results_set(request, slug, number)
    head, context, row = load_figures(request, comparison_set, RATER_EFFECTS)
    names = reviewer_names(comparison_set, request.user, is_lead=head.may_lead)
    agreements = load_self_agreement(comparison_set) if head.may_lead else []
    context["own"] = [(names[str(line.reviewer)], line) for line in agreements]
    if row is not None:
        figures: RaterEffectFigures = decode_body(row, RaterEffectFigures)
        visible = set(names)
        if not head.may_lead:
            visible = {str(reviewer.pk) for reviewer in comparison_set.reviewers.filter(person=request.user)}
        sections = [(texts, _list_lines(figures, texts, names, visible)) for texts in TEXTS]
        context |= {
            "sections": sections,
            "plot": _plot(figures.severity, names, visible),
            "flag_count": sum(effect.is_flagged for _texts, lines in sections for effect, *_words in lines),
        }
    return respond(
        request,
        page="rubric/reviewer_statistics/rater_effects.html",
        region="rubric/reviewer_statistics/_rater_effects.html",
        context=context,
    )


def _list_lines(
    figures: RaterEffectFigures, texts: EffectTexts, names: Mapping[str, str], visible: set[str]
) -> list[EffectLine]:
    return [
        _position_line(effect, names) if isinstance(effect, PositionEffect) else _line(effect, texts, names)
        for effect in getattr(figures, texts.key)
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
        IntervalRow(
            label=names.get(effect.reviewer, effect.reviewer),
            value=effect.value,
            text=format_signed(effect.value),
            low=effect.interval[0] if effect.interval else None,
            high=effect.interval[1] if effect.interval else None,
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


def _line(effect: RaterEffect, texts: EffectTexts, names: Mapping[str, str]) -> EffectLine:
    name = names.get(effect.reviewer, effect.reviewer)
    if effect.value is None:
        # The reason starts with the reviewer's key.
        says = _cannot_tell(effect.reason.replace(effect.reviewer, name, 1))
    elif effect.needed is not None and effect.rows < effect.needed:
        says = _cannot_tell(_("it takes %(needed)d responses.") % {"needed": effect.needed})
    elif texts.key == "severity":
        says = _severity_word(effect)
    else:
        says = "" if effect.is_flagged else str(texts.unflagged)
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
