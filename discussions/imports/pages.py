"""The page that maps the columns of a file, with its first game, and the list of mappings."""

from collections import Counter

import msgspec

from discussions.core.records import GameRecord
from discussions.imports.labels import describe_recipe
from discussions.models import ColumnMapping, Game, Transcript
from discussions.queries import rubric_record
from discussions.transcripts.core.audience import PRIVATE, SPEECH
from discussions.transcripts.core.file_names import source_name
from discussions.transcripts.core.readers import columns as recipes
from discussions.transcripts.core.readers import heads
from discussions.transcripts.core.readers.row_kinds import find_questions
from discussions.transcripts.core.readers.tables import Table, sample_rows
from discussions.transcripts.queries import mapping_record
from workspace.models import Project

SHOWN_COLUMNS, SHOWN_NAME = 12, 60
SAMPLE_ROWS, SHOWN_CHARACTERS, SHOWN_FAULTS = 3, 300, 5
# How many messages are shown of the beginning, of the middle and of the end.
PARTS = (4, 3, 3)
# From this mean length, in characters, a column that is not read may hold texts.
SENTENCE = 25


class Said(msgspec.Struct, frozen=True):
    """A message of the preview: its number, round, player, time and the beginning of its text."""

    number: int
    player: int
    round: int
    name: str
    time: str | None
    text: str
    is_cut: bool


class ColumnsPage:
    """The page for one file and the columns that are chosen now. `has_needed` is false until player and text are.

    `said` are messages of the first game: of its beginning, middle and end. `rows` are the first ones of `table`.
    """

    rows: list[list[str]]
    preview: heads.FirstGame

    def __init__(self, *, transcript: Transcript, table: Table, mapping: recipes.MappingRecord) -> None:
        self.transcript = transcript
        self.table = table
        self.rows = [[cell[:SHOWN_CHARACTERS] for cell in row] for row in sample_rows(table, SAMPLE_ROWS)]
        self.row_count = sum(1 for _row in table.rows)
        self.has_needed = recipes.has_needed(mapping.fields)
        channels = () if recipes.SEPARATOR in table.settings else table.asked
        asked = [one.value for one in find_questions(table, mapping)] if self.has_needed else []
        self.open = {value.casefold(): SPEECH if value in channels else PRIVATE for value in asked}
        # Until somebody has answered, what is not clear is kept apart.
        shown = msgspec.structs.replace(mapping, kinds=self.open | mapping.kinds)
        self.preview = _first_game(transcript, table, shown) if self.has_needed else heads.FirstGame()
        self.said = _sample(self.preview.record) if self.preview.record else []
        self.kept = kept_mapping(transcript, table)
        self.game_count = Game.objects.filter(transcript=transcript).count()
        self.paths = heads.profile_paths(table, mapping)
        read = {
            name for names in mapping.fields.values() for name in recipes.split_columns(names, table.columns)
        }
        unread = (one.path for one in self.paths if one.path not in read and one.length >= SENTENCE)
        self.unread_texts = list(unread) if self.has_needed else []

    @property
    def apart(self) -> dict[str, int]:
        """The number of texts that are kept apart, by why: they wait for an answer, or their kind."""
        private = self.preview.private
        return Counter("open" if one.channel.casefold() in self.open else one.kind for one in private)

    @property
    def unread(self) -> list[str]:
        """The first lines of a text that are in none of its templates."""
        lines = self.table.left_out if recipes.SEPARATOR in self.table.settings else []
        return [line[:SHOWN_CHARACTERS] for line in lines if any(map(str.isalnum, line))][:SHOWN_FAULTS]

    @property
    def first_lines(self) -> list[str]:
        """How a text begins whose lines somebody describes; [] for other files."""
        return [line[:SHOWN_CHARACTERS] for line in self.table.first_lines]

    @property
    def left_out(self) -> str:
        """The first keys that hold lists, which cannot be columns."""
        names = self.table.left_out
        more = ", …" if len(names) > SHOWN_COLUMNS else ""
        return ", ".join(name[:SHOWN_NAME] for name in names[:SHOWN_COLUMNS]) + more


def kept_mapping(transcript: Transcript, table: Table) -> ColumnMapping | None:
    """The recipe that counts for the columns of a file."""
    key = recipes.columns_hash(table.columns, table.settings)
    rows = ColumnMapping.objects.filter(project=transcript.project, removed_at=None)
    return rows.select_related("created_by").filter(columns_sha256=key).first()


def first_mapping(transcript: Transcript, table: Table) -> recipes.MappingRecord:
    """What the page shows first: the kept recipe, else what the names of the columns and their cells suggest."""
    if kept := kept_mapping(transcript, table):
        return mapping_record(kept)
    proposed = heads.with_rounds(table, heads.propose_mapping(table))
    return msgspec.structs.replace(proposed, aliases=heads.find_aliases(table, proposed))


def list_mappings(*, project: Project) -> list[tuple[ColumnMapping, list[tuple[object, str]]]]:
    """The recipes that count in the project, the newest first: each with what it says."""
    rows = ColumnMapping.objects.filter(project=project, removed_at=None)
    rows = rows.select_related("created_by", "transcript").order_by("-pk")
    return [(row, describe_recipe(mapping_record(row))) for row in rows]


def _first_game(transcript: Transcript, table: Table, mapping: recipes.MappingRecord) -> heads.FirstGame:
    version = transcript.iteration.rubric_version
    role_map = rubric_record(version.pk, version.sha256).lists.get("role_map", {})
    first = heads.read_first_game(table, mapping, transcript.name, source_name(transcript.name), role_map)
    return msgspec.structs.replace(first, faults=first.faults[:SHOWN_FAULTS])


def _sample(record: GameRecord) -> list[Said]:
    """Some messages of the beginning, of the middle and of the end; all of a short game."""
    messages, (begin, middle, end) = record.messages, PARTS
    if len(messages) > sum(PARTS):
        half = max(begin, (len(messages) - middle) // 2)
        messages = [*messages[:begin], *messages[half : half + middle], *messages[-end:]]
    return [
        Said(
            number=message.position,
            player=message.player,
            round=message.round,
            name=record.players[message.player - 1].name,
            time=message.time,
            text=message.text[:SHOWN_CHARACTERS],
            is_cut=len(message.text) > SHOWN_CHARACTERS,
        )
        for message in messages
    ]
