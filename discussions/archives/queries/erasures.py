"""What an erasure removes: which rows go, and how many, for its preview."""

from collections.abc import Iterator
from typing import Any

from django.db.models import Q, QuerySet, Sum
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from discussions import models as games
from discussions.models import Game, Transcript, Verdict
from rubric.models import Comparison
from workspace.audit.queries import kind_of
from workspace.display.core.number_lists import format_numbers
from workspace.models import AccessToken, Erasure, Event, Export, Job, Notification, Person, Project, SignIn
from workspace.models.erasures import GAME, PERSON, TRANSCRIPT
from workspace.models.jobs import RUNNING

Erasable = Game | Transcript | Person | Project
MOST_NAMED = 10
OLDER = gettext_lazy("Backups and archives that were made before hold it still.")

# What goes with a game, and the path from each to it; rows go before those that they name. `Measured`, `Verdict` and
# `ManualFigure` stay without their texts, since averages, gates and decisions rest on them.
GONE: dict[Any, str] = {
    games.FlagReply: "flag__evaluation__game",
    games.Remark: "evaluation__game",
    games.Reveal: "evaluation__game",
    games.Revision: "judgement__evaluation__game",
    games.Judgement: "evaluation__game",
    games.CalibrationGame: "game",
    games.JudgeAnswer: "prompt__game",
    games.JudgeReply: "prompt__game",
    games.JudgePrompt: "game",
    games.Adjudication: "game",
    games.TieRequest: "game",
    games.Evaluation: "game",
    games.Slot: "game",
    games.MeasuredFindings: "measured__game",
    games.Companions: "measured__game",
    games.Coding: "game",
    games.Withdrawal: "game",
    games.RoundOffset: "game",
    games.PrivateTrack: "game",
    games.UnindexedGame: "game",
    games.GameText: "game",
}
KEPT = (games.Measured, games.Verdict, games.ManualFigure)
# Those that people know, with what the preview calls them.
SHOWN: dict[Any, Any] = {
    games.GameText: gettext_lazy("texts of games"),
    games.Evaluation: gettext_lazy("evaluations"),
    games.Judgement: gettext_lazy("judgements"),
    games.Remark: gettext_lazy("flags and comments"),
    games.Adjudication: gettext_lazy("resolved disagreements"),
    games.Coding: gettext_lazy("codes of categories"),
    games.CalibrationGame: gettext_lazy("places in calibration rounds"),
    games.JudgeAnswer: gettext_lazy("answers of judges"),
}


# What would go, in words and counts, and what else is to be known.
Preview = tuple[dict[str, int], list[str]]


def find_games(kind: str, row: int) -> "QuerySet[Game]":
    """The games that an erasure of a game or of an upload removes, also those that are erased already."""
    column = {GAME: "pk", TRANSCRIPT: "transcript"}[kind]
    return Game.with_erased.filter(**{column: row}).select_related("project", "transcript").order_by("pk")


def find_project_of(thing: Erasable) -> Project | None:
    if isinstance(thing, Project):
        return thing
    return None if isinstance(thing, Person) else thing.project


def preview_erasure(thing: Erasable) -> Preview:
    if isinstance(thing, Person):
        return _preview_person(thing)
    if isinstance(thing, Project):
        return _preview_project(thing)
    kind = kind_of(type(thing))
    upload = thing if isinstance(thing, Transcript) else thing.transcript
    found = find_games(kind, thing.pk).filter(erased_at=None)
    counts = {
        str(words): model.objects.filter(**{f"{GONE[model]}__in": found}).count()
        for model, words in SHOWN.items()
    }
    counts[str(_("bytes of the uploaded file"))] = 0 if is_shared(upload) else upload.byte_count
    exports = Export.objects.filter(project=thing.project, removed_at=None, ready_at__isnull=False)
    counts[_("files of exports")] = exports.count()
    return counts, list(_list_notes(found, upload))


def _preview_project(project: Project) -> Preview:
    uploads = Transcript.objects.filter(project=project)
    counts = {
        _("games"): Game.objects.filter(project=project).count(),
        _("evaluations"): games.Evaluation.objects.filter(game__project=project).count(),
        _("iterations"): games.Iteration.objects.filter(project=project).count(),
        _("comparisons"): Comparison.objects.filter(set__project=project).count(),
        _("bytes of uploaded files"): uploads.aggregate(sum=Sum("byte_count"))["sum"] or 0,
        _("lines of its audit log"): Event.objects.filter(chain__project=project).count(),
    }
    notes = [
        _("All its verdicts, decisions and gates go, too. Accounts of its members stay."),
        _("A line in the audit log of accounts stays, without the project's name."),
        OLDER,
    ]
    return counts, [str(note) for note in notes]


def _preview_person(person: Person) -> Preview:
    exports = Export.objects.filter(removed_at=None, ready_at__isnull=False)
    counts = {
        _("names and addresses"): 2,
        _("sign-ins"): SignIn.objects.of(person).count(),
        _("access tokens"): AccessToken.objects.filter(person=person, revoked_at=None).count(),
        _("notifications"): Notification.objects.filter(person=person).count(),
        _("files of exports"): exports.count(),
    }
    notes = [
        _(
            "A pseudonym takes the place of the name, also in the audit log. The account cannot be used again."
        ),
        _("What the person judged, decided and wrote stays, without the name."),
        _("Texts that others wrote may name the person still: erase or correct them apart."),
        OLDER,
    ]
    return counts, [str(note) for note in notes]


def _list_notes(found: "QuerySet[Game]", upload: Transcript) -> Iterator[str]:
    keys = set(found.values_list("pk", flat=True))
    others = Game.objects.filter(transcript=upload).exclude(pk__in=keys)
    if numbers := list(others.order_by("number").values_list("number", flat=True)):
        says = _(
            "The uploaded file also holds games that stay: %(numbers)s. The file goes, their texts stay."
        )
        yield says % {"numbers": format_numbers(numbers)}
    if is_shared(upload):
        yield _("The same file was uploaded elsewhere, too, and stays there. Erase it there as well.")
    hashes = found.values("content_sha256")
    same = Game.objects.filter(content_sha256__in=hashes).exclude(pk__in=keys).select_related("project")
    for other in same.order_by("pk")[:MOST_NAMED]:
        says = _("The same game is also game %(number)d of %(project)s. Erase it there as well.")
        yield says % {"number": other.number, "project": other.project.name}
    if Verdict.objects.filter(game__in=keys).exists():
        yield _(
            "Figures of recorded verdicts stay in averages, decisions and gates, marked as of erased games."
        )
    yield str(OLDER)


def is_shared(upload: Transcript, *, outside: Project | None = None) -> bool:
    """Whether another upload that stays, `outside` this project if given, has the same bytes."""
    others = Transcript.objects.filter(sha256=upload.sha256).exclude(pk=upload.pk)
    return (others.exclude(project=outside) if outside else others).exists()


def find_running(project: Project | None) -> Job | None:
    """A job that may hold rows of the project in memory right now; of any when None."""
    rows = Job.objects.filter(state=RUNNING).exclude(kind="erase")
    if project is not None:
        rows = rows.filter(Q(project=project) | Q(project=None, kind__startswith="preview"))
    return rows.order_by("pk").first()


def list_erasures() -> list[tuple[Erasure, str]]:
    """All erasures, newest first, each with what is left to name it by."""
    rows = list(Erasure.objects.select_related("project", "created_by").order_by("-pk"))
    numbers = dict(
        Game.with_erased.filter(pk__in=[row.row for row in rows if row.kind == GAME]).values_list(
            "pk", "number"
        )
    )
    return [(row, _name(row, numbers)) for row in rows]


def _name(erasure: Erasure, numbers: dict[int, int]) -> str:
    project = erasure.project.name if erasure.project else ""
    if erasure.kind == GAME:
        return _("game %(number)d of %(project)s") % {
            "number": numbers.get(erasure.row, erasure.row),
            "project": project,
        }
    if erasure.kind == TRANSCRIPT:
        return _("upload %(number)d of %(project)s") % {"number": erasure.row, "project": project}
    words = _("person %(number)d") if erasure.kind == PERSON else _("project %(number)d")
    return words % {"number": erasure.row}
