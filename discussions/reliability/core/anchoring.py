"""Anchoring: how blind answers change after the automatic value is shown, by metric.

An answer that differed may move to the automatic value; an answer that was the same may move away. Second thoughts
cause both, so the index is the difference of the two shares: above 0 the automatic value attracts. After Fogliato et
al., FAccT 2022 (arXiv 2205.09696), whose readers answered before they saw the output of a model.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator

import numpy as np
from msgspec import Struct

from discussions.core import judgement_kinds
from discussions.core.judgement_kinds import parse_subject
from discussions.reliability.core.crosstab import Answer, Crosstab, Interval, Share, Tally
from discussions.reliability.core.submitted import SubmittedAnswer, SubmittedEvaluation
from workspace.statistics.estimates import LEAST_FOR_INTERVAL, jackknife_t
from workspace.statistics.proportions import newcombe

METRICS = (judgement_kinds.REFERENCE, *judgement_kinds.MESSAGE_KINDS)
APART, TOGETHER = "apart", "together"
TO_MACHINE, AWAY, ELSEWHERE, STAYED = "to_machine", "away", "elsewhere", "stayed"
TOWARD = "toward"

SHARES = (
    Share(TOWARD, ((APART, TO_MACHINE),), ((APART, TO_MACHINE), (APART, ELSEWHERE), (APART, STAYED))),
    Share(AWAY, ((TOGETHER, AWAY),), ((TOGETHER, AWAY), (TOGETHER, STAYED))),
)


class EvaluatorMoves(Struct, frozen=True):
    """An evaluator: `toward` of `apart` differing answers moved to the value, `away` of `together` left it."""

    evaluator: int
    apart: int
    toward: int
    together: int
    away: int


class Anchoring(Struct, frozen=True):
    """A metric. `index` is share toward minus share away, in points from -100 to 100; None when a share is undefined.

    `interval` is Newcombe's; `over_games` is the jackknife over games, None with fewer than three games.
    """

    metric: str
    table: Crosstab
    index: float | None
    interval: Interval | None
    over_games: Interval | None
    people: list[EvaluatorMoves]


def iter_revealed_answers(evaluation: SubmittedEvaluation) -> Iterator[Answer]:
    """The blind answers after which the automatic value was shown, with their changes."""
    for answer in evaluation.answers:
        if answer.kind in METRICS and answer.blind_value:
            machine = _shown(evaluation, answer)
            if machine:
                row, column = _move(answer, machine)
                message = parse_subject(answer.subject)[0]
                yield Answer(
                    answer.kind,
                    row,
                    column,
                    evaluation.game,
                    message,
                    evaluation.evaluator,
                    evaluation.evaluation,
                )


def _shown(evaluation: SubmittedEvaluation, said: SubmittedAnswer) -> str:
    """The automatic value, if there is one and it was shown; else "".

    For a reference "supported" means accurate; the other results of the vote record mean nothing.
    """
    if said.kind == judgement_kinds.REFERENCE:
        is_shown = f"reference:{said.subject}" in evaluation.revealed
        check = evaluation.automatic.references.get(said.subject, (False, ""))[1]
        return judgement_kinds.ACCURATE if is_shown and check == "supported" else ""
    is_shown = f"metric:{said.kind}" in evaluation.revealed
    return evaluation.automatic.values.get((said.kind, said.subject), "") if is_shown else ""


def _move(said: SubmittedAnswer, machine: str) -> tuple[str, str]:
    """Row and column of a change. Undoing an override is accepting the automatic value."""
    after = said.value or (machine if said.kind in judgement_kinds.MESSAGE_KINDS else "")
    if said.blind_value == machine:
        return TOGETHER, STAYED if after == machine else AWAY
    if after == machine:
        return APART, TO_MACHINE
    return APART, STAYED if after == said.blind_value else ELSEWHERE


class AnchoringTally:
    """Counts changes by metric and by evaluator."""

    def __init__(self) -> None:
        self.tallies = {metric: Tally(metric) for metric in METRICS}
        self.people: dict[str, dict[int, Counter[tuple[str, str]]]] = {
            metric: defaultdict(Counter) for metric in METRICS
        }

    def add(self, evaluation: SubmittedEvaluation) -> None:
        for answer in iter_revealed_answers(evaluation):
            self.tallies[answer.part].add(answer)
            self.people[answer.part][evaluation.evaluator][answer.row, answer.column] += 1

    def figures(self) -> list[Anchoring]:
        """One entry for each metric."""
        return [self._figures(metric) for metric in METRICS]

    def _figures(self, metric: str) -> Anchoring:
        table = self.tallies[metric].table(SHARES)
        toward, away = table.rate(TOWARD), table.rate(AWAY)
        apart = newcombe(toward.numerator, toward.denominator, away.numerator, away.denominator)
        has_both = toward.value is not None and away.value is not None
        return Anchoring(
            metric=metric,
            table=table,
            index=toward.value - away.value if has_both else None,  # type: ignore[operator]
            interval=(100 * apart[0], 100 * apart[1]) if apart else None,
            over_games=_over_games(self.tallies[metric]),
            people=[_moved(person, counts) for person, counts in sorted(self.people[metric].items())],
        )


def _moved(person: int, counts: Counter[tuple[str, str]]) -> EvaluatorMoves:
    return EvaluatorMoves(
        evaluator=person,
        apart=sum(count for (row, _column), count in counts.items() if row == APART),
        toward=counts[APART, TO_MACHINE],
        together=sum(count for (row, _column), count in counts.items() if row == TOGETHER),
        away=counts[TOGETHER, AWAY],
    )


def _over_games(tally: Tally) -> Interval | None:
    """The jackknife interval of the index over games; None when a share has answers in one game only."""
    if len(tally.counts) < LEAST_FOR_INTERVAL:
        return None
    rows = np.array([tally.compute_sums(game, SHARES) for game in sorted(tally.counts)], dtype=float)
    sums = rows.sum(axis=0)
    without = sums - rows
    if not sums[1] or not sums[3] or not (without[:, 1] * without[:, 3]).all():
        return None
    index = float(sums[0] / sums[1] - sums[2] / sums[3])
    found, _reason = jackknife_t(index, without[:, 0] / without[:, 1] - without[:, 2] / without[:, 3])
    return (100 * found[0], 100 * found[1]) if found else None
