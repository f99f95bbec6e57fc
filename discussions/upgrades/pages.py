"""The page on which an iteration is moved to a newer rubric version: the choice, and what the move would change."""

from collections import Counter

from msgspec import Struct

from discussions.models import Iteration
from discussions.preview.core import PENDING, Rejudged
from discussions.upgrades.permissions import check_change_version
from discussions.upgrades.queries import VersionPreview, list_newer_versions, load_version_preview
from rubric.models import RubricVersion
from workspace.access.permissions import get_refusal
from workspace.models import Person


class MoveGame(Struct, frozen=True):
    """A rated game: its outcome now and under the version, and why they differ."""

    number: int
    is_recorded: bool
    before: str
    after: str
    reasons: list[str]


class VersionPage(Struct, frozen=True):
    """The page. `preview` is None where there is no newer version; `refusal` says why nothing can be moved now.

    `counts` counts the outcomes under the version; `waiting_count` games with a verdict would wait for labels or a
    decision. `others` are the iterations that it is compared with or that are compared with it, under other versions
    after the move.
    """

    iteration: Iteration
    versions: list[RubricVersion]
    preview: VersionPreview | None
    games: list[MoveGame]
    counts: dict[str, int]
    waiting_count: int
    others: list[int]
    refusal: str


def build_version_page(*, iteration: Iteration, person: Person, to: int = 0) -> VersionPage:
    """The page for the version of that key, else for the newest one."""
    versions = list(list_newer_versions(iteration))
    version = next((row for row in versions if row.pk == to), versions[0] if versions else None)
    refusal = get_refusal(check_change_version, person, iteration)
    preview = load_version_preview(iteration, version) if version and not refusal else None
    games = preview.games if preview else []
    return VersionPage(
        iteration=iteration,
        versions=versions,
        preview=preview,
        games=[_show(game) for game in games],
        counts=dict(Counter(game.after for game in games)),
        waiting_count=sum(game.is_recorded and game.after == PENDING for game in games),
        others=_list_compared(iteration, version) if version else [],
        refusal=refusal,
    )


def _show(game: Rejudged) -> MoveGame:
    return MoveGame(game.where.number, game.is_recorded, game.before, game.after, game.reasons)


def _list_compared(iteration: Iteration, version: RubricVersion) -> list[int]:
    rows = Iteration.objects.filter(compared_with=iteration) | Iteration.objects.filter(compared_by=iteration)
    other = rows.exclude(rubric_version=version).order_by("number")
    return list(other.values_list("number", flat=True).distinct())
