"""Input and output types of text converters; a separate module because `formats.py` imports the converters."""

from collections.abc import Callable, Sequence
from typing import Any

from discussions.transcripts.core.notes import Notes
from discussions.transcripts.core.readers.columns import MappingRecord

NativeGame = dict[str, Any] | None
# The notes of the next game of a text: one game, one Notes.
NewNotes = Callable[[], Notes]
# Which columns of files of rows hold what, as people said.
Columns = Sequence[MappingRecord]
