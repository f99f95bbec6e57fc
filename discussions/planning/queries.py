"""Why an action on an iteration is not possible yet: a sentence for the disabled button and for the refusal."""

from collections import Counter
from functools import partial
from statistics import median
from typing import Any, NamedTuple

import msgspec
from django.db.models import Count, Exists, Max, OuterRef, Q, QuerySet, Sum
from django.utils import timezone
from django.utils.translation import gettext as _
from msgspec import Struct
from msgspec.structs import replace

from discussions.core.intake import Filling
from discussions.core.iteration_states import BASELINE, CHANGE, IMPORTING, STATES_WITH_SLOTS
from discussions.core.outcome import Outcome
from discussions.iterations.core.history import History, HistoryIteration
from discussions.iterations.core.prompt_diff import prompt_diff
from discussions.metrics.core.registry import CODE_VERSION
from discussions.models import (
    Adjudication,
    Evaluation,
    FillRules,
    Game,
    Iteration,
    ManualFigure,
    QueueDraw,
    Slot,
    Transcript,
    Verdict,
)
from discussions.models.games import NEEDED
from discussions.models.slots import RATING
from discussions.planning.core import Plan
from discussions.preview.core import PENDING, Rejudged, compute_games_impact, needs_text, rejudge
from discussions.preview.queries import Batch, read_judged
from discussions.queries import list_batches, measured_for
from discussions.queue.queries import load_workloads
from discussions.slots.queries import draw_games
from rubric.models import RubricVersion
from rubric.preview.core import Impact
from workspace.core.canonical import bytes_hash, canonical_hash
from workspace.core.refusals import NotAllowed
from workspace.database.locked_texts import keyed_text
from workspace.models import Project
from workspace.models.jobs import QUEUED, RUNNING


def load_prompt(reference: HistoryIteration) -> str:
    return Iteration.objects.values_list("prompt", flat=True).get(pk=reference.id)


def compare_with_reference(plan: Plan, history: History, reference: HistoryIteration) -> dict[str, Any]:
    """What `plan_faults` asks of the reference of a change whose tidied plan this is; one query."""
    prompt = load_prompt(reference)
    return {
        "reference_prompt": prompt,
        "hunk_count": prompt_diff(prompt, plan.prompt).hunk_count,
        "looks": history.looks(reference.id, bytes_hash(plan.prompt.encode())),
    }


class Play(NamedTuple):
    """A game to play. A pair has one seed and a game under each prompt; `iteration` is the one that takes the game."""

    order: int
    pair: str
    prompt: str
    seed: int
    iteration: int


def list_plays(change: Iteration, pair_count: int) -> list[Play]:
    """The games of both sides in the order in which to play them.

    Which of a pair comes first and the seed are keyed: the list is the same whenever it is read, and a longer one
    begins with it. A re-play that takes games takes those of the reference. Raises NotAllowed for what is no change.
    """
    reference = change.compared_with
    if reference is None:
        says = _("Iteration %(number)d is no change. A play list is for a change and its reference.")
        raise NotAllowed(says % {"number": change.number}, code="no_change")
    replays = Iteration.objects.filter(replay_of=reference, state=IMPORTING)
    control = replays.values_list("number", flat=True).first() or reference.number
    plays: list[Play] = []
    for number in range(1, pair_count + 1):
        drawn = int(keyed_text("play list", f"{change.pk}:{number}")[:12], 16)
        sides = [("reference", control), ("change", change.number)]
        for prompt, takes in sides[:: -1 if drawn % 2 else 1]:
            pair, seed = f"{change.number}-{number}", drawn // 2 % 2**31
            plays.append(Play(len(plays) + 1, pair, prompt, seed, takes))
    return plays


def refuse_change(history: History) -> None:
    for iteration in history.iterations:
        if iteration.kind == CHANGE and iteration.decision is None:
            says = _(
                "Iteration %(number)d is not decided yet. One change at a time: keep it, revert it or call it "
                "inconclusive before you create a change."
            )
            raise NotAllowed(says % {"number": iteration.number}, code="undecided")
    if history.reference is None:
        says = _("A change is compared with a baseline. Create a baseline first.")
        raise NotAllowed(says, code="no_baseline")


def refuse_new_plan(iteration: Iteration) -> None:
    if iteration.state != IMPORTING:
        says = _("Iteration %(number)d is open for rating; its plan is final.")
        raise NotAllowed(says % {"number": iteration.number}, code="frozen")
    if iteration.replay_of_id is not None:
        says = _(
            "Iteration %(number)d plays another one again. So its prompt and its way of judging cannot be changed."
        )
        raise NotAllowed(says % {"number": iteration.number}, code="replay")
    coming = Transcript.objects.filter(iteration=iteration, job__state__in=(QUEUED, RUNNING))
    if Game.objects.filter(iteration=iteration).exists() or coming.exists():
        says = _(
            "Iteration %(number)d has games already, and its plan must be made before them. Move them "
            "out, or continue with the plan as it is."
        )
        raise NotAllowed(says % {"number": iteration.number}, code="has_games")


def refuse_new_protocol(iteration: Iteration) -> None:
    if iteration.kind != BASELINE:
        says = _("A change is judged like what it is compared with, else the two could not be compared.")
        raise NotAllowed(says, code="change")
    resting = Iteration.objects.filter(Q(compared_with=iteration) | Q(baseline=iteration)).order_by("number")
    if number := resting.values_list("number", flat=True).first():
        says = _("Iteration %(other)d is judged like iteration %(number)d, so that way of judging is final.")
        raise NotAllowed(says % {"other": number, "number": iteration.number}, code="rests")


class VersionPreview(Struct, frozen=True):
    """What the move would change: each rated game, all of them together, and the hash that moving must carry."""

    version: RubricVersion
    games: list[Rejudged]
    impact: Impact
    input_sha256: str

    @property
    def counts(self) -> dict[str, int]:
        return dict(Counter(game.after for game in self.games))

    @property
    def waiting_count(self) -> int:
        return sum(game.is_recorded and game.after == PENDING for game in self.games)


def list_newer_versions(iteration: Iteration) -> "QuerySet[RubricVersion]":
    """The published versions of the iteration's rubric that were made after its own, the newest first."""
    own = iteration.rubric_version
    rows = RubricVersion.objects.published().filter(rubric=own.rubric_id, pk__gt=own.pk)
    return rows.select_related("rubric").order_by("-pk")


def load_version_preview(iteration: Iteration, version: RubricVersion) -> VersionPreview:
    """The games with submitted evaluations, decided again under that version from the judgements so far.

    A fixed number of queries. Nothing is stored.
    """
    draft = version.to_record()
    submitted = Evaluation.objects.submitted_ratings().filter(game__iteration=iteration)
    rated = Game.objects.filter(Exists(measured_for(iteration)), pk__in=submitted.values("game"))
    keys = list(rated.order_by("pk").values_list("pk", flat=True))
    verdicts = Verdict.objects.filter(game__iteration=iteration).not_superseded()
    recorded = {
        number: msgspec.json.decode(outcome, type=Outcome)
        for number, outcome in verdicts.values_list("game__number", "outcome")
    }
    judged = read_judged(Batch(keys, is_recorded=False), partial(needs_text, draft=draft), draft)
    games = [rejudge(replace(game, recorded=recorded.get(game.where.number)), draft) for game in judged]
    return VersionPreview(version, games, compute_games_impact(games, draft), hash_input(iteration, version))


def hash_input(iteration: Iteration, version: RubricVersion) -> str:
    """The hash of the preview's input: versions, verdicts, evaluations, adjudications and manual costs."""
    games = Game.objects.filter(iteration=iteration)
    rows = Evaluation.objects.submitted_ratings().filter(game__in=games)
    return canonical_hash(
        [
            CODE_VERSION,
            iteration.rubric_version.sha256,
            version.sha256,
            games.aggregate(Count("pk"), Count("withdrawn_at")),
            Verdict.objects.filter(game__in=games).aggregate(Count("pk"), Max("pk")),
            rows.aggregate(Count("pk"), Sum("pk"), Sum("version")),
            Adjudication.objects.filter(game__in=games).aggregate(Count("pk"), Max("pk")),
            ManualFigure.objects.filter(game__in=games).aggregate(Count("pk"), Max("pk")),
        ]
    )


EXAMPLES = 3


class FillLine(Struct):
    """What one rule takes of the present games: it fits `fits` of them, and `taken` enter, which take `minutes`.

    `examples` are numbers of games that enter.
    """

    percent: float
    fits: int = 0
    taken: int = 0
    minutes: float = 0.0
    examples: list[int] = []


class FillPreview(Struct, frozen=True):
    """The rules on all measured games of a project, the rest last; `waiting` is how many nobody has started.

    `entering` and `leaving` of these change if the rules are applied to them. Without times of evaluations `minutes`
    is None.
    """

    lines: list[FillLine]
    games: int
    taken: int
    minutes: float | None
    waiting: int
    entering: int
    leaving: int


def preview_filling(project: Project, filling: Filling) -> FillPreview:
    """What the rules would do now; a fixed number of queries for each batch of games."""
    rules = FillRules(project=project, body=msgspec.json.encode(filling).decode())
    pace = load_pace(project)
    lines = [FillLine(percent=percent) for percent in filling.shares]
    games = Game.objects.filter(Exists(measured_for()), project=project, withdrawn_at=None)
    waits, entering, leaving, count = query_waiting(project), 0, 0, 0
    for keys in list_batches(games):
        rows = Game.objects.filter(pk__in=keys).values_list("pk", "number", "message_count", NEEDED)
        known: dict[int, Any] = {key: facts for key, *facts in rows}
        waiting = dict(waits.filter(pk__in=keys).values_list("pk", "queue_draw__is_in"))
        count += len(waiting)
        for draw in draw_games(rules=rules, games=keys, now=timezone.now()):
            _add(lines[draw.row - 1], draw, *known[draw.game_id], pace=pace or 0.0)
            if draw.game_id in waiting:
                was_in = waiting[draw.game_id] is not False
                entering += draw.is_in and not was_in
                leaving += was_in and not draw.is_in
    taken = sum(line.taken for line in lines)
    minutes = None if pace is None else sum(line.minutes for line in lines)
    return FillPreview(lines, sum(line.fits for line in lines), taken, minutes, count, entering, leaving)


def _add(
    line: FillLine, draw: QueueDraw, number: int, message_count: int, needed: int, *, pace: float
) -> None:
    line.fits += 1
    if draw.is_in:
        line.taken += 1
        line.minutes += needed * message_count / 100 * pace
        line.examples = [*line.examples, number][:EXAMPLES]


def load_pace(project: Project) -> float | None:
    """Minutes of one evaluator for 100 messages: the median of the team's; None if none is known."""
    loads, _timed = load_workloads(project=project, now=timezone.now())
    known = [load.minutes_per_100 for load in loads if load.minutes_per_100 is not None]
    return median(known) if known else None


def query_waiting(project: Project) -> "QuerySet[Game]":
    """Measured games that can be rated, that nobody has started, and that no lead has assigned, removed or put in."""
    slots = Slot.objects.filter(game=OuterRef("pk"), purpose=RATING)
    taken = slots.filter(Q(evaluator__isnull=False) | Q(assigned_to__isnull=False))
    started = Evaluation.objects.filter(game=OuterRef("pk"), purpose=RATING)
    placed = QueueDraw.objects.filter(game=OuterRef("pk"), placed_at__isnull=False)
    never = (
        ~Exists(taken)
        & ~Exists(started)
        & ~Exists(placed)
        & ~Exists(Verdict.objects.filter(game=OuterRef("pk")))
    )
    opened = Q(iteration__stage=None) | Q(iteration__opened_at__isnull=False)
    games = Game.objects.filter(opened, never, Exists(measured_for()), project=project, withdrawn_at=None)
    return games.filter(iteration__state__in=STATES_WITH_SLOTS)
