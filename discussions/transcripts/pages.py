"""The pages of imports: the list, and one import with its progress and faults."""

from datetime import datetime
from functools import cached_property

import msgspec
from django.db.models import Count, Exists, OuterRef, Sum
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from discussions.core.records import Fault
from discussions.metrics.core.registry import CODE_VERSION
from discussions.metrics.queries import outdated_games
from discussions.models import Game, ImportDismissal, Iteration, Measured, Transcript
from discussions.transcripts.core.oddities import ODDITY_CODES
from discussions.transcripts.core.readers.columns import WAITING
from workspace.core.words import decode_stored
from workspace.jobs.pages import ProgressBar, is_worker_alive, time_left
from workspace.models import Job, Project
from workspace.models.jobs import CANCELLED, DONE, FAILED, QUEUED, RUNNING

SHOWN_IMPORTS = 30
SHOWN_GAMES = 50
SHOWN_FAULTS = 20
# The related rows that the list and the page of one import show.
SHOWN_WITH = ("job", "created_by", "iteration", "dismissal__replaced_by", "dismissal__dismissed_by")
LIVE = (QUEUED, RUNNING)
# The formats whose columns a person may map.
ROW_FORMATS = ("csv", "jsonl", "separated", "chat_text")


class ImportCounts(msgspec.Struct, frozen=True):
    """The imported, measured and own games of a transcript, without those made here from others, and warnings."""

    games: int = 0
    measured: int = 0
    warnings: int = 0
    own: int = 0


class ImportLine:
    """An import and its games; `state` is a key of `says`."""

    def __init__(self, transcript: Transcript, counts: ImportCounts) -> None:
        self.transcript = transcript
        self.counts = counts
        self.job: Job | None = transcript.job
        self.job_state = transcript.job.state if transcript.job else DONE
        self.faults = decode_stored(transcript.faults, list[Fault])

    @cached_property
    def state(self) -> str:
        if self.job is not None and self.job_state in LIVE:
            return "waiting" if self.job.started_at is None else "reading"
        if self.job_state in (CANCELLED, FAILED):
            return "cancelled" if self.job_state == CANCELLED else "failed"
        if self.counts.measured < self.counts.games:
            return "measuring"
        if self.transcript.waits_for_columns:
            return "columns"
        return "done" if self.counts.games else "nothing"

    @property
    def says(self) -> tuple[str, str]:
        """The words for its state, and their tone."""
        return {
            "waiting": (_("waiting"), "pending"),
            "reading": (_("reading"), "pending"),
            "measuring": (_("measuring"), "pending"),
            "done": (_("done"), "pass"),
            "columns": (_("waits for an answer"), "pending"),
            "nothing": (_("no game imported"), "fail"),
            "cancelled": (_("cancelled"), ""),
            "failed": (_("failed"), "fail"),
        }[self.state]

    @property
    def is_live(self) -> bool:
        """Whether a worker has work left to do on it."""
        return self.state in ("waiting", "reading", "measuring")

    @property
    def is_seen(self) -> bool:
        """Whether somebody saw its faults, or a later upload corrected them."""
        return hasattr(self.transcript, "dismissal")

    @property
    def dismissed(self) -> str:
        """Why its faults no longer appear as a notice; "" while they do or there are none."""
        if not self.is_seen:
            return ""
        found: ImportDismissal = self.transcript.dismissal
        if found.replaced_by is not None:
            return _("replaced by a later upload")
        return _("seen by %(name)s") % {"name": found.dismissed_by.name}

    @property
    def may_dismiss(self) -> bool:
        """Whether its faults appear as a notice that "seen" dismisses."""
        return self.transcript.fault_count > 0 and not self.is_seen

    @property
    def shown_faults(self) -> list[Fault]:
        return self.faults[:SHOWN_FAULTS]

    @property
    def hidden_count(self) -> int:
        """The number of faults that only the page of the import lists."""
        return max(0, self.transcript.fault_count - sum(not fault.is_warning for fault in self.shown_faults))

    @property
    def faults_title(self) -> str:
        """Their heading: they may be mere notes, or only say that the file waits."""
        codes = {fault.code for fault in self.faults if not fault.is_warning}
        if codes and codes.issubset(WAITING):
            return _("What the file waits for")
        return _("What is wrong with the file") if codes else _("Notes on the file")

    @property
    def waiting_count(self) -> int:
        """The tables that wait for their columns: how many games they hold is not known yet."""
        return self.transcript.waits_for_columns * sum(fault.code in WAITING for fault in self.faults)

    @property
    def refused_count(self) -> int:
        """The games of the file that were neither imported nor present before."""
        read = self.job.total_count if self.job is not None and self.job_state == DONE else 0
        known = sum(fault.code == "already_imported" for fault in self.faults)
        return max(0, read - self.counts.own - known - self.waiting_count)

    @property
    def fault_count(self) -> int:
        """How much is wrong with it, beyond tables that wait for their columns."""
        return self.transcript.fault_count - self.waiting_count


class ImportsPage:
    """Thirty imports of the project, newest first, older than `before`; `outdated_count` games are of other code."""

    lines: list[ImportLine]

    def __init__(self, *, project: Project, now: datetime, before: int = 0) -> None:
        rows = Transcript.objects.filter(project=project).select_related(*SHOWN_WITH).order_by("-pk")
        found = list((rows.filter(pk__lt=before) if before else rows)[: SHOWN_IMPORTS + 1])
        shown = found[:SHOWN_IMPORTS]
        counts = _counts([transcript.pk for transcript in shown])
        self.lines = [ImportLine(row, counts.get(row.pk, ImportCounts())) for row in shown]
        self.totals = _totals(self.lines)
        self.is_live = any(line.is_live for line in self.lines)
        self.worker_note = _worker_note(now) if self.is_live else ""
        self.older = shown[-1].pk if len(found) > SHOWN_IMPORTS else None
        self.outdated_count = outdated_games().filter(project=project).count()


class ImportPage(ImportLine):
    """One import with its first games."""

    def __init__(self, *, transcript: Transcript, now: datetime) -> None:
        super().__init__(transcript, _counts([transcript.pk]).get(transcript.pk, ImportCounts()))
        self.bar = _bar(self, now)
        self.worker_note = _worker_note(now) if self.is_live else ""
        is_mapped = transcript.waits_for_columns or transcript.format in ROW_FORMATS
        self.may_map = self.job_state == DONE and is_mapped
        # Where not all are shown, those with warnings are.
        own = Game.objects.filter(transcript=transcript)
        games = sorted(own.order_by("-warning_count", "number")[:SHOWN_GAMES], key=lambda game: game.number)
        self.games = [_imported_game(game) for game in games]
        self.may_cancel = self.job_state in LIVE
        self.may_resume = self.job_state in (CANCELLED, FAILED)
        may_separate = self.job_state == DONE and not transcript.is_separate
        self.may_separate = may_separate and any(fault.code == "game_exists" for fault in self.faults)
        # All games of a table are withdrawn, so that its columns may be mapped differently.
        is_withdrawn = own.exists() and not own.filter(withdrawn_at=None).exists()
        self.may_reread = may_separate and self.may_map and is_withdrawn


def import_targets(*, project: Project) -> list[tuple[int, str]]:
    """The iterations that take games, by number, the unsorted one first."""
    rows = Iteration.objects.filter(project=project).taking_games().order_by("number")
    named = _("Iteration %(number)d: %(name)s")
    return [
        (number, name if stage is None else named % {"number": number, "name": name})
        for number, name, stage in rows.values_list("number", "name", "stage")
    ]


def _totals(lines: list[ImportLine]) -> list[str]:
    """How many games were imported and refused, how many files are faulty, and, if any, how many wait."""
    games = sum(line.counts.games for line in lines)
    refused = sum(line.refused_count for line in lines)
    faulty = sum(line.fault_count > 0 for line in lines)
    waiting = sum(line.state == "columns" for line in lines)
    said = [
        ngettext("%(n)d game imported", "%(n)d games imported", games) % {"n": games},
        ngettext("%(n)d game refused", "%(n)d games refused", refused) % {"n": refused},
        ngettext("%(n)d file with faults", "%(n)d files with faults", faulty) % {"n": faulty},
    ]
    says = ngettext("%(n)d file waits for an answer", "%(n)d files wait for an answer", waiting)
    return [*said, says % {"n": waiting}] if waiting else said


def _imported_game(game: Game) -> dict[str, object]:
    """A game of an import: its warnings, and its oddities at import."""
    noted = decode_stored(game.warnings, list[Fault])
    odd = [one for one in noted if one.code in ODDITY_CODES]
    warnings = [one for one in noted if one.code not in ODDITY_CODES]
    return {"game": game, "warnings": warnings, "odd": odd}


def _counts(transcripts: list[int]) -> dict[int, ImportCounts]:
    measured = Measured.objects.filter(
        game=OuterRef("pk"), rubric_version=OuterRef("iteration__rubric_version"), code_version=CODE_VERSION
    )
    games = Game.objects.filter(transcript__in=transcripts).order_by().values_list("transcript")
    return {
        transcript: ImportCounts(*counts)
        for transcript, *counts in games.annotate(
            games=Count("pk"),
            measured=Count("pk", filter=Exists(measured)),
            warnings=Sum("warning_count"),
            own=Count("source_id", distinct=True),
        )
    }


def _bar(line: ImportLine, now: datetime) -> ProgressBar | None:
    job = line.job
    if line.state == "measuring":
        return ProgressBar(_("Games measured"), line.counts.measured, line.counts.games, _("games measured"))
    if not line.is_live or job is None:
        return None
    if not job.total_count:
        kib = _("KiB")
        return ProgressBar(_("Bytes read"), job.done_bytes // 1024, max(1, job.total_bytes // 1024), kib)
    seconds = (now - job.started_at).total_seconds() if job.started_at else 0.0
    a_second = job.done_count / seconds if seconds > 0 else 0.0
    sizes = {"done": f"{job.done_bytes // 1024:,}", "total": f"{job.total_bytes // 1024:,}"}
    read = _("%(done)s of %(total)s KiB") % sizes
    rate = _("%(rate)s games a second") % {"rate": f"{a_second:,.0f}"} if a_second >= 1 else ""
    left = time_left((job.total_count - job.done_count) / a_second) if a_second else ""
    rate = f"{read}, {rate}" if rate else read
    return ProgressBar(_("Games read"), job.done_count, job.total_count, _("games"), rate, left)


def _worker_note(now: datetime) -> str:
    if is_worker_alive(now):
        return ""
    return _(
        "No worker is running, so nothing happens at the moment. The file is safe; the work continues by itself as "
        "soon as a worker is started. Tell an admin if this does not change."
    )
