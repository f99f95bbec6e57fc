"""API of games, their transcripts and measurements, and of what leads change about a game."""

from datetime import date
from decimal import Decimal
from typing import Annotated, Any, Literal

import msgspec
from django.http import Http404
from django.utils import timezone
from django.utils.translation import gettext as _
from pydantic import Field

from discussions.adjudication.queries import find_by_handle
from discussions.adjudication.views.game import led_game_or_404
from discussions.core.outcome import Outcome
from discussions.core.records import GameRecord, Measurement, Message, Player, Vote
from discussions.games.actions import (
    enter_figure,
    restore_game,
    return_evaluation,
    set_round_offset,
    withdraw_game,
)
from discussions.games.forms import ROUND_OFFSETS
from discussions.games.permissions import check_return_evaluation, check_withdraw_game
from discussions.games.queries.game_facts import GameFacts, load_game_facts, load_rules
from discussions.games.queries.list_filters import LONGEST_SEARCH, Agreement, State, Ticked, Verdicts, Weak
from discussions.games.queries.list_query import ListQuery, Sort, load_list_window
from discussions.games.views.game import WhyReference, game_or_404, why_references
from discussions.games.views.game_list import load_expected
from discussions.metrics.core.registry import METRICS
from discussions.models import Game, Iteration, ManualFigure, Measured
from discussions.models.manual_figures import CACHE, COST, KINDS
from discussions.queries import load_measured_record, load_measurements, newest_measured
from discussions.slots.permissions import check_see_games
from discussions.verdicts.queries import load_verdict_preview
from workspace.access.permissions import may
from workspace.core.refusals import NotAllowed
from workspace.core.words import decode_stored
from workspace.web.bind_form import project_or_404
from workspace.web.endpoints import LARGEST, After, Answer, Day, Given, Limit, Listed, Operations, next_part
from workspace.web.views import SignedIn

games = Operations()


class ScoreAnswer(Answer):
    """A metric's figure in the unit of its scale; null until people have judged.

    `passes` is null while the metric is pending, `is_by_rule` says that there was nothing to count.
    """

    score: float | None
    passes: bool | None
    is_by_rule: bool = False


class RecordedAnswer(Answer, of=Outcome, fields="passed_count composite turns:flip_distance"):
    """The current verdict. `turns` is how many judgements would change it."""

    passes: bool


class GameAnswer(
    Answer,
    of=GameFacts,
    fields="number:row.number source_id:row.source_id file_name:row.transcript__name imported_at:row.created_at "
    "iteration:rules.number state message_count:row.message_count cost_usd:row.paid_usd is_cost_by_hand",
):
    """A game. `state` is as in the list of games; `iteration` is 0 for unsorted games."""

    is_withdrawn: bool
    verdict: RecordedAnswer | None
    scores: dict[str, ScoreAnswer]


class SingleGameAnswer(
    Answer,
    of=Game,
    fields="number player_count message_count word_count round_count vote_count imported_at:created_at",
):
    """One game with its facts. `iteration` and how it was played are null for evaluators, who must not know of them."""

    iteration: int | None
    played_on: date | None
    model_build: str | None
    seed: str | None
    pair: str | None
    cost_usd: float | None
    cache_hit_rate: float | None
    is_withdrawn: bool
    is_measured: bool
    warnings: list[dict[str, Any]]


class PlayerAnswer(Answer, of=Player, fields="name role personality"):
    """A player, by number from 1; role and personality as the file spells them."""

    number: int


class MessageAnswer(Answer, of=Message, fields="position player round text"):
    """A message, by position from 1, with the number of its player."""


class VoteAnswer(Answer, of=Vote, fields="round voter target"):
    """A recorded vote: numbers of players."""


class TranscriptAnswer(Answer, of=GameRecord):
    """A part of the transcript; players and votes are in each part. `next` leads to later messages."""

    players: list[PlayerAnswer]
    votes: list[VoteAnswer]
    messages: list[MessageAnswer]
    next: str | None


class MeasurementAnswer(
    Answer, of=Measurement, fields="metric numerator denominator is_applicable is_pending notes"
):
    """A metric's automatic result, before any person judged: a fraction, and the findings behind it."""

    messages: list[dict[str, Any]]
    players: list[dict[str, Any]]
    phrases: list[dict[str, Any]]


class MeasuredAnswer(Answer, of=Measured, fields="code_version measured_at:created_at"):
    """The measurements of a game under the rubric version of its iteration."""

    rubric_version: str
    measurements: list[MeasurementAnswer]


class ReferenceAnswer(
    Answer, of=WhyReference, fields="message player:name text label check evidence is_counted"
):
    """A sentence about the past of the game. `label` is the effective label; `check` is the vote record's."""


Search = Annotated[str, Field(max_length=LONGEST_SEARCH, description="number, id, file or player")]
PersonKey = Annotated[int, Field(ge=0, le=LARGEST, description="the id of an evaluator")]


@games.get("/projects/{slug:slug}/games/", "api_games", "see_games", costs="searches")
def list_games(
    request: SignedIn,
    slug: str,
    sort: Sort = "newest",
    state: State = "",
    iteration: int | None = None,
    q: Search = "",
    verdict: Verdicts = "",
    evaluator: PersonKey = 0,
    flag: Ticked = "",
    since: Day | None = None,
    until: Day | None = None,
    agreement: Agreement = "",
    weak: Weak = "",
    odd: Ticked = "",
    after: After = 0,
    limit: Limit = 50,
) -> Listed[GameAnswer]:
    """List the games of a project.

    `iteration` is the number of one, 0 for unsorted games. If sorted by cost or by a figure of the verdict, the list
    has only games with that figure. `scores` of a game to record are those that its verdict would have.
    """
    project = project_or_404(request.user, slug, check_see_games)
    chosen = 0
    if iteration is not None:
        row = Iteration.objects.filter(project=project, number=iteration).first()
        if row is None:
            return Listed[GameAnswer](items=[])
        chosen = row.pk
    about = {"q": q, "state": state, "verdict": verdict, "evaluator": evaluator, "flag": flag, "odd": odd}
    about |= {"since": since, "until": until, "agreement": agreement, "weak": weak, "iteration": chosen}
    wanted = ListQuery(sort=sort, after=after, most=limit, **about)
    window = load_list_window(project, wanted)
    games = load_game_facts(window.games, load_rules(project)[0])
    expected = load_expected(games)
    items = [_listed(game, expected.get(game.row.pk)) for game in games]
    return Listed[GameAnswer](items=items, next=next_part(request, window.after))


def _listed(game: GameFacts, expected: Outcome | None) -> GameAnswer:
    outcome = game.outcome
    shown = outcome or expected
    return GameAnswer.read(
        game,
        is_withdrawn=game.row.withdrawn_at is not None,
        verdict=outcome and RecordedAnswer.read(outcome, passes=bool(outcome.passes)),
        scores=_counted(game) if shown is None else {line.key: line for line in shown.lines},
    )


def _counted(game: GameFacts) -> dict[str, ScoreAnswer]:
    """The automatic figures of a game without a verdict; figures that need people's judgements are pending."""
    counted = msgspec.json.decode(game.figures) if game.figures else {}
    scores = {}
    for criterion in game.rules.rubric.criteria:
        metric, figure = METRICS[criterion.key], counted.get(criterion.key)
        if figure is None or metric.is_rated:
            scores[criterion.key] = ScoreAnswer(score=None, passes=None)
            continue
        numerator, denominator, is_applicable, is_pending = figure
        if not is_applicable:
            scores[criterion.key] = ScoreAnswer(score=metric.scale.high, passes=True, is_by_rule=True)
            continue
        is_open = is_pending or not denominator
        value = None if is_open else float(metric.scale.value(numerator, denominator))
        passes = None if value is None else value >= (criterion.threshold or 0)
        scores[criterion.key] = ScoreAnswer(score=value, passes=passes)
    return scores


@games.get("/projects/{slug:slug}/games/{int:number}/", "api_game", "see_game")
def show_game(request: SignedIn, slug: str, number: int) -> SingleGameAnswer:
    """Read the facts of a game.

    Leads and admins read every game, evaluators those that they rated, once the verdict is recorded.
    """
    game = game_or_404(request.user, slug, number)
    leads = may(check_see_games, request.user, game.project)
    by_hand = dict(ManualFigure.objects.filter(game=game).not_superseded().values_list("kind", "value"))
    return SingleGameAnswer.read(
        game,
        iteration=game.iteration.number if leads else None,
        played_on=game.played_on if leads else None,
        model_build=game.model_build if leads else None,
        seed=game.seed if leads else None,
        pair=game.pair if leads else None,
        cost_usd=by_hand.get(COST, game.cost_usd),
        cache_hit_rate=by_hand.get(CACHE, game.cache_hit_rate),
        is_withdrawn=game.withdrawn_at is not None,
        is_measured=newest_measured(game) is not None,
        warnings=decode_stored(game.warnings, list[dict[str, Any]]),
    )


@games.get("/projects/{slug:slug}/games/{int:number}/transcript/", "api_transcript", "see_game")
def show_transcript(
    request: SignedIn, slug: str, number: int, after: After = 0, limit: Limit = 200
) -> TranscriptAnswer:
    """Read the transcript of a game.

    `after` is the position of the last message that you have.
    """
    game = game_or_404(request.user, slug, number)
    measured = newest_measured(game)
    record = load_measured_record(game, measured) if measured else game.text.to_record()
    messages = record.messages[after : after + limit]
    end = messages[-1].position if messages else 0
    return TranscriptAnswer.read(
        record,
        players=[PlayerAnswer.read(player, number=at) for at, player in enumerate(record.players, start=1)],
        messages=messages,
        next=next_part(request, end if end < len(record.messages) else 0),
    )


@games.get("/projects/{slug:slug}/games/{int:number}/measurements/", "api_measurements", "see_game")
def show_measurements(request: SignedIn, slug: str, number: int) -> MeasuredAnswer:
    """Read the measurements of a game.

    These are the automatic values; what people judged is in the verdict.
    """
    game = game_or_404(request.user, slug, number)
    measured = _measured(game)
    measurements = [
        MeasurementAnswer.read(
            measurement,
            messages=msgspec.to_builtins(measurement.messages),
            players=msgspec.to_builtins(measurement.players),
            phrases=msgspec.to_builtins(measurement.phrases),
        )
        for measurement in load_measurements(measured.pk, measured.findings_sha256).values()
    ]
    version = str(game.iteration.rubric_version)
    return MeasuredAnswer.read(measured, rubric_version=version, measurements=measurements)


def _measured(game: Game) -> Measured:
    measured = newest_measured(game)
    if measured is None:
        raise NotAllowed(_("This game is not measured yet. Ask again in a minute."), code="not_measured")
    return measured


@games.get("/projects/{slug:slug}/games/{int:number}/references/", "api_references", "see_game")
def list_references(request: SignedIn, slug: str, number: int) -> Listed[ReferenceAnswer]:
    """List the memory references of a game, those that count first."""
    game = game_or_404(request.user, slug, number)
    measured = _measured(game)
    preview = load_verdict_preview(game)
    accuracy = load_measurements(measured.pk, measured.findings_sha256).get("memory_accuracy")
    if preview is None or accuracy is None:
        return Listed[ReferenceAnswer](items=[])
    record = load_measured_record(game, measured)
    names = [record.players[message.player - 1].name for message in record.messages]
    return Listed[ReferenceAnswer].read_all(why_references(accuracy, preview.found, names, record.players))


changes = Operations()


class WithdrawalGiven(Given):
    """Whether the game is withdrawn or counts again, and why."""

    is_withdrawn: bool
    reason: str


class RoundsGiven(Given):
    """The round offset: what to add to a round number in the texts of the game to get the file's."""

    offset: Literal[tuple(offset for offset, _words in ROUND_OFFSETS)]  # type: ignore[valid-type]


class ReturnGiven(Given):
    """What to look at again; the evaluator reads it, and their page opens at the metric or message that it names."""

    comment: str


class FigureGiven(Given):
    """The cost in dollars or the cache hit rate from 0 to 1, as a number in a string, and its source."""

    kind: Literal[tuple(kind for kind, _name in KINDS)]  # type: ignore[valid-type]
    value: str = Field(pattern=r"^[0-9]{1,9}(\.[0-9]{1,9})?$")
    reason: str


@changes.post(
    "/projects/{slug:slug}/games/{int:number}/withdrawal/", "api_withdrawal", "withdraw_game", "admin"
)
def withdraw(request: SignedIn, slug: str, number: int, given: WithdrawalGiven) -> SingleGameAnswer:
    """Withdraw a game, or let it count again.

    No average, comparison or gate counts a withdrawn game; the game and its evaluations stay.
    """
    game = led_game_or_404(request.user, slug, number)
    check_withdraw_game(request.user, game)
    turn = withdraw_game if given.is_withdrawn else restore_game
    turn(game=game, reason=given.reason, by=request.user, now=timezone.now())
    return show_game(request, slug, number)


@changes.post("/projects/{slug:slug}/games/{int:number}/rounds/", "api_rounds", "set_round_offset", "admin")
def set_rounds(request: SignedIn, slug: str, number: int, given: RoundsGiven) -> SingleGameAnswer:
    """Say how the texts of a game count its rounds, before anybody rates it. The game is measured again."""
    game = led_game_or_404(request.user, slug, number)
    set_round_offset(game=game, offset=given.offset, by=request.user, now=timezone.now())
    return show_game(request, slug, number)


@changes.post("/projects/{slug:slug}/games/{int:number}/figures/", "api_figures", "enter_figure", "admin")
def enter(request: SignedIn, slug: str, number: int, given: FigureGiven) -> SingleGameAnswer:
    """Enter the cost or the cache hit rate of a game, where its transcript does not report it."""
    game = led_game_or_404(request.user, slug, number)
    figure = given.model_dump() | {"value": Decimal(given.value)}
    enter_figure(game=game, **figure, by=request.user, now=timezone.now())
    return show_game(request, slug, number)


@changes.post(
    "/projects/{slug:slug}/games/{int:number}/evaluations/{slug:evaluation}/return/",
    "api_return_evaluation",
    "return_evaluation",
    "admin",
)
def send_back(
    request: SignedIn, slug: str, number: int, evaluation: str, given: ReturnGiven
) -> SingleGameAnswer:
    """Return a submitted evaluation with a comment. It counts again once its evaluator submits it again.

    `evaluation` is its `id` in the list of the game's evaluations.
    """
    game = led_game_or_404(request.user, slug, number)
    row = find_by_handle(game, evaluation)
    if row is None:
        raise Http404
    check_return_evaluation(request.user, row)
    return_evaluation(evaluation=row, comment=given.comment, by=request.user, now=timezone.now())
    return show_game(request, slug, number)
