"""Draft, publish and retire rubric versions, and choose how new comparison sets are scored."""

from collections.abc import Mapping
from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _
from msgspec import to_builtins
from msgspec.structs import replace

from rubric.core.records import DISCUSSION, RubricRecord
from rubric.models import Rubric, RubricVersion, ScoringChoice
from rubric.models.comparisons import is_scored_by_criterion
from rubric.models.rubrics import DISCARDED, DRAFT, IMPORTED, PUBLISHED, RETIRED
from rubric.versions import permissions
from rubric.versions.core.differences import differences
from rubric.versions.core.version_json import is_number, next_number, publishing_problems, read_version
from rubric.versions.queries import Shipped, find_missing, shipped_versions
from workspace.audit.actions import record_event
from workspace.core.canonical import bytes_hash, canonical_bytes
from workspace.core.identifiers import is_slug, plain_name
from workspace.core.limits import LONGEST_NAME
from workspace.core.refusals import Conflict, Unacceptable
from workspace.core.text import clean_text
from workspace.models import Person


def draft_version(*, version: RubricVersion, note: str, by: Person, now: datetime) -> RubricVersion:
    """Make the rubric's next draft, a copy of `version`. Raises NotAllowed, Unacceptable without a note."""
    permissions.check_edit_rubrics(by)
    note = clean_text(note, field="note", ask=_("Say in a few words what this draft is to change."))
    with transaction.atomic():
        rubric = Rubric.objects.select_for_update().get(pk=version.rubric_id)
        record = replace(version.to_record(), version=next_number(_taken(rubric)))
        return _store(rubric, record, note, by, now, "rubric_version:drafted", {"from": version.number})


def import_version(
    *, record: RubricRecord, rubric: Rubric | None, key: str = "", note: str, by: Person, now: datetime
) -> RubricVersion:
    """Make a draft from a file's record, in `rubric`, or in a new response rubric with `key` when it is None.

    The draft keeps the file's number when it is free, else it gets the next one. Raises NotAllowed, Unacceptable for a
    record that does not fit, Conflict for a key that is taken.
    """
    permissions.check_edit_rubrics(by)
    note = clean_text(note, field="note", ask=_("Say in a few words where this version comes from."))
    _require_valid(record)
    with transaction.atomic():
        if rubric is None:
            rubric = _new_rubric(record, key)
        rubric = Rubric.objects.select_for_update().get(pk=rubric.pk)
        _check_kind(record, rubric)
        taken = _taken(rubric)
        if record.version in taken:
            record = replace(record, version=next_number(taken))
        return _store(rubric, record, note, by, now, "rubric_version:imported", {})


def draft_file(
    *,
    data: bytes,
    rubric: Rubric | None,
    key: str = "",
    note: str,
    basis: str | None = "",
    by: Person,
    now: datetime,
) -> RubricVersion:
    """Make a draft from a file, or give the draft that has its number its content.

    `basis` is the hash of that draft, None whatever it is, "" makes another one. Raises as `import_version` and
    `save_draft` do, and as `read_file`.
    """
    permissions.check_edit_rubrics(by)
    record = read_file(data)
    rows = RubricVersion.objects.select_related("rubric")
    draft = rows.filter(rubric=rubric, number=record.version, state=DRAFT).first()
    if rubric is None or basis == "" or (basis is None and draft is None):
        return import_version(record=record, rubric=rubric, key=key, note=note, by=by, now=now)
    _check_kind(record, rubric)
    if draft is None:
        raise _draft_changed()
    save_draft(version=draft, record=record, note=note, basis=basis or draft.sha256, by=by, now=now)
    return rows.get(pk=draft.pk)


def read_file(data: bytes) -> RubricRecord:
    """The version in a file that may be published. Raises Unacceptable with every fault, its place and what to do."""
    record = read_version(data)
    faults = publishing_problems(record) if isinstance(record, RubricRecord) else record
    if faults or not isinstance(record, RubricRecord):
        says = _("%(place)s: %(message)s") % {
            "place": faults[0].pointer or _("The file"),
            "message": faults[0].message,
        }
        raise Unacceptable(says, field="file", detail={"faults": to_builtins(faults)})
    return record


def save_draft(
    *,
    version: RubricVersion,
    record: RubricRecord,
    note: str,
    basis: str,
    by: Person,
    now: datetime,
    reason: str | None = None,
) -> None:
    """Replace a draft's content; number and kind stay. `basis` is the hash with which the editor was opened, `reason`
    why it is to be published, as far as that is typed (None: as before).

    Saving the same content changes nothing. Raises NotAllowed, Unacceptable for an invalid version, and Conflict when
    somebody saved in between; nothing is overwritten then.
    """
    permissions.check_edit_version(by, version)
    note = clean_text(note, field="note", ask=_("Say in a few words what this draft changes."))
    record = replace(record, version=version.number, kind=version.rubric.kind)
    _require_valid(record)
    body = canonical_bytes(record)
    reason = version.reason if reason is None else clean_text(reason, field="")
    if (version.body.encode(), version.note, version.reason, version.sha256) == (body, note, reason, basis):
        return
    with transaction.atomic():
        rows = RubricVersion.objects.filter(pk=version.pk, state=DRAFT, sha256=basis)
        changes = {"body": body.decode(), "sha256": bytes_hash(body), "note": note, "reason": reason}
        if not rows.update(**changes, edited_at=now, edited_by=by):
            raise Conflict(_("Somebody else saved this draft since you opened it."), code="draft_changed")
        changed = len(differences(version.to_record(), record))
        detail = {"sha256": changes["sha256"], "before": basis, "note": note, "changed": changed}
        record_version_event(version=version, verb="rubric_version:changed", detail=detail, by=by, now=now)


def discard_draft(*, version: RubricVersion, basis: str, reason: str, by: Person, now: datetime) -> None:
    """Discard a draft. The row stays in the final state "discarded"; lists leave it out.

    The row is kept because the audit log, previews and later drafts name it, and its number must not be used again.
    `basis` is the hash that the page showed. Raises NotAllowed for a published or discarded version, Unacceptable
    without a reason, Conflict when somebody saved in between.
    """
    permissions.check_discard_version(by, version)
    reason = clean_text(reason, field="reason", ask=_("Say why this draft is discarded."))
    with transaction.atomic():
        rows = RubricVersion.objects.filter(pk=version.pk, state=DRAFT, sha256=basis)
        if not rows.update(state=DISCARDED, discarded_at=now, discarded_by=by, discarded_reason=reason):
            raise _draft_changed()
        detail = {"sha256": basis, "reason": reason}
        record_version_event(version=version, verb="rubric_version:discarded", detail=detail, by=by, now=now)


def record_version_event(
    *, version: RubricVersion, verb: str, detail: Mapping[str, object], by: Person, now: datetime
) -> None:
    """Write the audit line of an act on a version."""
    told = {"rubric": version.rubric.key, "number": version.number, **detail}
    record_event(verb, version, by=by, now=now, project=None, detail=told)


def _draft_changed() -> Conflict:
    says = _("Somebody saved, published or discarded this draft since you read it. Look again.")
    return Conflict(says, code="draft_changed")


def _check_kind(record: RubricRecord, rubric: Rubric) -> None:
    if record.kind != rubric.kind:
        sentence = _('The file holds a rubric of kind "%(kind)s"; %(name)s is of kind "%(other)s".')
        values = {"kind": record.kind, "name": rubric.name, "other": rubric.kind}
        raise Unacceptable(sentence % values, field="rubric")


def _taken(rubric: Rubric) -> set[str]:
    return set(rubric.versions.values_list("number", flat=True))


def _new_rubric(record: RubricRecord, key: str) -> Rubric:
    if record.kind == DISCUSSION:
        raise Unacceptable(
            _("There is one discussion rubric. Import the file as its next version."), field="rubric"
        )
    if not is_slug(key):
        raise Unacceptable(
            _("Give the new rubric a short name of small letters, digits and hyphens."), field="key"
        )
    if plain_name(record.name) != record.name:
        raise Unacceptable(_("The rubric needs a name of 1 to 200 visible characters."), field="file")
    if Rubric.objects.filter(key=key).exists():
        raise Conflict(_("There is a rubric with this short name already."), code="key_taken")
    return Rubric.objects.create(key=key, kind=record.kind, name=record.name)


def _require_valid(record: RubricRecord) -> None:
    """Raise Unacceptable for a version that lacks what a published version needs; it is not stored or published."""
    if not is_number(record.version):
        sentence = _(
            '"%(number)s" cannot be a version number: take up to 20 letters, digits, points and hyphens.'
        )
        raise Unacceptable(sentence % {"number": record.version[:40]}, field="file")
    if len(record.name) > LONGEST_NAME:
        raise Unacceptable(
            _("The name of the rubric has more than 200 characters. Shorten it."), field="file"
        )
    found = read_version(canonical_bytes(record))
    problems = publishing_problems(found) if isinstance(found, RubricRecord) else found
    if problems:
        raise Unacceptable(" ".join(problem.message for problem in problems))


def _store(
    rubric: Rubric,
    record: RubricRecord,
    note: str,
    by: Person,
    now: datetime,
    verb: str,
    detail: Mapping[str, object],
) -> RubricVersion:
    body = canonical_bytes(record)
    version = RubricVersion.objects.create(
        rubric=rubric,
        number=record.version,
        body=body.decode(),
        sha256=bytes_hash(body),
        note=note,
        created_at=now,
        created_by=by,
    )
    detail = {"sha256": version.sha256, "note": note, **detail}
    record_version_event(version=version, verb=verb, detail=detail, by=by, now=now)
    return version


def publish_version(*, version: RubricVersion, basis: str, reason: str, by: Person, now: datetime) -> None:
    """Publish a draft: from now on it never changes, and new work uses it.

    `basis` is the hash that the page showed. Raises NotAllowed, Unacceptable without a reason or for a draft that is
    not valid, Conflict when somebody saved the draft in between.
    """
    permissions.check_publish_version(by, version)
    reason = clean_text(reason, field="reason", ask=_("Say why this version is published."))
    _require_valid(version.to_record())
    with transaction.atomic():
        rows = RubricVersion.objects.filter(pk=version.pk, state=DRAFT, sha256=basis)
        if not rows.update(state=PUBLISHED, published_at=now, published_by=by, reason=reason):
            raise _draft_changed()
        detail = {"sha256": basis, "reason": reason}
        record_version_event(version=version, verb="rubric_version:published", detail=detail, by=by, now=now)


def retire_version(*, version: RubricVersion, reason: str, by: Person, now: datetime) -> None:
    """Retire a published version: existing work keeps it, new work does not use it.

    Raises NotAllowed (also for the only published one), Unacceptable without a reason, Conflict when somebody else
    retired it.
    """
    permissions.check_retire_version(by, version)
    reason = clean_text(reason, field="reason", ask=_("Say why this version is retired."))
    with transaction.atomic():
        Rubric.objects.select_for_update().get(pk=version.rubric_id)
        permissions.check_retire_version(by, version)
        rows = RubricVersion.objects.filter(pk=version.pk, state=PUBLISHED)
        if not rows.update(state=RETIRED, retired_at=now, retired_by=by, retired_reason=reason):
            raise Conflict(_("This version was retired in the meantime."), code="already_retired")
        record_version_event(
            version=version, verb="rubric_version:retired", detail={"reason": reason}, by=by, now=now
        )


def offer_version(*, version: RubricVersion, reason: str, by: Person, now: datetime) -> None:
    """Let new work use a version that came with a project archive, as if it had been published here.

    Raises NotAllowed, Unacceptable without a reason, Conflict when somebody else offered or retired it.
    """
    permissions.check_offer_version(by, version)
    reason = clean_text(reason, field="reason", ask=_("Say why new work may use this version."))
    _require_valid(version.to_record())
    with transaction.atomic():
        rows = RubricVersion.objects.filter(pk=version.pk, state=IMPORTED)
        if not rows.update(state=PUBLISHED):
            raise Conflict(_("This version was offered or retired in the meantime."), code="already_offered")
        record_version_event(
            version=version, verb="rubric_version:offered", detail={"reason": reason}, by=by, now=now
        )


def publish_first_versions(*, by: Person, now: datetime) -> list[RubricVersion]:
    """Publish every shipped version that is missing, and return the new ones. A second call changes nothing."""
    with transaction.atomic():
        return [
            version for shipped in shipped_versions() if (version := _publish(shipped, by, now)) is not None
        ]


def _publish(shipped: Shipped, by: Person, now: datetime) -> RubricVersion | None:
    rubric, _made = Rubric.objects.get_or_create(
        key=shipped.key, defaults={"kind": shipped.kind, "name": shipped.name}
    )
    missing = find_missing(shipped, dict(rubric.versions.values_list("number", "body")))
    if missing is None:
        return None
    version = RubricVersion.objects.create(
        rubric=rubric,
        number=missing.number,
        state=PUBLISHED,
        body=missing.body,
        sha256=missing.sha256,
        created_at=now,
        created_by=by,
        published_at=now,
        published_by=by,
    )
    detail = {"sha256": missing.sha256}
    record_version_event(version=version, verb="rubric_version:published", detail=detail, by=by, now=now)
    return version


def choose_scoring(*, is_on: bool, by: Person, now: datetime) -> None:
    """Let new sets begin with scores by criterion, or with one holistic score. Existing sets keep their mode.

    Choosing the current mode again changes nothing. Raises NotAllowed.
    """
    permissions.check_edit_rubrics(by)
    with transaction.atomic():
        if is_scored_by_criterion() == is_on:
            return
        made = ScoringChoice.objects.create(is_on=is_on, created_at=now, created_by=by)
        record_event("rubric_scoring:chosen", made, by=by, now=now, project=None, detail={"is_on": is_on})
