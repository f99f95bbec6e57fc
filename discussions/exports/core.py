"""Exports as a readable Markdown report, and in the formats of other tools."""

import zipfile
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from typing import IO, Any

import msgspec
from msgspec import Struct

from discussions.core.judgement_kinds import RATING
from discussions.core.outcome import Outcome
from discussions.core.records import GameRecord, Message
from discussions.metrics.core.registry import list_measured
from discussions.verdicts.core.report import list_scores
from workspace.core.markdown import plain
from workspace.core.text import one_line
from workspace.display.core.csv_lines import csv_line
from workspace.exports.core.files import BYTE_ORDER_MARK, Spool
from workspace.exports.core.score_events import Score, write_events
from workspace.exports.core.tables import Item, RowsOf, Value

_OUTCOME = msgspec.json.Decoder(Outcome)
_LONGEST = 120
_MISSING = "-"

Line = dict[str, Any]


class _Section(Struct, frozen=True):
    """A heading, and its table: the head of each column, and a key of the line or what is read from it."""

    title: str
    columns: dict[str, str | Callable[[Line], object]]
    split: Callable[[Line], Iterable[Line]] = lambda item: [item]

    def read(self, item: Line) -> Iterator[Iterable[object]]:
        for row in self.split(item):
            yield [row[read] if isinstance(read, str) else read(row) for read in self.columns.values()]


class MarkdownReport:
    """The file of a report, written as items come: a section for each kind of them. One game is reported in detail."""

    def __init__(self, out: IO[bytes], *, is_detailed: bool) -> None:
        self.out, self.is_detailed = out, is_detailed
        self.section: _Section | None = None

    def add(self, item: Item) -> None:
        assert isinstance(item, dict)
        if item["kind"] == "export":
            self._write(_list_head_lines(item))
        section = _SECTIONS.get(item["kind"])
        if section is None:
            return
        if self.section is not section:
            self.section = section
            self._write(["", f"## {section.title}", "", *_list_table_head(section.columns)])
        self._write(map(_join, section.read(item)))
        if self.is_detailed and section is _GAMES:
            self._write(_list_details(item))
            self.section = None

    def close(self, tick: Callable[[], None]) -> None:
        """Every line is written already."""

    def _write(self, lines: Iterable[str]) -> None:
        self.out.write("".join(f"{line}\n" for line in lines).encode())


def find_current_verdict(game: Line) -> Line | None:
    return next((verdict for verdict in game["verdicts"] if verdict["is_current"]), None)


def _list_table_head(columns: Iterable[str]) -> list[str]:
    return [f"| {' | '.join(columns)} |", f"| {' | '.join('---' for _column in columns)} |"]


def _join(values: Iterable[object]) -> str:
    return f"| {' | '.join(map(_write_cell, values))} |"


def _write_cell(value: object) -> str:
    if value is None or value == "":
        return _MISSING
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return plain(one_line(value, _LONGEST))
    return f"{value:g}" if isinstance(value, float) else str(value)


def _write_moment(value: Any) -> str | None:
    return None if value is None else f"{value:%Y-%m-%d %H:%M} UTC"


def _list_head_lines(head: Line) -> list[str]:
    lines = [
        f"# {plain(head['project_name'])}: {head['subject'].replace(':', ' ')}",
        "",
        f"Exported by {plain(head['made_by'])}, {_write_moment(head['made_at'])}. It holds {head['holds']}.",
    ]
    if head["has_pseudonyms"]:
        lines += ["", "Names are pseudonyms. Texts that people wrote may hold names."]
    if audit := head["audit_head"]:
        lines += ["", f"Audit log: line {audit['seq']}, seal `{audit['mac']}`."]
    return lines


def _read_last(name: str) -> Callable[[Line], object]:
    return lambda item: item["decisions"][-1][name] if item["decisions"] else None


def _list_responses(item: Line) -> Iterator[Line]:
    reviews = [review for review in item["reviews"] if review["state"] == "submitted"]
    for response in item["responses"]:
        overalls = [
            scores["overall"]
            for review in reviews
            for label, scores in review["answer"]["evaluations"].items()
            if review["labels"].get(label) == response["number"]
            and "overall" in scores
            and label not in review["own"]
        ]
        mean = round(sum(overalls) / len(overalls), 2) if overalls else None
        name = response["id"] or str(response["number"])
        yield {**item, "name": name, "author": response["author"], "count": len(overalls), "mean": mean}


_GAMES = _Section(
    "Games",
    {
        "Game": "number",
        "Id in the file": "game_id",
        "Iteration": "iteration",
        "Messages": "message_count",
        "Cost in $": lambda item: None if item["cost_usd"] is None else float(item["cost_usd"]),
        "Evaluations": lambda item: sum(row["state"] == "submitted" for row in item["evaluations"]),
        "Verdict": lambda item: (
            (verdict := find_current_verdict(item)) and ("PASS" if verdict["passes"] else "FAIL")
        ),
        "Metrics passed": lambda item: (find_current_verdict(item) or {}).get("passed_count"),
    },
)
_SECTIONS = {
    "rubric_version": _Section(
        "Rubric versions",
        {"Version": lambda item: f"{item['rubric']} {item['number']}", "State": "state", "SHA-256": "sha256"},
    ),
    "stage": _Section(
        "Stages",
        {
            "Stage": "number",
            "Name": "name",
            "Goal": "goal",
            "State": lambda item: "closed" if item["closed_at"] else "open",
        },
    ),
    "iteration": _Section(
        "Iterations",
        {
            "Iteration": "number",
            "Stage": "stage",
            "Name": "name",
            "Kind": "iteration_kind",
            "Judged by": "rubric_version",
            "Decision": _read_last("choice"),
            "Reason": _read_last("reason"),
        },
    ),
    "game": _GAMES,
    "comparison_set": _Section(
        "Comparison sets",
        {
            "Set": "number",
            "Name": "name",
            "Mode": "mode",
            "Judged by": "rubric_version",
            "Reviewers": lambda item: ", ".join(reviewer["name"] for reviewer in item["reviewers"]),
            "Left out": "left_out",
        },
    ),
    "comparison": _Section(
        "Comparisons",
        {
            "Set": "set",
            "Comparison": "number",
            "Question": "question",
            "Response": "name",
            "Author": "author",
            "Reviews": "count",
            "Mean overall": "mean",
        },
        _list_responses,
    ),
    "own_evaluation": _Section(
        "Own evaluations",
        {
            "Game": "game",
            "State": "state",
            "Submitted": lambda item: _write_moment(item["submitted_at"]),
            "Judgements": lambda item: len(item["judgements"]),
            "Rating": lambda item: next(
                (row["value"] for row in item["judgements"] if row["kind"] == RATING), None
            ),
        },
    ),
    "own_review": _Section(
        "Own reviews",
        {
            "Set": "set",
            "Comparison": "comparison",
            "Question": "question",
            "Round": "round",
            "State": "state",
            "Submitted": lambda item: _write_moment(item["submitted_at"]),
        },
    ),
}


def _list_details(item: Line) -> Iterator[str]:
    verdict = find_current_verdict(item)
    if verdict is not None:
        outcome = _OUTCOME.decode(verdict["outcome"])
        yield from ["", f"### {plain(outcome.headline)}", ""]
        yield from _list_table_head(["Metric", "Counted", "Of", "Threshold", "Passes"])
        for line in outcome.lines:
            passes = "open" if line.is_open else line.passes
            yield _join([line.label, line.numerator, line.denominator, line.threshold, passes])
    for evaluation in item["evaluations"]:
        yield from [
            "",
            f"### Evaluation by {plain(evaluation['evaluator'] or '')} ({evaluation['state']})",
            "",
        ]
        yield from _list_table_head(["Kind", "Subject", "Value", "Reason"])
        for row in evaluation["judgements"]:
            yield _join([row["kind"].replace("_", " "), row["subject"], row["value"], row["reason"]])


_RECORD = msgspec.json.Decoder(GameRecord)
_ITEM = ("game", "set", "comparison", "round", "response", "about", "subject")


class ScoreEventsFile:
    """OTLP JSON, a request of the logs service in each line: the scores of one game."""

    def __init__(self, out: IO[bytes], *, version: str) -> None:
        self.out, self.version, self.project = out, version, ""

    def add(self, item: Item) -> None:
        assert isinstance(item, dict)
        if item["kind"] == "export":
            self.project = item["project"]
        if item["kind"] != "game":
            return
        scores, about, at = _read_scores(item)
        named = {"evalsite.project": self.project, "evalsite.game": item["number"], **about}
        events = write_events(scores, conversation=item["game_id"], about=named, at=at, version=self.version)
        if scores:
            self.out.write(msgspec.json.encode(events) + b"\n")

    def close(self, tick: Callable[[], None]) -> None:
        """Every line is written already."""


def _read_scores(game: Line) -> tuple[list[Score], Line, datetime]:
    """The scores of the verdict that counts, else of the newest measurement; what they are about, and when."""
    if verdict := find_current_verdict(game):
        about = {"evalsite.verdict": verdict["number"], "evalsite.rubric": verdict["rubric_version"]}
        return list_scores(_OUTCOME.decode(verdict["outcome"])), about, verdict["at"]
    for measured in game["measurements"][-1:]:
        about = {"evalsite.rubric": measured["rubric_version"]}
        return list_measured(measured["figures"]), about, measured["at"]
    return [], {}, game["imported_at"]


class TracesFile:
    """A zip with a file for each game in Hugging Face's Session Trace Simple Format: a session, then its messages."""

    def __init__(self, out: IO[bytes]) -> None:
        self.archive = zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=1)
        self.project = ""

    def add(self, item: Item) -> None:
        assert isinstance(item, dict)
        if item["kind"] == "export":
            self.project = item["project"]
        if item["kind"] == "game":
            name = f"{self.project}-game-{item['number']}"
            lines = map(
                msgspec.json.encode, _list_trace(name, item["game_id"], _RECORD.decode(item["record"]))
            )
            self.archive.writestr(zipfile.ZipInfo(f"{name}.jsonl"), b"\n".join([*lines, b""]))

    def close(self, tick: Callable[[], None]) -> None:
        self.archive.close()


def _list_trace(name: str, game_id: str, record: GameRecord) -> Iterator[Line]:
    """The format has no players, so each message begins with the name of its own; the header lists them."""
    players = [{"name": player.name, "role": player.role} for player in record.players]
    head = {"type": "session", "harness": "evalsite", "id": name, "name": game_id or name, "players": players}
    yield head | ({"winner": record.winner} if record.winner else {})
    for message in record.messages:
        said = f"{record.players[message.player - 1].name}: {message.text}"
        yield {"type": "message", "message": {"role": "assistant", "content": said, **_read_time(message)}}


def _read_time(message: Message) -> Line:
    """The moment of a message in milliseconds since 1970, where the file says it as ISO 8601 does."""
    try:
        at = datetime.fromisoformat(message.time or "")
        return {"timestamp": int(at.replace(tzinfo=at.tzinfo or UTC).timestamp() * 1000)}
    except (ValueError, OverflowError):
        return {}


class WideFile:
    """A CSV with a row for each thing that was judged, and a column for each person or model that judged."""

    def __init__(self, out: IO[bytes], rows_of: RowsOf, spool: Spool, *, has_byte_order_mark: bool) -> None:
        self.out, self.rows_of, self.spool = out, rows_of, spool()
        self.has_byte_order_mark = has_byte_order_mark
        self.names: dict[str, None] = {}

    def add(self, item: Item) -> None:
        rows: dict[tuple[Value, ...], dict[str, Value]] = {}
        for key, name, value in _list_cells(self.rows_of(item)):
            self.names.setdefault(name)
            rows.setdefault(key, {})[name] = value
        for row in rows.items():
            self.spool.write(msgspec.json.encode(row) + b"\n")

    def close(self, tick: Callable[[], None]) -> None:
        """Who judged is known only now: write their columns, in the order of names."""
        names = sorted(self.names)
        head = csv_line([*_ITEM, *names]).encode()
        self.out.write(BYTE_ORDER_MARK + head if self.has_byte_order_mark else head)
        self.spool.seek(0)
        for line in self.spool:
            key, values = msgspec.json.decode(line)
            self.out.write(csv_line([*key, *map(values.get, names)]).encode())
            tick()
        self.spool.close()


def _list_cells(rows: Iterator[tuple[str, Any]]) -> Iterator[tuple[tuple[Value, ...], str, Value]]:
    """Of each answer that counts: what it is about, who gave it, and the answer."""
    for table, row in rows:
        if (
            table == "judgements"
            and (row["state"], row["purpose"]) == ("submitted", "rating")
            and row["value"]
        ):
            yield (row["game"], *[None] * 4, row["kind"], row["subject"]), row["evaluator"], row["value"]
        elif table == "marks" and row["score"] is not None:
            place = tuple(row[name] for name in _ITEM[1:5])
            yield (None, *place, row["criterion"], ""), row["reviewer"], row["score"]
