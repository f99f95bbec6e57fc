"""How the texts of one game count its rounds: the offset that a lead set, and whether it can still change."""

from django.utils.translation import gettext_lazy as _
from msgspec import Struct

from discussions.games.permissions import why_rounds_stay
from discussions.models import Game, RoundOffset
from discussions.transcripts.core.oddities import ROUND_ZERO, TEXT_ROUND_ZERO, Oddity
from workspace.database.prepared_queries import Prepared

# The offsets to add to a number in a text to get the file's; the same values as `OFFSETS` of the metrics.
ROUND_OFFSETS = (
    (0, _("The texts count like the file: round 1 is the file's round 1.")),
    (1, _("The texts count from 0: round 0 is the file's round 1, round 1 the file's round 2.")),
    (-1, _("The texts count from 1, the file from 0: round 1 is the file's round 0.")),
)


class RoundsPart(Struct, frozen=True):
    """`said` is the newest act, None before the first; `choices` are (offset, words), empty if `stays` says why.

    `is_odd` says that texts or file name a round 0.
    """

    said: RoundOffset | None
    choices: list[tuple[int, str]]
    stays: str
    is_odd: bool

    @property
    def offset(self) -> int:
        """What to add to a number in a text to get the file's."""
        return self.said.offset if self.said else 0

    @property
    def says(self) -> str:
        """The current offset in words."""
        return str(dict(ROUND_OFFSETS)[self.offset])

    @property
    def is_shown(self) -> bool:
        """Whether the page has anything to show here."""
        return bool(self.choices or self.said or self.is_odd)


def build_rounds_part(game: Game, oddities: list[Oddity]) -> RoundsPart:
    """The part for leads, in at most three queries."""
    said = _SAID.first(game.pk)
    stays = why_rounds_stay(game)
    choices = [] if stays else [(offset, str(words)) for offset, words in ROUND_OFFSETS]
    is_odd = any(oddity.code in (ROUND_ZERO, TEXT_ROUND_ZERO) for oddity in oddities)
    return RoundsPart(said=said, choices=choices, stays=stays, is_odd=is_odd)


_SAID = Prepared(
    lambda game: RoundOffset.objects.filter(game=game).select_related("created_by").order_by("-number")[:1],
    int,
)
