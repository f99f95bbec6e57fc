"""One evaluation with all it rests on, read in few queries: rows in, records of the core out."""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache, partial
from typing import Any

import msgspec
from django.db.models import QuerySet

from discussions.core.effective import Effective, Judged, effective, machine_values
from discussions.core.grounds import ground_of, inconsistent_messages
from discussions.core.identification import Asked, Deal, Paper, deal, paper_of
from discussions.core.kinds import COHERENCE, ROLE_CONSISTENCY, STRATEGIC_DEPTH, Ground
from discussions.core.moves import LAPSED, OPEN, SUBMITTED, why_closed
from discussions.core.outcome import Line, Outcome
from discussions.core.records import GameRecord, Measurement
from discussions.core.samples import audit_sample, rule_of
from discussions.core.seen import SeenGame, conceal
from discussions.core.settled import lines_of_metrics, outcome_of
from discussions.core.sight import Sight, Standing, sight
from discussions.models.evaluations import WORK_COLUMNS, Evaluation, Judgement, Reveal
from discussions.models.games import Game, GameText
from discussions.models.iterations import TEST, Iteration
from discussions.models.measurements import Measured, MeasuredFindings
from discussions.models.slots import Slot
from discussions.models.verdicts import Verdict
from rubric.core.records import RubricRecord
from rubric.models import RubricVersion
from workspace.core.revisions import Latest
from workspace.models import Person, Project
from workspace.models.prepared import LARGEST_KEY, Prepared, part_of

Key = tuple[str, str]


class Said(Latest, frozen=True):
    """The newest value of one judgement; a plain record since every save reads all of them."""

    blind_value: str = ""


@dataclass(kw_only=True)
class Work:
    """An evaluation as it stands: the game, what the machine found, what the evaluator said and was shown."""

    evaluation: Evaluation
    rubric: RubricRecord
    game: GameRecord
    seen: SeenGame
    measurements: dict[str, Measurement]
    ground: Ground
    machine: dict[Key, str]
    inconsistent: tuple[int, ...]
    judgements: dict[Key, Said]
    revealed: frozenset[str]
    is_recorded: bool
    deal: Deal | None = None

    @property
    def is_open(self) -> bool:
        """Whether anything can still be judged."""
        return self.evaluation.state in OPEN

    @property
    def why_closed(self) -> str:
        """The sentence that says why not; "" while open."""
        one = self.evaluation
        return why_closed(one.state, is_released=one.state == LAPSED and bool(one.released_reason))

    @cached_property
    def samples(self) -> dict[str, tuple[int, ...]]:
        """The positions of the audit samples, by metric."""
        rule = rule_of(self.rubric.parameters)
        count = len(self.game.messages)
        metrics = (STRATEGIC_DEPTH, COHERENCE, ROLE_CONSISTENCY)
        return {metric: audit_sample(self.evaluation.seed, metric, count, rule) for metric in metrics}

    @cached_property
    def paper(self) -> Paper | None:
        """The blind test as it is laid before the evaluator; None without one."""
        return paper_of(self.game, self.deal, _ambiguous(self.rubric)) if self.deal else None

    @cached_property
    def standing(self) -> Standing:
        """How far the evaluation is."""
        values: dict[str, dict[str, str]] = defaultdict(dict)
        for (kind, subject), judgement in self.judgements.items():
            if judgement.value:
                values[kind][subject] = judgement.value
        read = self.rubric.parameters
        return Standing(
            reveal=self.evaluation.game.iteration.reveal,
            is_recorded=self.is_recorded,
            ground=self.ground,
            values=values,
            revealed=self.revealed,
            samples=self.samples,
            inconsistent=self.inconsistent,
            yes_needed=int(read["answers_yes_count"]),
            least_rating=Fraction(str(read["answers_yes_rating"])),
        )

    @cached_property
    def sight(self) -> Sight:
        """What the evaluator may see now."""
        return sight(self.standing)

    @cached_property
    def own(self) -> Effective:
        """The effective values if nobody but this evaluator judged."""
        number = self.evaluation.pk
        judged = [
            Judged(number, kind, subject, row.value) for (kind, subject), row in self.judgements.items()
        ]
        tests = {number: asked_of(self.deal)} if self.deal else {}
        return effective(judged, {}, machine=self.machine, tests=tests, own=number)

    @cached_property
    def own_outcome(self) -> Outcome:
        """The verdict as if this evaluator alone judged."""
        return outcome_of(self.own, self.measurements, self.evaluation.game.cost_usd, self.rubric)

    def own_lines(self, metrics: Collection[str]) -> list[Line]:
        """The lines of that verdict for these metrics only."""
        return lines_of_metrics(metrics, self.own, self.measurements, self.rubric)

    def changed(self, judgement: Said) -> "Work":
        """The same work after one judgement was stored."""
        return replace(self, judgements=self.judgements | {(judgement.kind, judgement.subject): judgement})

    def shown(self, what: frozenset[str]) -> "Work":
        """The same work after more was revealed."""
        return replace(self, revealed=self.revealed | what) if what else self


def own_evaluation(person: Person, key: int) -> Evaluation | None:
    """The person's own evaluation with that number, as `visible_to` and `with_work` give it; None if there is none."""
    if key > LARGEST_KEY:
        return None
    found = (_ANY_PROJECT if person.is_admin else _OWN_PROJECTS).rows(person.pk, key)
    if not found:
        return None
    row = found[0]
    evaluation = part_of(Evaluation, WORK_COLUMNS, row, "")
    game, measured = (
        part_of(Game, WORK_COLUMNS, row, "game__"),
        part_of(Measured, WORK_COLUMNS, row, "measured__"),
    )
    game.iteration, game.project = (
        part_of(Iteration, WORK_COLUMNS, row, "game__iteration__"),
        part_of(Project, WORK_COLUMNS, row, "game__project__"),
    )
    measured.rubric_version = part_of(RubricVersion, WORK_COLUMNS, row, "measured__rubric_version__")
    evaluation.game, evaluation.measured, evaluation.evaluator = game, measured, person
    evaluation.slot = part_of(Slot, WORK_COLUMNS, row, "slot__")
    return evaluation


def _own(person: int, key: int, *, is_admin: bool) -> "QuerySet[Evaluation, Any]":
    return (
        Evaluation.objects.visible_to(Person(pk=person, is_admin=is_admin))
        .filter(pk=key)
        .values_list(*WORK_COLUMNS)
    )


_OWN_PROJECTS = Prepared(partial(_own, is_admin=False), int, int)
_ANY_PROJECT = Prepared(partial(_own, is_admin=True), int, int)


def work_of(evaluation: Evaluation) -> Work:
    """Everything of one evaluation; at most three queries beside what is kept in memory.

    Fetch the evaluation through `with_work()`, or each row it belongs to costs a query more.
    """
    measured, game, version = evaluation.measured, evaluation.game, evaluation.measured.rubric_version
    keys = (
        (game.pk, game.content_sha256),
        (measured.pk, measured.findings_sha256),
        (version.pk, version.sha256),
    )
    ground, machine, inconsistent = _ground(*keys)
    dealt = deal_of(evaluation, game)
    if dealt:
        ground = msgspec.structs.replace(ground, agents=dealt.agents, unseen_count=len(dealt.unseen))
    return Work(
        evaluation=evaluation,
        rubric=rubric_record(*keys[2]),
        game=game_record(*keys[0]),
        seen=_seen_game(*keys[0]),
        measurements=measurements_of(*keys[1]),
        ground=ground,
        machine=machine,
        inconsistent=inconsistent,
        judgements={
            (said.kind, said.subject): said for said in (Said(*row) for row in _SAID.rows(evaluation.pk))
        },
        revealed=frozenset(what for (what,) in _REVEALED.rows(evaluation.pk)),
        is_recorded=evaluation.state == SUBMITTED and Verdict.objects.filter(game=game).exists(),
        deal=dealt,
    )


def deal_of(evaluation: Evaluation, game: Game) -> Deal | None:
    """The blind test that the evaluation began with; None where the question is asked, or too little was said."""
    if evaluation.identification != TEST:
        return None
    version = evaluation.measured.rubric_version
    return _deal((game.pk, game.content_sha256), (version.pk, version.sha256), evaluation.seed)


def asked_of(dealt: Deal) -> Asked:
    """The test as effective values read it."""
    return Asked(dealt.authors, len(dealt.agents))


_SAID = Prepared(
    lambda key: Judgement.objects.filter(evaluation=key).values_list(*Said.__struct_fields__), int
)
_REVEALED = Prepared(lambda key: Reveal.objects.filter(evaluation=key).values_list("what"), int)


# Imported games and measurements never change, so they are kept decoded; the hash guards against another database.
@lru_cache(maxsize=32)
def game_record(game: int, content_sha256: str) -> GameRecord:
    """The game with that number and content."""
    return GameText.objects.get(game=game).to_record()


@lru_cache(maxsize=32)
def _seen_game(game: int, content_sha256: str) -> SeenGame:
    return conceal(game_record(game, content_sha256))


@lru_cache(maxsize=32)
def measurements_of(measured: int, findings_sha256: str) -> dict[str, Measurement]:
    """The measurements with their findings."""
    return MeasuredFindings.objects.get(measured=measured).to_records()


@lru_cache(maxsize=32)
def rubric_record(version: int, sha256: str) -> RubricRecord:
    """What the rubric version with that number and content says."""
    return RubricVersion.objects.get(pk=version).to_record()


@lru_cache(maxsize=32)
def _ground(
    game: tuple[int, str], measured: tuple[int, str], version: tuple[int, str]
) -> tuple[Ground, dict[Key, str], tuple[int, ...]]:
    rubric, measurements = rubric_record(*version), measurements_of(*measured)
    questions = len(rubric.criterion("engagement").guiding_questions)
    ground = ground_of(game_record(*game), measurements, rubric.parameters, questions)
    return ground, machine_values(measurements), inconsistent_messages(measurements)


@lru_cache(maxsize=64)
def _deal(game: tuple[int, str], version: tuple[int, str], seed: str) -> Deal | None:
    rubric = rubric_record(*version)
    read = rubric.parameters
    return deal(
        game_record(*game),
        seed=seed,
        least=int(read["identification_min_messages"]),
        most=int(read["identification_max_messages"]),
        ambiguous=_ambiguous(rubric),
    )


def _ambiguous(rubric: RubricRecord) -> frozenset[str]:
    return frozenset(rubric.lists["ambiguous_names"])


def newest_measured(game: Game) -> Measured | None:
    """The newest measurement of the game under its iteration's rubric version, if it was measured."""
    found = game.measurements.filter(rubric_version=game.iteration.rubric_version_id)
    return found.order_by("-pk").first()
