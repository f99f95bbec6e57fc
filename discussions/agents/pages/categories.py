"""Categories as pages show them: counted by agent and iteration, with agreement and the codes themselves."""

from collections.abc import Callable

from django.utils.translation import gettext as _

from discussions.agents.core.categories import CategoryShare, Code, CodedGames
from discussions.agents.core.files import AGENT, ITERATION
from discussions.agents.pages.files import place_message
from workspace.statistics.labels import interval_text, number

MOST_SHARES, MOST_CODES, MOST_PLACES = 8, 50, 5


class CategoryPart:
    """One category; lists are cut, `left_out` counts the codes that are not listed."""

    def __init__(self, key: int, coded: CodedGames, place: Callable[[int], str]) -> None:
        self.key, self.name, codes = key, coded.names[key], coded.list_codes(key)
        self.messages = len({(code.game, code.message) for code in codes if code.message})
        self.games = len({code.game for code in codes})
        self.shares = {
            grouping: [share for share in coded.list_shares(key, grouping) if share.coded][:MOST_SHARES]
            for grouping in (AGENT, ITERATION)
        }
        self.agreement = coded.measure_agreement(key)
        self.codes = [(code, describe_place(code), _link_code(code, place)) for code in codes[:MOST_CODES]]
        self.left_out = max(0, len(codes) - MOST_CODES)

    @property
    def alpha(self) -> str:
        """Krippendorff's alpha with its interval, or why there is none."""
        found = self.agreement
        if found.value is None:
            return _("no game was coded by two people") if not found.items else found.reason
        return (
            f"{number(found.value)} ({interval_text(found.interval)})"
            if found.interval
            else number(found.value)
        )


def list_parts(coded: CodedGames, place: Callable[[int], str]) -> list[CategoryPart]:
    return [CategoryPart(key, coded, place) for key in coded.rank()]


def list_of(
    coded: CodedGames, grouping: str, name: str, place: Callable[[int], str]
) -> list[tuple[str, CategoryShare, list[tuple[str, str]]]]:
    """The categories of one agent or iteration, most messages first: (category, its share, its first places)."""
    said = coded.said[grouping]
    found = [
        (
            coded.names[key],
            share,
            [
                (describe_place(code), _link_code(code, place))
                for code in coded.list_codes(key)
                if code.message and said[code.game][code.message - 1] == name
            ],
        )
        for key in coded.rank()
        for share in coded.list_shares(key, grouping)
        if share.name == name and share.coded
    ]
    ranked = sorted(found, key=lambda row: (-row[1].coded, row[0]))
    return [(category, share, places[:MOST_PLACES]) for category, share, places in ranked]


def describe_place(code: Code) -> str:
    about = {"game": code.game, "message": code.message}
    return _("game %(game)d, message %(message)d") % about if code.message else _("game %(game)d") % about


def _link_code(code: Code, place: Callable[[int], str]) -> str:
    return place_message(place(code.game), code.message) if code.message else place(code.game)
