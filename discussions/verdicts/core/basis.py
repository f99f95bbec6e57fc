"""What a verdict rests on, as one record: hashed when the page is shown, stored when the verdict is recorded.

Values are kept beside ids and versions, so that a verdict can be computed again from its basis and the stored
findings alone, and so that the basis can be compared with the revisions it names.
"""

from decimal import Decimal

from msgspec import Struct

from discussions.adjudication.core.effective import AdjudicatedAnswer

FORMAT = 1


# Where a cost came from.
FROM_TRANSCRIPT, BY_HAND = "transcript", "by hand"


class BasisVersion(Struct, frozen=True):
    """The rubric version: its row and the hash of what it says."""

    id: int
    sha256: str


class BasisMeasured(Struct, frozen=True):
    """The measurements: their row, the code that made them, and the hashes of what went in and came out."""

    id: int
    code_version: str
    input_hash: str
    findings_sha256: str


class BasisCost(Struct, frozen=True):
    """The cost in dollars, None when not reported, and where it came from."""

    total_usd: Decimal | None
    source: str


class BasisEvaluation(Struct, frozen=True):
    """One submitted evaluation and whose it is."""

    id: int
    evaluator: int


class BasisJudgement(Struct, frozen=True):
    """One judgement of a submitted evaluation as it stood, by row and version."""

    id: int
    evaluation: int
    kind: str
    subject: str
    value: str
    blind_value: str
    version: int


class BasisTest(Struct, frozen=True):
    """The test of who said it in one evaluation: how many agents took part, and in the order asked the positions of
    the unseen messages and who wrote them."""

    evaluation: int
    agents: int
    messages: list[int]
    authors: list[int]


class Basis(Struct, frozen=True, omit_defaults=True):
    """Everything a verdict on one game rests on. `supersedes` is the verdict that stands now, None for the first.

    Without a test `tests` is left out, so that a basis is the same bytes as before there were any.
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


def changes(before: Basis, after: Basis) -> list[str]:
    """What is different in `after`, in sentences, the weightiest first; empty when nothing is."""
    said = []
    if before.supersedes != after.supersedes:
        said.append("A verdict was recorded meanwhile.")
    if before.rubric_version != after.rubric_version:
        said.append("The game is judged by another rubric version now.")
    if before.measured != after.measured:
        said.append("The game was measured again.")
    if (before.game_sha256, before.transcript_sha256) != (after.game_sha256, after.transcript_sha256):
        said.append("The transcript is another one.")
    if before.cost != after.cost:
        said.append(f"The cost was {_dollars(before.cost)} and is {_dollars(after.cost)} now.")
    if before.evaluator_count != after.evaluator_count:
        said.append(f"{before.evaluator_count} evaluators were needed, {after.evaluator_count} are now.")
    if before.evaluations != after.evaluations:
        said.append("Other evaluations are submitted now than when the page was shown.")
    return said + _changed_judgements(before, after)


def _changed_judgements(before: Basis, after: Basis) -> list[str]:
    old = {judgement.id: judgement for judgement in before.judgements}
    new = {judgement.id: judgement for judgement in after.judgements}
    said = []
    for key in sorted(old.keys() | new.keys()):
        was, now = old.get(key), new.get(key)
        if was == now:
            continue
        result = now or was
        assert result is not None
        said.append(
            f"{describe_subject(result.kind, result.subject)}: {_value(was)} before, {_value(now)} now."
        )
    return said + _changed_adjudications(before, after)


def _changed_adjudications(before: Basis, after: Basis) -> list[str]:
    old = {(adjudication.kind, adjudication.subject): adjudication for adjudication in before.adjudications}
    new = {(adjudication.kind, adjudication.subject): adjudication for adjudication in after.adjudications}
    said = []
    for key in sorted(old.keys() | new.keys()):
        was, now = old.get(key), new.get(key)
        if was == now:
            continue
        about = describe_subject(*key)
        if now is None:
            said.append(f"What a lead settled of {about} is not there any more.")
        elif was is None:
            said.append(f"A lead settled {about}: {describe_adjudicated_value(now)}.")
        else:
            first, last = describe_adjudicated_value(was), describe_adjudicated_value(now)
            said.append(f"A lead settled {about} anew: {first} before, {last} now.")
    return said


def describe_subject(kind: str, subject: str) -> str:
    """What a judgement is about, for reading: "reference 19.2"."""
    return f"{kind.replace('_', ' ')} {subject}".strip()


def describe_adjudicated_value(settled: AdjudicatedAnswer) -> str:
    """What was settled, for reading: a lead who settles on nothing says no."""
    return settled.value.replace("_", " ") or "no"


def _value(judgement: BasisJudgement | None) -> str:
    if judgement is None:
        return "not judged"
    return judgement.value.replace("_", " ") or "unset"


def _dollars(cost: BasisCost) -> str:
    if cost.total_usd is None:
        return "not reported"
    return f"${cost.total_usd}{', entered by hand' if cost.source == BY_HAND else ''}"
