"""Who exports what: members their own work, leads and admins everything."""

from importlib.util import find_spec

from django.utils.translation import gettext as _

from workspace.access.permissions import check_leads, role_in
from workspace.core.refusals import NotAllowed, Unacceptable
from workspace.exports.core.choices import PARQUET, PARQUET_PACKAGE
from workspace.exports.labels import PARQUET_MISSING
from workspace.models import Export, Person, Project


def check_export(person: Person, project: Project) -> None:
    if role_in(person, project) is None:
        raise NotAllowed(_("Only people of this project export from it. Ask a team lead to add you."))


def check_export_everything(person: Person, project: Project) -> None:
    """Leads of the project and admins; what evaluators export is their own work, blind."""
    check_leads(
        person, project, _("Only team leads of this project export everything. You can export your own work.")
    )


def check_own_export(person: Person, export: Export) -> None:
    if export.created_by_id != person.pk:
        raise NotAllowed(_("Only the person who made an export has its file. Make one of your own."))


def check_take_file(person: Person, export: Export) -> None:
    """The owner, as long as they may see what the file holds."""
    check_own_export(person, export)
    if export.is_unblinded:
        check_export_everything(person, export.project)


def has_parquet() -> bool:
    return find_spec(PARQUET_PACKAGE) is not None


def check_format(format_name: str) -> None:
    if format_name == PARQUET and not has_parquet():
        raise Unacceptable(str(PARQUET_MISSING), code="parquet_missing", field="format")
