"""All judged games, read in batches of few queries."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import msgspec
from django.db.models import Count, Exists, Max, OuterRef, QuerySet, Subquery, Sum

from discussions.adjudication.core.authorship_test import DrawnTest, draw_test, read_draw_rule
from discussions.adjudication.queries import adjudicated_so_far
from discussions.core.limits import BATCH_GAMES, BATCH_MESSAGES
from discussions.core.outcome import Outcome
from discussions.core.records import GameRecord, Measurement
from discussions.metrics.core.parameters import divides_by_judge, scores_by_people
from discussions.metrics.core.registry import CODE_VERSION
from discussions.models import Evaluation, Game, GameText, Measured, Verdict
from discussions.models.manual_figures import COST, entered
from discussions.preview.core import JudgedGame
from discussions.queries import add_round_offset, load_round_offsets, measured_for, rubric_record
from discussions.verdicts.core.basis import Basis
from discussions.verdicts.queries import load_bases, load_judge_answers, load_seeds
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
    recorded = Verdict.objects.not_superseded().order_by("pk").values_list("pk", "game__message_count")
    waiting = _without_verdict().order_by("pk").values_list("pk", "message_count")
    return [
        *(Batch(keys, is_recorded=True) for keys in _runs(recorded)),
        *(Batch(keys, is_recorded=False) for keys in _runs(waiting)),
    ]


def read_judged(
    batch: Batch, needs_text: NeedsText, draft: RubricRecord | None = None
) -> Iterator[JudgedGame]:
    """The games of a batch. A game has its text if its rubric version is in `needs_text`.

    A basis has the seeds of its evaluations, and what judges said, if its version needs them, or the `draft`.
    """
    yield from (_recorded if batch.is_recorded else _waiting)(batch.keys, needs_text, draft)


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


def _without_verdict() -> "QuerySet[Game]":
    return Game.objects.filter(
        Exists(Evaluation.objects.submitted_ratings().filter(game=OuterRef("pk"))),
        ~Exists(Verdict.objects.filter(game=OuterRef("pk"))),
        Exists(measured_for()),
        withdrawn_at=None,
    )


def _recorded(keys: list[int], needs_text: NeedsText, draft: RubricRecord | None) -> Iterator[JudgedGame]:
    columns = (
        "game_id",
        "project__slug",
        "game__number",
        "rubric_version_id",
        "rubric_version__sha256",
        "measured__findings__body",
        "basis",
        "outcome",
    )
    rows = list(Verdict.objects.filter(pk__in=keys).order_by("pk").values_list(*columns))
    bases = [_BASIS.decode(row[6]) for row in rows]
    asks = draft.parameters if draft else {}
    unseeded = bases if scores_by_people(asks) else []
    seeds = load_seeds([evaluation.id for basis in unseeded for evaluation in basis.evaluations])
    judges = load_judge_answers([row[0] for row in rows] if divides_by_judge(asks) else [])
    rubrics, texts = _rubrics([(row[0], row[3], row[4]) for row in rows], needs_text)
    for (game, slug, number, version, _sha256, findings, _body, outcome), basis in zip(
        rows, bases, strict=True
    ):
        yield JudgedGame(
            where=Location(slug, number),
            basis=basis.complete(seeds, judges.get(game, [])),
            measurements=_FINDINGS.decode(findings),
            rubric=rubrics[version],
            recorded=_OUTCOME.decode(outcome),
            text=texts.get(game),
        )


_COLUMNS = (
    *("project__slug", "number", "content_sha256", "cost_usd", "needed_count", "transcript__sha256"),
    *("iteration__evaluator_count", "iteration__rubric_version__sha256"),
)


def _waiting(keys: list[int], needs_text: NeedsText, draft: RubricRecord | None) -> Iterator[JudgedGame]:
    rows = Game.objects.filter(pk__in=keys).annotate(
        newest=Subquery(measured_for().order_by("-pk").values("pk")[:1]), by_hand=Subquery(entered(COST))
    )
    # A game without a measurement under its iteration's version is judged once it has one.
    rows = rows.exclude(newest=None).select_related("project", "transcript", "iteration__rubric_version")
    games = list(rows.only(*_COLUMNS).order_by("pk"))
    newest = Measured.objects.filter(pk__in=[game.newest for game in games]).select_related("findings")
    measured = {row.game_id: row for row in newest}
    versions = {game.pk: game.iteration.rubric_version for game in games}
    rubrics, texts = _rubrics([(key, row.pk, row.sha256) for key, row in versions.items()], needs_text)
    bases = load_bases(
        [(game, measured[game.pk], game.by_hand, None) for game in games], _draw_tests, draft=draft
    )
    for game, basis in zip(games, bases, strict=True):
        yield JudgedGame(
            where=Location(game.project.slug, game.number),
            basis=basis,
            measurements=_FINDINGS.decode(measured[game.pk].findings.body),
            rubric=rubrics[versions[game.pk].pk],
            text=texts.get(game.pk),
        )


def _rubrics(
    games: list[tuple[int, int, str]], needs_text: NeedsText
) -> tuple[dict[int, RubricRecord], dict[int, GameRecord]]:
    """The rubric versions of these games (game, version, hash), and the texts of games that need their text."""
    rubrics = {version: rubric_record(version, sha256) for _game, version, sha256 in games}
    wanting = {version for version, rubric in rubrics.items() if needs_text(rubric)}
    return rubrics, _texts([game for game, version, _sha256 in games if version in wanting])


def _draw_tests(evaluations: list[Evaluation]) -> list[DrawnTest | None]:
    """The blind tests with which these evaluations began, drawn again from their seeds."""
    texts = _texts(sorted({evaluation.game_id for evaluation in evaluations}))
    versions = [evaluation.measured.rubric_version for evaluation in evaluations]
    rules = [read_draw_rule(rubric_record(version.pk, version.sha256)) for version in versions]
    return [
        draw_test(texts[evaluation.game_id], evaluation.seed, rule)
        for evaluation, rule in zip(evaluations, rules, strict=True)
    ]


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
