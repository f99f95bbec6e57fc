"""All games of a file at once, as tests look at them."""

from msgspec import Struct

from discussions.core.records import Fault
from discussions.transcripts.core.formats import Format
from discussions.transcripts.core.layouts import ReadOptions
from discussions.transcripts.core.native_parts import RoleMap
from discussions.transcripts.core.notes import Limits, ReadGame
from discussions.transcripts.core.reader import ReadTally, plan_reading, read_games
from discussions.transcripts.core.readers.columns import Columns


class Transcripts(Struct, frozen=True):
    """The content of a file. `faults` holds the first ones in order of place, `fault_count` counts all of them."""

    games: list[ReadGame] = []
    faults: list[Fault] = []
    fault_count: int = 0
    refused_count: int = 0
    format: str = ""


def read_transcripts(
    data: bytes,
    name: str,
    limits: Limits | None = None,
    *,
    role_map: RoleMap | None = None,
    named: Format | None = None,
    columns: Columns = (),
    own: Columns = (),
) -> Transcripts:
    """All importable games of the file, and all faults of the others, at once. Never raises.

    `name` only serves to name places. See `ReadOptions` for the rest.
    """
    options = ReadOptions(
        limits=limits or Limits(), role_map=role_map or {}, named=named, columns=columns, own=own
    )
    plan = plan_reading(data, name, options)
    tally = ReadTally.of(plan)
    return Transcripts(
        games=[outcome.game for outcome in tally.counting(read_games(plan)) if outcome.game],
        faults=tally.faults,
        fault_count=tally.fault_count,
        refused_count=tally.refused_count,
        format=tally.format,
    )
