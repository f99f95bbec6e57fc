"""The converters of foreign formats: whatever JSON or files they are given, a game that holds together or faults."""

from collections.abc import Callable, Iterator
from typing import Any

from discussions.transcripts.core.formats import read_converted
from discussions.transcripts.core.notes import Limits, Notes
from discussions.transcripts.core.readers import (
    agent_traces,
    aiwolf,
    avalon_nlu,
    chat_exports,
    kaggle_werewolf,
    llmafia,
    openai_chat,
    werewolf_arena,
)
from tests.factories.foreign_games import (
    aiwolf_game,
    avalon_game,
    llmafia_files,
    werewolf_arena_game,
    werewolf_arena_logs,
)
from tests.factories.native_games import as_bytes
from tests.factories.public_formats import (
    a2a_latest,
    crew_log,
    crew_output,
    discord_channel,
    kaggle_replay,
    langfuse_traces,
    langsmith_runs,
    otlp_spans,
    otlp_structured,
    session_lines,
    slack_day,
    slack_export,
)
from tests.fuzz.promises import check_sentences, check_storable, in_time, longer
from tests.fuzz.transcript import LIMITS, ROLES, check_game
from workspace.core.strict_json import read_json

Convert = Callable[[Any, Notes], dict[str, Any] | None]
OF_VALUES: tuple[Convert, ...] = (
    werewolf_arena.to_native,
    avalon_nlu.to_native,
    aiwolf.to_native,
    kaggle_werewolf.to_native,
    agent_traces.to_native,
    openai_chat.to_native,
    chat_exports.to_native,
)
OF_FILES: tuple[Convert, ...] = (
    werewolf_arena.to_native_files,
    llmafia.to_native_files,
    lambda files, notes: next(chat_exports.read_files(files, lambda: notes, ()))[0],
)


def check(data: bytes, converters: tuple[Convert, ...] = OF_VALUES + OF_FILES) -> None:
    """Everything that holds of every converter. Raises when it does not."""
    for limits in LIMITS:
        for convert, given in _cases(data, converters):
            _check_one(convert, given, limits)


def check_long(data: bytes) -> None:
    """The same many times over is read in time."""
    for case in longer(data):
        for convert, given in _cases(case, OF_VALUES + OF_FILES):
            # The bound is by the length of the bytes, whatever they hold.
            in_time(lambda _, convert=convert, given=given: _read(convert, given, Limits()), case)


def seeds() -> list[bytes]:
    """A game in each format; files as an object of texts by name."""
    return [
        as_bytes(werewolf_arena_game()),
        as_bytes(werewolf_arena_logs()),
        as_bytes(avalon_game()),
        as_bytes(aiwolf_game()),
        *map(as_bytes, (kaggle_replay(), otlp_spans(), langfuse_traces(), langsmith_runs(), session_lines())),
        *map(
            as_bytes,
            (otlp_structured(), a2a_latest(), crew_output(), crew_log(), discord_channel(), slack_day()),
        ),
        as_bytes({path: as_bytes(value).decode() for path, value in slack_export().items()}),
        as_bytes({name: text.decode() for name, text in llmafia_files().items()}),
        as_bytes({name: text.decode() for name, text in llmafia_files(config=None).items()}),
        as_bytes({"game_complete.json": as_bytes(werewolf_arena_game()).decode()}),
        *llmafia_files().values(),
    ]


def _cases(data: bytes, converters: tuple[Convert, ...]) -> Iterator[tuple[Convert, Any]]:
    """What each converter is given: the value, the files that it names, and the bytes as a single chat."""
    document = read_json(data)
    for convert in converters:
        if convert not in OF_FILES:
            if document.is_readable:
                yield convert, document.value
            continue
        yield convert, {"public_daytime_chat.txt": data, "public_manager_chat.txt": data, "config.json": data}
        if type(document.value) is dict:
            texts = {name: text for name, text in document.value.items() if type(text) is str}
            yield convert, {name: text.encode() for name, text in texts.items()}


def _read(convert: Convert, given: Any, limits: Limits) -> tuple[Any, Notes]:
    notes = Notes("game.json", "", limits, source="game")
    return read_converted(convert(given, notes), notes, ROLES), notes


def _check_one(convert: Convert, given: Any, limits: Limits) -> None:
    record, notes = _read(convert, given, limits)
    assert (record is None) == bool(notes.fault_count), "neither a game nor a fault"
    assert len(notes.faults) <= limits.faults
    found = [*notes.faults, *notes.warnings()]
    check_storable([record, found])
    check_sentences(*(fault.message for fault in found))
    assert all(fault.place.startswith("game.json") for fault in found)
    again, twice = _read(convert, given, limits)
    assert (again, twice.faults) == (record, notes.faults), "read twice, it says something else"
    if record is not None:
        check_game(record)
