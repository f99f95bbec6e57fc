"""Keep recipes, by which files of a project are read; rename and remove them."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import datetime
from functools import partial
from itertools import chain, count
from typing import Any

import msgspec
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from discussions.core.records import Fault
from discussions.models import ColumnMapping, Iteration, Transcript
from discussions.transcripts.actions import is_packed, resume_import
from discussions.transcripts.core.archives import Budget, RefusedFile
from discussions.transcripts.core.file_names import shown_name
from discussions.transcripts.core.layouts import FOLDER, Unit
from discussions.transcripts.core.reader import plan_reading, unpack_unit
from discussions.transcripts.core.readers import columns as recipes
from discussions.transcripts.core.readers import line_templates
from discussions.transcripts.core.readers.heads import (
    HEAD_BYTES,
    MOST_BYTES,
    find_encoding,
    find_template,
    read_head,
)
from discussions.transcripts.core.readers.tables import Table
from discussions.transcripts.permissions import check_import_transcripts
from discussions.transcripts.queries import (
    load_mappings,
    load_own_mappings,
    load_read_options,
    mapping_record,
)
from workspace.audit.actions import record_event
from workspace.blob_store import BytesLost, load_bytes, load_start
from workspace.core.refusals import Conflict, Unacceptable
from workspace.core.words import decode_stored
from workspace.models import Person, Project


def load_head(transcript: Transcript, settings: Mapping[str, str] = {}) -> Table | None:
    """The rows at the beginning of the file, or of a whole game in one object. None if it has no rows or is lost.

    Without an encoding, a list or a separator in the `settings`, those of a recipe that fits are taken, else the
    likeliest.
    """
    if is_packed(transcript):
        return _load_packed(transcript, settings)

    def load(most: int) -> tuple[bytes, bool]:
        data = load_start(transcript.sha256, most)
        return data, transcript.byte_count > len(data)

    try:
        return _read_start(load, transcript, settings, format_name=transcript.format, is_any_text=True)
    except BytesLost:
        return None


def _read_start(
    load: Callable[[int], tuple[bytes, bool]],
    transcript: Transcript,
    settings: Mapping[str, str],
    **given: Any,
) -> Table | None:
    """The rows of a file of which `load` gives so many bytes, and whether there are more."""
    names = (recipes.ENCODING, recipes.LIST, recipes.SEPARATOR)
    encoding, path, separator = (settings.get(setting, "") for setting in names)
    kept = load_mappings(transcript.project)
    own, written = (
        [mapping.settings.get(recipes.SEPARATOR, "") for mapping in mappings]
        for mappings in (load_own_mappings(transcript), kept)
    )
    separator = separator or next(filter(recipes.is_template, own), "")
    lists = (mapping.settings[recipes.LIST] for mapping in kept if recipes.LIST in mapping.settings)
    path = path or next(lists, "")
    for data, is_part in map(load, (HEAD_BYTES, MOST_BYTES)):
        named = encoding or transcript.named_encoding or find_encoding(data, kept)
        template = separator or find_template(data, written, named)
        chosen = {**settings, recipes.ENCODING: named, recipes.LIST: path, recipes.SEPARATOR: template}
        read = partial(read_head, data, is_part=is_part, **given)
        table = read(settings=chosen) or (read(settings=chosen | {recipes.LIST: ""}) if path else None)
        if table is not None or not is_part:
            return table
    return None


def _load_packed(transcript: Transcript, settings: Mapping[str, str]) -> Table | None:
    """The rows of a folder of which a person may be asked, else of a file that waits, or has some, in an archive."""
    options = load_read_options(transcript)
    plan = plan_reading(load_bytes(transcript.sha256), transcript.name, options)
    if plan.archive is None:
        return None
    unpack = partial(unpack_unit, plan.archive, options=options, budget=Budget(options.limits.unpacked_bytes))
    for unit in plan.units:
        if isinstance(unit, Unit) and unit.kind == FOLDER and (read := unit.format.table_of_files):
            return read(unpack(unit.members))
    faults = decode_stored(transcript.faults, list[Fault])
    waiting = {fault.place for fault in faults if fault.code in recipes.WAITING}
    for member in sorted(
        plan.archive.members, key=lambda one: f"{transcript.name}: {one.path}" not in waiting
    ):
        is_any_text = f"{transcript.name}: {member.path}" in waiting
        with suppress(RefusedFile):
            data = unpack([member])[member.name]
            load = partial(_cut, data)
            if table := _read_start(load, transcript, settings, is_any_text=is_any_text):
                return table
    return None


def _cut(data: bytes, most: int) -> tuple[bytes, bool]:
    return data[:most], len(data) > most


def map_columns(
    *, transcript: Transcript, mapping: recipes.MappingRecord, by: Person, now: datetime, name: str = ""
) -> ColumnMapping:
    """Keep a recipe for files with these columns; read again this file and the project's waiting files.

    It replaces an earlier recipe for these columns, and has its name, else `name` or that of the file, with a number
    where another recipe has it. Raises NotAllowed;
    Unacceptable without a player's or a text's column, or with a column that the file does not have.
    """
    check_import_transcripts(by, transcript.project)
    if mapping.fields and not recipes.has_needed(mapping.fields):
        raise Unacceptable(_("Choose the columns of player and text."), code="columns_needed")
    if recipes.fits_columns(mapping.fields, mapping.columns):
        raise Unacceptable(_("A chosen column is not in this file. Choose another one."), code="no_column")
    if fault := _find_fault_of_lines(mapping):
        raise Unacceptable(fault, field="lines", code="no_recipe")
    with transaction.atomic():
        row = _keep(transcript.project, mapping, by, now, name=name, transcript=transcript)
        # Without a game, reading again cannot duplicate anything.
        Transcript.objects.filter(pk=transcript.pk, games=None).update(waits_for_columns=True)
        _read_waiting(transcript.project, by, now)
    return row


def _find_fault_of_lines(mapping: recipes.MappingRecord) -> str:
    return line_templates.find_fault(mapping.settings.get(recipes.SEPARATOR, ""))


def keep_recipe(
    *,
    project: Project,
    name: str,
    mapping: recipes.MappingRecord,
    by: Person,
    now: datetime,
    replaces: ColumnMapping | None = None,
) -> ColumnMapping:
    """Keep a recipe that came as a file, and read the project's waiting files; one of its name is replaced.

    Raises NotAllowed; Unacceptable with what is wrong with it; Conflict if the one that it `replaces` was removed.
    """
    check_import_transcripts(by, project)
    if fault := recipes.find_fault(mapping) or _find_fault_of_lines(mapping):
        raise Unacceptable(fault, code="no_recipe")
    with transaction.atomic():
        row = _keep(project, mapping, by, now, name=name, replaces=replaces)
        _read_waiting(project, by, now)
    return row


def rename_recipe(*, mapping: ColumnMapping, name: str, by: Person, now: datetime) -> None:
    """Give a recipe another name. Raises NotAllowed; Conflict when it was removed, or another has this name."""
    check_import_transcripts(by, mapping.project)
    with transaction.atomic():
        Project.objects.select_for_update(no_key=True).get(pk=mapping.project_id)
        own = ColumnMapping.objects.filter(project=mapping.project, removed_at=None)
        if own.filter(name=name).exclude(pk=mapping.pk).exists():
            raise Conflict(_("Another recipe has this name. Choose another name."), code="name_is_taken")
        if not own.filter(pk=mapping.pk).update(name=name):
            raise Conflict(_("This recipe was removed or changed meanwhile."), code="mapping_is_gone")
        detail = {"name": name, "before": mapping.name}
        record_event("column_mapping:renamed", mapping, by=by, now=now, detail=detail)
    mapping.name = name


def remove_mapping(*, mapping: ColumnMapping, by: Person, now: datetime) -> None:
    """Forget a recipe: the next file with these columns waits. Raises NotAllowed; Conflict when it was removed."""
    check_import_transcripts(by, mapping.project)
    with transaction.atomic():
        found = ColumnMapping.objects.filter(pk=mapping.pk, removed_at=None)
        if not found.update(removed_at=now, removed_by=by):
            raise Conflict(_("This recipe was removed or changed meanwhile."), code="mapping_is_gone")
        detail = {"fields": mapping_record(mapping).written}
        record_event("column_mapping:removed", mapping, by=by, now=now, detail=detail)


def _read_waiting(project: Project, by: Person, now: datetime) -> None:
    """Queue each file of the project that waits for columns, unless its iteration accepts no more games."""
    waiting = Transcript.objects.filter(project=project, waits_for_columns=True)
    waiting = waiting.filter(iteration__in=Iteration.objects.filter(project=project).taking_games())
    for transcript in waiting.select_related("project", "iteration").order_by("pk"):
        resume_import(transcript=transcript, by=by, now=now)


def _keep(
    project: Project,
    mapping: recipes.MappingRecord,
    by: Person,
    now: datetime,
    *,
    name: str = "",
    transcript: Transcript | None = None,
    replaces: ColumnMapping | None = None,
) -> ColumnMapping:
    """Add the recipe, and remove that of its columns; of its name, too, if it was made for no file. Raises Conflict."""
    # Two people may keep the same recipe at once.
    Project.objects.select_for_update(no_key=True).get(pk=project.pk)
    sha256 = recipes.columns_hash(mapping.columns, mapping.settings)
    own = ColumnMapping.objects.filter(project=project, removed_at=None)
    before = own.filter(Q(pk=replaces.pk) if replaces else Q(columns_sha256=sha256)).first()
    if replaces and before is None:
        raise Conflict(_("This recipe was removed or changed meanwhile."), code="mapping_is_gone")
    detail: dict[str, object] = {"fields": mapping.written}
    if before is not None:
        detail["before"] = mapping_record(before).written
        if detail["before"] == detail["fields"] and name in ("", before.name):
            return before
        name = before.name if transcript else name
    # What a person says of a file last is what counts of it.
    same = Q(columns_sha256=sha256) | (Q(transcript=transcript) if transcript else Q(name=name))
    same |= Q(pk=replaces.pk) if replaces else Q(pk=None)
    own.filter(same).update(removed_at=now, removed_by=by)
    row = ColumnMapping.objects.create(
        project=project,
        transcript=transcript,
        name=_new_name(own, name or shown_name(transcript.name if transcript else "")),
        columns_sha256=sha256,
        columns=msgspec.json.encode(mapping.columns).decode(),
        fields=msgspec.json.encode(mapping.written).decode(),
        created_at=now,
        created_by=by,
    )
    what = "column_mapping:changed" if before else "column_mapping:saved"
    record_event(what, row, by=by, now=now, detail=detail)
    return row


def _new_name(own: QuerySet[ColumnMapping], wanted: str) -> str:
    """The name, with a number where another recipe has it."""
    names = set(own.values_list("name", flat=True))
    wanted = wanted.strip()[:90] or "recipe"
    others = (f"{wanted} ({number})" for number in count(2))
    return next(name for name in chain([wanted], others) if name not in names)
