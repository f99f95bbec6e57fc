"""Rows of games: each game whole or not at all, none twice, numbered within its project."""

from datetime import datetime

import msgspec
from django.db.models import F

from discussions.core.readers.notes import ReadGame
from discussions.core.records import Fault
from discussions.models import Game, GameText, Transcript
from workspace.core.canonical import bytes_hash
from workspace.models import Person, Project

Content = tuple[str, str]


class _Ready(msgspec.Struct):
    """A game that is ready for its rows: its body as it is stored, and the hash of that."""

    read: ReadGame
    body: bytes
    sha256: str


class Store:
    """Puts the games of one transcript into rows. `faults` are of games that could not be put, in the file's order.

    The order of the file decides: run twice over the same file it gives the same games and the same faults.
    """

    def __init__(self, *, transcript: Transcript, by: Person) -> None:
        self.transcript = transcript
        self.by = by
        self.faults: list[Fault] = []
        self.game_count = 0
        self._seen: dict[str, set[str]] = {}

    def put(self, games: list[ReadGame], *, now: datetime) -> None:
        """Store these games, except those that are in already. Must run inside the caller's transaction."""
        ready = [_ready(read) for read in games]
        # Two imports of one project go one after the other from here on: neither misses the other's games. Rows that
        # only refer to the project (an upload, a job, a verdict) do not wait for a whole batch.
        Project.objects.select_for_update(no_key=True).get(pk=self.transcript.project_id)
        known = self._known([each.read.record.game_id for each in ready])
        new = [each for each in ready if self._is_new(each, known)]
        if not new:
            return
        number = self._take_numbers(len(new))
        rows = [self._row(each, number + offset, now) for offset, each in enumerate(new)]
        Game.objects.bulk_create(rows)
        GameText.objects.bulk_create(
            [GameText(game=row, body=each.body.decode()) for row, each in zip(rows, new, strict=True)]
        )
        self.game_count += len(rows)

    def _known(self, ids: list[str]) -> dict[str, dict[str, tuple[int, int]]]:
        """What the project has under these ids: id -> content -> (our number, transcript)."""
        known: dict[str, dict[str, tuple[int, int]]] = {}
        rows = Game.objects.filter(project=self.transcript.project, source_id__in=ids)
        for source_id, sha256, number, transcript in rows.values_list(
            "source_id", "content_sha256", "number", "transcript_id"
        ):
            known.setdefault(source_id, {})[sha256] = (number, transcript)
        return known

    def _is_new(self, each: _Ready, known: dict[str, dict[str, tuple[int, int]]]) -> bool:
        game_id = each.read.record.game_id
        seen = self._seen.setdefault(game_id, set())
        here = known.get(game_id, {})
        own = self.transcript.pk
        if each.sha256 in seen:
            self._fault(each, "already_imported", _TWICE.format(id=game_id), is_warning=True)
            return False
        if each.sha256 in here:
            number, transcript = here[each.sha256]
            seen.add(each.sha256)
            if transcript != own:
                self._fault(
                    each, "already_imported", _HERE.format(id=game_id, number=number), is_warning=True
                )
            else:
                self.game_count += 1
            return False
        others = [number for number, transcript in here.values() if transcript != own]
        if (others or seen) and not self.transcript.is_separate:
            where = f"game {min(others)}" if others else "another game of this file"
            self._fault(each, "game_exists", _TAKEN.format(id=game_id, where=where))
            return False
        seen.add(each.sha256)
        return True

    def _fault(self, each: _Ready, code: str, message: str, *, is_warning: bool = False) -> None:
        self.faults.append(Fault(place=each.read.place, code=code, message=message, is_warning=is_warning))

    def _take_numbers(self, count: int) -> int:
        """The first of so many numbers in a row."""
        project = Project.objects.filter(pk=self.transcript.project_id)
        project.update(next_game_number=F("next_game_number") + count)
        return project.values_list("next_game_number", flat=True)[0] - count

    def _row(self, each: _Ready, number: int, now: datetime) -> Game:
        record = each.read.record
        return Game(
            project_id=self.transcript.project_id,
            iteration_id=self.transcript.iteration_id,
            transcript=self.transcript,
            number=number,
            source_id=record.game_id,
            content_sha256=each.sha256,
            player_count=len(record.players),
            message_count=len(record.messages),
            round_count=record.rounds,
            vote_count=len(record.votes),
            cost_usd=record.cost.total_usd,
            cache_hit_rate=record.cost.cache_hit_rate,
            input_tokens=record.cost.input_tokens,
            warnings=msgspec.json.encode(each.read.warnings).decode(),
            warning_count=len(each.read.warnings),
            created_at=now,
            created_by=self.by,
        )


_TWICE = 'The game "{id}" is in this file twice, word for word; it was taken once.'
_HERE = 'The game "{id}" is already here as game {number}, word for word; it was not taken again.'
_TAKEN = (
    'The id "{id}" already belongs to {where}, whose content is another. Nothing was overwritten. Give this game an id '
    "of its own, or import it as a separate game."
)


def _ready(read: ReadGame) -> _Ready:
    body = msgspec.json.encode(read.record)
    return _Ready(read=read, body=body, sha256=bytes_hash(body))
