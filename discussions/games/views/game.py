"""One game for its leads: the figures and their evidence, the transcript with roles, votes, people's judgements."""

from collections import Counter
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

import msgspec
from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from msgspec import Struct

from discussions.adjudication.core.effective import Effective
from discussions.adjudication.queries import has_seen_names
from discussions.core import judgement_kinds
from discussions.core.intake import describe_rows
from discussions.core.judgement_kinds import PHRASE, REFERENCE
from discussions.core.records import Fault, GameRecord, Measurement, MessageFinding, Player, Vote
from discussions.games.core import MESSAGES_A_PAGE
from discussions.games.forms import ROUND_OFFSETS, FewerForm, ReturnForm, WithdrawalForm, parse_list_address
from discussions.games.permissions import why_rounds_stay
from discussions.games.queries.list_query import ListQuery, load_neighbours
from discussions.games.views.evaluations import PeoplePart, collect_marks
from discussions.metrics.actions import ask_for_diagnostics
from discussions.metrics.core.registry import METRICS
from discussions.metrics.labels import LABELS, describe_check, list_evidence, rule_text
from discussions.models import Companions, Game, ManualFigure, Measured, QueueDraw, Verdict, Withdrawal
from discussions.models.manual_figures import CACHE, COST
from discussions.queries import (
    find_diagnostics_job,
    find_game,
    find_stopped_jobs,
    game_record,
    is_computing_diagnostics,
    load_measurements,
    load_round_offsets,
    load_unsaid,
    newest_measured,
    rubric_record,
)
from discussions.slots.permissions import check_see_game, refuse_erased
from discussions.transcripts.core.notes import REPEATS_DROPPED
from discussions.transcripts.core.oddities import (
    NOTED,
    ODDITY_CODES,
    REPEATED,
    ROUND_ZERO,
    TEXT_ROUND_ZERO,
    Oddity,
    list_oddities,
)
from discussions.verdicts.core.report import FigureRow
from discussions.verdicts.pages.lines import NONE
from discussions.verdicts.pages.verdict import outcome_part
from discussions.verdicts.queries import Preview, load_next_games, load_verdict_preview
from workspace.access.permissions import may
from workspace.core.text import figure
from workspace.core.words import decode_stored
from workspace.models import Job, Person
from workspace.models.jobs import FAILED, QUEUED, RUNNING
from workspace.web.bind_form import bind_form, parse_number
from workspace.web.forms import NothingForm
from workspace.web.views import SignedIn, frame, is_htmx, only_parameters, require, respond

MOST_LISTED = 200
EVERY_GAME = ListQuery()


@require("see_game")
def game(request: SignedIn, slug: str, number: int) -> HttpResponse:
    row = game_or_404(request.user, slug, number)
    context = {
        **_game_context(request, row),
        "withdrawal_form": WithdrawalForm(),
        "return_form": ReturnForm(labels=metric_labels(row)),
        "fewer_form": FewerForm(auto_id="fewer-%s"),
    }
    return respond(request, page="discussions/games/game.html", context=context)


@require("see_game", methods=("GET", "POST"), own_address=True)
def diagnostics(request: SignedIn, slug: str, number: int) -> HttpResponse:
    """The diagnostics of a game, as parts of its page. POST has them computed; GET answers 204 while that takes.

    Without htmx, redirects to the game.
    """
    row = game_or_404(request.user, slug, number)
    if request.method == "GET" and is_htmx(request) and is_computing_diagnostics(row):
        return HttpResponse(status=204)
    context = _game_context(request, row)
    page: GamePage = context["page"]
    if request.method == "POST":
        bind_form(request, NothingForm)
        if measured := page.missing.unasked:
            ask_for_diagnostics(game=row, measured=measured, by=request.user, now=timezone.now())
            page.missing = MissingFigures(is_computing=True)
    address = f"{reverse('game', args=[slug, number])}{page.query}#game-why"
    if not is_htmx(request):
        return HttpResponseRedirect(address, status=303 if request.method == "POST" else 302)
    return respond(request, page="discussions/games/_diagnostics_parts.html", context=context)


def _game_context(request: SignedIn, row: Game) -> dict[str, Any]:
    asked = only_parameters(request, "from", "names", "in")
    framed = frame(request.user, row.project, "games")
    leads = bool(framed["may_lead"])
    page = GamePage(
        game=row,
        start=parse_number(asked["from"]) or 1,
        is_named=asked["names"] == "1" and leads and has_seen_names(request.user, row),
        only=None if leads else request.user,
        wanted=parse_list_address(asked["in"]),
    )
    return {"page": page, **framed}


def game_or_404(person: Person, slug: str, number: int) -> Game:
    row = find_game(slug, number)
    if row is None:
        refuse_erased(person, slug, number)
    if row is None or not may(check_see_game, person, row):
        raise Http404
    return row


def metric_labels(row: Game) -> list[str]:
    """The names of the metrics, as the evaluators of the game read them."""
    version = row.iteration.rubric_version
    return [criterion.label for criterion in rubric_record(version.pk, version.sha256).criteria]


class MissingFigures(Struct, frozen=True):
    """What a game lacks: `stopped` is the job that failed to measure it, or to compute its diagnostics.

    `unasked` is the key of the measurement if no job computes these; `is_new` says that none ever did.
    """

    stopped: Job | None = None
    is_computing: bool = False
    unasked: int = 0
    is_new: bool = False


class GamePage:
    """The page of a game, its transcript from position `start` on; a fixed number of queries.

    If `only` is set, the page has only that person's evaluation, and nothing that is for leads. If several people rate,
    it has names only if `is_named`. `earlier` and `later` are where the other parts of the transcript begin, 0 if none.
    `oddities` are computed from the record, so games imported before oddities were stored have them, too.
    """

    def __init__(
        self,
        *,
        game: Game,
        start: int = 1,
        is_named: bool = False,
        only: Person | None = None,
        wanted: ListQuery = EVERY_GAME,
    ) -> None:
        self.game, self.record = game, game_record(game.pk, game.content_sha256)
        preview = load_verdict_preview(game)
        measured = newest_measured(game)
        diagnostics: Companions | None = getattr(measured, "companions", None)
        warnings = decode_stored(game.warnings, list[Fault])
        self.warnings = [warning for warning in warnings if warning.code not in ODDITY_CODES]
        self.is_without_repeats = any(warning.code == REPEATS_DROPPED for warning in self.warnings)
        self.oddities = list_oddities(self.record)
        self.noted = [warning for warning in warnings if warning.code in NOTED]
        next_games = load_next_games(game, preview.outcome) if preview and only is None else NONE
        self.people = PeoplePart(game, preview, is_named=is_named, only=only)
        self.paid = paid_figures(game)
        self.facts = [(_("Winner"), self.record.winner)] + ([] if only else _how_played(game))
        self.outcome = outcome_part(game, preview.outcome, preview.basis, next_games) if preview else None
        rests = preview is None or preview.basis.supersedes is not None
        numbers = Verdict.objects.filter(game=game).values_list("number", flat=True) if rests else []
        self.verdict_number = max(numbers, default=0)
        rows, record = self.outcome.rows if self.outcome else [], self.record
        self.metrics = _metrics(rows, preview, record, diagnostics) if preview else []
        self.messages = record.messages[max(start, 1) - 1 :][:MESSAGES_A_PAGE]
        self.unsaid = load_unsaid(game.pk, game.content_sha256)
        self.earlier = max(1, start - MESSAGES_A_PAGE) if start > 1 else 0
        self.later = next((one.position for one in record.messages[max(start, 1) - 1 + MESSAGES_A_PAGE :]), 0)
        self.message_counts = Counter(message.player for message in self.record.messages)
        self.withdrawals = list_withdrawals(game) if game.withdrawn_at else []
        self.draw: QueueDraw | None = None if only else getattr(game, "queue_draw", None)
        self.rounds = None if only else RoundsPart(game, self.oddities)
        self.marks = {} if only else collect_marks(self.people.people)
        self.beside = None if only else load_neighbours(game.project, wanted, game)
        self.list_query = wanted.change()
        self.missing = MissingFigures() if diagnostics else _find_missing(game, measured)

    @property
    def votes(self) -> list[Vote]:
        """Of a long game, those of the rounds in this part of the transcript."""
        is_all, rounds = len(self.messages) == len(self.record.messages), {row.round for row in self.messages}
        return [vote for vote in self.record.votes if is_all or vote.round in rounds]

    @property
    def kept(self) -> str:
        return urlencode(self._in_list)

    @property
    def query(self) -> str:
        part = {"from": str(self.messages[0].position)} if self.earlier and self.messages else {}
        query = urlencode(part | self._in_list)
        return f"?{query}" if query else ""

    def place(self, position: int) -> str:
        shown = self.messages
        if shown and shown[0].position <= position <= shown[-1].position:
            return f"#m{position}"
        return f"?{urlencode({'from': str(position), **self._in_list})}#m{position}"

    @property
    def _in_list(self) -> dict[str, str]:
        return {"in": self.list_query} if self.list_query else {}

    @property
    def may_drop_repeats(self) -> bool:
        return not self.game.withdrawn_at and any(oddity.code == REPEATED for oddity in self.oddities)

    @property
    def is_in_queue(self) -> bool:
        return self.draw is None or self.draw.is_in

    @property
    def queue_says(self) -> str:
        """Whether the game is in the queue, the rule that decided, and who did by hand."""
        says = [_("in") if self.is_in_queue else _("not in")]
        if self.draw is not None and self.draw.rules is not None:
            labels = {key: str(label.title) for key, label in LABELS.items()}
            row = describe_rows(self.draw.rules.to_record(), labels)[self.draw.row - 1]
            given = {
                "row": row,
                "percent": f"{100 * self.draw.probability:g}",
                "version": self.draw.rules.number,
            }
            says.append(_("%(row)s, %(percent)s %% (rules, version %(version)d)") % given)
        if self.draw is not None and self.draw.placed_by is not None:
            says.append(_("by hand: %(name)s") % {"name": self.draw.placed_by.name})
        return "; ".join(says)

    @property
    def return_refusal(self) -> str:
        says = _("A verdict rests on what was submitted, so nothing is returned any more.")
        return says if self.verdict_number else ""

    @property
    def fewer_most(self) -> int:
        """The highest number of evaluations that could be required instead; 0 if the number cannot be lowered."""
        least = max(1, self.people.in_count)
        return 0 if self.verdict_number or self.people.needed_count <= least else self.people.needed_count - 1


def _find_missing(game: Game, measured: Measured | None) -> MissingFigures:
    if measured is None:
        return MissingFigures(stopped=find_stopped_jobs([game.iteration_id]).get(game.iteration_id))
    job = find_diagnostics_job(measured.pk) if measured.has_job else None  # type: ignore[attr-defined]
    if job and job.state == FAILED:
        return MissingFigures(stopped=job)
    is_computing = job is not None and job.state in (QUEUED, RUNNING)
    return MissingFigures(
        is_computing=is_computing, unasked=0 if is_computing else measured.pk, is_new=job is None
    )


def _metrics(
    rows: list[FigureRow], preview: Preview, record: GameRecord, stored: Companions | None
) -> "list[GameMetric]":
    measured = preview.basis.measured
    measurements = load_measurements(measured.id, measured.findings_sha256)
    figures: dict[str, Any] = msgspec.json.decode(stored.body) if stored else {}
    names = [record.players[message.player - 1].name for message in record.messages]
    return [
        GameMetric(
            row, measurements.get(row.figures.key), preview, record, names, figures.get(row.figures.key, {})
        )
        for row in rows
    ]


class GameMetric:
    """One metric with what its number was counted from; lists are cut at `MOST_LISTED`, `left_out` counts the rest.

    `names` are the speakers by position, `figures` the diagnostics of the metric. `uses` are the most used phrases and
    the robotic ones, each with whether it is robotic; `accepted` has the subjects of phrases judged acceptable.
    """

    def __init__(
        self,
        row: FigureRow,
        measurement: Measurement | None,
        preview: Preview,
        record: GameRecord,
        names: list[str],
        figures: Mapping[str, Any],
    ) -> None:
        self.row, effective, key = row, preview.found, row.figures.key
        self.looks = LABELS[key].looks(figures) if figures else []
        robotic = {use["phrase"]: use for use in figures.get("robotic", [])}
        uses = {use["phrase"]: use for use in figures.get("top_phrases", [])} | robotic
        self.uses = [(use, phrase in robotic) for phrase, use in uses.items()]
        has_references = measurement is not None and METRICS[key].judged == REFERENCE
        measurement = measurement or Measurement(key, 0, 0)
        self.notes, self.players = measurement.notes, measurement.players
        self.messages = why_messages(measurement, effective, names, MOST_LISTED)
        references = why_references(measurement, effective, names, record.players) if has_references else []
        self.references = references[:MOST_LISTED]
        self.phrases, self.accepted = measurement.phrases[:MOST_LISTED], effective.values.get(PHRASE, {})
        longest = max(len(references), len(measurement.messages), len(measurement.phrases))
        self.left_out = max(0, longest - MOST_LISTED)


class PaidFigure:
    """Cost or cache hit rate: what the transcript reports ("" for nothing) and what was entered, newest first.

    `text` is the figure that counts; "" when nothing is known.
    """

    def __init__(self, kind: str, reported: Decimal | None, rows: Iterable[ManualFigure]) -> None:
        self.kind, self.label = kind, _("Cost") if kind == COST else _("Cache hit rate")
        self.reported = "" if reported is None else format_manual_figure(kind, reported)
        self.entered = [(format_manual_figure(kind, row.value), row) for row in rows]
        self.text = self.entered[0][0] if self.entered else self.reported


def _how_played(game: Game) -> list[tuple[str, str | None]]:
    day = game.played_on.isoformat() if game.played_on else ""
    builds = (_("Model build"), game.model_build)
    return [(_("Played on"), day), builds, (_("Seed"), game.seed), (_("Pair"), game.pair)]


def paid_figures(game: Game) -> list[PaidFigure]:
    """Cost and cache hit rate of a game with everything that was entered; one query."""
    rows = ManualFigure.objects.filter(game=game).prefetch_related("created_by")
    entered = sorted(rows, key=lambda row: -row.number) if getattr(game, "has_entered", True) else []
    cache = None if game.cache_hit_rate is None else Decimal(str(game.cache_hit_rate))
    return [
        PaidFigure(kind, reported, [row for row in entered if row.kind == kind])
        for kind, reported in ((COST, game.cost_usd), (CACHE, cache))
    ]


def format_manual_figure(kind: str, value: Decimal) -> str:
    value = value if kind == COST else round(value * 100, 4)
    decimals = max(2 if kind == COST else 1, -int(value.normalize().as_tuple().exponent))
    text = figure(value, decimals=decimals)
    return f"${text}" if kind == COST else f"{text}\u00a0%"


class RoundsPart:
    """How the texts of a game count its rounds, for leads; takes at most three queries.

    `newest` is the newest act, None before the first. `choices` are (offset, words), empty if `stays` says why.
    """

    def __init__(self, game: Game, oddities: list[Oddity]) -> None:
        has_offsets = getattr(game, "has_offsets", True)
        self.newest = load_round_offsets([game.pk]).get(game.pk) if has_offsets else None
        self.stays = why_rounds_stay(game)
        self.choices = () if self.stays else ROUND_OFFSETS
        self.is_odd = any(oddity.code in (ROUND_ZERO, TEXT_ROUND_ZERO) for oddity in oddities)
        self.is_shown = bool(self.choices or self.newest or self.is_odd)
        # What to add to a number in a text to get the file's.
        self.offset = self.newest.offset if self.newest else 0
        self.says = dict(ROUND_OFFSETS)[self.offset]


def list_withdrawals(game: Game) -> list[Withdrawal]:
    return list(Withdrawal.objects.filter(game=game).select_related("created_by").order_by("-number"))


class MetricEvidence:
    """One message and why it counts or not. `judged` is people's answer if it differs from the automatic one."""

    def __init__(self, finding: MessageFinding, name: str, machine: str, value: str, yes: str) -> None:
        self.message, self.name, self.rule = finding.message, name, rule_text(finding.rule)
        self.words, self.counts = ", ".join(finding.words), value == yes
        self.judged = ""
        if value != machine:
            self.judged = _("judged: %(value)s") % {"value": value.replace("_", " ")}


class WhyReference(Struct, frozen=True):
    """One reference with its label, the vote record's check, and the rows behind the check."""

    message: int
    name: str
    text: str
    label: str
    check: str
    evidence: tuple[str, ...]
    is_counted: bool


def why_messages(
    measurement: Measurement, effective: Effective, names: list[str], most: int
) -> list[MetricEvidence]:
    """The first `most` messages of metrics 2 to 4, those that count first; `names` are the speakers by position."""
    metric = measurement.metric
    values = effective.values.get(metric, {})
    yes = judgement_kinds.CONSISTENT if metric == judgement_kinds.ROLE_CONSISTENCY else judgement_kinds.YES
    rows = []
    for finding in measurement.messages:
        machine = finding.machine_value(metric)
        rows.append((finding, machine, values.get(str(finding.message), machine) if values else machine))
    first = [row for row in rows if row[2] == yes] + [row for row in rows if row[2] != yes]
    return [
        MetricEvidence(finding, names[finding.message - 1], machine, value, yes)
        for finding, machine, value in first[:most]
    ]


def why_references(
    measurement: Measurement, effective: Effective, names: list[str], players: list[Player]
) -> list[WhyReference]:
    """Every reference, those that count first: labels of people, checks against votes, evidence as sentences."""
    rows = []
    listed = set()
    for finding in measurement.references:
        subject = finding.subject
        listed.add(subject)
        counts = finding.is_counted or subject in effective.added
        rows.append(
            WhyReference(
                message=finding.message,
                name=names[finding.message - 1],
                text=finding.text,
                label=_label(subject, effective, counts),
                check=describe_check(finding),
                evidence=list_evidence(finding, players),
                is_counted=counts,
            )
        )
    for subject in sorted(effective.added - listed, key=judgement_kinds.parse_subject):
        message = judgement_kinds.parse_subject(subject)[0]
        missed = _("marked by people; not found automatically")
        rows.append(
            WhyReference(message, names[message - 1], "", _label(subject, effective, True), missed, (), True)
        )
    return sorted(rows, key=lambda row: not row.is_counted)


def _label(subject: str, effective: Effective, counts: bool) -> str:
    if value := effective.values.get(judgement_kinds.REFERENCE, {}).get(subject, ""):
        return value.replace("_", " ")
    if (judgement_kinds.REFERENCE, subject) in effective.ties:
        return _("evaluators differ, not resolved yet")
    return _("not labelled yet") if counts else _("possible only, not counted")
