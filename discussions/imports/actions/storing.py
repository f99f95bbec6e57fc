"""Store games that were read: completely or not at all, only once, with a number in their project."""

from datetime import datetime
from functools import partial

import msgspec
from django.conf import settings
from django.db.models import F
from django.utils.translation import gettext as _

from discussions.core.iteration_states import why_frozen
from discussions.core.records import Fault
from discussions.imports.core import Intake, KnownGames
from discussions.metrics import actions as metrics
from discussions.metrics.core.registry import CODE_VERSION
from discussions.models import (
    Game,
    GameText,
    ImportDismissal,
    Iteration,
    PrivateTrack,
    Transcript,
    UnindexedGame,
)
from discussions.slots.actions import fill_slots
from discussions.transcripts.core import oddities
from discussions.transcripts.core.notes import REPEATS_DROPPED, Limits, Notes, ReadGame
from discussions.transcripts.core.reader import ReadTally
from rubric.core.records import RubricRecord
from workspace.core.canonical import bytes_hash
from workspace.core.refusals import Conflict
from workspace.core.words import for_storage, mark, say
from workspace.database.bulk_rows import insert_rows, reserve_keys
from workspace.models import Person, Project

_ADDED = mark("What not everybody could hear was added to game {number}, which had none of it.")


class PreparedGame(msgspec.Struct, frozen=True):
    """A game as it is stored: its body and the hash of it, columns for lists, and its measurements if it has any."""

    game_id: str
    place: str
    body: str
    sha256: str
    facts: dict[str, object]
    result: metrics.EncodedResult | None = None
    private: str = ""


def prepare(read: ReadGame, file_name: str, rubric: RubricRecord | None = None) -> PreparedGame:
    """What is stored of a game that was read; with a rubric version, the game is measured under it."""
    record = read.record
    body = msgspec.json.encode(record)
    facts = {
        "search_text": record.build_search_text(file_name),
        "player_count": len(record.players),
        "message_count": len(record.messages),
        "word_count": record.word_count,
        "round_count": record.rounds,
        "vote_count": len(record.votes),
        "cost_usd": record.cost.total_usd,
        "paid_usd": record.cost.total_usd,
        "cache_hit_rate": record.cost.cache_hit_rate,
        "input_tokens": record.cost.input_tokens,
        "played_on": record.played_on,
        "model_build": record.model_build or "",
        "seed": record.seed or "",
        "pair": record.pair or "",
        "warnings": msgspec.json.encode(read.warnings).decode(),
        "warning_count": len(read.warnings),
    }
    result = None if rubric is None else metrics.compute_in_passing(record, rubric)
    private = msgspec.json.encode(read.private).decode() if read.private else ""
    return PreparedGame(record.game_id, read.place, body.decode(), bytes_hash(body), facts, result, private)


def add_missing_tracks(project: int, games: list[PreparedGame]) -> list[Fault]:
    """Keep what not everybody could hear with stored games that are word for word these and have none of it.

    Returns a warning for each. Must run inside the caller's transaction, which holds the project's row.
    """
    ready = {game.sha256: game for game in games if game.private}
    rows = Game.objects.filter(project=project, content_sha256__in=ready, private_track=None).order_by("pk")
    found = list(rows.values_list("pk", "number", "content_sha256"))
    insert_rows(
        PrivateTrack, ("game_id", "body"), [(key, ready[sha256].private) for key, _n, sha256 in found]
    )
    return [
        Fault(ready[sha256].place, "private_added", say(_ADDED, number=number), is_warning=True)
        for _key, number, sha256 in found
    ]


class Store:
    """Stores the games of a transcript with their measurements and slots, in the caller's transaction.

    A second run gives the same result.
    """

    def __init__(self, *, transcript: Transcript, by: Person) -> None:
        self.transcript = transcript
        self.iteration = transcript.iteration
        self.by = by
        self.intake = Intake(transcript=transcript.pk, is_separate=transcript.is_separate)

    def lock(self) -> None:
        """First in a transaction: who opens the iteration for rating sees these games, or this sees that it is open."""
        if not self.iteration.is_unsorted:
            rows = Iteration.objects.select_for_update(no_key=True, of=("self",))
            self.iteration = rows.select_related("project", "rubric_version").get(pk=self.iteration.pk)

    def put(self, games: list[PreparedGame], tally: ReadTally, *, now: datetime) -> None:
        """Store these games, except those that are stored already; the tally counts what was taken and refused."""
        # From here on, two imports of one project run one after the other, so neither misses the other's games. Rows
        # that only refer to the project (an upload, a job, a verdict) do not wait for a whole batch.
        Project.objects.select_for_update(no_key=True).get(pk=self.transcript.project_id)
        known = self._known([ready.game_id for ready in games])
        with for_storage():
            takes = partial(self.intake.takes, tally, known)
            new = [game for game in games if takes(game.game_id, game.sha256, game.place)]
            for fault in add_missing_tracks(self.transcript.project_id, games):
                tally.refuse(fault)
        self.add(new, now=now)

    def add(self, games: list[PreparedGame], *, now: datetime) -> list[int]:
        """Store games without checking what is stored already; returns their keys."""
        if not games:
            return []
        keys = list(reserve_keys(Game, len(games)))
        project = Project.objects.filter(pk=self.transcript.project_id)
        project.update(next_game_number=F("next_game_number") + len(games))
        (after,) = project.values_list("next_game_number", flat=True)
        stored = list(zip(keys, range(after - len(games), after), games, strict=True))
        shared = {
            "project_id": self.transcript.project_id,
            "iteration_id": self.iteration.pk,
            "transcript_id": self.transcript.pk,
            "created_at": now,
            "created_by_id": self.by.pk,
        }
        insert_rows(
            Game,
            ("id", "number", "source_id", "content_sha256", *games[0].facts, *shared),
            [
                (key, number, game.game_id, game.sha256, *game.facts.values(), *shared.values())
                for key, number, game in stored
            ],
        )
        insert_rows(GameText, ("game_id", "body"), [(key, game.body) for key, _number, game in stored])
        tracks = [(key, game.private) for key, _number, game in stored if game.private]
        insert_rows(PrivateTrack, ("game_id", "body"), tracks)
        insert_rows(UnindexedGame, ("game_id",), [(key,) for key in keys])
        results = [
            metrics.GameResult(key, number, 0, self._input_hash(game), game.result)
            for key, number, game in stored
            if game.result is not None
        ]
        if results:
            job = self.transcript.job_id
            metrics.store_results(rows=results, iteration=self.iteration, job=job, by=self.by, now=now)
            if self.iteration.has_slots:
                filled = [row.game for row in results]
                fill_slots(project=self.transcript.project, games=filled, by=self.by, now=now)
        return keys

    def _input_hash(self, game: PreparedGame) -> str:
        return metrics.hash_input(game.sha256, self.iteration.rubric_version.sha256, CODE_VERSION)

    def _known(self, ids: list[str]) -> KnownGames:
        known: KnownGames = {}
        rows = Game.objects.filter(project=self.transcript.project_id, source_id__in=ids)
        for source_id, sha256, number, transcript in rows.values_list(
            "source_id", "content_sha256", "number", "transcript_id"
        ):
            known.setdefault(source_id, {})[sha256] = (number, transcript)
        return known


def dismiss_replaced(*, transcript: Transcript, by: Person, now: datetime) -> None:
    """Dismiss the faults of earlier uploads of this name into this iteration, since this upload corrects them."""
    faulty = Transcript.objects.filter(
        project=transcript.project,
        iteration=transcript.iteration,
        name=transcript.name,
        created_at__lt=transcript.created_at,
        fault_count__gt=0,
    )
    ImportDismissal.objects.bulk_create(
        [
            ImportDismissal(transcript=old, replaced_by=transcript, dismissed_at=now, dismissed_by=by)
            for old in faulty.defer("faults")
        ],
        ignore_conflicts=True,
    )


def store_without_repeats(*, game: Game, by: Person, now: datetime) -> Game:
    """Store a marked copy of a game without its repeated messages and queue its measuring, in the caller's transaction.

    The copy goes into the iteration of the original, or into the unsorted one when that iteration takes no more games.
    The caller records the event. Raises Conflict when there is nothing to drop or a copy exists already.
    """
    transcript = game.transcript
    record = game.text.to_record()
    shorter = oddities.without_repeated(record)
    gone = [message.position for message in oddities.find_repeated(record.messages)]
    if not gone:
        raise Conflict(_("This game has no repeated messages to drop."), code="no_repeats")
    notes = Notes(transcript.name, "", Limits(**settings.TRANSCRIPT_LIMITS))
    notes.warn(REPEATS_DROPPED, what=game.number, count=len(gone))
    known = msgspec.json.decode(game.warnings, type=list[Fault])
    kept = [warning for warning in known if warning.code not in oddities.ODDITY_CODES - oddities.NOTED]
    with for_storage():
        warnings = [*notes.warnings(), *kept, *oddities.oddity_warnings(shorter, transcript.name)]
    told = [one for track in PrivateTrack.objects.filter(game=game) for one in track.to_entries()]
    private = [msgspec.structs.replace(it, after=it.after - sum(n <= it.after for n in gone)) for it in told]
    content = prepare(ReadGame(shorter, warnings, transcript.name, private), transcript.name)
    store = Store(transcript=transcript, by=by)
    store.iteration = Iteration.objects.select_for_update(no_key=True).get(pk=game.iteration_id)
    if why_frozen(store.iteration.state) and not store.iteration.is_unsorted:
        store.iteration = Iteration.objects.get(project=game.project_id, stage=None)
    # As in an import, concurrent actions run one after the other, so that the second finds the game of the first.
    Project.objects.select_for_update(no_key=True).get(pk=game.project_id)
    if Game.objects.filter(transcript=transcript, content_sha256=content.sha256).exists():
        raise Conflict(_("The repeated messages of this game were dropped before."), code="dropped_before")
    (made,) = store.add([content], now=now)
    metrics.ask_to_measure(iteration=store.iteration, by=by, now=now)
    return Game.objects.get(pk=made)
