"""The tables of an export, and the rows that each of its lines gives: everything for leads, one's own work."""

from collections.abc import Iterator

import msgspec
from msgspec.structs import asdict

from discussions.core.records import GameRecord
from discussions.exports.queries import lines
from discussions.metrics.core.registry import FIGURES, measured_value
from rubric.exports.queries import OWN_TABLES as OWN_REVIEW_TABLES
from rubric.exports.queries import TABLES as COMPARISON_TABLES
from rubric.exports.queries import rows_of as comparison_rows_of
from workspace.exports.core.tables import (
    INTEGER,
    MOMENT,
    NUMBER,
    TEXT,
    YES_NO,
    ExportTable,
    TableColumn,
    column,
)
from workspace.exports.queries import Line

_RECORD = msgspec.json.Decoder(GameRecord)
_FIGURE_NAMES = ("numerator", "denominator", "is_applicable", "is_pending")
_OUT = "the round in which the player left; empty: never"


def _score(row: Line) -> float | None:
    return measured_value(row["metric"], *(row[name] for name in _FIGURE_NAMES))


GAME = column("game", INTEGER, "number of the game in the project")
TABLES = (
    ExportTable("games", "A row for each game.", tuple(lines.GAMES.list_columns())),
    ExportTable(
        "messages",
        "A row for each public message of each game.",
        (
            GAME,
            column("position", INTEGER, "place in the transcript, from 1"),
            column("player", INTEGER, "number of the player who speaks"),
            column("name", TEXT, "the name in the game"),
            column("round", INTEGER, "round of the game"),
            column("turn", INTEGER, "turn in the round, where the file has it"),
            column("time", TEXT, "time as the file spells it"),
            column("reply_to", INTEGER, "place of the message that it replies to"),
            column("text", TEXT, "the message"),
        ),
    ),
    ExportTable(
        "players",
        "A row for each player of each game.",
        (
            GAME,
            column("player", INTEGER, "number of the player, from 1"),
            column("name", TEXT, "the name in the game"),
            column("role", TEXT, "the role as the file spells it"),
            column("personality", TEXT, "the personality as the file spells it"),
            column("is_alive", YES_NO, "whether alive at the end, by the file"),
            column("out_round", INTEGER, _OUT),
            column("out_how", TEXT, "how the player left, as the file says"),
        ),
    ),
    ExportTable(
        "votes",
        "A row for each recorded vote of each game.",
        (
            GAME,
            column("round", INTEGER, "round of the vote"),
            column("voter", INTEGER, "number of the player who votes"),
            column("voter_name", TEXT, "name of the player who votes"),
            column("target", INTEGER, "number of the player voted for"),
            column("target_name", TEXT, "name of the player voted for"),
            column("justification", TEXT, "the reason as the file has it"),
            column("time", TEXT, "time as the file spells it"),
        ),
    ),
    ExportTable(
        "measurements",
        "A row for each metric of each measurement of each game, before any person judged.",
        (
            GAME,
            column("metric", TEXT, "key of the metric"),
            column("rubric_version", TEXT, "the version by which it was measured"),
            column("code_version", TEXT, "version of the metrics' code"),
            column("numerator", INTEGER, "what counted"),
            column("denominator", INTEGER, "of how many"),
            column(
                "score",
                NUMBER,
                "the figure in the metric's unit; empty: nothing to count, or pending",
                _score,
            ),
            column("is_applicable", YES_NO, "whether there was anything to count"),
            column("is_pending", YES_NO, "whether people must judge first"),
            column("measured_at", MOMENT, "when it was measured", "at"),
        ),
    ),
    ExportTable(
        "judgements",
        "A row for each thing that an evaluator judged: labels, overrides, answers and ratings.",
        (GAME, *lines.EVALUATIONS.list_columns(), *lines.JUDGEMENTS.list_columns()),
    ),
    ExportTable(
        "adjudications",
        "A row for each decision of a lead on a disagreement; the newest of a subject counts.",
        (GAME, *lines.ADJUDICATIONS.list_columns()),
    ),
    ExportTable(
        "judge_answers",
        "A row for each answer of a model as a judge; no verdict rests on it.",
        (GAME, *lines.JUDGE_ANSWERS.list_columns()),
    ),
    ExportTable(
        "verdicts",
        "A row for each recorded verdict, also of those that a later one supersedes.",
        (GAME, *lines.VERDICTS.list_columns()),
    ),
    ExportTable("iterations", "A row for each iteration.", tuple(lines.ITERATIONS.list_columns())),
    *COMPARISON_TABLES,
)


def _pick(name: str, *columns: str) -> Iterator[TableColumn]:
    (table,) = (table for table in TABLES if table.name == name)
    return (column for column in table.columns if column.name in columns)


_OF = (
    column("evaluation", INTEGER, "key of the evaluation"),
    column("game", INTEGER, "number under which the evaluator knows the game"),
)
# Made of `OWN_EVALUATIONS` and of records that have no fields for what is hidden from evaluators.
OWN_TABLES = (
    ExportTable(
        "evaluations", "A row for each evaluation of one's own.", tuple(lines.OWN_EVALUATIONS.list_columns())
    ),
    ExportTable(
        "messages",
        "A row for each public message of each game that is open to the evaluator.",
        (*_OF, *_pick("messages", "position", "player", "name", "round", "text")),
    ),
    ExportTable(
        "players",
        "A row for each player of each game that is open to the evaluator, without role and personality.",
        (
            *(*_OF, *_pick("players", "player", "name")),
            column("messages", INTEGER, "how many messages", "message_count"),
            column("out_round", INTEGER, _OUT, lambda row: row["out_round"] or None),
        ),
    ),
    ExportTable(
        "votes",
        "A row for each recorded vote of each game that is open to the evaluator, without its reason.",
        (*_OF, *_pick("votes", "round", "voter", "target")),
    ),
    ExportTable(
        "judgements",
        "A row for each thing that the evaluator judged: labels, overrides, answers and ratings.",
        (*_OF, *lines.JUDGEMENTS.list_columns()),
    ),
    *OWN_REVIEW_TABLES,
)


def rows_of(item: Line) -> Iterator[tuple[str, Line]]:
    """The rows that a line gives, each with the name of its table."""
    if item["kind"] == lines.GAMES.name:
        yield "games", item
        yield from _transcript_rows(item["number"], _RECORD.decode(item["record"]))
        yield from _judged_rows(item)
    elif item["kind"] == lines.ITERATIONS.name:
        yield "iterations", item
    elif item["kind"] == lines.OWN_EVALUATIONS.name:
        yield "evaluations", item
        yield from _own_rows(item)
    else:
        yield from comparison_rows_of(item)


def _transcript_rows(game: int, record: GameRecord) -> Iterator[tuple[str, Line]]:
    names = [player.name for player in record.players]
    for message in record.messages:
        yield "messages", {"game": game, "name": names[message.player - 1], **asdict(message)}
    out = {elimination.player: elimination for elimination in record.eliminations}
    for number, player in enumerate(record.players, start=1):
        left = out.get(number)
        how = {"out_round": left.round if left else None, "out_how": left.how if left else ""}
        yield "players", {"game": game, "player": number, **asdict(player), **how}
    for vote in record.votes:
        voters = {"voter_name": names[vote.voter - 1], "target_name": names[vote.target - 1]}
        yield "votes", {"game": game, **voters, **asdict(vote)}


def _judged_rows(item: Line) -> Iterator[tuple[str, Line]]:
    game = {"game": item["number"]}
    for measurement in item["measurements"]:
        for metric, figures in FIGURES.decode(measurement["figures"]).items():
            counted = dict(zip(_FIGURE_NAMES, figures, strict=True))
            yield "measurements", {**game, **measurement, "metric": metric, **counted}
    for evaluation in item["evaluations"]:
        place = {**game, **evaluation}
        yield from (("judgements", {**place, **judgement}) for judgement in evaluation["judgements"])
    for name in ("adjudications", "judge_answers", "verdicts"):
        yield from ((name, {**game, **row}) for row in item[name])


def _own_rows(item: Line) -> Iterator[tuple[str, Line]]:
    place = {"evaluation": item["id"], "game": item["game"]}
    transcript = item["transcript"] or {"players": [], "messages": [], "votes": []}
    for message in transcript["messages"]:
        yield "messages", {**place, "name": transcript["players"][message.player - 1].name, **asdict(message)}
    yield from (("players", {**place, "player": row.number, **asdict(row)}) for row in transcript["players"])
    yield from (("votes", {**place, **asdict(row)}) for row in transcript["votes"])
    yield from (("judgements", {**place, **judgement}) for judgement in item["judgements"])
