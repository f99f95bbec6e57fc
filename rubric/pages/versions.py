"""The page of one rubric version: what it asks, from which score on a metric passes, and how it reads itself."""

from itertools import groupby
from typing import Any

from django.utils.translation import gettext as _
from msgspec import Struct

from rubric.core.game_specs import game_specs
from rubric.core.records import Criterion, RubricRecord
from rubric.models import RubricVersion
from rubric.pages.readings import readings
from rubric.pages.rubrics import Act, acts_of
from rubric.permissions import check_edit_rubrics, check_edit_version, check_retire_version, check_see_weights
from workspace.models import Person
from workspace.permissions import may, refusal_of

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
    acts: list[Act]
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
        acts=acts_of(version, has_notes=has_weights),
        source=record.source,
        sha256=version.sha256,
        criteria=[_part(number, each, has_weights) for number, each in enumerate(record.criteria, start=1)],
        groups=_groups(record),
        lists=[_list(name, _words(value)) for name, value in record.lists.items()],
        has_weights=has_weights,
        may_edit=may_edit,
        edit_refusal=refusal_of(check_edit_version, person, version),
        retire_refusal=refusal_of(check_retire_version, person, version) if may_edit else "",
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
            each["label"] + ": " + each["description"] if isinstance(each, dict) else str(each)
            for each in value
        ]
    return [str(value)]
