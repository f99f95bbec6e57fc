"""Which of several games can get their verdict now, and which verdict each would get."""

from collections.abc import Collection

from django.utils.translation import gettext as _
from msgspec import Struct

from discussions.models import Game
from discussions.verdicts.pages.lines import describe_all_open
from discussions.verdicts.permissions import check_complete, check_first_verdict
from discussions.verdicts.queries import load_verdict_preview
from workspace.access.permissions import get_refusal
from workspace.models import Project


class ReadyGame(Struct, frozen=True):
    """A game by its number. `refusal` says why no verdict can be recorded, "" when one can; then the rest is set.

    `headline` and `passes` are the verdict that would be recorded on the basis with that hash.
    """

    number: int
    source_id: str
    refusal: str
    headline: str = ""
    passes: bool = False
    basis_sha256: str = ""


def list_ready_games(*, project: Project, numbers: Collection[int]) -> list[ReadyGame]:
    rows = Game.objects.select_related("iteration__rubric_version", "transcript", "project")
    return [_read(game) for game in rows.filter(project=project, number__in=numbers).order_by("number")]


def _read(game: Game) -> ReadyGame:
    if refusal := get_refusal(check_first_verdict, game):
        return ReadyGame(game.number, game.source_id, refusal)
    preview = load_verdict_preview(game)
    if preview is None:
        return ReadyGame(game.number, game.source_id, _("Not measured yet."))
    if refusal := get_refusal(check_complete, preview) or describe_all_open(preview.outcome):
        return ReadyGame(game.number, game.source_id, refusal)
    outcome = preview.outcome
    return ReadyGame(
        game.number, game.source_id, "", outcome.headline, bool(outcome.passes), preview.basis_sha256
    )
