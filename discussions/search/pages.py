"""What a search shows: games with a few of their messages, and who said it when.

Hides from evaluators roles, outcomes, iterations and other people's games.
"""

from collections import Counter
from collections.abc import Mapping

from django.urls import reverse
from django.utils.functional import cached_property
from django.utils.http import urlencode
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
from discussions.search.queries import (
    MOST_FOUND,
    MOST_LOOKED,
    Found,
    Judged,
    count_unindexed,
    find_messages,
    is_closed_to,
    keep_judged,
    load_own_games,
    load_records,
)
from workspace.access.permissions import may_lead
from workspace.core.text import figure
from workspace.models import Person, Project

GAMES_A_PAGE, MESSAGES_A_GAME, MESSAGES_OF_ONE = 10, 3, 100
MOST_BARS, MOST_CHOICES, MOST_WAITING = 6, 30, 1000
# How much of a message is shown around the first place that was found.
BEFORE, AFTER = 120, 240
SIGNS = {"agent": AGENT, "role": ROLE, "model": MODEL, "round": ROUND}


class MessageSearch(Struct, frozen=True, kw_only=True):
    """What is asked for. `round` is a text, since 0 is a round; `iteration` and `game` are numbers in the project.

    `after` is the key of the last game of the page before.
    """

    q: str = ""
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

    def __init__(self, person: Person, project: Project, wanted: MessageSearch) -> None:
        self.person, self.project, self.wanted = person, project, wanted
        self.leads = may_lead(person, project)
        self.asked: Asked = parse_search(wanted.q)
        self.own = None if self.leads else load_own_games(person, project)
        self.is_wordless = bool(wanted.q) and self.asked == Asked()
        self.is_asked = self.asked != Asked() or bool(wanted.change(q=""))
        self.found, self.is_all = self._find() if self.is_asked else ({}, True)
        rest = self.found
        if wanted.after:
            rest = {game: places for game, places in self.found.items() if game < wanted.after}
            if len(rest) <= GAMES_A_PAGE and not self.is_all:
                rest, self.is_all = self._find(wanted.after)
        looked = dict(list(rest.items())[:MOST_LOOKED])
        self.is_looked_at = len(looked) == len(rest) and self.is_all
        self.records: dict[int, GameRecord] = load_records(looked)
        kept: Found = {game: places for game, places in looked.items() if game in self.records}
        self.kept = keep_judged(kept, wanted.judged) if wanted.judged and kept else kept
        self.shown = list(self.kept)[:GAMES_A_PAGE]
        self.after = 0
        if len(self.kept) > len(self.shown):
            self.after = self.shown[-1]
        elif not self.is_looked_at:
            self.after = min(looked)
        # How many games there are is not for evaluators.
        self.unindexed = count_unindexed(project, MOST_WAITING) if self.leads else 0
        self.is_closed = not self.leads and is_closed_to(person, project)

    def _find(self, before: int = 0) -> tuple[Found, bool]:
        wanted, among = self.wanted, None if self.own is None else set(self.own)
        signs = [sign(kind, value) for name, kind in SIGNS.items() if (value := getattr(wanted, name))]
        if wanted.iteration:
            rows = Iteration.objects.filter(project=self.project, number=int(wanted.iteration))
            signs.append(sign(ITERATION, rows.values_list("pk", flat=True).first() or 0))
        if wanted.game:
            keys = Game.objects.filter(project=self.project, number=wanted.game).values_list("pk", flat=True)
            among = set(keys) if among is None else among & set(keys)
        return find_messages(self.project, self.asked, signs, among=among, before=before)

    @property
    def message_count(self) -> int:
        """Of all that was found, or where judgements are asked for, of the games that were looked into.

        Where there are more than are counted, it is the limit: the newest may be fewer.
        """
        if self.is_more and not self.wanted.judged:
            return MOST_FOUND
        return sum(map(len, (self.kept if self.wanted.judged else self.found).values()))

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
        verdicts = Verdict.objects.filter(game__in=self.shown if self.leads else ()).not_superseded()
        passes = dict(verdicts.values_list("game", "passes"))
        return [self._show(rows[key], passes.get(key)) for key in self.shown if key in rows]

    def _show(self, game: Game, passes: bool | None) -> FoundGame:
        places = self.kept[game.pk]
        first = places[: MESSAGES_OF_ONE if self.wanted.game else MESSAGES_A_GAME]
        record = self.records[game.pk]
        address = self._address(game)
        return FoundGame(
            number=game.number,
            address=address,
            iteration=game.iteration.name if self.leads else "",
            passes=passes,
            count=len(places),
            messages=[self._excerpt(record, record.messages[at - 1], address) for at in first],
        )

    def _address(self, game: Game) -> str:
        if self.own is not None:
            return reverse("rate", args=[self.own[game.pk]])
        return reverse("game", args=[self.project.slug, game.number])

    def _excerpt(self, record: GameRecord, message: Message, address: str) -> FoundText:
        player, spans = record.players[message.player - 1], mark_terms(message.text, self.asked.wanted)
        start = max(0, spans[0][0] - BEFORE) if spans else 0
        start = 0 if start <= BEFORE else message.text.rfind(" ", 0, start) + 1 or start
        end = min(len(message.text), max(start, spans[0][1] if spans else 0) + AFTER)
        if self.leads:
            page = f"?from={message.position}" if message.position > MESSAGES_A_PAGE else ""
            address = f"{address}{page}#m{message.position}"
        else:
            address = f"{address}?at={message.position}"
        return FoundText(
            position=message.position,
            round=message.round,
            name=player.name,
            role=player.role or "" if self.leads else "",
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
                counts["role"][player.role or ""] += 1
                counts["model"][record.model_build or ""] += 1
        return counts

    @property
    def looked_count(self) -> int:
        return len(self.records)

    @property
    def agents(self) -> list[tuple[str, int]]:
        return self.counts["agent"].most_common(MOST_BARS)

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
