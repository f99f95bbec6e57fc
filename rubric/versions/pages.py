"""Pages: the list of rubrics, one version, a comparison of two, the editor, and changes of a version's state."""

from collections.abc import Mapping
from datetime import datetime
from fractions import Fraction
from typing import Any

from django.utils.translation import gettext as _
from msgspec import Struct

from rubric.core.records import Criterion, RubricRecord
from rubric.core.weights import is_whole, percent_text
from rubric.models import Rubric, RubricVersion
from rubric.models.rubrics import DISCARDED, PUBLISHED, RETIRED
from rubric.models.scoring_choices import is_scored_by_criterion
from rubric.versions.core.differences import CHANGED, Differences, differences
from rubric.versions.core.game_specs import add_defaults, game_specs
from rubric.versions.labels import LABELS, SHIPPED_REASONS, heading, readings
from rubric.versions.permissions import check_edit_rubrics, check_retire_version, check_see_weights
from rubric.versions.queries import find_shipped_number
from workspace.access.permissions import get_refusal, may
from workspace.models import Person

PEOPLE = ("created_by", "edited_by", "published_by", "retired_by", "discarded_by")


class VersionAct(Struct, frozen=True):
    """An act on a version with who, when and why; `reason` is "" for a person who may not read it."""

    verb: str
    by: str
    at: datetime
    reason: str


class VersionLine(Struct, frozen=True):
    """A version in the list; `use_count` counts its iterations in all projects (0 for who is no admin), `is_current`
    marks the one that new work takes.
    """

    version: RubricVersion
    acts: list[VersionAct]
    use_count: int
    is_current: bool


class RubricsPage(Struct, frozen=True):
    """Every rubric with its versions, newest first; `edit_refusal` is "" when the person can change rubrics.

    `is_scored_by_criterion` says in which mode new comparison sets begin.
    """

    rubrics: dict[Rubric, list[VersionLine]]
    edit_refusal: str
    is_scored_by_criterion: bool


class DifferenceRow(Struct, frozen=True):
    """One line of the table of differences. `part` is the criterion or the kind of thing, `how` added or removed."""

    part: str
    what: str
    before: str
    after: str
    how: str = ""


def difference_rows(found: Differences) -> list[DifferenceRow]:
    """All differences in one list, in words: criteria, then parameters, word lists and the version's own texts."""
    rows = []
    for criterion in found.criteria:
        for number, change in enumerate(criterion.changes):
            how = criterion.how if number == 0 and criterion.how != CHANGED else ""
            unit = "\u00a0%" if change.name == "weight" else ""
            before, after = (text and text + unit for text in (change.before, change.after))
            what = str(LABELS.get(change.name, change.name)).partition(",")[0].partition(":")[0]
            rows.append(DifferenceRow(criterion.label, what, before, after, how))
    named, sentences = (
        {"name": _("Name"), "kind": _("Kind"), "source": _("Source"), "order": _("Order")},
        readings(),
    )
    for change in found.parameters:
        part, says = sentences.get(change.name, (_("Parameters"), change.name))
        rows.append(DifferenceRow(str(part), str(says), change.before, change.after))
    for words in found.lists:
        before, after = ("\n".join(entries) for entries in (words.removed, words.added))
        if words.is_reordered:
            after = _("The same entries in another order.")
        rows.append(DifferenceRow(_("Word lists"), heading(words.name), before, after))
    return rows + [
        DifferenceRow(_("The version"), str(named.get(change.name, change.name)), change.before, change.after)
        for change in found.general
    ]


class ChangePage(Struct, frozen=True):
    """A version to publish, retire or discard; `before` is the other published one."""

    version: RubricVersion
    before: RubricVersion | None
    differences: Differences | None
    use_count: int
    before_use_count: int

    @property
    def difference_rows(self) -> list[DifferenceRow]:
        """The differences as lines of one table."""
        return difference_rows(self.differences) if self.differences else []


def build_rubrics_page(*, person: Person, uses: Mapping[int, int]) -> RubricsPage:
    """Every rubric that the person may read, without discarded drafts.

    Notes can mention weights, so only people who see weights get them. `uses` covers all projects, so only admins get
    it.
    """
    edit_refusal = get_refusal(check_edit_rubrics, person)
    versions = RubricVersion.objects.visible_to(person).kept().defer("body").select_related("rubric", *PEOPLE)
    has_notes = may(check_see_weights, person)
    current = [RubricVersion.objects.newest(kind) for kind in ("discussion", "response")]
    rubrics: dict[Rubric, list[VersionLine]] = {}
    for version in versions.order_by("rubric", "-pk"):
        acts = list_acts(version, has_notes=has_notes)
        use_count = 0 if edit_refusal else uses.get(version.pk, 0)
        line = VersionLine(version, acts, use_count, version in current)
        rubrics.setdefault(version.rubric, []).append(line)
    return RubricsPage(rubrics, edit_refusal, is_scored_by_criterion())


def list_acts(version: RubricVersion, *, has_notes: bool) -> list[VersionAct]:
    """What was done with a version, the last act first. `version` was fetched with its people."""
    acts = (
        (DISCARDED, version.discarded_by, version.discarded_at, version.discarded_reason),
        (RETIRED, version.retired_by, version.retired_at, version.retired_reason),
        (PUBLISHED, version.published_by, version.published_at, version.reason or _why_shipped(version)),
        ("edited", version.edited_by, version.edited_at, ""),
        ("drafted", version.created_by, version.created_at, version.note),
    )
    return [
        VersionAct(verb, by.name, at, reason if has_notes else "")
        for verb, by, at, reason in acts
        if by is not None and at is not None
    ]


def _why_shipped(version: RubricVersion) -> str:
    """Why a version that came with the site was shipped; "" for every other version."""
    if version.published_by is None or not version.published_by.is_system:
        return ""
    number = find_shipped_number(version.rubric.key, sha256=version.sha256, body=version.body)
    return str(SHIPPED_REASONS.get((version.rubric.key, number), ""))


def build_change_page(*, version: RubricVersion, uses: Mapping[int, int]) -> ChangePage:
    """The page for publishing, retiring or discarding a version."""
    published = RubricVersion.objects.published().filter(rubric=version.rubric_id).exclude(pk=version.pk)
    before = published.order_by("-published_at", "-pk").first()
    return ChangePage(
        version=version,
        before=before,
        differences=differences(before.to_record(), version.to_record()) if before else None,
        use_count=uses.get(version.pk, 0),
        before_use_count=uses.get(before.pk, 0) if before else 0,
    )


class Parameter(Struct, frozen=True):
    """One parameter: its name in the version's JSON, the value chosen, and what it decides."""

    name: str
    value: str
    decides: str


class VersionPage(Struct, frozen=True):
    """Everything the page of one version shows: thresholds by criterion, parameters by heading, lists by name."""

    version: RubricVersion
    record: RubricRecord
    acts: list[VersionAct]
    thresholds: dict[str, str]
    groups: dict[str, list[Parameter]]
    lists: dict[str, list[str]]
    has_weights: bool
    may_edit: bool
    retire_refusal: str


def build_version_page(version: RubricVersion, *, person: Person) -> VersionPage:
    """The page of a version that was fetched with its people; without weights when the person may not see them."""
    record = version.to_record()
    has_weights, may_edit = may(check_see_weights, person), may(check_edit_rubrics, person)
    return VersionPage(
        version=version,
        record=record,
        acts=list_acts(version, has_notes=has_weights),
        thresholds={criterion.key: _threshold(criterion) for criterion in record.criteria},
        groups=_groups(record),
        lists={name: _words(value) for name, value in record.lists.items()},
        has_weights=has_weights,
        may_edit=may_edit,
        retire_refusal=get_refusal(check_retire_version, person, version) if may_edit else "",
    )


def _threshold(criterion: Criterion) -> str:
    if criterion.threshold is None:
        return ""
    if criterion.anchors:
        return _("at least %(rating).1f of 5") % {"rating": criterion.threshold}
    metric = game_specs().metrics.get(criterion.key)
    return _("at least %(figure)g") % {"figure": criterion.threshold} + (
        metric.symbol if metric else "\u00a0%"
    )


def _groups(record: RubricRecord) -> dict[str, list[Parameter]]:
    groups: dict[str, list[Parameter]] = {}
    labels = readings()
    for name, value in add_defaults(record).items():
        heading, decides = labels.get(name, (_("Other"), ""))
        groups.setdefault(str(heading), []).append(Parameter(name, _value_text(value), str(decides)))
    return groups


def _value_text(value: Any) -> str:
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    return f"{value:g}" if isinstance(value, float) else str(value)


def _words(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [f"{key}: {word}" for key, words in value.items() for word in _words(words)]
    if isinstance(value, list):
        return [
            word["label"] + ": " + word["description"] if isinstance(word, dict) else str(word)
            for word in value
        ]
    return [str(value)]


class DifferencesPage(Struct, frozen=True):
    """Two versions and what differs; `before` is None when there is nothing to compare with."""

    version: RubricVersion
    before: RubricVersion | None
    others: list[RubricVersion]
    differences: Differences | None
    has_weights: bool

    @property
    def difference_rows(self) -> list[DifferenceRow]:
        """The differences as lines of one table."""
        return difference_rows(self.differences) if self.differences else []


def comparable(version: RubricVersion, person: Person) -> list[RubricVersion]:
    """The other versions of the same kind that the person may read, without discarded ones, the newest first."""
    rows = RubricVersion.objects.visible_to(person).kept().filter(rubric__kind=version.rubric.kind)
    return list(rows.exclude(pk=version.pk).select_related("rubric").defer("body").order_by("-pk"))


def build_differences_page(
    *, version: RubricVersion, before: RubricVersion | None, others: list[RubricVersion], person: Person
) -> DifferencesPage:
    """The differences from `before` to `version`."""
    has_weights = may(check_see_weights, person)
    found = None
    if before is not None:
        found = differences(before.to_record(), version.to_record(), has_weights=has_weights)
    return DifferencesPage(version, before, others, found, has_weights)


class DraftPage(Struct, frozen=True):
    """A draft in the editor. `total` is the sum of the weights ("" if one is not a number), `off` how far from 100 %.

    `conflict` is how the typed draft differs from `version`, which somebody else saved in the meantime.
    """

    version: RubricVersion
    total: str
    off: str
    is_total_right: bool
    message: str
    conflict: Differences | None

    @property
    def conflict_rows(self) -> list[DifferenceRow]:
        """The differences as lines of one table."""
        return difference_rows(self.conflict) if self.conflict else []


def build_draft_page(
    *, version: RubricVersion, total: Fraction | None, message: str = "", typed: RubricRecord | None = None
) -> DraftPage:
    """The editor's page; `typed` could not be saved because somebody else had saved `version`."""
    return DraftPage(
        version=version,
        total="" if total is None else _sum_text(total),
        off="" if total is None else _off(total),
        is_total_right=total is not None and is_whole(total),
        message=message,
        conflict=None if typed is None else differences(version.to_record(), typed),
    )


def _off(total: Fraction) -> str:
    if is_whole(total):
        return ""
    by = {"by": percent_text(abs(total - 1)) + "\u00a0%"}
    return _("%(by)s too much") % by if total > 1 else _("%(by)s too little") % by


def _sum_text(total: Fraction) -> str:
    """The sum in percent; a sum that is accepted as 100 % is shown as 100 %."""
    return "100\u00a0%" if is_whole(total) else percent_text(total) + "\u00a0%"


def default_weights(version: RubricVersion) -> dict[str, str]:
    """Key -> weight in percent in the rubric's first version."""
    first = RubricVersion.objects.kept().filter(rubric=version.rubric_id).order_by("pk").first() or version
    return {criterion.key: percent_text(criterion.weight) for criterion in first.to_record().criteria}
