"""One game for its leads: the figures, what is behind each, the transcript with roles, votes, and what people said."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import msgspec
from django.utils.translation import gettext as _
from msgspec import Struct

from discussions.adjudication.core.effective import Effective
from discussions.core.judgement_kinds import REFERENCE
from discussions.core.records import Fault, GameRecord, Measurement, Message, Player
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
from discussions.games.pages.manual_costs import PaidFigure, paid_figures
from discussions.games.pages.second_look import PhraseUse, phrase_uses
from discussions.games.pages.withdrawals import WithdrawalPart, withdrawal_in_short
from discussions.metrics.core.registry import METRICS
from discussions.metrics.labels import LABELS, Look
from discussions.models import Companions, Game, Verdict
from discussions.queries import game_record, load_measurements
from discussions.verdicts.pages.lines import FigureRow, figure_rows
from discussions.verdicts.pages.verdict import OutcomePart, outcome_part
from discussions.verdicts.queries import Preview, load_verdict_preview
from workspace.models import Person

MESSAGES_A_PAGE = 200


MOST_LISTED = 200


class GameMetric(Struct, frozen=True):
    """One metric with what its number was counted from; lists are cut at `MOST_LISTED`, `left_out` says how many."""

    row: FigureRow
    looks: list[Look]
    notes: list[str]
    messages: list[MetricEvidence] = []
    references: list[WhyReference] = []
    players: list[WhyPlayer] = []
    phrases: list[WhyPhrase] = []
    uses: list[PhraseUse] = []
    left_out: int = 0


class PlayerLine(Struct, frozen=True):
    """One player with what evaluators do not see."""

    number: int
    name: str
    role: str
    personality: str
    message_count: int


class MessageLine(Struct, frozen=True):
    """One message; `opens_round` is the round's number where it begins, else 0."""

    position: int
    opens_round: int
    name: str
    role: str
    text: str
    reply_to: int


class VoteLine(Struct, frozen=True):
    """One recorded vote."""

    round: int
    voter: str
    target: str
    justification: str


class GamePage(Struct, frozen=True):
    """Everything of one game. `metrics` and `outcome` are empty while it is not measured."""

    slug: str
    number: int
    source_id: str
    file_name: str
    imported_at: datetime
    iteration: str
    iteration_number: int
    is_unsorted: bool
    rubric_key: str
    rubric_number: str
    rubric: str
    message_count: int
    round_count: int
    winner: str
    prompt: str
    paid: list[PaidFigure]
    warnings: list[Fault]
    outcome: OutcomePart | None
    verdict_number: int
    metrics: list[GameMetric]
    players: list[PlayerLine]
    messages: list[MessageLine]
    earlier: int
    later: int
    votes: list[VoteLine]
    people: PeoplePart
    withdrawal: WithdrawalPart

    @property
    def return_refusal(self) -> str:
        """Why nothing is sent back any more, "" while something can be."""
        return (
            _("A verdict rests on what was handed in, so nothing is sent back any more.")
            if self.verdict_number
            else ""
        )

    @property
    def fewer_most(self) -> int:
        """How many evaluations could be enough instead, at most; 0 when that is not lowered any more."""
        least = max(1, self.people.in_count)
        return 0 if self.verdict_number or self.people.needed_count <= least else self.people.needed_count - 1


def build_game_page(
    *, game: Game, start: int = 1, is_named: bool = False, only: Person | None = None
) -> GamePage:
    """The page of a game, its transcript from position `start` on; a fixed number of queries.

    Of what people said only that of `only` is in it, if somebody is; where several rate, names only with `is_named`.
    """
    record = game_record(game.pk, game.content_sha256)
    preview = load_verdict_preview(game)
    version = game.iteration.rubric_version
    numbers = Verdict.objects.filter(game=game).order_by("-number").values_list("number", flat=True)
    is_bare = preview is not None and preview.basis.supersedes is None
    verdict = 0 if is_bare else numbers.first() or 0
    shown = record.messages[max(start, 1) - 1 :][:MESSAGES_A_PAGE]
    after = shown[-1].position + 1 if shown else 0
    return GamePage(
        slug=game.project.slug,
        number=game.number,
        source_id=game.source_id,
        file_name=game.transcript.name,
        imported_at=game.created_at,
        iteration=game.iteration.name,
        iteration_number=game.iteration.number,
        is_unsorted=game.iteration.is_unsorted,
        rubric_key=version.rubric.key,
        rubric_number=version.number,
        rubric=str(version),
        message_count=game.message_count,
        round_count=game.round_count,
        winner=record.winner or "",
        prompt=record.prompt or "",
        paid=paid_figures(game),
        warnings=msgspec.json.decode(game.warnings, type=list[Fault]),
        outcome=outcome_part(preview.outcome, preview.basis) if preview else None,
        verdict_number=verdict,
        metrics=_metrics(preview, record) if preview else [],
        players=_players(record),
        messages=_messages(record, shown[0].position if shown else 1),
        earlier=max(1, start - MESSAGES_A_PAGE) if start > 1 else 0,
        later=after if after and after <= len(record.messages) else 0,
        votes=_votes(record, shown),
        people=people_part(game, preview, is_named=is_named, only=only),
        withdrawal=withdrawal_in_short(game),
    )


def _metrics(preview: Preview, record: GameRecord) -> list[GameMetric]:
    basis = preview.basis
    measurements = load_measurements(basis.measured.id, basis.measured.findings_sha256)
    stored = Companions.objects.filter(measured=basis.measured.id).first()
    companions: dict[str, Any] = msgspec.json.decode(stored.body) if stored else {}
    names = [record.players[message.player - 1].name for message in record.messages]
    return [
        GameMetric(row, [], [])
        if row.key not in measurements
        else _part(
            row, measurements[row.key], preview.found, names, record.players, companions.get(row.key, {})
        )
        for row in figure_rows(preview.outcome)
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


def _players(record: GameRecord) -> list[PlayerLine]:
    counts: dict[int, int] = {}
    for message in record.messages:
        counts[message.player] = counts.get(message.player, 0) + 1
    return [
        PlayerLine(number, player.name, player.role or "", player.personality or "", counts.get(number, 0))
        for number, player in enumerate(record.players, start=1)
    ]


def _messages(record: GameRecord, start: int) -> list[MessageLine]:
    lines = []
    before = 0
    for message in record.messages[start - 1 : start - 1 + MESSAGES_A_PAGE]:
        player = record.players[message.player - 1]
        lines.append(
            MessageLine(
                position=message.position,
                opens_round=message.round if message.round != before else 0,
                name=player.name,
                role=player.role or "",
                text=message.text,
                reply_to=message.reply_to or 0,
            )
        )
        before = message.round
    return lines


def _votes(record: GameRecord, shown: list[Message]) -> list[VoteLine]:
    """Every vote; of a long game those of the rounds that this page of the transcript is about."""
    names = [player.name for player in record.players]
    rounds = {message.round for message in shown}
    is_all = len(shown) == len(record.messages)
    return [
        VoteLine(vote.round, names[vote.voter - 1], names[vote.target - 1], vote.justification)
        for vote in record.votes
        if is_all or vote.round in rounds
    ]
