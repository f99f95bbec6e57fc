"""The iterations of a stage with the figures of all their games, read in a fixed number of queries."""

from collections import defaultdict
from collections.abc import Collection
from typing import Any

import msgspec
from django.db.models import Count, Exists, OuterRef, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from msgspec import Struct
from msgspec.structs import replace

from discussions.core.iteration_states import CHANGE, IMPORTING
from discussions.core.outcome import ENGAGEMENT, ManualCheck, Outcome, PassKind, PeopleShare
from discussions.iterations.core import gates
from discussions.iterations.core.figures import GameFigures, game_figures
from discussions.iterations.core.history import (
    COMPLETE,
    OPEN,
    RECORDED,
    DecisionLine,
    History,
    HistoryGame,
    HistoryIteration,
    WithdrawnGame,
)
from discussions.iterations.core.next_target import NextTarget, next_target
from discussions.models import Decision, Evaluation, Game, Iteration, ManualFigure, Stage, Transcript, Verdict
from discussions.models.manual_figures import CACHE, COST
from discussions.preview.queries import Batch, read_judged
from discussions.queries import find_stopped_jobs, measured_for, rubric_record
from discussions.slots.queries import left_out
from discussions.verdicts.core.rule import read_rules
from discussions.verdicts.core.scoring import compute_basis_outcome, compute_effective_values
from rubric.core.records import RubricRecord
from workspace.core.refusals import NotAllowed
from workspace.core.text import figure
from workspace.core.words import decode_stored
from workspace.display.core.number_lists import format_numbers
from workspace.models.jobs import QUEUED, RUNNING

_NAMED = {
    "id": "pk",
    "rubric_version": "rubric_version_id",
    "rubric_sha256": "rubric_version__sha256",
    "compared_with": "compared_with_id",
    "baseline": "baseline_id",
    "replay_of": "replay_of_id",
    "created_by": "created_by__name",
    "opened_by": "opened_by__name",
}
_READ = ("games", "left_out", "decisions")
_FIELDS = [name for name in HistoryIteration.__struct_fields__ if name not in _READ]


def load_history(stage: Stage) -> History:
    """The stage's iterations with their decisions and games: five queries, seven more while games wait for verdicts."""
    rows = _read(Iteration.objects.filter(stage=stage))
    decisions = _decisions(stage)
    games, left_out = _games(rows)
    iterations = [
        HistoryIteration(
            **row, games=games.get(key, []), left_out=left_out.get(key, []), decisions=decisions.get(key, [])
        )
        for key, row in rows.items()
    ]
    return History(iterations)


def load_batches(project: int, rubric_version: int) -> list[list[GameFigures]]:
    """The games of each iteration of the project under that version, for the spread between games of one prompt.

    Four queries, seven more while games wait for verdicts.
    """
    rows = Iteration.objects.filter(project=project, stage__isnull=False, rubric_version=rubric_version)
    games, _left_out = _games(_read(rows))
    return [[game.figures for game in batch] for batch in games.values()]


def _read(rows: "QuerySet[Iteration]") -> dict[int, dict[str, Any]]:
    found = {}
    for values in rows.order_by("number").values_list(*(_NAMED.get(name, name) for name in _FIELDS)):
        row = dict(zip(_FIELDS, values, strict=True))
        found[row["id"]] = row | {"material": msgspec.json.decode(row["material"])}
    return found


def _decisions(stage: Stage) -> dict[int, list[DecisionLine]]:
    found: dict[int, list[DecisionLine]] = defaultdict(list)
    columns = ("iteration_id", "pk", "number", "look", "choice", "reason", "created_at", "created_by__name")
    rows = Decision.objects.filter(iteration__stage=stage).order_by("iteration", "number")
    for iteration, *values in rows.values_list(*columns):
        found[iteration].append(DecisionLine(*values))
    return found


def _games(
    iterations: dict[int, dict[str, Any]],
) -> tuple[dict[int, list[HistoryGame]], dict[int, list[WithdrawnGame]]]:
    columns = (
        "pk", "number", "iteration_id", "cost_usd", "cache_hit_rate", "input_tokens",
        "withdrawn_at", "withdrawn_by__name", "withdrawn_reason", "needed_count", "message_count", "word_count",
        "played_on", "model_build", "seed", "pair", "erased_at", "queue_draw__is_in", "queue_draw__chance",
    )  # fmt: skip
    found = Game.with_erased.filter(iteration__in=list(iterations)).order_by("number")
    rows: list[Any] = list(found.values_list(*columns, named=True))
    facts = _read_facts(rows, iterations)
    verdicts = _verdicts(iterations)
    waiting, tied = _complete([row for row in rows if row.pk not in verdicts], iterations)
    games: dict[int, list[HistoryGame]] = defaultdict(list)
    left_out: dict[int, list[WithdrawnGame]] = defaultdict(list)
    for row in rows:
        key, outcome = verdicts.get(row.pk, (None, waiting.get(row.pk)))
        if outcome is None and (row.erased_at or row.queue_draw__is_in is False):
            continue
        if outcome is None:
            rules = iterations[row.iteration_id]
            rubric = rubric_record(rules["rubric_version"], rules["rubric_sha256"])
            keys = [criterion.key for criterion in rubric.criteria if criterion.key != ENGAGEMENT]
            figures = GameFigures(row.number, dict.fromkeys(keys), **facts[row.pk])
        else:
            figures = game_figures(row.number, outcome, **facts[row.pk])
        state = RECORDED if key else COMPLETE if outcome else OPEN
        game = HistoryGame(
            row.pk, figures, state, key, has_ties=row.pk in tied, is_erased=row.erased_at is not None
        )
        if row.withdrawn_at is None:
            games[row.iteration_id].append(game)
        else:
            why = WithdrawnGame(game, row.withdrawn_reason, row.withdrawn_by__name or "", row.withdrawn_at)
            left_out[row.iteration_id].append(why)
    return games, left_out


def _verdicts(iterations: Collection[int]) -> dict[int, tuple[int, Any]]:
    # A verdict from before its iteration was moved to a newer rubric version no longer counts. Compared here: SQLite
    # would look for them among all verdicts under these versions.
    rows = Verdict.objects.filter(game__iteration__in=list(iterations)).not_superseded()
    columns = ("game_id", "pk", "outcome", "rubric_version_id", "game__iteration__rubric_version_id")
    return {
        game: (key, _SCORED.decode(outcome))
        for game, key, outcome, version, present in rows.values_list(*columns)
        if version == present
    }


def _read_facts(rows: list[Any], iterations: Collection[int]) -> dict[int, dict[str, Any]]:
    """Costs, as reported or the newest figure by hand, and sizes of games."""
    entered = ManualFigure.objects.filter(game__iteration__in=list(iterations)).not_superseded()
    by_hand = {(game, kind): value for game, kind, value in entered.values_list("game_id", "kind", "value")}
    facts = {}
    for row in rows:
        cost, cache = by_hand.get((row.pk, COST)), by_hand.get((row.pk, CACHE))
        facts[row.pk] = {
            "cost_usd": row.cost_usd if cost is None else cost,
            "is_cost_by_hand": cost is not None,
            "cache_hit_rate": row.cache_hit_rate if cache is None else float(cache),
            "is_cache_by_hand": cache is not None,
            "input_tokens": row.input_tokens,
            "message_count": row.message_count,
            "word_count": row.word_count,
            "played_on": "" if row.played_on is None else row.played_on.isoformat(),
            "build": row.model_build,
            "seed": row.seed,
            "pair": row.pair,
            "chance": None if row.queue_draw__chance == 1 else row.queue_draw__chance,
        }
    return facts


def _complete(rows: list[Any], iterations: dict[int, dict[str, Any]]) -> tuple[dict[int, Outcome], set[int]]:
    """The outcomes that would be recorded now for games with all evaluations, and the games with ties."""
    if not rows:
        return {}, set()
    submitted = Evaluation.objects.submitted_ratings().filter(game__in=[row.pk for row in rows])
    counts = dict(submitted.order_by().values_list("game").annotate(count=Count("pk")))
    ready = {
        row.number: row.pk
        for row in rows
        if counts.get(row.pk, 0) >= (row.needed_count or iterations[row.iteration_id]["evaluator_count"])
    }
    return judge_rated(ready)


def judge_rated(ready: dict[int, int]) -> tuple[dict[int, Outcome], set[int]]:
    """Of games of one project with all evaluations, number -> key: the outcomes that would be recorded now by key, and
    the games with ties. Four queries, more where blind tests were drawn; none without games.
    """
    if not ready:
        return {}, set()
    found, tied = {}, set()
    for judged in read_judged(Batch(sorted(ready.values()), is_recorded=False), lambda _rubric: False):
        effective = compute_effective_values(judged.basis, judged.measurements)
        outcome = compute_basis_outcome(judged.basis, judged.measurements, judged.rubric, effective)
        if effective.ties:
            tied.add(ready[judged.where.number])
        elif not outcome.missing:
            found[ready[judged.where.number]] = replace(outcome, passes=None) if outcome.open else outcome
    return found, tied


class _ScoredLine(Struct, PassKind):
    key: str
    threshold: float
    denominator: int
    score: float | None
    passes: bool | None
    is_applicable: bool = True
    manual_check: ManualCheck | None = None
    people: PeopleShare | None = None


class _Scored(Struct):
    """The columns of a verdict that `game_figures` needs; reading whole verdicts takes three times as long."""

    passes: bool | None
    lines: list[_ScoredLine]


_SCORED: Any = msgspec.json.Decoder(_Scored)


def count_erased(**where: object) -> dict[int, int]:
    """Number of an iteration -> how many of its games are erased and still count by their verdicts."""
    rows = Game.with_erased.exclude(erased_at=None).filter(withdrawn_at=None, **where)
    rows = rows.filter(Exists(Verdict.objects.filter(game=OuterRef("pk")))).order_by()
    return dict(rows.values_list("iteration__number").annotate(count=Count("pk")))


def propose_target(history: History, reference: HistoryIteration) -> NextTarget:
    alike = history.same_prompt(reference)
    games = history.pooled_control(reference).figures
    return next_target(games, load_rubric(reference), earlier=history.earlier(*alike))


def load_rubric(iteration: HistoryIteration) -> RubricRecord:
    return rubric_record(iteration.rubric_version, iteration.rubric_sha256)


def refuse_replay(history: History, iteration: HistoryIteration) -> None:
    is_reference = iteration is history.reference
    if not is_reference and not any(row.compared_with == iteration.id for row in history.iterations):
        says = _(
            "No change is compared with iteration %(number)d, so games that play it again would not count."
        )
        raise NotAllowed(says % {"number": iteration.number}, code="no_reference")
    for row in history.same_prompt(iteration):
        if row.state == IMPORTING:
            says = _("Iteration %(number)d has this prompt and still takes games. Add the games there.")
            raise NotAllowed(says % {"number": row.number}, code="takes_games")


def refuse_unready(iteration: Iteration) -> None:
    refuse_while_importing(iteration)
    games = Game.objects.filter(iteration=iteration, withdrawn_at=None)
    given: dict[str, Any] = {
        "number": iteration.number,
        "there": games.count(),
        "least": iteration.least_games,
    }
    if given["there"] < iteration.least_games:
        says = ngettext(
            "Iteration %(number)d has %(there)d game and needs at least %(least)d. Import the others first.",
            "Iteration %(number)d has %(there)d games and needs at least %(least)d. Import the others first.",
            given["there"],
        )
        raise NotAllowed(says % given, code="too_few")
    bare = games.filter(~Exists(measured_for(iteration))).order_by("number")
    if numbers := list(bare.values_list("number", flat=True)):
        if stopped := find_stopped_jobs([iteration.pk]).get(iteration.pk):
            raise NotAllowed(stopped.error, code="measuring_failed")
        says = _("Still being measured: %(games)s. Wait for the figures, then open the iteration for rating.")
        raise NotAllowed(says % {"games": format_numbers(numbers)}, code="measuring")


def refuse_while_importing(iteration: Iteration) -> None:
    coming = Transcript.objects.filter(iteration=iteration, job__state__in=(QUEUED, RUNNING)).count()
    if not coming:
        return
    says = ngettext(
        "%(count)d upload is still being read. Wait until its games are imported, or cancel it.",
        "%(count)d uploads are still being read. Wait until their games are imported, or cancel them.",
        coming,
    )
    raise NotAllowed(says % {"count": coming}, code="reading")


def compute_stage_streak(stage: Stage, history: History) -> gates.Streak:
    choices = gates.Choices(unit=stage.streak_unit, engagement=stage.engagement_rule)
    return gates.compute_streak(history.for_gate(load_rubric), load_stage_rubric(stage, history), choices)


def compute_stage_gate(
    stage: Stage, history: History, *, override: gates.Signed | None = None
) -> gates.GateStatus:
    """The gate now; `override` is an admin's reason to open it although things are missing.

    Fetch the stage with `stated_by`, else this costs one query more.
    """
    statement = None
    if stage.stated_at is not None and stage.stated_by is not None:
        statement = gates.Signed(stage.stated_by.name, stage.stated_at.date().isoformat(), stage.statement)
    rubric = load_stage_rubric(stage, history)
    return gates.compute_gate_status(
        compute_stage_streak(stage, history), rubric, statement=statement, override=override
    )


def load_gate(stage: Stage, history: History | None = None) -> gates.GateStatus:
    """The gate now; of a closed stage, the gate when the next one was opened. Without a `history` it is loaded."""
    if stage.door:
        return decode_stored(stage.door, gates.GateStatus)
    return compute_stage_gate(stage, history or load_history(stage))


def list_weak_games(stage: Stage, streak: gates.Streak) -> list[int]:
    """The numbers of the latest successes' games with a metric not applicable or on few references; one query."""
    rows = Verdict.objects.filter(project=stage.project_id, weak_pass_count__gt=0).not_superseded()
    numbers = [game.number for game in streak.games]
    return sorted(rows.filter(game__number__in=numbers).values_list("game__number", flat=True))


def load_stage_rubric(stage: Stage, history: History) -> RubricRecord:
    """The rubric version of the newest iteration; before the first, that of the project's unsorted games.

    It sets how many successes and what cache hit rate are needed. Each iteration succeeds under its own version.
    """
    if history.iterations:
        return load_rubric(history.iterations[-1])
    unsorted = Iteration.objects.filter(project=stage.project_id, stage=None)
    version, sha256 = unsorted.values_list("rubric_version_id", "rubric_version__sha256").get()
    return rubric_record(version, sha256)


def refuse_new_rules(stage: Stage) -> None:
    opened = Iteration.objects.filter(stage=stage).exclude(opened_at=None).order_by("opened_at")
    number = opened.values_list("number", flat=True).first()
    if number is None:
        return
    says = _(
        "Iteration %(number)d was opened for rating, and successes are counted in this way. Name and goal "
        "can still be changed; the next stage can be counted in another way."
    )
    raise NotAllowed(says % {"number": number}, code="rules_final")


def counted_says(stage: Stage) -> str:
    units = {"iteration": _("whole iterations"), "game": _("single games")}
    rules = {"average": _("on average"), "every_game": _("in every game")}
    return _("A success is counted in %(unit)s, with the rating needed %(rule)s.") % {
        "unit": units[stage.streak_unit],
        "rule": rules[stage.engagement_rule],
    }


def cost_text(game: GameFigures, rubric: RubricRecord) -> str:
    """A game's cost, never rounded across the two limits of cost; "" when not reported."""
    if game.cost_usd is None:
        return ""
    rules = read_rules(rubric)
    nearest = min((rules.amber, rules.limit), key=lambda amount: abs(amount - (game.cost_usd or 0)))
    return f"${figure(game.cost_usd, float(nearest), decimals=2)}"


def query_undecided(project: Any) -> "QuerySet[Iteration, Any]":
    """Changes of open stages whose games all have a verdict, and on which nobody has decided yet."""
    games = Game.objects.filter(~left_out(), iteration=OuterRef("pk"), withdrawn_at=None)
    recorded = Verdict.objects.filter(
        game=OuterRef("pk"), rubric_version=OuterRef("iteration__rubric_version")
    )
    changes = Iteration.objects.filter(
        ~Exists(Decision.objects.filter(iteration=OuterRef("pk"))),
        Exists(games),
        ~Exists(games.filter(~Exists(recorded))),
        project=project,
        kind=CHANGE,
        stage__closed_at=None,
        opened_at__isnull=False,
    )
    return changes.order_by("number")
