"""The page that maps the columns of a file, with its first game, and the list of mappings."""

from collections import Counter

import msgspec

from discussions.core.records import Fault, GameRecord, Message
from discussions.imports.labels import describe_recipe
from discussions.imports.queries import kept_mapping
from discussions.models import ColumnMapping, Game, Transcript
from discussions.queries import rubric_record
from discussions.transcripts.core.audience import PRIVATE
from discussions.transcripts.core.file_names import source_name
from discussions.transcripts.core.readers.columns import MappingRecord, has_needed
from discussions.transcripts.core.readers.heads import read_first_game
from discussions.transcripts.core.readers.row_kinds import find_questions
from discussions.transcripts.core.readers.tables import Table, sample_rows
from discussions.transcripts.queries import mapping_record
from workspace.models import Project

SHOWN_COLUMNS, SHOWN_NAME = 12, 60
SAMPLE_ROWS, SHOWN_CHARACTERS, SHOWN_FAULTS = 3, 300, 5
# How many messages are shown of the beginning, of the middle and of the end.
PARTS = (4, 3, 3)


class Said(msgspec.Struct, frozen=True):
    """A message of the preview: its number, round, player, time and the beginning of its text."""

    number: int
    player: int
    round: int
    name: str
    time: str | None
    text: str
    is_cut: bool


class GamePreview(msgspec.Struct, frozen=True):
    """What the chosen columns make of the first game. `has_needed` is false until player and text are chosen.

    `said` are messages of its beginning, middle and end. `spoken` counts the messages of each player, `apart` the texts
    that not everybody could hear by kind.
    """

    has_needed: bool
    record: GameRecord | None = None
    said: list[Said] = []
    spoken: dict[int, int] = {}
    apart: dict[str, int] = {}
    faults: list[Fault] = []
    warnings: list[Fault] = []
    game_count: int = 0


class ColumnsPage(msgspec.Struct, frozen=True):
    """The page that maps columns. `is_part` says that the file is longer than what was read for the preview.

    `left_out` names the first keys that hold lists, which cannot be columns.
    """

    transcript: Transcript
    columns: list[str]
    left_out: str
    rows: list[list[str]]
    row_count: int
    preview: GamePreview
    kept: ColumnMapping | None
    game_count: int
    is_part: bool


def build_columns_page(*, transcript: Transcript, table: Table, mapping: MappingRecord) -> ColumnsPage:
    """The page for one file and the columns that are chosen now."""
    return ColumnsPage(
        transcript=transcript,
        columns=table.columns,
        left_out=_shown_names(table.left_out),
        rows=[[cell[:SHOWN_CHARACTERS] for cell in row] for row in sample_rows(table, SAMPLE_ROWS)],
        row_count=sum(1 for _row in table.rows),
        preview=_preview(transcript, table, mapping),
        kept=kept_mapping(transcript, table.columns),
        game_count=Game.objects.filter(transcript=transcript).count(),
        is_part=table.is_part,
    )


def list_mappings(*, project: Project) -> list[tuple[ColumnMapping, list[tuple[object, str]]]]:
    """The recipes that count in the project, the newest first: each with what it says."""
    rows = ColumnMapping.objects.filter(project=project, removed_at=None)
    rows = rows.select_related("created_by", "transcript").order_by("-pk")
    return [(row, describe_recipe(mapping_record(row))) for row in rows]


def _shown_names(names: list[str]) -> str:
    more = ", …" if len(names) > SHOWN_COLUMNS else ""
    return ", ".join(name[:SHOWN_NAME] for name in names[:SHOWN_COLUMNS]) + more


def _preview(transcript: Transcript, table: Table, mapping: MappingRecord) -> GamePreview:
    if not has_needed(mapping.fields):
        return GamePreview(has_needed=False)
    version = transcript.iteration.rubric_version
    role_map = rubric_record(version.pk, version.sha256).lists.get("role_map", {})
    name = transcript.name
    # Until somebody has answered, what is not clear is kept apart.
    unclear = {question.value.casefold(): PRIVATE for question in find_questions(table, mapping)}
    mapping = msgspec.structs.replace(mapping, kinds=unclear | mapping.kinds)
    first = read_first_game(table, mapping, name, source_name(name), role_map)
    faults = [Fault(place=name, code=code, message=says) for code, _place, says in table.faults.first]
    messages = first.record.messages if first.record else []
    return GamePreview(
        has_needed=True,
        record=first.record,
        said=[_said(message, first.record) for message in _sample(messages) if first.record],
        spoken=Counter(message.player for message in messages),
        apart=Counter(entry.kind for entry in first.private),
        faults=[*faults, *first.faults][:SHOWN_FAULTS],
        warnings=first.warnings,
        game_count=first.game_count,
    )


def _sample(messages: list[Message]) -> list[Message]:
    """Some messages of the beginning, of the middle and of the end; all of a short game."""
    begin, middle, end = PARTS
    if len(messages) <= sum(PARTS):
        return messages
    half = max(begin, (len(messages) - middle) // 2)
    return [*messages[:begin], *messages[half : half + middle], *messages[-end:]]


def _said(message: Message, record: GameRecord) -> Said:
    return Said(
        number=message.position,
        player=message.player,
        round=message.round,
        name=record.players[message.player - 1].name,
        time=message.time,
        text=message.text[:SHOWN_CHARACTERS],
        is_cut=len(message.text) > SHOWN_CHARACTERS,
    )
