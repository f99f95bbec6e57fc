"""Transcripts as they were uploaded, the games read from them, and the index of their messages.

Imported rows never change.
"""

from collections.abc import Iterable

import msgspec
from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Q
from django.db.models.functions import Coalesce

from discussions.core.records import GameRecord, PrivateEntry
from discussions.models.iterations import Iteration
from workspace.database.pairs import set_together
from workspace.models import Job, Made, Person, Project


class TranscriptManager(models.Manager["Transcript"]):
    def get_queryset(self) -> "models.QuerySet[Transcript]":
        """Uploads that were not erased; rows that stay of erased ones are in `with_erased`."""
        return super().get_queryset().filter(erased_at=None)


class Transcript(Made):
    """An uploaded file: its bytes are kept under their SHA-256, its report gives the outcome of the import.

    `named_format` is the format that a person named, "" for automatic detection, and after "@" the encoding that was
    named, if any; `format` is the format that was found.
    `waits_for_columns` says that its rows are read once somebody has mapped their columns.
    """

    project = models.ForeignKey(Project, models.PROTECT, related_name="transcripts")
    iteration = models.ForeignKey(Iteration, models.PROTECT, related_name="transcripts")
    name = models.CharField(max_length=300)
    sha256 = models.CharField(max_length=64)
    byte_count = models.PositiveBigIntegerField()
    is_separate = models.BooleanField(default=False)
    job = models.ForeignKey(Job, models.PROTECT, related_name="+", null=True, blank=True)
    named_format = models.CharField(max_length=30, blank=True)
    format = models.CharField(max_length=30, blank=True)
    faults = models.TextField(default="[]")
    fault_count = models.PositiveIntegerField(default=0)
    waits_for_columns = models.BooleanField(default=False)
    erased_at = models.DateTimeField(null=True, blank=True)

    objects = TranscriptManager()
    with_erased = models.Manager["Transcript"]()

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=["project", "sha256", "is_separate"], name="transcript_once_per_project"
            ),
        )
        indexes = (
            models.Index(
                fields=["project", "id"], condition=Q(fault_count__gt=0), name="transcript_with_faults"
            ),
        )

    @property
    def named_encoding(self) -> str:
        return self.named_format.partition("@")[2]


class ImportDismissal(models.Model):
    """Faults of an import that no longer appear as a notice: somebody saw them, or `replaced_by` is the corrected file.

    The row is deleted when the import is read again. Archives leave it out.
    """

    transcript = models.OneToOneField(Transcript, models.PROTECT, related_name="dismissal", primary_key=True)
    replaced_by = models.ForeignKey(
        Transcript, models.PROTECT, related_name="replaces", null=True, blank=True
    )
    dismissed_at = models.DateTimeField()
    dismissed_by = models.ForeignKey(Person, models.PROTECT, related_name="+")


class ImportRun(models.Model):
    """The progress of reading one file. Workers claim and read parts, which are stored in the order of the file.

    Columns hold JSON, in the records of `discussions/imports/core.py`: `layout` says how the file holds its games,
    `parts` where each part is, `claims` who reads which part, `sums` the outcomes of the games so far, `met` which
    games of an earlier reading were found again. Parts before `next_part` are stored. Games up to the key
    `newest_before` existed before.
    """

    transcript = models.OneToOneField(Transcript, models.PROTECT, related_name="run")
    layout = models.TextField()
    parts = models.TextField()
    next_part = models.PositiveIntegerField(default=0)
    claims = models.TextField(default="{}")
    sums = models.TextField(default="{}")
    met = models.TextField(default="[]")
    newest_before = models.PositiveBigIntegerField(default=0)


# How many evaluators a game needs, for queries of games; the same as `Game.evaluator_count`.
NEEDED = Coalesce("needed_count", "iteration__evaluator_count")
# The same for queries of rows that belong to a game.
NEEDED_OF_GAME = Coalesce("game__needed_count", "game__iteration__evaluator_count")


class GameQuerySet(models.QuerySet["Game"]):
    def visible_to(self, person: Person) -> "GameQuerySet":
        """A lead sees all games of their projects, an admin all. Evaluators reach games only through evaluations."""
        if person.is_admin:
            return self
        return self.filter(
            project__memberships__person=person,
            project__memberships__role="lead",
            project__memberships__ended_at=None,
        )


_Games = models.Manager.from_queryset(GameQuerySet)


class GameManager(_Games):
    def get_queryset(self) -> GameQuerySet:  # type: ignore[override]
        """Games that were not erased. Averages and checks read `with_erased`: an erased game keeps its figures."""
        return super().get_queryset().filter(erased_at=None)  # type: ignore[return-value]


class Game(Made):
    """One imported game, without its text. `number` is ours and counts within the project.

    `needed_count` is set if a lead decided, with a reason, that fewer evaluators than the iteration requires are
    enough. The list of games searches in `search_text`, which `GameRecord.build_search_text` builds. `cost_usd` is the
    cost that the file reports. `paid_usd` is the cost that counts: the one that a lead entered last, else the reported
    one. `played_on` is the day as the file writes it; `model_build`, `seed` and `pair` are those of `GameRecord`.
    """

    project = models.ForeignKey(Project, models.PROTECT, related_name="games")
    iteration = models.ForeignKey(Iteration, models.PROTECT, related_name="games")
    transcript = models.ForeignKey(Transcript, models.PROTECT, related_name="games")
    number = models.PositiveIntegerField()
    source_id = models.CharField(max_length=200)
    search_text = models.TextField(blank=True)
    content_sha256 = models.CharField(max_length=64)
    player_count = models.PositiveIntegerField()
    message_count = models.PositiveIntegerField()
    word_count = models.PositiveIntegerField(null=True, blank=True)
    round_count = models.PositiveIntegerField()
    vote_count = models.PositiveIntegerField()
    cost_usd = models.DecimalField(max_digits=12, decimal_places=6, null=True, blank=True)
    paid_usd = models.DecimalField(max_digits=12, decimal_places=6, null=True, blank=True)
    cache_hit_rate = models.FloatField(null=True, blank=True)
    input_tokens = models.PositiveBigIntegerField(null=True, blank=True)
    played_on = models.DateField(null=True, blank=True)
    model_build = models.TextField(blank=True, default="")
    seed = models.CharField(max_length=200, blank=True, default="")
    pair = models.CharField(max_length=200, blank=True, default="")
    warnings = models.TextField(default="[]")
    warning_count = models.PositiveIntegerField(default=0)
    withdrawn_at = models.DateTimeField(null=True, blank=True)
    withdrawn_by = models.ForeignKey(Person, models.PROTECT, related_name="+", null=True, blank=True)
    withdrawn_reason = models.TextField(blank=True)
    needed_count = models.PositiveSmallIntegerField(null=True, blank=True)
    needed_at = models.DateTimeField(null=True, blank=True)
    needed_by = models.ForeignKey(Person, models.PROTECT, related_name="+", null=True, blank=True)
    needed_reason = models.TextField(blank=True)
    erased_at = models.DateTimeField(null=True, blank=True)

    objects = GameManager()
    with_erased = GameQuerySet.as_manager()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["project", "number"], name="game_number_unique"),
            models.UniqueConstraint(
                fields=["project", "content_sha256", "transcript"], name="game_once_per_file"
            ),
            set_together("withdrawn_at", "withdrawn_by", name="game_withdrawn_pair"),
            models.CheckConstraint(
                condition=Q(needed_count=None, needed_at=None, needed_by=None, needed_reason="")
                | (
                    Q(needed_count__gte=1, needed_at__isnull=False, needed_by__isnull=False)
                    & ~Q(needed_reason="")
                ),
                name="game_needed_whole",
            ),
        )
        indexes = (
            models.Index(fields=["project", "source_id"], name="game_by_source"),
            models.Index(fields=["project", "message_count", "id"], name="game_in_order_of_length"),
            models.Index(fields=["project", "iteration"], name="game_by_iteration"),
            models.Index(fields=["project", "paid_usd", "id"], name="game_in_order_of_cost"),
            models.Index(
                fields=["project", "iteration"],
                condition=Q(withdrawn_at__isnull=False),
                name="game_withdrawn",
            ),
        )

    @property
    def evaluator_count(self) -> int:
        """How many evaluators the game needs: as many as its iteration requires, unless a lead lowered that number."""
        return self.needed_count or self.iteration.evaluator_count


class GameText(models.Model):
    """The game record itself as JSON, kept out of every list."""

    game = models.OneToOneField(Game, models.PROTECT, related_name="text", primary_key=True)
    body = models.TextField()

    def to_record(self) -> GameRecord:
        return msgspec.json.decode(self.body, type=GameRecord)


class PrivateTrack(models.Model):
    """What not everybody at the table could hear, as JSON: a list of `PrivateEntry`.

    It is no part of the game that is rated. Nothing reads it but the pages that follow a reveal.
    """

    game = models.OneToOneField(Game, models.PROTECT, related_name="private_track", primary_key=True)
    body = models.TextField()

    def to_entries(self) -> list[PrivateEntry]:
        return msgspec.json.decode(self.body, type=list[PrivateEntry])


class WordsField(models.TextField):
    """Words in the form in which the database finds them."""

    def db_type(self, connection: BaseDatabaseWrapper) -> str:
        """A vector on PostgreSQL; on SQLite the table is one of FTS5, whose columns have no types."""
        return "tsvector" if connection.vendor == "postgresql" else "text"


class IndexedMessage(models.Model):
    """The words of one message, and words that say where it is; `key` is made of game and position.

    Only `discussions.search` reads and writes it. Private tracks are not in it.
    """

    key = models.BigIntegerField(primary_key=True, db_column="rowid")
    words = WordsField()


class UnindexedGameQuerySet(models.QuerySet["UnindexedGame"]):
    def queue(self, games: Iterable[int]) -> None:
        """Note, in the caller's transaction, that these games are to be indexed.

        It waits for a job that indexes one of them now: that may have read the game as it was before.
        """
        keys = list(games)
        for begin in range(0, len(keys), 500):
            waiting = self.filter(game__in=keys[begin : begin + 500]).order_by("game")
            list(waiting.select_for_update().values_list("game"))
        rows = [UnindexedGame(game_id=game) for game in keys]
        UnindexedGame.objects.bulk_create(rows, ignore_conflicts=True, batch_size=500)


class UnindexedGame(models.Model):
    """A game whose messages are not found yet, or not where it is now: a job indexes it and deletes this row."""

    game = models.OneToOneField(Game, models.PROTECT, related_name="unindexed", primary_key=True)

    objects = UnindexedGameQuerySet.as_manager()
