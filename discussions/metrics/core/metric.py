"""The definition of a metric: one record from which measuring, verdicts, comparisons and pages read everything.

The module also holds arithmetic that is shared by metrics whose messages people judge with yes or no.

Also judgements to flip: the smallest number of judgements that would change a metric, and with it the verdict.

One judgement is one reference or one message labelled differently, or one phrase of one player marked (or unmarked) as
acceptable. Ratings are not counted: the distance of the rating is shown as it is.
"""

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from itertools import accumulate
from typing import Any

from msgspec import Struct

from discussions.core import judgement_kinds
from discussions.core.outcome import Facts
from discussions.core.records import Measurement, MessageFinding, Score
from discussions.metrics.core.parameters import Parameters
from discussions.metrics.core.prepared_game import Reading
from rubric.versions.core.game_specs import ParameterSpecs
from workspace.display.core.charts import compute_track_position


class FigureScale(Struct, frozen=True):
    """The scale of a figure: `factor` * numerator / denominator, from `low` to `high`; higher is better.

    `material` is the difference that matters between two iterations unless their plan says otherwise. `symbol` follows
    a figure on pages, `unit` names the unit in exports.
    """

    key: str
    factor: int
    low: float
    high: float
    material: float
    symbol: str
    unit: str

    @property
    def span(self) -> float:
        return self.high - self.low

    def value(self, numerator: int, denominator: int) -> Fraction:
        return Fraction(self.factor * numerator, denominator)

    def share(self, value: Fraction) -> Fraction:
        return (value - Fraction(self.low)) / Fraction(self.span) * 100

    def place(self, value: float) -> float:
        """Where a figure stands between the ends of the scale, in percent, as charts draw it."""
        return compute_track_position(value, self.low, self.high)


PERCENT = FigureScale(
    "percent", factor=100, low=0.0, high=100.0, material=5.0, symbol="\u00a0%", unit="percent"
)
RATING = FigureScale("rating", factor=1, low=1.0, high=5.0, material=0.3, symbol="", unit="rating 1 to 5")
Measure = Callable[[Reading, Parameters], Measurement]
Diagnostics = Callable[[Reading, Measurement, Parameters], Mapping[str, object]]
MachineValues = Callable[[Measurement], Mapping[str, str]]
Flip = Callable[[Score, Fraction, Facts], int | None]


class Judgements(Struct, frozen=True):
    """What people judged in one measurement.

    `values` is subject -> value: "19" a message, "19.2" the second sentence of message 19, "3|i think that" a phrase of
    player 3 (0 when phrases are pooled). `added` are references that people accepted or found missing; they may still
    need a label. `sample` are the messages that must be labelled for role consistency although they violate no rule.
    `parameters` come from the rubric version.
    """

    values: Mapping[str, str]
    parameters: Mapping[str, Any]
    added: frozenset[str] = frozenset()
    sample: frozenset[str] = frozenset()


Recount = Callable[[Measurement, Judgements], Score]


def as_measured(measurement: Measurement, _judgements: Judgements | None = None) -> Score:
    """The score before any judgement, or where no judgement changes the count."""
    return Score(
        measurement.metric,
        measurement.numerator,
        measurement.denominator,
        is_applicable=measurement.is_applicable,
        is_pending=measurement.is_pending,
    )


def no_diagnostics(
    _reading: Reading, _measurement: Measurement, _parameters: Parameters
) -> dict[str, object]:
    return {}


def no_machine_values(_measurement: Measurement) -> dict[str, str]:
    """No automatic values that a person accepts by not judging."""
    return {}


def no_flip(_score: Score, _threshold: Fraction, _facts: Facts) -> None:
    """No judgement of a message would flip it."""


def flip_by_messages(score: Score, threshold: Fraction, _facts: Facts) -> int | None:
    if not score.is_applicable:
        return None
    return share_flip_distance(score.numerator, score.denominator, threshold)


class Metric(Struct, frozen=True):
    """A metric: its key in rubric versions, how it is measured, and how people's judgements change it.

    `measure` is None if only people give the figure; `diagnostics` computes those of a measurement. `judged` is the
    kind of judgement that `recount` reads, "" for none; `machine_values` is subject -> the value that counts without a
    judgement; `flip` is the number of judgements that would flip the metric. `counted` says what `Measurement.counted`
    lists, "messages" or "players". `has_estimate` is false if nothing is known before people have labelled.
    `has_interval` is false if the counted units depend on each other (players compared with each other, phrases counted
    together), so that the interval of a share is not valid. `step` is the step of rating that shows the figure once it
    is done, "" when all steps before the roles must be. A version must have every metric with `is_required`; a metric
    that is added later is not required.
    """

    key: str
    measure: Measure | None = None
    diagnostics: Diagnostics = no_diagnostics
    scale: FigureScale = PERCENT
    parameters: ParameterSpecs = ParameterSpecs()
    judged: str = ""
    machine_values: MachineValues = no_machine_values
    recount: Recount = as_measured
    flip: Flip = no_flip
    counted: str = "messages"
    step: str = ""
    is_required: bool = False
    has_estimate: bool = True
    has_interval: bool = True
    has_manual_check: bool = False

    @property
    def is_rated(self) -> bool:
        return self.measure is None

    def value(self, figure: Measurement | Score) -> float | None:
        if not figure.is_applicable:
            return self.scale.high
        if figure.denominator == 0 or (figure.is_pending and not self.has_estimate):
            return None
        return self.scale.factor * figure.numerator / figure.denominator


def message_values(measurement: Measurement) -> dict[str, str]:
    """Yes for each message that counts, else no."""
    return {
        str(finding.message): judgement_kinds.YES if finding.counts else judgement_kinds.NO
        for finding in measurement.messages
    }


def recount_messages(measurement: Measurement, judgements: Judgements) -> Score:
    return share_of_messages(measurement.metric, measurement.messages, judgements.values)


def share_of_messages(metric: str, findings: Iterable[MessageFinding], values: Mapping[str, str]) -> Score:
    """The share of these messages that count: by people's judgement, or by the automatic value where there is none."""
    above = below = 0
    for finding in findings:
        value = values.get(str(finding.message))
        above += finding.counts if value is None else value == judgement_kinds.YES
        below += 1
    return Score(metric, above, below)


def share_flip_distance(numerator: int, denominator: int, threshold: Fraction) -> int | None:
    """How many messages must be judged differently for the share to cross `threshold` (percent); None: it cannot.

    The denominator stays.
    """
    if denominator == 0:
        return None
    needed = _least_passing(denominator, threshold)
    if numerator >= needed:
        return numerator - needed + 1 if needed > 0 else None
    return needed - numerator if needed <= denominator else None


def reference_flip_distance(
    accurate: int, judged: int, threshold: Fraction, *, has_messages: bool
) -> int | None:
    """How many references must be labelled differently for memory accuracy to cross `threshold` (percent).

    Changing a label between accurate and inaccurate is never worse than taking a reference out or adding one. If no
    reference is judged, the metric passes by rule; one reference that was missed or taken out flips it if it is
    judged inaccurate. `has_messages` says whether there is any sentence to mark.
    """
    if judged == 0:
        return 1 if has_messages and threshold > 0 else None
    return share_flip_distance(accurate, judged, threshold)


def phrase_flip_distance(
    counted: int, repeated: Iterable[int], accepted: Iterable[int], threshold: Fraction
) -> int | None:
    """How many whole phrases must be marked, or unmarked, as acceptable for anti-repetition to cross `threshold`.

    `repeated` and `accepted` hold how often each repeated phrase occurs: those that count as repeated, and those that a
    person marked acceptable. Taking the largest first needs the fewest, since no k phrases weigh more than the k
    largest.
    """
    if counted == 0:
        return None
    removable = sorted(repeated, reverse=True)
    now = counted - sum(removable)
    needed = _least_passing(counted, threshold)
    if now >= needed:
        return _fewest(sorted(accepted, reverse=True), now - needed + 1)
    return _fewest(removable, needed - now)


def _least_passing(denominator: int, threshold: Fraction) -> int:
    return -(-threshold.numerator * denominator // (threshold.denominator * 100))


def _fewest(weights: list[int], target: int) -> int | None:
    for number, total in enumerate(accumulate(weights), start=1):
        if total >= target:
            return number
    return None
