"""The tables of an evaluator's own work. Their records have no fields for what is hidden from evaluators."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from discussions.core.records import Message
from discussions.exports.core.items import ExportedJudgement, OwnEvaluation
from discussions.exports.core.tables import JUDGED
from discussions.rating.core.concealed import SeenPlayer, SeenVote
from rubric.exports.core.tables import OWN_TABLES as OWN_REVIEW_TABLES
from rubric.exports.core.tables import rows_of as review_rows_of
from workspace.exports.core.tables import INTEGER, MOMENT, TEXT, Table, column


class _SeenPlayerRow(NamedTuple):
    of: OwnEvaluation
    player: SeenPlayer


class _SeenMessageRow(NamedTuple):
    of: OwnEvaluation
    name: str
    message: Message


class _SeenVoteRow(NamedTuple):
    of: OwnEvaluation
    vote: SeenVote


class _OwnJudgementRow(NamedTuple):
    of: OwnEvaluation
    judgement: ExportedJudgement


_OF = (
    column("evaluation", INTEGER, "key of the evaluation", "of.id"),
    column("game", INTEGER, "number under which the evaluator knows the game", "of.game"),
)
EVALUATIONS = Table(
    "evaluations",
    "A row for each evaluation of one's own.",
    (
        column("evaluation", INTEGER, "key of the evaluation", "id"),
        column("game", INTEGER, "number under which the evaluator knows the game"),
        column("evaluator", TEXT, "who judged"),
        column("state", TEXT, "draft, submitted, returned, skipped or lapsed"),
        column("created_at", MOMENT, "when it was started"),
        column("submitted_at", MOMENT, "when it was submitted"),
        column("returned_comment", TEXT, "what a lead said who returned it"),
    ),
)
OWN_MESSAGES = Table(
    "messages",
    "A row for each public message of each game that is open to the evaluator.",
    (
        *_OF,
        column("position", INTEGER, "place in the transcript, from 1", "message.position"),
        column("player", INTEGER, "number of the player who speaks", "message.player"),
        column("name", TEXT, "name of the player"),
        column("round", INTEGER, "round of the game", "message.round"),
        column("text", TEXT, "the message", "message.text"),
    ),
)
OWN_PLAYERS = Table(
    "players",
    "A row for each player of each game that is open to the evaluator, without role and personality.",
    (
        *_OF,
        column("player", INTEGER, "number of the player, from 1", "player.number"),
        column("name", TEXT, "the name in the game", "player.name"),
        column("messages", INTEGER, "how many messages", "player.message_count"),
        column(
            "out_round",
            INTEGER,
            "the round in which the player left; empty: never",
            lambda row: row.player.out_round or None,
        ),
    ),
)
OWN_VOTES = Table(
    "votes",
    "A row for each recorded vote of each game that is open to the evaluator, without its reason.",
    (
        *_OF,
        column("round", INTEGER, "round of the vote", "vote.round"),
        column("voter", INTEGER, "number of the player who votes", "vote.voter"),
        column("target", INTEGER, "number of the player voted for", "vote.target"),
    ),
)
OWN_JUDGEMENTS = Table(
    "judgements",
    "A row for each thing that the evaluator judged: labels, overrides, answers and ratings.",
    (*_OF, *JUDGED),
)
OWN_TABLES = (EVALUATIONS, OWN_MESSAGES, OWN_PLAYERS, OWN_VOTES, OWN_JUDGEMENTS, *OWN_REVIEW_TABLES)


def own_rows_of(item: Any) -> Iterator[tuple[Table, Any]]:
    """The rows that an item of an evaluator's export gives."""
    if not isinstance(item, OwnEvaluation):
        yield from review_rows_of(item)
        return
    yield EVALUATIONS, item
    seen = item.transcript
    if seen is not None:
        for message in seen.messages:
            name = seen.players[message.player - 1].name
            yield OWN_MESSAGES, _SeenMessageRow(item, name, message)
        yield from ((OWN_PLAYERS, _SeenPlayerRow(item, player)) for player in seen.players)
        yield from ((OWN_VOTES, _SeenVoteRow(item, vote)) for vote in seen.votes)
    yield from ((OWN_JUDGEMENTS, _OwnJudgementRow(item, judgement)) for judgement in item.judgements)
