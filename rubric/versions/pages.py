"""The list of rubrics, one version, two versions compared, the editor, and the pages that change a version's state."""

from collections.abc import Mapping
from datetime import datetime
from fractions import Fraction
from itertools import groupby
from typing import Any

from django.utils.translation import gettext as _
from msgspec import Struct

from rubric.core.records import Criterion, RubricRecord
from rubric.core.weights import TOLERANCE, decimal_text
from rubric.models import RubricVersion
from rubric.models.rubrics import DISCARDED, PUBLISHED, RETIRED
from rubric.models.scoring_choices import is_scored_by_criterion
from rubric.versions.core.differences import Differences, differences
from rubric.versions.core.draft import number_text
from rubric.versions.core.game_specs import game_specs
from rubric.versions.labels import readings
from rubric.versions.permissions import (
    check_edit_rubrics,
    check_edit_version,
    check_retire_version,
    check_see_weights,
)
from workspace.access.permissions import get_refusal, may
from workspace.models import Person

PEOPLE = ("created_by", "edited_by", "published_by", "retired_by", "discarded_by")


class VersionAct(Struct, frozen=True):
    """What was done with a version, by whom, when, and what they said; `said` is "" for whoever may not read it."""

    verb: str
    by: str
    at: datetime
    said: str


class VersionLine(Struct, frozen=True):
    """One version in the list; `use_count` counts the iterations that use it, `is_taken` marks what new ones take."""

    number: str
    state: str
    acts: list[VersionAct]
    use_count: int
    is_taken: bool


class RubricPart(Struct, frozen=True):
    """One rubric with its versions, newest first."""

    key: str
    name: str
    kind: str
    versions: list[VersionLine]


class RubricsPage(Struct, frozen=True):
    """All rubrics; `edit_refusal` says why the person cannot change any, "" when they can.

    `is_scored_by_criterion` says how new comparison sets begin.
    """

    rubrics: list[RubricPart]
    edit_refusal: str
    is_scored_by_criterion: bool


class ChangePage(Struct, frozen=True):
    """A version to be published, retired or discarded; `before` is the other published one, "" if there is none."""

    slug: str
    name: str
    number: str
    note: str
    sha256: str
    before: str
    differences: Differences | None
    use_count: int
    before_use_count: int


def build_rubrics_page(*, person: Person, uses: Mapping[int, int]) -> RubricsPage:
    """Every rubric the person may read something of, discarded drafts left out.

    Notes can speak of weights, so they are for who sees those.
    """
    rows = RubricVersion.objects.visible_to(person).kept().defer("body").select_related("rubric", *PEOPLE)
    has_notes = may(check_see_weights, person)
    newest = {kind: RubricVersion.objects.newest(kind) for kind in ("discussion", "response")}
    taken = {version.pk for version in newest.values() if version is not None}
    parts: dict[int, RubricPart] = {}
    for row in rows.order_by("rubric", "-pk"):
        rubric = row.rubric
        part = parts.setdefault(rubric.pk, RubricPart(rubric.key, rubric.name, rubric.kind, []))
        acts = list_acts(row, has_notes=has_notes)
        part.versions.append(VersionLine(row.number, row.state, acts, uses.get(row.pk, 0), row.pk in taken))
    refusal = get_refusal(check_edit_rubrics, person)
    return RubricsPage(list(parts.values()), refusal, is_scored_by_criterion())


def list_acts(version: RubricVersion, *, has_notes: bool) -> list[VersionAct]:
    """What was done with a version, the last first. `version` was fetched with its people."""
    told = (
        (DISCARDED, version.discarded_by, version.discarded_at, version.discarded_reason),
        (RETIRED, version.retired_by, version.retired_at, version.retired_reason),
        (PUBLISHED, version.published_by, version.published_at, version.reason),
        ("edited", version.edited_by, version.edited_at, ""),
        ("drafted", version.created_by, version.created_at, version.note),
    )
    return [
        VersionAct(verb, by.name, at, said if has_notes else "")
        for verb, by, at, said in told
        if by is not None and at is not None
    ]


def build_change_page(*, version: RubricVersion, uses: Mapping[int, int]) -> ChangePage:
    """The page on which a version is published, retired or discarded."""
    rows = RubricVersion.objects.published().filter(rubric=version.rubric_id).exclude(pk=version.pk)
    before = rows.order_by("-published_at", "-pk").first()
    return ChangePage(
        slug=version.rubric.key,
        name=version.rubric.name,
        number=version.number,
        note=version.note,
        sha256=version.sha256,
        before=before.number if before else "",
        differences=differences(before.to_record(), version.to_record()) if before else None,
        use_count=uses.get(version.pk, 0),
        before_use_count=uses.get(before.pk, 0) if before else 0,
    )


SHORT = 24


class CriterionPart(Struct, frozen=True):
    """One criterion as it is shown; `weight` is "" for whoever may not see weights."""

    number: int
    criterion: Criterion
    threshold: str
    weight: str


class Parameter(Struct, frozen=True):
    """One parameter: its name in the version's JSON, the value chosen, and what it decides."""

    name: str
    value: str
    says: str


class ParameterGroup(Struct, frozen=True):
    """Parameters that belong together."""

    label: str
    parameters: list[Parameter]


class WordList(Struct, frozen=True):
    """One list of words or patterns, by its name in the version's JSON; long entries stand on lines of their own."""

    name: str
    words: list[str]
    is_long: bool


class VersionPage(Struct, frozen=True):
    """Everything the page of one version shows."""

    slug: str
    name: str
    number: str
    kind: str
    state: str
    acts: list[VersionAct]
    source: str
    sha256: str
    criteria: list[CriterionPart]
    groups: list[ParameterGroup]
    lists: list[WordList]
    has_weights: bool
    may_edit: bool
    edit_refusal: str
    retire_refusal: str


def build_version_page(version: RubricVersion, *, person: Person) -> VersionPage:
    """The page of a version that was fetched with its people; without weights for whoever may not see them."""
    record = version.to_record()
    has_weights, may_edit = may(check_see_weights, person), may(check_edit_rubrics, person)
    return VersionPage(
        slug=version.rubric.key,
        name=record.name,
        number=record.version,
        kind=record.kind,
        state=version.state,
        acts=list_acts(version, has_notes=has_weights),
        source=record.source,
        sha256=version.sha256,
        criteria=[
            _part(number, criterion, has_weights) for number, criterion in enumerate(record.criteria, start=1)
        ],
        groups=_groups(record),
        lists=[_list(name, _words(value)) for name, value in record.lists.items()],
        has_weights=has_weights,
        may_edit=may_edit,
        edit_refusal=get_refusal(check_edit_version, person, version),
        retire_refusal=get_refusal(check_retire_version, person, version) if may_edit else "",
    )


def _part(number: int, criterion: Criterion, has_weights: bool) -> CriterionPart:
    weight = f"{100 * criterion.weight:.2f} %" if has_weights else ""
    return CriterionPart(number, criterion, _threshold(criterion), weight)


def _threshold(criterion: Criterion) -> str:
    if criterion.threshold is None:
        return ""
    if criterion.anchors:
        return _("at least %(rating).1f of 5") % {"rating": criterion.threshold}
    metric = game_specs().metrics.get(criterion.key)
    return _("at least %(figure)g") % {"figure": criterion.threshold} + (metric.symbol if metric else " %")


def _groups(record: RubricRecord) -> list[ParameterGroup]:
    other, words = _("Other"), readings()
    rows = [
        (
            str(words.get(name, (other, ""))[0]),
            Parameter(name, _shown(value), str(words.get(name, ("", ""))[1])),
        )
        for name, value in record.parameters.items()
    ]
    order = list(dict.fromkeys(label for label, _parameter in rows))
    rows.sort(key=lambda row: order.index(row[0]))
    return [
        ParameterGroup(label, [parameter for _label, parameter in members])
        for label, members in groupby(rows, key=lambda row: row[0])
    ]


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    return f"{value:g}" if isinstance(value, float) else str(value)


def _list(name: str, words: list[str]) -> WordList:
    return WordList(name, words, any(len(word) > SHORT for word in words))


def _words(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [f"{key}: {word}" for key, words in value.items() for word in _words(words)]
    if isinstance(value, list):
        return [
            word["label"] + ": " + word["description"] if isinstance(word, dict) else str(word)
            for word in value
        ]
    return [str(value)]


class ComparableVersion(Struct, frozen=True):
    """A version that can be compared with; `value` stands in the address."""

    value: str
    label: str
    is_chosen: bool


class DifferencesPage(Struct, frozen=True):
    """Two versions and what differs; `differences` is None when there is nothing to compare with."""

    slug: str
    name: str
    number: str
    before: str
    choices: list[ComparableVersion]
    differences: Differences | None
    has_weights: bool


def format_version_name(version: RubricVersion) -> str:
    """The version as it is named in addresses: rubric and number."""
    return f"{version.rubric.key}/{version.number}"


def comparable(version: RubricVersion, person: Person) -> list[RubricVersion]:
    """The versions of the same kind that the person may read, without this and discarded ones, the newest first."""
    rows = RubricVersion.objects.visible_to(person).kept().filter(rubric__kind=version.rubric.kind)
    return list(rows.exclude(pk=version.pk).select_related("rubric").defer("body").order_by("-pk"))


def build_differences_page(
    *, version: RubricVersion, before: RubricVersion | None, others: list[RubricVersion], person: Person
) -> DifferencesPage:
    """What it takes to come from `before` to `version`."""
    has_weights = may(check_see_weights, person)
    found = None
    if before is not None:
        found = differences(before.to_record(), version.to_record(), has_weights=has_weights)
    return DifferencesPage(
        slug=version.rubric.key,
        name=version.rubric.name,
        number=version.number,
        before=str(before) if before else "",
        choices=[
            ComparableVersion(
                format_version_name(rubric_version), str(rubric_version), rubric_version == before
            )
            for rubric_version in others
        ],
        differences=found,
        has_weights=has_weights,
    )


MOST_SHOWN = 10**6


class StoredDraft(Struct, frozen=True):
    """What somebody else saved in the meantime, and how what was typed here differs from it."""

    by: str
    at: datetime | None
    sha256: str
    differences: Differences


class DraftPage(Struct, frozen=True):
    """A draft in the editor. `total` is what the weights sum to ("" while one is no number), `off` how far from 1."""

    slug: str
    name: str
    number: str
    kind: str
    total: str
    off: str
    is_total_right: bool
    says: str
    stored: StoredDraft | None


def build_draft_page(
    *, version: RubricVersion, total: Fraction | None, says: str = "", mine: RubricRecord | None = None
) -> DraftPage:
    """The editor's page; `mine` is given when it could not be saved since somebody else had saved `version`."""
    stored = None
    if mine is not None:
        by = (version.edited_by or version.created_by).name
        found = differences(version.to_record(), mine)
        stored = StoredDraft(by, version.edited_at or version.created_at, version.sha256, found)
    return DraftPage(
        slug=version.rubric.key,
        name=version.rubric.name,
        number=version.number,
        kind=version.rubric.kind,
        total="" if total is None else _drafts_shown(total),
        off="" if total is None else _off(total),
        is_total_right=total is not None and abs(total - 1) <= TOLERANCE,
        says=says,
        stored=stored,
    )


def _off(total: Fraction) -> str:
    if abs(total - 1) <= TOLERANCE:
        return ""
    by = {"by": _drafts_shown(abs(total - 1))}
    return _("%(by)s too much") % by if total > 1 else _("%(by)s too little") % by


def _drafts_shown(total: Fraction) -> str:
    """The sum, rounded where it is long, and then saying so."""
    exactly, roughly = decimal_text(total), decimal_text(Fraction(round(total * MOST_SHOWN), MOST_SHOWN))
    return exactly if len(exactly) <= len(roughly) + 2 else f"≈ {roughly}"


def default_weights(version: RubricVersion) -> dict[str, str]:
    """Key -> weight as the rubric's first version has it."""
    first = RubricVersion.objects.kept().filter(rubric=version.rubric_id).order_by("pk").first() or version
    return {criterion.key: number_text(criterion.weight) for criterion in first.to_record().criteria}


def scaled_sentence(name: str) -> str:
    """What was done when the others were scaled."""
    return _("The other weights were scaled so that %(name)s keeps its own. Nothing is saved yet.") % {
        "name": name
    }
