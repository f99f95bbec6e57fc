"""Who imports transcripts, and which iterations take games."""

from django.conf import settings
from django.utils.translation import gettext as _

from discussions.core.iteration_states import why_frozen
from discussions.models import Iteration
from discussions.transcripts.core.decoding import ENCODINGS
from discussions.transcripts.core.file_names import shown_name
from discussions.transcripts.core.formats import find_format
from workspace.access.permissions import check_leads
from workspace.core.refusals import NotAllowed, Unacceptable
from workspace.models import Person, Project


def check_import_transcripts(person: Person, project: Project) -> None:
    """Leads of the project and admins import transcripts and see the outcome."""
    check_leads(person, project, _("Only team leads of this project import transcripts. Ask one of them."))


def check_takes_games(iteration: Iteration) -> None:
    """An iteration takes games until it is opened for rating; the unsorted games always do."""
    if why := why_frozen(iteration.state):
        raise NotAllowed(
            _("Iteration %(number)d %(why)s. Import the games into the unsorted iteration or into a new one.")
            % {"number": iteration.number, "why": why},
            code="frozen",
        )


def check_upload(name: str, size: int) -> None:
    most = settings.TRANSCRIPT_LIMITS["file_bytes"]
    values = {"name": shown_name(name), "most": most // (1024 * 1024)}
    if size > most:
        sentence = _(
            "“%(name)s” is larger than %(most)d MiB, the most that is read. Split it into several files."
        )
        raise Unacceptable(sentence % values, field="transcripts", code="too_large")
    if not size:
        sentence = _("“%(name)s” is empty. Export it again and look at its size first.")
        raise Unacceptable(sentence % values, field="transcripts", code="empty")


def check_reading(format_name: str, encoding: str) -> str:
    """Both must be known where they are named; as they are stored with a file."""
    if format_name and find_format(format_name) is None:
        sentence = _("There is no transcript format “%(name)s”. Choose one of the list, or none.")
        raise Unacceptable(sentence % {"name": format_name}, field="format", code="unknown_format")
    if encoding and encoding not in ENCODINGS:
        sentence = _("There is no encoding “%(name)s”. Choose one of the list, or none.")
        raise Unacceptable(sentence % {"name": encoding}, field="encoding", code="unknown_encoding")
    return f"{format_name}@{encoding}" if encoding else format_name
