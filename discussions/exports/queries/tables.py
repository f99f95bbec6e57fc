"""The tables and the stream of an export: everything for leads, one's own work for evaluators."""

from collections.abc import Callable, Iterator
from typing import Any

import msgspec
from django.conf import settings
from django.db.models import QuerySet
from msgspec.structs import asdict

from discussions.core.evaluation_states import OPEN, SUBMITTED
from discussions.core.records import GameRecord
from discussions.exports.queries import lines
from discussions.exports.queries.lines import ExportNames
from discussions.iterations.queries import count_erased
from discussions.metrics.core.registry import FIGURES, measured_value
from discussions.models import Evaluation, Game, Iteration, Judge, Measured, Stage
from discussions.queries import list_batches as list_game_batches
from discussions.rating.queries import load_state
from rubric.exports.queries import OWN_TABLES as OWN_REVIEW_TABLES
from rubric.exports.queries import TABLES as COMPARISON_TABLES
from rubric.exports.queries import VERSIONS, stream_own_reviews, stream_set
from rubric.exports.queries import rows_of as comparison_rows_of
from rubric.models import Comparison, ComparisonSet, Review
from workspace.exports.core import choices
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
from workspace.exports.queries import Line, list_batches
from workspace.models import Chain, Export, Person, Project

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


FORMAT = 1
_OWN_BATCH = 50
_BATCH = 200


def read_subject(export: Export) -> choices.ExportSubject:
    return choices.parse_subject(export.subject) or choices.ExportSubject(choices.PROJECT)


# How rows of a model are found by the number in a subject; for several games, what of these names the row.
_PATHS: dict[Any, dict[str, str]] = {
    Stage: {
        choices.STAGE: "number",
        choices.ITERATION: "iterations__number",
        choices.GAME: "iterations__games__number",
        choices.GAMES: "iteration__stage",
    },
    Iteration: {
        choices.STAGE: "stage__number",
        choices.ITERATION: "number",
        choices.GAME: "games__number",
        choices.GAMES: "iteration",
    },
    Game: {
        choices.STAGE: "iteration__stage__number",
        choices.ITERATION: "iteration__number",
        choices.GAME: "number",
        choices.GAMES: "pk",
    },
    ComparisonSet: {choices.SET: "number"},
}


def rows_in(model: Any, project: Project, subject: choices.ExportSubject) -> "QuerySet[Any]":
    """The rows of the model that belong to the subject: all for a project, none where it has no such rows."""
    rows = model.objects.filter(project=project).order_by("pk")
    if subject.kind == choices.PROJECT:
        return rows
    path = _PATHS[model].get(subject.kind)
    if path is None:
        return rows.none()
    if subject.kind == choices.GAMES:
        games = Game.objects.filter(project=project, number__in=subject.numbers).order_by()
        return rows.filter(pk__in=games.values(path))
    return rows.filter(**{path: subject.number})


def count_items(export: Export) -> int:
    """Roughly how many lines the stream has, for its progress."""
    project, subject = export.project, read_subject(export)
    if not export.is_unblinded:
        own = Evaluation.objects.visible_to(export.created_by).filter(game__project=project).count()
        reviews = Review.objects.visible_to(export.created_by).filter(reviewer__set__project=project).count()
        return own + reviews
    comparisons = Comparison.objects.filter(set__in=rows_in(ComparisonSet, project, subject)).count()
    return rows_in(Game, project, subject).count() + comparisons


def stream_export(export: Export, *, why_left_out: Callable[[ComparisonSet], str]) -> Iterator[Line]:
    """Every line of the export but the last: all of the subject, or its owner's own work in the project.

    `why_left_out` says for a set why the owner may not see its reviews and authors, "" where they may.
    """
    names = ExportNames(export)
    yield _head(export, names)
    if not export.is_unblinded:
        yield from _own_evaluations(export, names)
        yield from stream_own_reviews(export.project, export.created_by, names)
        return
    project, subject = export.project, read_subject(export)
    yield from VERSIONS.stream([_list_versions(project, subject)], names)
    yield from lines.STAGES.stream(list_batches(rows_in(Stage, project, subject), _BATCH), names)
    if subject.kind == choices.PROJECT:
        yield from lines.JUDGES.stream(list_batches(rows_in(Judge, project, subject), _BATCH), names)
    erased = count_erased(project=project)
    for line in lines.ITERATIONS.stream(list_batches(rows_in(Iteration, project, subject), _BATCH), names):
        yield line | {"erased_games": erased.get(line["number"], 0)}
    left_out = frozenset[str]() if export.format == choices.JSONL else frozenset({"findings"})
    yield from lines.GAMES.stream(list_game_batches(rows_in(Game, project, subject)), names, left_out)
    for row in rows_in(ComparisonSet, project, subject).select_related("project"):
        yield from stream_set(row, left_out=why_left_out(row), names=names)


def _head(export: Export, names: ExportNames) -> Line:
    """The first line: what the file holds, made by whom and when, with which version of the site.

    `audit_head` is the end of the project's audit chain: with it, `verify` detects a log that was cut or changed since.
    Owners of their own work alone may not see it.
    """
    chains = Chain.objects.filter(project=export.project) if export.is_unblinded else Chain.objects.none()
    return {
        "kind": "export",
        "format": FORMAT,
        "project": export.project.slug,
        "project_name": export.project.name,
        "subject": export.subject,
        "holds": "everything" if export.is_unblinded else "own work",
        "has_pseudonyms": export.has_pseudonyms,
        "made_at": export.created_at,
        "made_by": names.person(export.created_by_id) or "",
        "site_version": settings.VERSION,
        "audit_head": chains.values("seq", "mac").first(),
    }


def _list_versions(project: Project, subject: choices.ExportSubject) -> set[int]:
    iterations, games = rows_in(Iteration, project, subject), rows_in(Game, project, subject)
    measured = Measured.objects.filter(game__in=games).order_by()
    return {
        *iterations.values_list("rubric_version", flat=True),
        *measured.values_list("rubric_version", flat=True).distinct(),
        *rows_in(ComparisonSet, project, subject).values_list("rubric_version", flat=True),
    }


def _own_evaluations(export: Export, names: ExportNames) -> Iterator[Line]:
    """The owner's own evaluations, each with as much of the game as its own page shows."""
    person = export.created_by
    rows = Evaluation.objects.visible_to(person).filter(game__project=export.project)
    for keys in list_batches(rows, _OWN_BATCH):
        evaluations = Evaluation.objects.with_work().filter(pk__in=keys).order_by("pk")
        for evaluation, line in zip(evaluations, lines.OWN_EVALUATIONS.stream([keys], names), strict=True):
            yield {**line, "game": evaluation.game_number, "transcript": _own_game(evaluation, person)}


def _own_game(evaluation: Evaluation, person: Person) -> Line | None:
    """The game as the evaluator sees it blind; None where it is closed to them, or was paused."""
    if evaluation.state not in (*OPEN, SUBMITTED):
        return None
    evaluation.evaluator = person
    state = load_state(evaluation)
    if not state.visibility.transcript:
        return None
    return {"players": state.seen.players, "messages": state.seen.messages, "votes": state.seen.votes}
