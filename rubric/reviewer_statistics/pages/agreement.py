"""The page of agreement: how far reviewers agree on each criterion, the overall and the score as a whole."""

from collections.abc import Mapping
from datetime import datetime

from django.utils.translation import gettext as _
from msgspec import Struct

from rubric.core.records import RubricRecord
from rubric.models import ComparisonSet
from rubric.reviewer_statistics.core.agreement import OVERALL, AgreedOn, ReviewerPair
from rubric.reviewer_statistics.core.figure_kinds import AGREEMENT, AgreementFigures
from rubric.reviewer_statistics.pages.state import FiguresState, build_state, why_not
from rubric.sets.pages import SetFrame, build_set_frame
from rubric.sets.queries import reviewer_names
from workspace.display.core.charts import IntervalsChart
from workspace.models import Person
from workspace.statistics.conclusions import Figure
from workspace.statistics.estimates import Agreement
from workspace.statistics.labels import (
    PLACES,
    agreement_plot,
    format_signed,
    interval_text,
    list_undefined,
    number,
)
from workspace.stored_statistics.pages import decode_body

MOST_PAIRS = 100


class AgreedLine(Struct, frozen=True):
    """Agreement on one kind of score, in words and figures; `reasons` say what is undefined and why."""

    label: str
    alpha: str
    interval: str
    ac2: str
    icc: str
    w: str
    spread: str
    items: int
    pairs: int
    reasons: list[str]


class PairLine(Struct, frozen=True):
    """Two reviewers beside each other."""

    first: str
    second: str
    responses: int
    alpha: str
    interval: str
    tau: str
    apart: str
    distance: str
    reason: str


class AgreementPage(Struct, frozen=True):
    """The page; `pairs` are those that agree least first, `more_pairs` those that are not shown."""

    head: SetFrame
    state: FiguresState
    plot: IntervalsChart | None
    lines: list[AgreedLine]
    pairs: list[PairLine]
    more_pairs: int
    pairs_on: str


def build_agreement_page(*, comparison_set: ComparisonSet, person: Person, now: datetime) -> AgreementPage:
    """The page of a set fetched with its project and rubric; names of others are for leads."""
    head = build_set_frame(comparison_set=comparison_set, current="set_agreement", person=person)
    state, row = build_state(comparison_set=comparison_set, kind=AGREEMENT, now=now)
    if row is None:
        return AgreementPage(head, state, None, [], [], 0, "")
    report = decode_body(row, AgreementFigures).report
    record = comparison_set.rubric_version.to_record()
    names = reviewer_names(comparison_set, person, is_lead=head.may_lead)
    pairs = sorted(report.pairs, key=lambda pair: 2.0 if pair.alpha.value is None else pair.alpha.value)
    return AgreementPage(
        head=head,
        state=state,
        plot=agreement_plot(
            [(get_score_label(line.part, line.key, record), line.alpha, None) for line in report.lines]
        ),
        lines=[_line(line, record) for line in report.lines],
        pairs=[_pair(pair, names) for pair in pairs[:MOST_PAIRS]],
        more_pairs=max(0, len(pairs) - MOST_PAIRS),
        pairs_on=_("overall") if report.pairs_on == OVERALL else _("score as a whole"),
    )


def get_score_label(part: str, key: str, record: RubricRecord) -> str:
    """What a kind of score is called: the criterion's label, or overall and score as a whole."""
    if part == OVERALL:
        return _("Weighted overall")
    return record.criterion(key).label if key else _("Score as a whole")


def _line(found: AgreedOn, record: RubricRecord) -> AgreedLine:
    label = get_score_label(found.part, found.key, record)
    parts: list[tuple[str, Agreement | Figure]] = [
        ("alpha", found.alpha),
        ("AC2", found.ac2),
        ("ICC(2,1)", found.icc),
        ("W", found.w),
    ]
    return AgreedLine(
        label=label,
        alpha=number(found.alpha.value, PLACES),
        interval=interval_text(found.alpha.interval, PLACES),
        ac2=number(found.ac2.value, PLACES),
        icc=number(found.icc.value, PLACES),
        w=number(found.w.value, PLACES),
        spread=number(found.spread, PLACES),
        items=found.alpha.items,
        pairs=found.alpha.pairs,
        reasons=list_undefined(parts, found.alpha, _("alpha")),
    )


def _pair(found: ReviewerPair, names: Mapping[str, str]) -> PairLine:
    return PairLine(
        first=names.get(found.first, found.first),
        second=names.get(found.second, found.second),
        responses=found.responses,
        alpha=number(found.alpha.value, PLACES),
        interval=interval_text(found.alpha.interval, PLACES),
        tau=_or_dash(found.tau),
        apart=format_signed(found.apart),
        distance=number(found.distance),
        reason=_pair_reason(found),
    )


def _pair_reason(found: ReviewerPair) -> str:
    """Why two reviewers have no alpha; "" where they have one."""
    if not found.responses:
        return _("Nothing was scored by both.")
    return "" if found.alpha.value is not None else why_not(found.alpha)


def _or_dash(found: Agreement) -> str:
    return number(found.value, PLACES) or "–"
