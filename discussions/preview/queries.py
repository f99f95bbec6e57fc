"""All judged games, read in batches of few queries.

For a game without a verdict this builds the same basis as `verdicts.queries`; a test compares the two.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal
from typing import Any, NamedTuple

import msgspec
from django.db.models import Count, Exists, Max, OuterRef, QuerySet, Subquery, Sum

from discussions.adjudication.core.authorship_test import draw_test, read_draw_rule
from discussions.adjudication.queries import adjudicated_so_far, adjudications_in
from discussions.core.iteration_states import TEST
from discussions.core.limits import BATCH_GAMES, BATCH_MESSAGES
from discussions.core.outcome import Outcome
from discussions.core.records import GameRecord, Measurement
from discussions.metrics.core.registry import CODE_VERSION
from discussions.models import Evaluation, Game, GameText, Judgement, Measured, Verdict
from discussions.models.games import NEEDED
from discussions.models.manual_figures import COST, entered
from discussions.preview.core import JudgedGame
from discussions.queries import add_round_offset, load_round_offsets, rubric_record
from discussions.verdicts.core.basis import (
    FORMAT,
    Basis,
    BasisEvaluation,
    BasisJudgement,
    BasisMeasured,
    BasisTest,
    BasisVersion,
)
from discussions.verdicts.queries import build_basis_cost
from rubric.core.records import RubricRecord
from rubric.preview.core import Location
from workspace.core.canonical import canonical_hash

NeedsText = Callable[[RubricRecord], bool]


class Batch(NamedTuple):
    """Keys of rows that are read together: current verdicts, or games that were rated and have none."""

    keys: list[int]
    is_recorded: bool


def scored_hash() -> str:
    measured = Measured.objects.filter(
        Exists(Evaluation.objects.submitted_ratings().filter(game=OuterRef("game")))
    )
    # An evaluation's version counts its judgements; its game can come under another rubric version.
    counted = (
        Count("pk"),
        Sum("pk"),
        Sum("version"),
        Max("submitted_at"),
        Sum("game__iteration__rubric_version"),
    )
    return canonical_hash(
        [
            CODE_VERSION,
            Verdict.objects.aggregate(Count("pk"), Max("pk")),
            Evaluation.objects.submitted_ratings().aggregate(*counted),
            measured.aggregate(Count("pk"), Max("pk")),
            adjudicated_so_far(),
        ]
    )


def batch_judged_games() -> list[Batch]:
    """Everything that was judged so far, in batches that take much less than a lease to read and decide."""
    recorded = Verdict.objects.not_superseded().order_by("pk").values_list("pk", "game__message_count")
    waiting = _without_verdict().order_by("pk").values_list("pk", "message_count")
    return [
        *(Batch(keys, is_recorded=True) for keys in _runs(recorded)),
        *(Batch(keys, is_recorded=False) for keys in _runs(waiting)),
    ]


def read_judged(batch: Batch, needs_text: NeedsText) -> Iterator[JudgedGame]:
    """The games of a batch. A game has its text if its rubric version is in `needs_text`."""
    yield from (_recorded if batch.is_recorded else _waiting)(batch.keys, needs_text)


def _runs(rows: Iterable[tuple[int, int]]) -> Iterator[list[int]]:
    keys: list[int] = []
    messages = 0
    for key, count in rows:
        if keys and (len(keys) == BATCH_GAMES or messages + count > BATCH_MESSAGES):
            yield keys
            keys, messages = [], 0
        keys.append(key)
        messages += count
    if keys:
        yield keys


def _newest_measured() -> "QuerySet[Measured]":
    """The newest measurement of a game under its iteration's version, as `newest_measured` takes it."""
    version = OuterRef("iteration__rubric_version")
    return Measured.objects.filter(game=OuterRef("pk"), rubric_version=version).order_by("-pk")


def _without_verdict() -> "QuerySet[Game]":
    return Game.objects.filter(
        Exists(Evaluation.objects.submitted_ratings().filter(game=OuterRef("pk"))),
        ~Exists(Verdict.objects.filter(game=OuterRef("pk"))),
        Exists(_newest_measured()),
        withdrawn_at=None,
    )


def _recorded(keys: list[int], needs_text: NeedsText) -> Iterator[JudgedGame]:
    columns = (
        "game_id",
        "project__slug",
        "game__number",
        "rubric_version_id",
        "rubric_version__sha256",
        "measured__code_version",
        "measured__findings__body",
        "basis",
        "outcome",
    )
    rows = list(Verdict.objects.filter(pk__in=keys).order_by("pk").values_list(*columns))
    rubrics, texts = _rubrics([(row[0], row[3], row[4]) for row in rows], needs_text)
    for game, slug, number, version, _sha256, code, findings, basis, outcome in rows:
        read = _BASIS.decode(basis)
        yield JudgedGame(
            where=Location(slug, number),
            basis=read,
            measurements=_FINDINGS.decode(findings),
            rubric=rubrics[version],
            cost=read.cost.total_usd,
            code_version=code,
            recorded=_OUTCOME.decode(outcome),
            text=texts.get(game),
        )


class _Row(NamedTuple):
    """A game without a verdict, with the columns that its basis holds."""

    game: int
    slug: str
    number: int
    sha256: str
    transcript: int
    transcript_sha256: str
    cost: Decimal | None
    by_hand: Decimal | None
    evaluator_count: int
    version: int
    version_sha256: str
    measured: int


_COLUMNS = (
    "pk",
    "project__slug",
    "number",
    "content_sha256",
    "transcript_id",
    "transcript__sha256",
    "cost_usd",
    "by_hand",
    "needed",
    "iteration__rubric_version_id",
    "iteration__rubric_version__sha256",
    "newest",
)


def _waiting(keys: list[int], needs_text: NeedsText) -> Iterator[JudgedGame]:
    found = Game.objects.filter(pk__in=keys).annotate(
        newest=Subquery(_newest_measured().values("pk")[:1]), needed=NEEDED, by_hand=Subquery(entered(COST))
    )
    # A game without a measurement under its iteration's version is judged once it has one.
    rows = [_Row(*values) for values in found.exclude(newest=None).order_by("pk").values_list(*_COLUMNS)]
    bodies = _bodies([row.measured for row in rows])
    rubrics, texts = _rubrics([(row.game, row.version, row.version_sha256) for row in rows], needs_text)
    for row, basis in zip(rows, _bases(rows, bodies), strict=True):
        yield JudgedGame(
            where=Location(row.slug, row.number),
            basis=basis,
            measurements=_FINDINGS.decode(bodies[row.measured][1]),
            rubric=rubrics[row.version],
            cost=basis.cost.total_usd,
            code_version=basis.measured.code_version,
            text=texts.get(row.game),
        )


def _rubrics(
    games: list[tuple[int, int, str]], needs_text: NeedsText
) -> tuple[dict[int, RubricRecord], dict[int, GameRecord]]:
    """The rubric versions of these games (game, version, hash), and the texts of games that need their text."""
    rubrics = {version: rubric_record(version, sha256) for _game, version, sha256 in games}
    wanting = {version for version, rubric in rubrics.items() if needs_text(rubric)}
    return rubrics, _texts([game for game, version, _sha256 in games if version in wanting])


def _bodies(measured: list[int]) -> dict[int, tuple[BasisMeasured, str]]:
    columns = ("pk", "code_version", "input_hash", "findings_sha256", "findings__body")
    rows = Measured.objects.filter(pk__in=measured).values_list(*columns)
    return {row[0]: (BasisMeasured(*row[:4]), row[4]) for row in rows}


def _bases(rows: list[_Row], bodies: dict[int, tuple[BasisMeasured, str]]) -> Iterator[Basis]:
    """The basis that a verdict on each of these games would have."""
    evaluations: dict[int, list[BasisEvaluation]] = defaultdict(list)
    judgements: dict[int, list[BasisJudgement]] = defaultdict(list)
    tests: dict[int, list[BasisTest]] = defaultdict(list)
    keys = [row.game for row in rows]
    submitted = Evaluation.objects.submitted_ratings().filter(game__in=keys)
    for game, *values in submitted.order_by("pk").values_list("game_id", "pk", "evaluator_id"):
        evaluations[game].append(BasisEvaluation(*values))
    judged = Judgement.objects.filter(evaluation__in=submitted).order_by("pk")
    for game, *values in judged.values_list("evaluation__game_id", *BasisJudgement.__struct_fields__):
        judgements[game].append(BasisJudgement(*values))
    for game, test in _tests(keys):
        tests[game].append(test)
    adjudications = adjudications_in(keys)
    for row in rows:
        yield Basis(
            format=FORMAT,
            game=row.game,
            game_sha256=row.sha256,
            transcript=row.transcript,
            transcript_sha256=row.transcript_sha256,
            rubric_version=BasisVersion(row.version, row.version_sha256),
            measured=bodies[row.measured][0],
            cost=build_basis_cost(row.cost, row.by_hand),
            evaluator_count=row.evaluator_count,
            evaluations=evaluations[row.game],
            judgements=judgements[row.game],
            adjudications=adjudications[row.game],
            supersedes=None,
            tests=tests[row.game],
        )


def _tests(games: list[int]) -> Iterator[tuple[int, BasisTest]]:
    """The blind tests that evaluations of these games began with, drawn again from their seeds."""
    rows = list(
        Evaluation.objects.submitted_ratings()
        .filter(game__in=games, identification=TEST)
        .order_by("pk")
        .values_list(
            "pk", "game_id", "seed", "measured__rubric_version_id", "measured__rubric_version__sha256"
        )
    )
    texts = _texts(sorted({row[1] for row in rows}))
    for key, game, seed, version, sha256 in rows:
        drawn = draw_test(texts[game], seed, read_draw_rule(rubric_record(version, sha256)))
        if drawn is not None:
            yield game, BasisTest(key, len(drawn.agents), list(drawn.unseen), list(drawn.authors))


def _texts(games: list[int]) -> dict[int, GameRecord]:
    if not games:
        return {}
    rows = GameText.objects.filter(game__in=games).values_list("game_id", "body")
    offsets = load_round_offsets(games)
    return {game: add_round_offset(_GAME.decode(body), offsets.get(game)) for game, body in rows}


_BASIS: Any = msgspec.json.Decoder(Basis)
_OUTCOME: Any = msgspec.json.Decoder(Outcome)
_FINDINGS: Any = msgspec.json.Decoder(dict[str, Measurement])
_GAME: Any = msgspec.json.Decoder(GameRecord)
