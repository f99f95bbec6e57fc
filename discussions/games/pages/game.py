"""One game for its leads: the figures and their evidence, the transcript with roles, votes, people's judgements."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import msgspec
from django.db.models import OuterRef, Subquery
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from msgspec import Struct

from discussions.adjudication.core.effective import Effective
from discussions.core.judgement_kinds import REFERENCE
from discussions.core.records import Fault, GameRecord, Measurement, Message, Player, Vote
from discussions.games.pages.evaluations import PeoplePart, people_part
from discussions.games.pages.evidence import (
    MetricEvidence,
    WhyPhrase,
    WhyPlayer,
    WhyReference,
    why_messages,
    why_phrases,
    why_players,
    why_references,
)
from discussions.games.pages.list_query import ListQuery, Neighbours, load_neighbours
from discussions.games.pages.manual_costs import PaidFigure, paid_figures
from discussions.games.pages.marks import MessageMarks, collect_marks
from discussions.games.pages.phrase_uses import PhraseUse, phrase_uses
from discussions.games.pages.rounds import RoundsPart, build_rounds_part
from discussions.metrics.core.registry import METRICS
from discussions.metrics.labels import LABELS, Look
from discussions.models import Companions, Game, Verdict, Withdrawal
from discussions.queries import (
    find_diagnostics_job,
    find_stopped_jobs,
    game_record,
    load_measurements,
)
from discussions.transcripts.core.notes import REPEATS_DROPPED
from discussions.transcripts.core.oddities import ODDITY_CODES, REPEATED, Oddity, list_oddities
from discussions.verdicts.pages.lines import NONE, FigureRow, NextGames, figure_rows
from discussions.verdicts.pages.verdict import OutcomePart, outcome_part
from discussions.verdicts.queries import Preview, load_next_games, load_verdict_preview
from workspace.core.words import decode_stored
from workspace.database.prepared_queries import Prepared
from workspace.models import Job, Person
from workspace.models.jobs import FAILED, QUEUED, RUNNING

MESSAGES_A_PAGE = 200
# A link to a message of a long game shows this many messages before it.
MESSAGES_BEFORE = 10


def find_start(position: int) -> int:
    """The first message of the page that a link to this message opens; 0 for the beginning of the game."""
    return max(1, position - MESSAGES_BEFORE) if position > MESSAGES_A_PAGE else 0


MOST_LISTED = 200
EVERY_GAME = ListQuery()


class GameMetric(Struct, frozen=True):
    """One metric with what its number was counted from; lists are cut at `MOST_LISTED`, `left_out` counts the rest."""

    row: FigureRow
    looks: list[Look]
    notes: list[str]
    messages: list[MetricEvidence] = []
    references: list[WhyReference] = []
    players: list[WhyPlayer] = []
    phrases: list[WhyPhrase] = []
    uses: list[PhraseUse] = []
    left_out: int = 0


class MissingFigures(Struct, frozen=True):
    """What a game lacks: `stopped` is the job that failed to measure it, or to compute its diagnostics.

    `is_computing` says that a job computes them; `unasked` is the key of the measurement if none does, else 0. `is_new`
    says that none ever did: then the page asks for them by itself.
    """

    stopped: Job | None = None
    is_computing: bool = False
    unasked: int = 0
    is_new: bool = False


class GamePage(Struct, frozen=True):
    """Everything of one game. `metrics` and `outcome` are empty while it is not measured.

    `messages` is the shown part of the transcript; `earlier` and `later` are where the other parts begin, 0 if none.
    `oddities` are computed from the record, so games imported before oddities were stored have them, too.
    `message_counts` counts messages by player. `withdrawals` are empty for a game that counts. `rounds` is for leads,
    and so are `marks` (people's judgements and remarks at each message) and `beside` (the games before and after it in
    the list that the reader came from). `list_query` is the query of that list's URL.
    """

    game: Game
    record: GameRecord
    paid: list[PaidFigure]
    warnings: list[Fault]
    oddities: list[Oddity]
    outcome: OutcomePart | None
    verdict_number: int
    metrics: list[GameMetric]
    message_counts: Mapping[int, int]
    messages: list[Message]
    earlier: int
    later: int
    votes: list[Vote]
    people: PeoplePart
    withdrawals: list[Withdrawal]
    rounds: RoundsPart | None = None
    marks: Mapping[int, MessageMarks] = {}
    beside: Neighbours | None = None
    list_query: str = ""
    missing: MissingFigures = MissingFigures()

    @property
    def kept(self) -> str:
        """Query parameters to keep in links to this game or its neighbours: the list that the reader came from."""
        return urlencode(self._in_list)

    @property
    def query(self) -> str:
        """The query of the page's own address: the part of the transcript, and the list that the reader came from."""
        part = {"from": str(self.messages[0].position)} if self.earlier and self.messages else {}
        found = urlencode(part | self._in_list)
        return f"?{found}" if found else ""

    def place(self, position: int) -> str:
        """The link to a message: on this page of the transcript, or on the one that begins with it."""
        shown = self.messages
        if shown and shown[0].position <= position <= shown[-1].position:
            return f"#m{position}"
        return f"?{urlencode({'from': str(position), **self._in_list})}#m{position}"

    @property
    def _in_list(self) -> dict[str, str]:
        return {"in": self.list_query} if self.list_query else {}

    @property
    def may_drop_repeats(self) -> bool:
        """Whether there are repeated messages that a lead can drop."""
        return not self.game.withdrawn_at and any(oddity.code == REPEATED for oddity in self.oddities)

    @property
    def is_without_repeats(self) -> bool:
        """Whether the game was made from another one by dropping its repeated messages."""
        return any(warning.code == REPEATS_DROPPED for warning in self.warnings)

    @property
    def return_refusal(self) -> str:
        """Why no evaluation can be returned any more; "" while that is possible."""
        if not self.verdict_number:
            return ""
        return _("A verdict rests on what was submitted, so nothing is returned any more.")

    @property
    def fewer_most(self) -> int:
        """The highest number of evaluations that could be required instead; 0 if the number cannot be lowered."""
        least = max(1, self.people.in_count)
        return 0 if self.verdict_number or self.people.needed_count <= least else self.people.needed_count - 1


def build_game_page(
    *,
    game: Game,
    start: int = 1,
    is_named: bool = False,
    only: Person | None = None,
    wanted: ListQuery = EVERY_GAME,
) -> GamePage:
    """The page of a game, its transcript from position `start` on; a fixed number of queries.

    If `only` is set, the page has only that person's evaluation. If several people rate, it has names only if
    `is_named`. `wanted` is the list that the reader came from.
    """
    record = game_record(game.pk, game.content_sha256)
    preview = load_verdict_preview(game)
    stored = _DIAGNOSTICS.first(preview.basis.measured.id) if preview else None
    shown = record.messages[max(start, 1) - 1 :][:MESSAGES_A_PAGE]
    after = shown[-1].position + 1 if shown else 0
    warnings = decode_stored(game.warnings, list[Fault])
    oddities = list_oddities(record)
    next_games = load_next_games(game, preview.outcome) if preview and only is None else NONE
    people = people_part(game, preview, is_named=is_named, only=only)
    return GamePage(
        game=game,
        record=record,
        paid=paid_figures(game),
        warnings=[warning for warning in warnings if warning.code not in ODDITY_CODES],
        oddities=oddities,
        outcome=outcome_part(preview.outcome, preview.basis, next_games) if preview else None,
        verdict_number=_find_verdict_number(game, preview),
        metrics=_metrics(preview, record, stored, next_games) if preview else [],
        message_counts=Counter(message.player for message in record.messages),
        messages=shown,
        earlier=max(1, start - MESSAGES_A_PAGE) if start > 1 else 0,
        later=after if after and after <= len(record.messages) else 0,
        votes=_votes(record, shown),
        people=people,
        withdrawals=list_withdrawals(game) if game.withdrawn_at else [],
        rounds=None if only else build_rounds_part(game, oddities),
        marks={} if only else collect_marks(people.people),
        beside=None if only else load_neighbours(game.project, wanted, game),
        list_query=wanted.change(),
        missing=MissingFigures() if stored else _find_missing(game, preview),
    )


_DIAGNOSTICS = Prepared(lambda measured: Companions.objects.filter(measured=measured), int)


def _find_verdict_number(game: Game, preview: Preview | None) -> int:
    if preview is not None and preview.basis.supersedes is None:
        return 0
    return _NUMBER.rows(game.pk)[0][0] or 0


_NUMBER = Prepared(
    lambda game: Game.objects.filter(pk=game).values_list(
        Subquery(Verdict.objects.filter(game=OuterRef("pk")).order_by("-number").values("number")[:1])
    ),
    int,
)


def _find_missing(game: Game, preview: Preview | None) -> MissingFigures:
    """Why a game without diagnostics has none, or is not measured."""
    if preview is None:
        return MissingFigures(stopped=find_stopped_jobs([game.iteration_id]).get(game.iteration_id))
    measured = preview.basis.measured.id
    job = find_diagnostics_job(measured)
    if job and job.state == FAILED:
        return MissingFigures(stopped=job)
    is_computing = job is not None and job.state in (QUEUED, RUNNING)
    return MissingFigures(
        is_computing=is_computing, unasked=0 if is_computing else measured, is_new=job is None
    )


def _metrics(
    preview: Preview, record: GameRecord, stored: Companions | None, next_games: NextGames
) -> list[GameMetric]:
    basis = preview.basis
    measurements = load_measurements(basis.measured.id, basis.measured.findings_sha256)
    diagnostics: dict[str, Any] = msgspec.json.decode(stored.body) if stored else {}
    names = [record.players[message.player - 1].name for message in record.messages]
    return [
        GameMetric(row, [], [])
        if row.key not in measurements
        else _part(
            row, measurements[row.key], preview.found, names, record.players, diagnostics.get(row.key, {})
        )
        for row in figure_rows(preview.outcome, next_games)
    ]


def _part(
    row: FigureRow,
    measurement: Measurement,
    found: Effective,
    names: list[str],
    players: list[Player],
    figures: Mapping[str, Any],
) -> GameMetric:
    has_references = METRICS[row.key].judged == REFERENCE
    references = why_references(measurement, found, names, players) if has_references else []
    longest = max(len(references), len(measurement.messages), len(measurement.phrases))
    return GameMetric(
        row,
        LABELS[row.key].looks(figures) if figures else [],
        measurement.notes,
        messages=why_messages(measurement, found, names, MOST_LISTED),
        references=references[:MOST_LISTED],
        players=why_players(measurement, players),
        phrases=why_phrases(measurement, found, players, MOST_LISTED),
        uses=phrase_uses(figures, players),
        left_out=max(0, longest - MOST_LISTED),
    )


def list_withdrawals(game: Game) -> list[Withdrawal]:
    """Every withdrawal and every restoration of a game, newest first; one query."""
    return list(Withdrawal.objects.filter(game=game).select_related("created_by").order_by("-number"))


def _votes(record: GameRecord, shown: list[Message]) -> list[Vote]:
    """Every vote; of a long game, those of the rounds in this part of the transcript."""
    rounds = {message.round for message in shown}
    is_all = len(shown) == len(record.messages)
    return [vote for vote in record.votes if is_all or vote.round in rounds]
