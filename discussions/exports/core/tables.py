"""The tables of games, iterations and judgements for leads."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Any, NamedTuple

import msgspec

from discussions.core.records import GameRecord, Message, Player, Vote
from discussions.exports.core.items import (
    ExportedAdjudication,
    ExportedEvaluation,
    ExportedGame,
    ExportedIteration,
    ExportedJudgement,
    ExportedMeasurement,
    ExportedVerdict,
)
from discussions.metrics.core.registry import METRICS
from rubric.exports.core.tables import TABLES as COMPARISON_TABLES
from rubric.exports.core.tables import rows_of as comparison_rows_of
from workspace.exports.core.tables import INTEGER, MOMENT, NUMBER, TEXT, YES_NO, Table, column

_RECORD = msgspec.json.Decoder(GameRecord)
_FIGURES = msgspec.json.Decoder(dict[str, tuple[int, int, bool, bool]])


class _PlayerRow(NamedTuple):
    game: int
    number: int
    player: Player
    out_round: int | None
    how: str


class _MessageRow(NamedTuple):
    game: int
    name: str
    message: Message


class _VoteRow(NamedTuple):
    game: int
    voter: str
    target: str
    vote: Vote


class _MeasuredRow(NamedTuple):
    game: int
    of: ExportedMeasurement
    metric: str
    numerator: int
    denominator: int
    is_applicable: bool
    is_pending: bool


class _JudgedRow(NamedTuple):
    game: int
    evaluation: ExportedEvaluation
    judgement: ExportedJudgement


class _VerdictRow(NamedTuple):
    game: int
    verdict: ExportedVerdict


class _ResolvedRow(NamedTuple):
    game: int
    resolved: ExportedAdjudication


def _number(value: Decimal | float | None) -> float | None:
    return None if value is None else float(value)


def _by_hand(game: ExportedGame, kind: str) -> float | None:
    values = [figure.value for figure in game.manual_figures if figure.kind == kind]
    return _number(values[-1]) if values else None


def _score(row: _MeasuredRow) -> float | None:
    """The figure in the unit of the metric; None while it is pending, or where there was nothing to count."""
    metric = METRICS.get(row.metric)
    if metric is None or row.is_pending or not row.is_applicable or not row.denominator:
        return None
    return float(metric.scale.value(row.numerator, row.denominator))


GAME = column("game", INTEGER, "number of the game in the project")
GAMES = Table(
    "games",
    "A row for each game.",
    (
        column("game", INTEGER, "number of the game in the project", "number"),
        column("game_id", TEXT, "what the file calls the game"),
        column("stage", INTEGER, "number of the stage; empty for unsorted games"),
        column("iteration", INTEGER, "number of the iteration; 0 for unsorted games"),
        column("file", TEXT, "name of the imported file"),
        column("file_sha256", TEXT, "SHA-256 of the imported file"),
        column("content_sha256", TEXT, "SHA-256 of the game as it was read"),
        column("imported_at", MOMENT, "when it was imported"),
        column("imported_by", TEXT, "who imported it"),
        column("players", INTEGER, "how many players", "player_count"),
        column("messages", INTEGER, "how many messages", "message_count"),
        column("words", INTEGER, "how many words in all messages", "word_count"),
        column("rounds", INTEGER, "how many rounds", "round_count"),
        column("votes", INTEGER, "how many recorded votes", "vote_count"),
        column(
            "cost_usd",
            NUMBER,
            "dollars by the file; empty: not reported",
            lambda game: _number(game.cost_usd),
        ),
        column(
            "cost_by_hand_usd",
            NUMBER,
            "dollars as a lead entered them, which count then",
            lambda game: _by_hand(game, "cost"),
        ),
        column("cache_hit_rate", NUMBER, "share from 0 to 1 by the file"),
        column(
            "cache_by_hand",
            NUMBER,
            "share as a lead entered it, which counts then",
            lambda game: _by_hand(game, "cache"),
        ),
        column("input_tokens", INTEGER, "tokens that went in, by the file"),
        column("is_withdrawn", YES_NO, "whether averages leave it out"),
        column(
            "evaluations",
            INTEGER,
            "how many evaluations for rating are submitted",
            lambda game: sum(
                item.state == "submitted" and item.purpose == "rating" for item in game.evaluations
            ),
        ),
        column(
            "passes",
            YES_NO,
            "the verdict that counts; empty without one",
            lambda game: game.current_verdict and game.current_verdict.passes,
        ),
    ),
)
PLAYERS = Table(
    "players",
    "A row for each player of each game.",
    (
        GAME,
        column("player", INTEGER, "number of the player, from 1", "number"),
        column("name", TEXT, "the name in the game", "player.name"),
        column("role", TEXT, "the role as the file spells it", "player.role"),
        column("personality", TEXT, "the personality as the file spells it", "player.personality"),
        column("is_alive", YES_NO, "whether alive at the end, by the file", "player.is_alive"),
        column("out_round", INTEGER, "the round in which the player left; empty: never"),
        column("out_how", TEXT, "how the player left, as the file says", "how"),
    ),
)
MESSAGES = Table(
    "messages",
    "A row for each public message of each game.",
    (
        GAME,
        column("position", INTEGER, "place in the transcript, from 1", "message.position"),
        column("player", INTEGER, "number of the player who speaks", "message.player"),
        column("name", TEXT, "name of the player"),
        column("round", INTEGER, "round of the game", "message.round"),
        column("turn", INTEGER, "turn in the round, where the file has it", "message.turn"),
        column("time", TEXT, "time as the file spells it", "message.time"),
        column("reply_to", INTEGER, "place of the message that it replies to", "message.reply_to"),
        column("text", TEXT, "the message", "message.text"),
    ),
)
VOTES = Table(
    "votes",
    "A row for each recorded vote of each game.",
    (
        GAME,
        column("round", INTEGER, "round of the vote", "vote.round"),
        column("voter", INTEGER, "number of the player who votes", "vote.voter"),
        column("voter_name", TEXT, "name of the player who votes", "voter"),
        column("target", INTEGER, "number of the player voted for", "vote.target"),
        column("target_name", TEXT, "name of the player voted for", "target"),
        column("justification", TEXT, "the reason as the file has it", "vote.justification"),
        column("time", TEXT, "time as the file spells it", "vote.time"),
    ),
)
MEASUREMENTS = Table(
    "measurements",
    "A row for each metric of each measurement of each game, before any person judged.",
    (
        GAME,
        column("metric", TEXT, "key of the metric"),
        column("rubric_version", TEXT, "the version by which it was measured", "of.rubric_version"),
        column("code_version", TEXT, "version of the metrics' code", "of.code_version"),
        column("numerator", INTEGER, "what counted"),
        column("denominator", INTEGER, "of how many"),
        column(
            "score", NUMBER, "the figure in the metric's unit; empty: nothing to count, or pending", _score
        ),
        column("is_applicable", YES_NO, "whether there was anything to count"),
        column("is_pending", YES_NO, "whether people must judge first"),
        column("measured_at", MOMENT, "when it was measured", "of.at"),
    ),
)
JUDGED = (
    column("word", TEXT, "label, override, answer or rating", "judgement.word"),
    column("about", TEXT, "the kind of judgement, such as reference or coherence", "judgement.kind"),
    column(
        "subject",
        TEXT,
        "what it is about: 19.2 is sentence 2 of message 19, 19 message 19, 4 question 4",
        "judgement.subject",
    ),
    column("value", TEXT, "what counts now; empty: undone", "judgement.value"),
    column("blind_value", TEXT, "what was said before anything was revealed", "judgement.blind_value"),
    column("reason", TEXT, "the reason, where one was given", "judgement.reason"),
    column("changes", INTEGER, "how many acts there were on it", lambda row: len(row.judgement.history)),
    column(
        "changed_at",
        MOMENT,
        "when it was changed last",
        lambda row: row.judgement.history[-1].at if row.judgement.history else None,
    ),
)
JUDGEMENTS = Table(
    "judgements",
    "A row for each thing that an evaluator judged: labels, overrides, answers and ratings.",
    (
        GAME,
        column("evaluation", INTEGER, "key of the evaluation", "evaluation.id"),
        column("evaluator", TEXT, "who judged", "evaluation.evaluator"),
        column(
            "purpose",
            TEXT,
            "rating, repeat (a hidden duplicate) or calibration",
            "evaluation.purpose",
        ),
        column(
            "state",
            TEXT,
            "state of the evaluation; only submitted ones count",
            "evaluation.state",
        ),
        column("submitted_at", MOMENT, "when the evaluation was submitted", "evaluation.submitted_at"),
        *JUDGED,
    ),
)
ADJUDICATIONS = Table(
    "adjudications",
    "A row for each decision of a lead on a disagreement; the newest of a subject counts.",
    (
        GAME,
        column("about", TEXT, "the kind of judgement", "resolved.kind"),
        column("subject", TEXT, "what it is about", "resolved.subject"),
        column("number", INTEGER, "counts the decisions on that subject", "resolved.number"),
        column("value", TEXT, "what counts; empty: it is no reference", "resolved.after"),
        column("reason", TEXT, "why", "resolved.reason"),
        column("decided_at", MOMENT, "when", "resolved.at"),
        column("decided_by", TEXT, "by whom", "resolved.by"),
    ),
)
VERDICTS = Table(
    "verdicts",
    "A row for each recorded verdict, also of those that a later one supersedes.",
    (
        GAME,
        column("number", INTEGER, "counts the verdicts on that game", "verdict.number"),
        column("is_current", YES_NO, "whether no later one supersedes it", "verdict.is_current"),
        column("passes", YES_NO, "PASS or FAIL", "verdict.passes"),
        column("passed_count", INTEGER, "how many metrics pass", "verdict.passed_count"),
        column("composite", NUMBER, "the weighted sum that lists are sorted by", "verdict.composite"),
        column("flip_distance", INTEGER, "the fewest judgements that would turn it", "verdict.flip_distance"),
        column(
            "weak_pass_count",
            INTEGER,
            "metrics that pass with little or nothing to count",
            "verdict.weak_pass_count",
        ),
        column("rubric_version", TEXT, "the version by which it was judged", "verdict.rubric_version"),
        column("basis_sha256", TEXT, "SHA-256 of everything that it rests on", "verdict.basis_sha256"),
        column("reason", TEXT, "why an earlier one was superseded", "verdict.reason"),
        column("recorded_at", MOMENT, "when", "verdict.at"),
        column("recorded_by", TEXT, "by whom", "verdict.by"),
    ),
)


def _decided(name: str) -> Any:
    """Reads a part of the decision that counts."""
    return lambda item: getattr(item.decisions[-1], name) if item.decisions else None


ITERATIONS = Table(
    "iterations",
    "A row for each iteration.",
    (
        column("stage", INTEGER, "number of the stage; empty for unsorted games"),
        column("stage_name", TEXT, "name of the stage"),
        column("iteration", INTEGER, "number of the iteration in the project", "number"),
        column("name", TEXT, "name of the iteration"),
        column("kind", TEXT, "unsorted, baseline or change", "iteration_kind"),
        column("state", TEXT, "state of the work"),
        column("rubric_version", TEXT, "the version that judges its games"),
        column("evaluators", INTEGER, "how many evaluators a game needs", "evaluator_count"),
        column("reveal", TEXT, "blind_first, alongside or never"),
        column("prompt", TEXT, "the agents' prompt"),
        column("prompt_sha256", TEXT, "SHA-256 of the prompt"),
        column("compared_with", INTEGER, "the iteration that a change is compared with"),
        column("replay_of", INTEGER, "the iteration whose prompt is played again"),
        column("target", TEXT, "key of the metric that is to improve"),
        column("change_note", TEXT, "what was changed and why"),
        column("created_at", MOMENT, "when it was made"),
        column("created_by", TEXT, "by whom"),
        column("opened_at", MOMENT, "when it was opened for rating"),
        column("decision", TEXT, "keep, revert or inconclusive; empty before", _decided("choice")),
        column("decision_reason", TEXT, "why", _decided("reason")),
        column("decided_at", MOMENT, "when", _decided("at")),
        column("decided_by", TEXT, "by whom", _decided("by")),
    ),
)
TABLES = (
    *(GAMES, MESSAGES, PLAYERS, VOTES, MEASUREMENTS, JUDGEMENTS, ADJUDICATIONS, VERDICTS, ITERATIONS),
    *COMPARISON_TABLES,
)


def rows_of(item: Any) -> Iterator[tuple[Table, Any]]:
    """The rows that an item gives; the transcript of a game is decoded once for all of them."""
    if isinstance(item, ExportedGame):
        yield GAMES, item
        yield from _transcript_rows(item)
        yield from _judged_rows(item)
    elif isinstance(item, ExportedIteration):
        yield ITERATIONS, item
    else:
        yield from comparison_rows_of(item)


def _transcript_rows(item: ExportedGame) -> Iterator[tuple[Table, Any]]:
    number, record = item.number, _RECORD.decode(item.record)
    names = [player.name for player in record.players]
    out = {elimination.player: elimination for elimination in record.eliminations}
    for message in record.messages:
        yield MESSAGES, _MessageRow(number, names[message.player - 1], message)
    for at, player in enumerate(record.players, start=1):
        left = out.get(at)
        row = _PlayerRow(number, at, player, left.round if left else None, left.how if left else "")
        yield PLAYERS, row
    for vote in record.votes:
        yield VOTES, _VoteRow(number, names[vote.voter - 1], names[vote.target - 1], vote)


def _judged_rows(item: ExportedGame) -> Iterator[tuple[Table, Any]]:
    number = item.number
    for measurement in item.measurements:
        for metric, figures in _FIGURES.decode(measurement.figures).items():
            yield MEASUREMENTS, _MeasuredRow(number, measurement, metric, *figures)
    for evaluation in item.evaluations:
        for judgement in evaluation.judgements:
            yield JUDGEMENTS, _JudgedRow(number, evaluation, judgement)
    yield from ((ADJUDICATIONS, _ResolvedRow(number, resolved)) for resolved in item.adjudications)
    yield from ((VERDICTS, _VerdictRow(number, verdict)) for verdict in item.verdicts)
