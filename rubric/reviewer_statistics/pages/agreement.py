"""The page of agreement: how far reviewers agree on each criterion, the overall and the holistic score."""

from collections.abc import Mapping
from datetime import datetime

from django.utils.translation import gettext as _
from msgspec import Struct

from rubric.core.records import RubricRecord
from rubric.models import ComparisonSet
from rubric.reviewer_statistics.core.agreement import OVERALL, AgreedOn, ReviewerPair
from rubric.reviewer_statistics.core.figure_kinds import AGREEMENT, AgreementFigures
from rubric.reviewer_statistics.pages.state import StatisticsPage, build_state
from rubric.sets.pages import SetFrame
from rubric.sets.queries import reviewer_names
from workspace.display.core.charts import IntervalsChart
from workspace.models import Person
from workspace.statistics.conclusions import Figure
from workspace.statistics.estimates import Agreement
from workspace.statistics.labels import agreement_plot, list_undefined
from workspace.stored_statistics.pages import decode_body

MOST_PAIRS = 100


class AgreementLine(Struct, frozen=True):
    """Agreement on one kind of score; `reasons` say what is undefined and why."""

    label: str
    agreement: AgreedOn
    reasons: list[str]


class AgreementPage(StatisticsPage, frozen=True):
    """The page; `pairs` starts with those that agree least, `more_pairs` counts those that are not shown."""

    plot: IntervalsChart | None = None
    lines: list[AgreementLine] = []
    pairs: list[ReviewerPair] = []
    more_pairs: int = 0
    pairs_on: str = ""
    names: Mapping[str, str] = {}


def build_agreement_page(*, comparison_set: ComparisonSet, person: Person, now: datetime) -> AgreementPage:
    """The page of a set fetched with its project and rubric; names of others are for leads."""
    head = SetFrame(comparison_set=comparison_set, current="set_agreement", person=person)
    state, row = build_state(comparison_set=comparison_set, kind=AGREEMENT, now=now)
    if row is None:
        return AgreementPage(head, state)
    report = decode_body(row, AgreementFigures).report
    record = comparison_set.rubric_version.to_record()
    lines = [_line(agreement, record) for agreement in report.lines]
    pairs = sorted(report.pairs, key=lambda pair: 2.0 if pair.alpha.value is None else pair.alpha.value)
    return AgreementPage(
        head=head,
        state=state,
        plot=agreement_plot([(line.label, line.agreement.alpha, None) for line in lines]),
        lines=lines,
        pairs=pairs[:MOST_PAIRS],
        more_pairs=max(0, len(pairs) - MOST_PAIRS),
        pairs_on=_("overall") if report.pairs_on == OVERALL else _("holistic score"),
        names=reviewer_names(comparison_set, person, is_lead=head.may_lead),
    )


def _line(agreement: AgreedOn, record: RubricRecord) -> AgreementLine:
    if agreement.part == OVERALL:
        label = _("Weighted overall")
    else:
        label = record.criterion(agreement.key).label if agreement.key else _("Holistic score")
    coefficients: list[tuple[str, Agreement | Figure]] = [
        ("alpha", agreement.alpha),
        ("AC2", agreement.ac2),
        ("ICC(2,1)", agreement.icc),
        ("W", agreement.w),
    ]
    return AgreementLine(label, agreement, list_undefined(coefficients, agreement.alpha, _("alpha")))
