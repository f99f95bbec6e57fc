"""The basis of a verdict as one record: hashed when the page is shown, stored when the verdict is recorded.

It keeps values with their ids and versions, so a verdict can be recomputed from its basis and the stored findings
alone, and the basis can be compared with the revisions that it names.
"""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from discussions.adjudication.core.effective import AdjudicatedAnswer, JudgeAnswers
from discussions.core.judgement_kinds import RATING
from workspace.core.words import mark, say

T = TypeVar("T")

# 2: the majority of those who judged a message decides. In format 1, an evaluator who did not judge it counted as a
# vote for the automatic value. 3: diversity and repetition have no interval, and no line says that it could change in
# another game.
# 4: under a version that scores by people's estimate, the seeds of the samples; under the others it is still 3.
# 5: under a version that divides these estimates by judges, what these said.
FORMAT, WITH_SEEDS, WITH_JUDGES = 3, 4, 5

# The source of a cost.
FROM_TRANSCRIPT, BY_HAND = "transcript", "by hand"


class BasisVersion(Struct, frozen=True):
    id: int
    sha256: str


class BasisMeasured(Struct, frozen=True):
    id: int
    code_version: str
    input_hash: str
    findings_sha256: str


class BasisCost(Struct, frozen=True):
    """The cost in dollars (None: not reported) and its source."""

    total_usd: Decimal | None
    source: str


class BasisEvaluation(Struct, frozen=True, omit_defaults=True):
    """`seed` draws the accuracy samples; `more` are the further batches that the evaluator asked for, by metric."""

    id: int
    evaluator: int
    seed: str = ""
    more: dict[str, int] = {}


class BasisJudgement(Struct, frozen=True):
    id: int
    evaluation: int
    kind: str
    subject: str
    value: str
    blind_value: str
    version: int


class BasisTest(Struct, frozen=True, omit_defaults=True):
    """The authorship test of an evaluation: the number of agents, and positions and authors of its messages.

    Messages are in the order of the questions. `needed` agents must be identified; 0 if messages are counted.
    """

    evaluation: int
    agents: int
    messages: list[int]
    authors: list[int]
    needed: int = 0


class Basis(Struct, frozen=True, omit_defaults=True):
    """Everything that a verdict was computed from. `supersedes` is the current verdict, None for the first.

    `tests` and `judges` are left out when they are empty: the bytes of older bases stay the same.
    """

    format: int
    game: int
    game_sha256: str
    transcript: int
    transcript_sha256: str
    rubric_version: BasisVersion
    measured: BasisMeasured
    cost: BasisCost
    evaluator_count: int
    evaluations: list[BasisEvaluation]
    judgements: list[BasisJudgement]
    adjudications: list[AdjudicatedAnswer]
    supersedes: int | None
    tests: list[BasisTest] = []
    judges: list[JudgeAnswers] = []

    def complete(self, seeds: Mapping[int, str], judges: Sequence[JudgeAnswers] = ()) -> "Basis":
        """The basis with these seeds, by evaluation, and what judges said, where it has none."""
        evaluations = [
            replace(evaluation, seed=evaluation.seed or seeds.get(evaluation.id, ""))
            for evaluation in self.evaluations
        ]
        return replace(self, evaluations=evaluations, judges=self.judges or list(judges))

    @property
    def rater_count(self) -> int:
        """How many evaluations have a rating; at least 1."""
        rated = {
            judgement.evaluation
            for judgement in self.judgements
            if judgement.kind == RATING and judgement.value
        }
        return max(1, len(rated))


def changes(before: Basis, after: Basis) -> list[str]:
    parts = (_changed_facts, _changed_people, _changed_judgements, _changed_adjudications)
    return [sentence for part in parts for sentence in part(before, after)]


def _changed_facts(before: Basis, after: Basis) -> Iterator[str]:
    if before.supersedes != after.supersedes:
        yield say("A verdict was recorded meanwhile.")
    if before.rubric_version != after.rubric_version:
        yield say("The game is judged by another rubric version now.")
    if before.measured != after.measured:
        yield say("The game was measured again.")
    if (before.game_sha256, before.transcript_sha256) != (after.game_sha256, after.transcript_sha256):
        yield say("The transcript is another one.")
    if before.cost != after.cost:
        yield say(
            "The cost was {before} and is {after} now.",
            before=_dollars(before.cost),
            after=_dollars(after.cost),
        )
    if before.evaluator_count != after.evaluator_count:
        yield say(
            "{before} evaluators were needed, {after} are now.",
            before=before.evaluator_count,
            after=after.evaluator_count,
        )
    if before.format == 1 and after.format != 1 and len(after.evaluations) > 1:
        yield say("Silence no longer outvotes a judgement of a message; it did when this was recorded.")


def _changed_people(before: Basis, after: Basis) -> Iterator[str]:
    if before.evaluations != after.evaluations:
        yield say("Other evaluations are submitted now than when the page was shown.")
    if before.judges != after.judges:
        yield say("What judges say of the messages is not the same, or which of them may help.")


def _changed_judgements(before: Basis, after: Basis) -> Iterator[str]:
    sides = ({judgement.id: judgement for judgement in basis.judgements} for basis in (before, after))
    for _key, was, now in _list_changed(*sides):
        result = now or was
        assert result is not None
        yield say(
            "{subject}: {before} before, {after} now.",
            subject=describe_subject(result.kind, result.subject),
            before=_judged_value(was),
            after=_judged_value(now),
        )


def _changed_adjudications(before: Basis, after: Basis) -> Iterator[str]:
    sides = ({(one.kind, one.subject): one for one in basis.adjudications} for basis in (before, after))
    for key, was, now in _list_changed(*sides):
        about = describe_subject(*key)
        if now is None:
            yield say("What a lead resolved of {about} is not there any more.", about=about)
        elif was is None:
            value = describe_adjudicated_value(now)
            yield say("A lead resolved {about}: {adjudicated_value}.", about=about, adjudicated_value=value)
        else:
            first, last = describe_adjudicated_value(was), describe_adjudicated_value(now)
            says = mark("A lead resolved {about} again: {first} before, {last} now.")
            yield say(says, about=about, first=first, last=last)


def _list_changed(old: Mapping[Any, T], new: Mapping[Any, T]) -> list[tuple[Any, T | None, T | None]]:
    pairs = [(key, old.get(key), new.get(key)) for key in sorted(old.keys() | new.keys())]
    return [(key, was, now) for key, was, now in pairs if was != now]


def describe_subject(kind: str, subject: str) -> str:
    return f"{kind.replace('_', ' ')} {subject}".strip()


def describe_adjudicated_value(adjudication: AdjudicatedAnswer) -> str:
    return adjudication.value.replace("_", " ") or "no"


def _judged_value(judgement: BasisJudgement | None) -> str:
    if judgement is None:
        return say("not judged")
    return judgement.value.replace("_", " ") or "unset"


def _dollars(cost: BasisCost) -> str:
    if cost.total_usd is None:
        return say("not reported")
    return f"${cost.total_usd}{', entered by hand' if cost.source == BY_HAND else ''}"
