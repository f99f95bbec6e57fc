"""The page "What do the agents do wrong?" of an iteration, and the same as Markdown for the author of the prompt."""

from collections.abc import Mapping, Sequence

from django.db.models import Exists
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from msgspec import Struct

from discussions.core.judgement_kinds import COHERENCE, PHRASE, REFERENCE, ROLE_CONSISTENCY
from discussions.games.pages.game import MESSAGES_A_PAGE
from discussions.metrics.labels import CHECKS, rule_text
from discussions.models import Game, Iteration
from discussions.preview.queries import Batch, read_judged
from discussions.queries import measured_for, rubric_record
from discussions.verdicts.core.scoring import compute_effective_values
from discussions.weak_spots.core import (
    AGENT,
    GROUPINGS,
    KINDS,
    PERSONALITY,
    ROLE,
    ExaminedGame,
    Group,
    Neighbour,
    PersonalityNeighbours,
    Spot,
    find_spots,
    group_neighbours,
    group_spots,
    list_neighbours,
    rank_spots,
)

MOST_GAMES = 100
MOST_SPOTS = 20
LONGEST_TEXT = 300
Words = Promise | str
TITLES: dict[str, Words] = {
    REFERENCE: gettext_lazy("Wrong about the past"),
    COHERENCE: gettext_lazy("Messages that leave the ones before them unanswered"),
    PHRASE: gettext_lazy("Repeated phrases"),
    ROLE_CONSISTENCY: gettext_lazy("Lines that do not fit the role"),
}
COLUMNS: dict[str, Words] = {
    REFERENCE: gettext_lazy("Wrong references"),
    COHERENCE: gettext_lazy("Unanswered"),
    PHRASE: gettext_lazy("Repeated phrases"),
    ROLE_CONSISTENCY: gettext_lazy("Out of role"),
}
GROUPED: dict[str, Words] = {
    ROLE: gettext_lazy("Role"),
    PERSONALITY: gettext_lazy("Personality"),
    AGENT: gettext_lazy("Agent"),
}


class ShownSpot(Struct, frozen=True):
    """A spot in words, with the address of its message. `who` is "Ada (mafia, analytical)"."""

    address: str
    place: str
    who: str
    text: str
    why: str


class SpotList(Struct, frozen=True):
    """The worst of one kind; `more` counts those that are not listed."""

    kind: str
    title: str
    spots: list[ShownSpot]
    more: int


class GroupTable(Struct, frozen=True):
    """How often each agent, role or personality does each kind of thing."""

    grouping: str
    title: str
    groups: list[Group]


class WeakSpotsPage(Struct, frozen=True):
    """The page. `unread` counts games that are not measured or too many, `chosen` says what it is narrowed to."""

    iteration: Iteration
    game_count: int
    unread: int
    chosen: str
    lists: list[SpotList]
    tables: list[GroupTable]
    columns: list[str]
    personalities: list[tuple[PersonalityNeighbours, str]]
    alike: list[tuple[Neighbour, str]]


def build_weak_spots_page(
    *, iteration: Iteration, chosen: Mapping[str, str], root: str = ""
) -> WeakSpotsPage:
    """What the agents do wrong in the newest games of an iteration; addresses begin with `root`.

    `chosen` narrows the lists: agent, role and personality -> the name, "" for all. A fixed number of queries.
    """
    games, unread = read_games(iteration)
    wanted = {grouping: name for grouping, name in chosen.items() if name}
    spots = [spot for game in games for spot in find_spots(game)]
    narrowed = [
        spot for spot in spots if all(spot.speaker.get(grouping) == name for grouping, name in wanted.items())
    ]
    place = _Places(iteration, root)
    neighbours = list_neighbours(games)
    version = iteration.rubric_version
    described = {
        row["label"]: row["description"]
        for row in rubric_record(version.pk, version.sha256).lists["personalities"]
    }
    return WeakSpotsPage(
        iteration=iteration,
        game_count=len(games),
        unread=unread,
        chosen=", ".join(wanted.values()),
        lists=[_list(rank_spots(narrowed, kind), kind, place) for kind in KINDS],
        tables=[
            GroupTable(grouping, str(GROUPED[grouping]), group_spots(games, spots, grouping))
            for grouping in GROUPED
        ],
        columns=[str(COLUMNS[kind]) for kind in KINDS],
        personalities=[
            (found, described.get(found.personality, ""))
            for found in group_neighbours(neighbours, list(described))
        ],
        alike=[
            (neighbour, place.address(neighbour.game, 1, metric="personality_diversity"))
            for neighbour in neighbours
            if not neighbour.is_unique
        ][:MOST_SPOTS],
    )


def read_games(iteration: Iteration) -> tuple[list[ExaminedGame], int]:
    """The newest measured games that count, with people's judgements so far, and how many games are left out."""
    rows = Game.objects.filter(iteration=iteration, withdrawn_at=None)
    measured = rows.filter(Exists(measured_for(iteration))).order_by("-number")
    keys = list(measured.values_list("pk", flat=True)[:MOST_GAMES])
    found = []
    for judged in read_judged(Batch(sorted(keys), is_recorded=False), lambda _rubric: True):
        assert judged.text is not None  # every text was requested
        effective = compute_effective_values(judged.basis, judged.measurements)
        found.append(ExaminedGame(judged.where.number, judged.text, judged.measurements, effective))
    return found, rows.count() - len(found)


class _Places:
    """The addresses of messages on the pages of games."""

    def __init__(self, iteration: Iteration, root: str) -> None:
        self.slug, self.root = iteration.project.slug, root

    def address(self, game: int, message: int, *, metric: str = "") -> str:
        page = self.root + reverse("game", args=[self.slug, game])
        if metric:
            return f"{page}#{metric}"
        return f"{page}{f'?from={message}' if message > MESSAGES_A_PAGE else ''}#m{message}"


def _list(spots: Sequence[Spot], kind: str, place: _Places) -> SpotList:
    shown = [_show(spot, place) for spot in spots[:MOST_SPOTS]]
    return SpotList(kind, str(TITLES[kind]), shown, len(spots) - len(shown))


def _show(spot: Spot, place: _Places) -> ShownSpot:
    text = spot.text if len(spot.text) <= LONGEST_TEXT else f"{spot.text[:LONGEST_TEXT]} …"
    known = ", ".join(filter(None, (spot.speaker.role, spot.speaker.personality)))
    agent = spot.speaker.agent or _("all agents")
    return ShownSpot(
        address=place.address(spot.game, spot.message),
        place=_("game %(game)d, message %(message)d") % {"game": spot.game, "message": spot.message},
        who=f"{agent} ({known})" if known else agent,
        text=" ".join(text.split()),
        why=_explain(spot),
    )


def _explain(spot: Spot) -> str:
    """Why it is listed: by whom, the rule or label, and the evidence."""
    if spot.kind == PHRASE:
        count = {"count": spot.count, "messages": len(set(spot.messages))}
        return _("said %(count)d times in %(messages)d messages") % count
    why = str(CHECKS.get(spot.why) or rule_text(spot.why).replace("_", " ")) if spot.why else ""
    if spot.is_by_people and spot.kind != REFERENCE:
        why = _("judged by people") + (f"; {why}" if why else "")
    elif spot.is_by_people:
        why = _("labelled %(label)s by people") % {"label": why}
    else:
        why = _("automatic: %(why)s") % {"why": why}
    words = ", ".join(spot.words)
    return f"{why} ({words})" if words else why


assert set(GROUPED) == set(GROUPINGS)
