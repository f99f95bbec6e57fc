"""What the page of a judge shows: what it may do by metric and side, in a sentence and in rows."""

from collections.abc import Mapping
from math import log
from typing import Any

from django.utils.translation import gettext as _

from discussions.core.judgement_kinds import HELPS, STRATA
from discussions.judges.core.contract import FEW_ITEMS, REFUSED, Contract
from discussions.judges.core.drift import SUSPENDED_FROM, Baseline, Drift
from discussions.judges.core.prompts import CRITERIA
from discussions.judges.labels import (
    END_LABELS,
    FEW,
    METRIC_LABELS,
    NEXT_STEPS,
    REASONS,
    SIDE_LABELS,
    USE_LABELS,
)
from discussions.models import Admission, Judge

# The axis of the plot, in percent.
LOWEST, HIGHEST = 50.0, 100.0
MOST_NAMED = 2
MOST_POINTS = 60
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
    """What the judge may help with, what not, and what is not known yet."""
    helps, strata, others, few = (_name_rows(rows, use) for use in (HELPS, STRATA, REFUSED, FEW))
    values = {"name": judge.name, "helps": helps, "strata": strata, "others": others, "few": few}
    if helps and others:
        return _("%(name)s may help with %(helps)s, not with %(others)s") % values
    if helps and few:
        return _("%(name)s may help with %(helps)s, not yet with %(few)s") % values
    if helps:
        return _("%(name)s may help with %(helps)s") % values
    if strata:
        return _("%(name)s may sort what people are asked about %(strata)s") % values
    if others:
        return (_("%(name)s may not help yet") if few else _("%(name)s may not help")) % values
    return _("%(name)s was asked about too few items") % values if few else judge.name


def say_counts(rows: list[ContractRow]) -> str:
    """In how many metrics and sides it may help, and what would let it help in more."""
    helps, strata = (sum(row.use == use for row in rows) for use in (HELPS, STRATA))
    others, few = _name_rows(rows, REFUSED), _name_rows(rows, FEW)
    values = {"helps": helps, "strata": strata, "n": len(rows), "others": others, "few": few}
    says = []
    if helps and strata:
        says.append(
            _("It may help in %(helps)d of %(n)d; in %(strata)d it only sorts what people are asked.")
        )
    elif others and few and not strata:
        says.append(_("Not with %(others)s."))
    # Else the headline names them.
    if few and (others or not helps):
        says.append(_("Too few items that people judged, too: %(few)s."))
    missing = {code for row in rows if row.use == STRATA for code in row.contract.reasons}
    says += [str(NEXT_STEPS[code]) for code in NEXT_STEPS if code in missing]
    return " ".join(says) % values


def build_drift(
    drifts: Mapping[tuple[str, str], tuple[Baseline, Drift]],
) -> dict[str, Any] | None:
    """The metric and side with most evidence of drift, as a chart: its line in a frame of 100 by 88, log scale."""
    watched = [(max(drift.evidence), key, drift) for key, (_trial, drift) in drifts.items() if drift.evidence]
    if not watched:
        return None
    _most, (metric, side), drift = max(watched)
    step = max(1, len(drift.evidence) // MOST_POINTS)
    shown = drift.evidence[::-1][::step][::-1]
    points = [(100 * (at + 1) / len(shown), _place_evidence(value)) for at, value in enumerate(shown)]
    return {
        "where": f"{METRIC_LABELS[metric]}, {SIDE_LABELS[side]}",
        "drift": drift,
        "points": " ".join(f"{x:.1f},{y:.1f}" for x, y in [(0.0, _place_evidence(1.0)), *points]),
        "last": points[-1],
    }


def _place_evidence(value: float) -> float:
    """How low it stands: what suspends at 24, none (1) at 52; what is beyond the frame at its edge."""
    return min(76.0, max(4.0, 52 - 28 * log(max(value, 1e-9)) / log(SUSPENDED_FROM)))


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
