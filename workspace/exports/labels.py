"""The formats and subjects of exports in words."""

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from workspace.display.core.number_lists import format_numbers
from workspace.exports.core import choices

FORMAT_NAMES = {
    choices.JSONL: _("JSONL"),
    choices.CSV: _("CSV"),
    choices.MARKDOWN: _("Markdown report"),
    choices.HUGGING_FACE: _("Hugging Face data set"),
    choices.PARQUET: _("Parquet"),
    choices.WIDE: _("One column per evaluator (CSV)"),
    choices.OTLP: _("OpenTelemetry scores"),
    choices.TRACES: _("Hugging Face session traces"),
    choices.ARCHIVE: _("Project archive"),
}
FORMAT_NOTES = {
    choices.JSONL: _(
        "Complete: one record per line, with every change of every judgement and the basis of every verdict."
    ),
    choices.CSV: _(
        "A zip of tables for spreadsheets. Values that a spreadsheet would take for formulas are made harmless."
    ),
    choices.MARKDOWN: _("A short report to read: iterations, games with their verdicts, comparisons."),
    choices.HUGGING_FACE: _("A zip of the same tables as JSON lines, with a card that explains every field."),
    choices.PARQUET: _("A zip of the same tables as Parquet files, with typed columns."),
    choices.WIDE: _("A row for each thing that was judged, with the answers side by side."),
    choices.OTLP: _("Log events in OTLP JSON: a score for each metric of each game, and its verdict."),
    choices.TRACES: _("A zip with a file for each game, for the trace viewer of the Hub."),
    choices.ARCHIVE: _(
        "The whole project, to be imported by another installation with “manage.py import_archive”: every row, the "
        "uploaded files, and the audit log. It shows what is hidden from people who rate blind, and has names and "
        "e-mail addresses."
    ),
}
ARCHIVE_WHOLE_ONLY = _("Only a whole project has an archive. Leave out what the export is to be of.")
FORMAT_FOR_LEADS = _("Only team leads of this project and admins export in this format.")
ARCHIVE_FOR_LEADS = _("Only team leads of this project and admins make its archive.")
ARCHIVE_HAS_NAMES = _(
    "An archive has the names of people, since it is imported again. Leave out the pseudonyms."
)
PARQUET_MISSING = _(
    "Not installed here: Parquet needs the package pyarrow. An admin installs it with "
    "“pip install -r requirements-parquet.txt” and restarts the site and its worker."
)


def describe_subject(subject: str) -> str:
    parsed = choices.parse_subject(subject)
    if parsed is None or parsed.kind == choices.PROJECT:
        return gettext("the whole project")
    if parsed.kind == choices.GAMES:
        return format_numbers(parsed.numbers)
    words = {
        choices.STAGE: gettext("stage %(number)d"),
        choices.ITERATION: gettext("iteration %(number)d"),
        choices.GAME: gettext("game %(number)d"),
        choices.SET: gettext("comparison set %(number)d"),
    }
    return words[parsed.kind] % {"number": parsed.number}
