"""What the page of a judge shows: what it may do by metric and side, in a sentence and in rows."""

from collections.abc import Mapping

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from discussions.judges.core.alternative_test import FEW_ITEMS
from discussions.judges.core.contract import HELPS, REFUSED, STRATA, Contract
from discussions.judges.core.prompts import CRITERIA
from discussions.judges.labels import END_LABELS, FEW, METRIC_LABELS, REASONS, SIDE_LABELS, USE_LABELS
from discussions.models import Admission, Judge

# The axis of the plot, in percent.
LOWEST, HIGHEST = 50.0, 100.0
MOST_NAMED = 2
Contracts = Mapping[tuple[str, str], Contract]


def describe_state(judge: Judge, *, is_admitted: bool) -> str:
    if judge.ended_at is not None:
        return _("ended")
    if judge.suspended_at is not None:
        return _("suspended")
    return _("admitted") if is_admitted else _("on probation")


def describe_admission(row: Admission) -> tuple[str, Admission, str]:
    """For what it was given, in words; the row; how it ended, "" while it has not."""
    words = (METRIC_LABELS[row.metric], SIDE_LABELS[row.side], USE_LABELS[row.use])
    return ", ".join(map(str, words)), row, str(END_LABELS[row.ended_why])


class ContractRow:
    """One metric and side; `rows` is how many rows the metric has in its first row, else 0.

    `admission` is the open one there, of whichever judge.
    """

    def __init__(
        self, key: tuple[str, str], contract: Contract, rows: int = 0, admission: Admission | None = None
    ) -> None:
        self.key, self.contract, self.rows, self.admission = key, contract, rows, admission
        self.metric, self.side = str(METRIC_LABELS[key[0]]), str(SIDE_LABELS[key[1]])
        self.use = FEW if contract.reasons == [FEW_ITEMS] and contract.use == REFUSED else contract.use

    @property
    def word(self) -> str:
        return str(USE_LABELS[self.use])

    @property
    def reasons(self) -> list[str]:
        return [str(REASONS[code]) for code in self.contract.reasons]

    def may_admit(self, judge: Judge) -> bool:
        """Whether the contract gives the judge a use that it is not admitted for."""
        now = self.admission
        is_admitted = now is not None and (now.judge_id, now.use) == (judge.pk, self.contract.use)
        return self.contract.use != REFUSED and judge.is_active and not is_admitted

    def place(self, percent: float) -> float:
        """Where a share lies on the axis, in percent of its width."""
        return 100 * (min(max(percent, LOWEST), HIGHEST) - LOWEST) / (HIGHEST - LOWEST)


def build_rows(contracts: Contracts, admitted: Mapping[tuple[str, str], Admission]) -> list[ContractRow]:
    """The rows in the order of the metrics, without those that have nothing to compare."""
    rows = []
    for metric in CRITERIA.values():
        own = [(side, one) for (key, side), one in contracts.items() if key == metric and one.items]
        for at, (side, one) in enumerate(own):
            key = (metric, side)
            rows.append(ContractRow(key, one, 0 if at else len(own), admitted.get(key)))
    return rows


def say_headline(judge: Judge, rows: list[ContractRow]) -> str:
    helps, others = _name_rows(rows, HELPS), _name_rows(rows, REFUSED)
    values = {"name": judge.name, "helps": helps, "others": others}
    if not rows:
        return judge.name
    if helps and others:
        return _("%(name)s may help with %(helps)s, not with %(others)s") % values
    if helps:
        return _("%(name)s may help with %(helps)s") % values
    if any(row.use == STRATA for row in rows):
        return _("%(name)s may sort what people are asked, no more") % values
    if all(row.use == FEW for row in rows):
        return _("%(name)s was asked about too few items") % values
    return _("%(name)s may not help") % values


def say_counts(rows: list[ContractRow]) -> str:
    helps, strata, few = (sum(row.use == use for row in rows) for use in (HELPS, STRATA, FEW))
    values = {"helps": helps, "strata": strata, "few": few, "n": len(rows)}
    says = _("It may help in %(helps)d of %(n)d; in %(strata)d it only sorts what people are asked.")
    more = ngettext("%(few)d has too few items.", "%(few)d have too few items.", few)
    return f"{says} {more}" % values if few else says % values


def _name_rows(rows: list[ContractRow], use: str) -> str:
    """The first metrics with that use, each with its side where not all its rows have it."""
    names = []
    for metric in dict.fromkeys(row.metric for row in rows):
        own = [row for row in rows if row.metric == metric]
        with_use = [row for row in own if row.use == use]
        if with_use and len(with_use) == len(own):
            names.append(metric.lower())
        else:
            names += [
                _("%(metric)s for %(side)s") % {"metric": metric.lower(), "side": row.side}
                for row in with_use
            ]
    said, more = ", ".join(names[:MOST_NAMED]), len(names) - MOST_NAMED
    return said if more <= 0 else _("%(names)s and %(more)d more") % {"names": said, "more": more}
