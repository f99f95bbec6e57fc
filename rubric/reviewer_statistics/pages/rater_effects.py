"""The page of a set's reviewers: who is harsh or generous, who does not use the criteria, what place and author do.

Whatever is marked is a note to whoever coordinates; nobody's scores are dropped for it.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy
from msgspec import Struct

from rubric.models import ComparisonSet
from rubric.reviewer_statistics.core.figure_kinds import RATER_EFFECTS, RaterEffectFigures
from rubric.reviewer_statistics.core.position import PositionEffect
from rubric.reviewer_statistics.core.rater_effects import RaterEffect
from rubric.reviewer_statistics.pages.state import FiguresState, build_state
from rubric.reviewer_statistics.pages.success import counted_basis
from rubric.sets.pages import SetFrame, build_set_frame
from rubric.sets.queries import reviewer_names
from workspace.display.core.charts import IntervalRow, IntervalsChart, interval_plot, symmetric
from workspace.models import Person
from workspace.statistics.estimates import Interval
from workspace.statistics.labels import format_signed, interval_text, number, p_text
from workspace.stored_statistics.pages import decode_body

LEAST_SCALE = 1.0


# Of each section the key, the title, what it is about, and what its column is called.
TEXTS = [
    (
        "severity",
        _lazy("Harsh and generous"),
        _lazy(
            "How far a reviewer's overalls lie above or below those of the others on the same responses, in points. "
            "Where everybody reviews everything, this changes no ranking."
        ),
        _lazy("Points"),
    ),
    (
        "flat",
        _lazy("The same score throughout"),
        _lazy(
            "The share of responses with one number on every criterion, against 10 % or what the other reviewers do if "
            "that is more: an exact binomial test, from 8 responses on."
        ),
        _lazy("Share"),
    ),
    (
        "halo",
        _lazy("One impression over all criteria"),
        _lazy(
            "How alike a reviewer's differences from the others are across criteria: near 0 where each criterion is "
            "judged by itself, whatever the responses are like. It takes 15 responses."
        ),
        _lazy("Correlation"),
    ),
    (
        "position",
        _lazy("The place at which a response is seen"),
        _lazy(
            "Points by which a score changes from one place to the next, beyond what the others gave. Responses are "
            "dealt to every reviewer in an order of their own."
        ),
        _lazy("Points a place"),
    ),
    (
        "self_preference",
        _lazy("Own responses"),
        _lazy(
            "How much more a model gives its own responses than others', beyond what the other reviewers give. Own "
            "responses never count in a ranking. It takes 5 own and 20 other responses."
        ),
        _lazy("Points"),
    ),
]


class RaterEffectLine(Struct, frozen=True):
    """One reviewer's figure. `key` opens the reviews behind it, "" for all reviewers together; `note` is amber."""

    key: str
    name: str
    figure: str
    interval: str
    p: str
    basis: str
    says: str
    note: str


class RaterEffectSection(Struct, frozen=True):
    """One figure about every reviewer: what it is, what its column is called, and a line for each."""

    key: str
    title: str
    says: str
    column: str
    lines: list[RaterEffectLine]


class RaterEffectsPage(Struct, frozen=True):
    """The page; without figures `sections` are empty. `flag_count` counts notes, `plot` shows severity."""

    head: SetFrame
    state: FiguresState
    sections: list[RaterEffectSection]
    plot: IntervalsChart | None
    flag_count: int


class _Said(Struct, frozen=True):
    """How one manner is put into words."""

    figure: Callable[[RaterEffect], str]
    interval: Callable[[RaterEffect], str]
    says: Callable[[RaterEffect], str]
    note: object


def build_rater_effects_page(
    *, comparison_set: ComparisonSet, person: Person, now: datetime
) -> RaterEffectsPage:
    """The page of a set fetched with its project and rubric; who is no lead sees lines on oneself alone."""
    head = build_set_frame(comparison_set=comparison_set, current="set_manners", person=person)
    state, row = build_state(comparison_set=comparison_set, kind=RATER_EFFECTS, now=now)
    if row is None:
        return RaterEffectsPage(head, state, [], None, 0)
    figures = decode_body(row, RaterEffectFigures)
    names = reviewer_names(comparison_set, person, is_lead=head.may_lead)
    opens = set(names)
    if not head.may_lead:
        opens = {str(effect.pk) for effect in comparison_set.reviewers.filter(person=person)}
    sections = _sections(figures, names, opens | {""})
    flagged = sum(bool(line.note) for section in sections for line in section.lines)
    return RaterEffectsPage(head, state, sections, _plot(figures.severity, names, opens), flagged)


def severity_says(found: RaterEffect) -> str:
    """Harsh or generous in a word, where the interval that is widened for many reviewers leaves 0 out."""
    if found.value is None or found.interval is None:
        return _("cannot tell")
    if not found.is_flagged:
        return _("within chance")
    return _("generous") if found.value > 0 else _("harsh")


def _plot(found: Sequence[RaterEffect], names: Mapping[str, str], opens: set[str]) -> IntervalsChart | None:
    rows = [
        IntervalRow(
            label=names.get(effect.reviewer, effect.reviewer),
            value=effect.value,
            text=format_signed(effect.value),
            low=effect.interval[0] if effect.interval else None,
            high=effect.interval[1] if effect.interval else None,
            says=severity_says(effect) if effect.reviewer in opens else "",
            tone="wait" if effect.is_flagged and effect.reviewer in opens else "",
        )
        for effect in sorted(found, key=lambda effect: effect.value or 0)
        if effect.value is not None
    ]
    if not rows:
        return None
    minimum, maximum = symmetric(rows, least=LEAST_SCALE)
    return interval_plot(rows, minimum=minimum, maximum=maximum, reference=0)


def _sections(
    figures: RaterEffectFigures, names: Mapping[str, str], opens: set[str]
) -> list[RaterEffectSection]:
    said = {
        "severity": (figures.severity, _SEVERITY),
        "flat": (figures.flat, _FLAT),
        "halo": (figures.halo, _HALO),
        "self_preference": (figures.self_preference, _OWN),
    }
    found = {
        key: [_line(effect, words, names) for effect in manners if effect.reviewer in opens]
        for key, (manners, words) in said.items()
    }
    found["position"] = [_position(effect, names) for effect in figures.position if effect.reviewer in opens]
    return [
        RaterEffectSection(key, str(title), str(says), str(column), found[key])
        for key, title, says, column in TEXTS
    ]


_SEVERITY = _Said(
    figure=lambda effect: format_signed(effect.value),
    interval=lambda effect: interval_text(effect.interval),
    says=severity_says,
    note=_lazy("Worth a look: these scores lie apart from the others'."),
)


_FLAT = _Said(
    figure=lambda effect: _("%(n)s %%") % {"n": number(100 * (effect.value or 0), 0)},
    interval=lambda effect: _percent(effect.interval),
    says=lambda effect: "" if effect.is_flagged else _("as can be expected"),
    note=_lazy("Worth a look: more often than can be expected."),
)


_HALO = _Said(
    figure=lambda effect: format_signed(effect.value),
    interval=lambda effect: "",
    says=lambda effect: "" if effect.is_flagged else _("none shown"),
    note=_lazy("Worth a look: the criteria move together."),
)


_OWN = _Said(
    figure=lambda effect: format_signed(effect.value),
    interval=lambda effect: "",
    says=lambda effect: "" if effect.is_flagged else _("none shown"),
    note=_lazy("Worth a look: own responses get more."),
)


def _percent(interval: Interval | None) -> str:
    if interval is None:
        return ""
    low, high = (number(100 * end, 0) for end in interval)
    return _("%(low)s to %(high)s %%") % {"low": low, "high": high}


def _line(found: RaterEffect, said: _Said, names: Mapping[str, str]) -> RaterEffectLine:
    name = names.get(found.reviewer, found.reviewer)
    if found.value is None:
        # The core names a reviewer by the key, which stands in its sentence once.
        reason = found.reason.replace(found.reviewer, name, 1)
        return RaterEffectLine(found.reviewer, name, "", "", "", _basis(found), cannot_tell(reason), "")
    return RaterEffectLine(
        key=found.reviewer,
        name=name,
        figure=said.figure(found),
        interval=said.interval(found),
        p=p_text(found.p),
        basis=_basis(found),
        says=_too_few(found) or said.says(found),
        note=str(said.note) if found.is_flagged else "",
    )


def _position(found: PositionEffect, names: Mapping[str, str]) -> RaterEffectLine:
    name = names.get(found.reviewer, found.reviewer) if found.reviewer else _("all together")
    slope, ends = found.slope, found.first_less_last
    if slope.value is None:
        return RaterEffectLine(found.reviewer, name, "", "", "", "", cannot_tell(slope.reason), "")
    first = _("first place less last: %(points)s") % {"points": format_signed(ends.value)}
    if ends.interval:
        first = f"{first} ({interval_text(ends.interval)})"
    sheets = _("%(sheets)d orders of about %(needed)s needed") % {
        "sheets": found.sheets, "needed": found.needed or "?",
    }  # fmt: skip
    return RaterEffectLine(
        key=found.reviewer,
        name=name,
        figure=format_signed(slope.value),
        interval="",
        p=p_text(slope.p),
        basis=sheets,
        says=first,
        note=_("Worth a look: the place moves the score.") if slope.is_flagged else "",
    )


def _too_few(found: RaterEffect) -> str:
    if found.needed is None or found.rows >= found.needed:
        return ""
    return cannot_tell(_("it takes %(needed)d responses.") % {"needed": found.needed})


def cannot_tell(reason: str) -> str:
    """That a figure cannot be told, and why."""
    return _("Cannot tell: %(reason)s") % {"reason": reason}


def _basis(found: RaterEffect) -> str:
    return counted_basis(found.rows, found.comparisons) if found.rows else ""
