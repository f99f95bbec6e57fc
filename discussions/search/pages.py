"""What a search shows: games with a few of their messages, and who said it when.

Hides from evaluators roles, outcomes, iterations and other people's games.
"""

from collections import Counter
from collections.abc import Mapping

from django.urls import reverse
from django.utils.functional import cached_property
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from msgspec import Struct, structs

from discussions.core.records import GameRecord, Message
from discussions.games.core import MESSAGES_A_PAGE
from discussions.models import Game, Iteration, Verdict
from discussions.search.core import (
    AGENT,
    ITERATION,
    MODEL,
    ROLE,
    ROUND,
    Asked,
    mark_terms,
    parse_search,
    sign,
)
from discussions.search.permissions import keep_searchable
from discussions.search.queries import (
    MOST_LOOKED,
    Found,
    Judged,
    count_unindexed,
    find_messages,
    keep_judged,
    load_records,
    load_scope,
)
from workspace.core.refusals import Unacceptable
from workspace.core.text import figure
from workspace.models import Person, Project

GAMES_A_PAGE, MESSAGES_A_GAME, MESSAGES_OF_ONE = 10, 3, 100
MOST_BARS, MOST_CHOICES, MOST_WAITING = 6, 30, 1000
# How much of a message is shown around the first place that was found.
BEFORE, AFTER = 120, 240
SIGNS = {"agent": AGENT, "role": ROLE, "model": MODEL, "round": ROUND}


class MessageSearch(Struct, frozen=True, kw_only=True):
    """What is asked for. `round` is a text, since 0 is a round; `iteration` and `game` are numbers in the project.

    `project` is the short name of the only one to search in, of several. `after` is the key of the last game of the
    page before.
    """

    q: str = ""
    project: str = ""
    agent: str = ""
    role: str = ""
    model: str = ""
    round: str = ""
    iteration: str = ""
    judged: Judged = ""
    game: int = 0
    after: int = 0

    def change(self, **changed: object) -> str:
        """The query of the address with these changes; it continues after a game only if `changed` says so."""
        kept = {name: value for name, value in structs.asdict(self).items() if name != "after"}
        return urlencode({name: value for name, value in (kept | changed).items() if value})

    @property
    def unblinding(self) -> list[str]:
        return [self.role, self.model, self.iteration, self.judged]


class FoundText(Struct, frozen=True):
    """One message: who said it, an excerpt with the places of what was found, and its address. `role` may be ""."""

    position: int
    round: int
    name: str
    role: str
    text: str
    spans: list[tuple[int, int]]
    is_cut_before: bool
    is_cut_after: bool
    address: str


class FoundGame(Struct, frozen=True):
    """A game with its first messages of `count`; for evaluators without iteration and outcome (None: no verdict)."""

    project: Project
    number: int
    address: str
    iteration: str
    passes: bool | None
    count: int
    messages: list[FoundText]

    @property
    def more(self) -> int:
        return self.count - len(self.messages)


class SearchPage:
    """The page of one search for one person; a fixed number of queries on PostgreSQL, also for common words."""

    def __init__(self, person: Person, projects: list[Project], wanted: MessageSearch) -> None:
        self.wanted = wanted
        self.scope = load_scope(person, projects)
        self.leads = len(self.scope.led) == len(projects)
        self.asked: Asked = parse_search(wanted.q)
        self.is_wordless = bool(wanted.q) and self.asked == Asked()
        self.is_asked = self.asked != Asked() or bool(wanted.change(q="", project=""))
        self.found, self.is_all = self._find() if self.is_asked else ({}, True)
        rest = self.found
        if wanted.after:
            rest = {game: places for game, places in self.found.items() if game < wanted.after}
            if len(rest) <= GAMES_A_PAGE and not self.is_all:
                rest, self.is_all = self._find(wanted.after)
        looked = dict(list(rest.items())[:MOST_LOOKED])
        self.is_looked_at = len(looked) == len(rest) and self.is_all
        self.records: dict[int, GameRecord] = load_records(self.scope, looked)
        kept: Found = {game: places for game, places in looked.items() if game in self.records}
        self.kept = keep_judged(kept, wanted.judged) if wanted.judged and kept else kept
        self.shown = list(self.kept)[:GAMES_A_PAGE]
        self.after = 0
        if len(self.kept) > len(self.shown):
            self.after = self.shown[-1]
        elif not self.is_looked_at:
            self.after = min(looked)
        # How many games there are is not for evaluators.
        self.unindexed = count_unindexed(self.scope.led, MOST_WAITING) if self.scope.led else 0

    def _find(self, before: int = 0) -> tuple[Found, bool]:
        wanted, scope, games = self.wanted, self.scope, None
        signs = [sign(kind, value) for name, kind in SIGNS.items() if (value := getattr(wanted, name))]
        if wanted.iteration:
            rows = Iteration.objects.filter(project__in=scope.led, number=int(wanted.iteration))
            signs.append(sign(ITERATION, rows.values_list("pk", flat=True).first() or 0))
        if wanted.game:
            named = Game.objects.filter(project__in=scope.projects, number=wanted.game)
            keys = named.values_list("pk", "project")
            games = [key for key, project in keys if project in scope.led or key in scope.own]
        return find_messages(scope, self.asked, signs, games=games, before=before)

    @property
    def message_count(self) -> int:
        """Of what was found, or where judgements are asked for, of the games that were looked into."""
        return self.kept_count if self.wanted.judged else sum(map(len, self.found.values()))

    @property
    def kept_count(self) -> int:
        return sum(map(len, self.kept.values()))

    @property
    def game_count(self) -> int:
        return len(self.kept if self.wanted.judged else self.found)

    @property
    def is_more(self) -> bool:
        """Whether there are more messages than were counted."""
        return not self.is_looked_at if self.wanted.judged else not self.is_all

    @cached_property
    def games(self) -> list[FoundGame]:
        rows = Game.objects.select_related("iteration").in_bulk(self.shown)
        verdicts = Verdict.objects.filter(game__in=self.shown, game__project__in=self.scope.led)
        passes = dict(verdicts.not_superseded().values_list("game", "passes"))
        return [self._show(rows[key], passes.get(key)) for key in self.shown if key in rows]

    def _show(self, game: Game, passes: bool | None) -> FoundGame:
        places = self.kept[game.pk]
        first = places[: MESSAGES_OF_ONE if self.wanted.game else MESSAGES_A_GAME]
        record, project = self.records[game.pk], self.scope.projects[game.project_id]
        own = self.scope.own.get(game.pk)
        address = reverse("rate", args=[own]) if own else reverse("game", args=[project.slug, game.number])
        return FoundGame(
            project=project,
            number=game.number,
            address=address,
            iteration="" if own else game.iteration.name,
            passes=passes,
            count=len(places),
            messages=[self._excerpt(record, record.messages[at - 1], address, own) for at in first],
        )

    def _excerpt(self, record: GameRecord, message: Message, address: str, own: int | None) -> FoundText:
        player, spans = record.players[message.player - 1], mark_terms(message.text, self.asked.wanted)
        start = max(0, spans[0][0] - BEFORE) if spans else 0
        start = 0 if start <= BEFORE else message.text.rfind(" ", 0, start) + 1 or start
        end = min(len(message.text), max(start, spans[0][1] if spans else 0) + AFTER)
        if own:
            address = f"{address}?at={message.position}"
        else:
            page = f"?from={message.position}" if message.position > MESSAGES_A_PAGE else ""
            address = f"{address}{page}#m{message.position}"
        return FoundText(
            position=message.position,
            round=message.round,
            name=player.name,
            role="" if own else player.role or "",
            text=message.text[start:end],
            spans=[(a - start, min(b, end) - start) for a, b in spans if a >= start and a < end],
            is_cut_before=start > 0,
            is_cut_after=end < len(message.text),
            address=address,
        )

    @cached_property
    def counts(self) -> Mapping[str, Counter[str]]:
        """How many of the messages in the games looked into are of each agent, round, and for leads role and model."""
        counts: dict[str, Counter[str]] = {name: Counter() for name in ("agent", "round", "role", "model")}
        for game, places in self.kept.items():
            record = self.records[game]
            for at in places:
                message = record.messages[at - 1]
                player = record.players[message.player - 1]
                counts["agent"][player.name] += 1
                counts["round"][str(message.round)] += 1
                if game not in self.scope.own:
                    counts["role"][player.role or ""] += 1
                    counts["model"][record.model_build or ""] += 1
        return counts

    @property
    def looked_count(self) -> int:
        return len(self.records)

    @property
    def agents(self) -> list[tuple[str, int]]:
        return self.counts["agent"].most_common(MOST_BARS)

    @cached_property
    def by_project(self) -> list[tuple[Project, int]]:
        """Of several projects, how many of the messages in the games looked into each has."""
        if len(self.scope.projects) < 2:
            return []
        counts: Counter[int] = Counter()
        for game, project in Game.objects.filter(pk__in=self.kept).values_list("pk", "project"):
            counts[project] += len(self.kept[game])
        return [(self.scope.projects[key], count) for key, count in counts.most_common(MOST_BARS)]

    @property
    def rounds(self) -> list[tuple[str, int]]:
        """The first rounds, in order."""
        return sorted(self.counts["round"].items(), key=lambda row: int(row[0]))[:MOST_BARS]

    @property
    def main_role(self) -> str:
        """The role that says most of it; "" for evaluators, and where no role says more than half."""
        ((role, count),) = self.counts["role"].most_common(1) or [("", 0)]
        is_most = 2 * count > self.counts["role"].total() and len(self.said_by) > 1
        return role if self.leads and is_most and not self.wanted.role else ""

    @property
    def shares(self) -> list[tuple[str, str]]:
        """For leads: of 100 messages of each role in the games looked into, how many were found."""
        if not self.leads or self.wanted.role:
            return []
        found = self.counts["role"].most_common(MOST_BARS)
        return [(role, figure(100 * count / self.said_by[role])) for role, count in found if role]

    @cached_property
    def said_by(self) -> Counter[str]:
        """How many messages each role says in the games looked into, found or not."""
        records = [self.records[game] for game in self.kept]
        return Counter(
            record.players[message.player - 1].role or "" for record in records for message in record.messages
        )


def search_everywhere(person: Person, wanted: MessageSearch) -> SearchPage:
    """The page of a search in all projects of the person, or in the one that is named.

    Raises NotAllowed, and Unacceptable for a project that is none of theirs.
    """
    projects = Project.objects.visible_to(person)
    if wanted.project and not (projects := projects.filter(slug=wanted.project)):
        says = _("You are in no project with the short name “%(name)s”. Choose from the menu.")
        raise Unacceptable(says % {"name": wanted.project}, field="project")
    return SearchPage(person, keep_searchable(person, list(projects), wanted.unblinding), wanted)
