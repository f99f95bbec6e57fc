"""Exports that other tools read: scores as OpenTelemetry events, games as session traces, one column an evaluator."""

import zipfile
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import IO, Any

import msgspec

from discussions.core.outcome import Outcome
from discussions.core.records import GameRecord, Message
from discussions.exports.core.report import find_current_verdict
from discussions.metrics.core.registry import list_measured
from discussions.verdicts.core.scores_out import list_scores
from workspace.display.core.csv_lines import csv_line
from workspace.exports.core.files import BYTE_ORDER_MARK, Spool
from workspace.exports.core.score_events import Score, write_events
from workspace.exports.core.tables import Item, RowsOf, Value

_RECORD, _OUTCOME = msgspec.json.Decoder(GameRecord), msgspec.json.Decoder(Outcome)
_ITEM = ("game", "set", "comparison", "round", "response", "about", "subject")
Line = dict[str, Any]


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
