"""One evaluation with its game, measurements and judgements, read in few queries into core records."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any

import msgspec
from django.db.models import QuerySet, Value
from msgspec import Struct

from discussions.adjudication.core.authorship_test import (
    DrawnTest,
    ShownTest,
    build_shown_test,
    read_draw_rule,
)
from discussions.adjudication.core.effective import Effective, Judged, find_effective_values, machine_values
from discussions.adjudication.core.judgeable import (
    SUGGESTIONS,
    inconsistent_messages,
    judgeable_subjects,
    read_sample_rule,
)
from discussions.adjudication.queries import load_drawn_test
from discussions.core.evaluation_states import LAPSED, OPEN, SUBMITTED, why_closed
from discussions.core.iteration_states import TEST
from discussions.core.judgement_kinds import (
    ATTRIBUTION,
    MESSAGE_KINDS,
    ROLE_CONSISTENCY,
    STATEMENT,
    JudgeableSubjects,
)
from discussions.core.outcome import Outcome, OutcomeLine
from discussions.core.records import GameRecord, Measurement
from discussions.core.unsaid import Unsaid
from discussions.metrics.core.registry import METRICS
from discussions.models import (
    Evaluation,
    Game,
    Iteration,
    Judgement,
    Measured,
    PrivateTrack,
    Remark,
    Reveal,
    Revision,
    Slot,
    Verdict,
)
from discussions.models.evaluations import WORK_COLUMNS
from discussions.queries import (
    game_record,
    load_measured_offset,
    load_measurements,
    load_unsaid,
    rubric_record,
)
from discussions.rating.core.concealed import SeenGame, conceal
from discussions.rating.core.statements import draw_statements
from discussions.rating.core.visibility import Progress, Visibility, compute_visibility, count_more
from discussions.verdicts.core.people_estimate import AccuracySample, draw_sample, read_more_rule
from discussions.verdicts.core.scoring import compute_metric_lines, compute_outcome
from rubric.core.records import RubricRecord
from rubric.models import RubricVersion
from workspace.audit.core import Latest
from workspace.database.prepared_queries import LARGEST_KEY, build_part, prepared
from workspace.database.unions import select_part
from workspace.models import Event, Person, Project
from workspace.models.people import prepare_by_rights

Key = tuple[str, str]


class AnswerRecord(Latest, frozen=True):
    """The newest value of one judgement; a plain record since every save reads all of them."""

    blind_value: str = ""


class RatingNote(Struct, frozen=True):
    kind: str
    target: str
    text: str


@dataclass(kw_only=True)
class EvaluationState:
    """The current state of an evaluation: the game, the automatic values, the judgements and the reveals.

    `remarks` are the evaluator's flags and comments that are not resolved, oldest first.
    """

    evaluation: Evaluation
    rubric: RubricRecord
    game: GameRecord
    seen: SeenGame
    measurements: dict[str, Measurement]
    judgeable: JudgeableSubjects
    machine: dict[Key, str]
    machine_messages: Mapping[str, Mapping[str, str]]
    inconsistent: tuple[int, ...]
    has_private: bool
    judgements: dict[Key, AnswerRecord]
    revealed: frozenset[str]
    remarks: list[RatingNote]
    is_recorded: bool
    drawn_test: DrawnTest | None = None

    @property
    def is_open(self) -> bool:
        return self.evaluation.state in OPEN

    @property
    def why_closed(self) -> str:
        """The sentence that says why the evaluation is closed; "" while it is open."""
        evaluation = self.evaluation
        return why_closed(
            evaluation.state, is_released=evaluation.state == LAPSED and bool(evaluation.released_reason)
        )

    @cached_property
    def drawn(self) -> dict[str, AccuracySample]:
        """The accuracy samples by metric, with the messages beyond their first size."""
        return {metric: self._draw(metric) for metric in MESSAGE_KINDS}

    def _draw(self, metric: str) -> AccuracySample:
        return draw_sample(
            self.evaluation.seed,
            self.machine_messages[metric],
            self.values.get(metric, {}),
            read_more_rule(self.rubric, metric),
            count_more(self.revealed)[metric],
        )

    @cached_property
    def samples(self) -> dict[str, tuple[int, ...]]:
        return {metric: sample.positions for metric, sample in self.drawn.items()}

    @cached_property
    def statements(self) -> tuple[str, ...]:
        """The sample of statements, whether or not they may be shown; empty without thoughts."""
        if not self.has_private:
            return ()
        game, rubric = self.evaluation.game, self.evaluation.measured.rubric_version
        return _draw_statements(
            (game.pk, game.content_sha256), (rubric.pk, rubric.sha256), self.evaluation.seed
        )

    @property
    def unsaid(self) -> dict[int, Unsaid]:
        """What was not said at each message; empty before its reveal."""
        game = self.evaluation.game
        return load_unsaid(game.pk, game.content_sha256) if self.visibility.thoughts else {}

    @cached_property
    def shown_test(self) -> ShownTest | None:
        """The blind test as the evaluator sees it; None without one."""
        if self.drawn_test is None:
            return None
        return build_shown_test(self.game, self.drawn_test, read_draw_rule(self.rubric))

    @cached_property
    def values(self) -> dict[str, dict[str, str]]:
        """The evaluator's values, kind -> subject -> value, without unset ones."""
        values: dict[str, dict[str, str]] = defaultdict(dict)
        for (kind, subject), judgement in self.judgements.items():
            if judgement.value:
                values[kind][subject] = judgement.value
        return values

    @cached_property
    def progress(self) -> Progress:
        read = self.rubric.parameters
        return Progress(
            reveal=self.evaluation.game.iteration.reveal,
            is_recorded=self.is_recorded,
            judgeable=self.judgeable,
            values=self.values,
            revealed=self.revealed,
            samples=self.samples,
            inconsistent=self.inconsistent,
            yes_needed=int(read["answers_yes_count"]),
            least_rating=Fraction(str(read["answers_yes_rating"])),
            drawn=self.drawn,
            has_private=self.has_private,
            statements=self.statements,
            is_role_open=self.has_private
            and any(line.is_open for line in self.own_lines([ROLE_CONSISTENCY])),
            is_test_over=self.is_test_over,
            may_skip_test=self.drawn_test is not None and self.drawn_test.needed > 0,
        )

    @property
    def is_test_over(self) -> bool:
        drawn = self.drawn_test
        return drawn is not None and drawn.answer_key.is_over(self.values.get(ATTRIBUTION, {}))

    @cached_property
    def visibility(self) -> Visibility:
        return compute_visibility(self.progress)

    @cached_property
    def own(self) -> Effective:
        """The effective values, computed from this evaluation alone."""
        number = self.evaluation.pk
        judged = [
            Judged(number, kind, subject, row.value)
            for (kind, subject), row in self.judgements.items()
            if kind != STATEMENT
        ]
        tests = {number: self.drawn_test.answer_key} if self.drawn_test else {}
        return find_effective_values(judged, {}, machine=self.machine, tests=tests, own=number)

    @cached_property
    def own_outcome(self) -> Outcome:
        paid = self.evaluation.game.paid_usd
        return compute_outcome(self.own, self.measurements, paid, self.rubric, self.own_samples)

    def own_lines(self, metrics: Collection[str]) -> list[OutcomeLine]:
        return compute_metric_lines(metrics, self.own, self.measurements, self.rubric, self.own_samples)

    @cached_property
    def own_samples(self) -> dict[str, set[str]]:
        return {metric: set(map(str, positions)) for metric, positions in self.samples.items()}

    def changed(self, judgement: AnswerRecord) -> "EvaluationState":
        """The state with that judgement. Samples of other metrics do not depend on it, so those known are kept."""
        key = judgement.kind, judgement.subject
        after = replace(self, judgements=self.judgements | {key: judgement})
        if known := self.__dict__.get("drawn"):
            own = {judgement.kind: after._draw(judgement.kind)} if judgement.kind in MESSAGE_KINDS else {}
            after.__dict__["drawn"] = known | own
        return after

    def shown(self, what: frozenset[str]) -> "EvaluationState":
        return replace(self, revealed=self.revealed | what) if what else self


def load_own_evaluation(person: Person, key: int) -> Evaluation | None:
    """The person's own evaluation with that key, as `visible_to` and `with_work` give it; None if there is none."""
    if key > LARGEST_KEY:
        return None
    found = _OWN[person.is_admin](person.pk, key)
    if not found:
        return None
    row = found[0]
    evaluation = build_part(Evaluation, WORK_COLUMNS, row, "")
    game = build_part(Game, WORK_COLUMNS, row, "game__")
    game.iteration = build_part(Iteration, WORK_COLUMNS, row, "game__iteration__")
    game.project = build_part(Project, WORK_COLUMNS, row, "game__project__")
    measured = build_part(Measured, WORK_COLUMNS, row, "measured__")
    measured.rubric_version = build_part(RubricVersion, WORK_COLUMNS, row, "measured__rubric_version__")
    evaluation.game, evaluation.measured, evaluation.evaluator = game, measured, person
    evaluation.slot = build_part(Slot, WORK_COLUMNS, row, "slot__")
    return evaluation


_OWN = prepare_by_rights(
    lambda person, key: Evaluation.objects.visible_to(person).filter(pk=key).values_list(*WORK_COLUMNS), int
)


def load_state(evaluation: Evaluation) -> EvaluationState:
    """Load one evaluation in at most two queries, besides what is cached.

    Fetch the evaluation through `with_work()`, or every related row costs one more query.
    """
    measured, game, version = evaluation.measured, evaluation.game, evaluation.measured.rubric_version
    keys = (
        (game.pk, game.content_sha256, load_measured_offset(measured)),
        (measured.pk, measured.findings_sha256),
        (version.pk, version.sha256),
    )
    judgeable, machine, machine_messages, inconsistent = _load_judgeable(*keys)
    saved: dict[int, list[Any]] = {_JUDGED: [], _REVEALED: [], _REMARKED: [], _PRIVATE: []}
    for part, *values in _list_saved(evaluation.pk):
        saved[part].append(values)
    drawn = load_drawn_test(evaluation, game) if evaluation.identification == TEST else None
    if drawn:
        judgeable = msgspec.structs.replace(judgeable, agents=drawn.agents, unseen_count=len(drawn.unseen))
    return EvaluationState(
        evaluation=evaluation,
        rubric=rubric_record(*keys[2]),
        game=game_record(*keys[0]),
        seen=_seen_game(*keys[0]),
        measurements=load_measurements(*keys[1]),
        judgeable=judgeable,
        machine=machine,
        machine_messages=machine_messages,
        inconsistent=inconsistent,
        has_private=bool(saved[_PRIVATE]),
        judgements={(row[1], row[2]): AnswerRecord(*row) for row in saved[_JUDGED]},
        revealed=frozenset(row[1] for row in saved[_REVEALED]),
        remarks=[RatingNote(*row[1:4]) for row in sorted(saved[_REMARKED])],
        is_recorded=evaluation.state == SUBMITTED and Verdict.objects.filter(game=game).exists(),
        drawn_test=drawn,
    )


def is_unchanged_since_return(evaluation: Evaluation) -> bool:
    """Whether a returned evaluation is as its lead returned it: no judgement that stays, no comment and no flag since.

    The audit line of the return says when that was, and the version then. Where it is missing, as in an imported
    project, the moment of the submission serves: nothing is judged between the two.
    """
    if not evaluation.is_returned or evaluation.submitted_at is None:
        return False
    lines = Event.objects.filter(chain__project=evaluation.game.project_id, object_id=str(evaluation.pk))
    moves = lines.filter(verb__in=("evaluation:returned", "evaluation:submitted"), object_kind="evaluation")
    last = moves.order_by("-seq").values_list("verb", "at", "detail").first()
    if last and last[0] == "evaluation:submitted":
        return False  # it was submitted again since, and reopened
    since = {"created_at__gte": last[1]} if last else {"created_at__gt": evaluation.submitted_at}
    if Remark.objects.filter(evaluation=evaluation, **since).exists():
        return False
    if last and msgspec.json.decode(last[2])["version"] == evaluation.version:
        return True
    looked = Reveal.objects.filter(evaluation=evaluation, what__startswith=SUGGESTIONS, **since)
    return not (Revision.objects.undoable(evaluation).filter(**since).exists() or looked.exists())


_JUDGED, _REVEALED, _REMARKED, _PRIVATE = range(4)


@prepared
def _list_saved(evaluation: int) -> "QuerySet[Any, Any]":
    """What the evaluator saved and revealed, and a private track: the part, and the columns of AnswerRecord."""
    remarks = Remark.objects.filter(evaluation=evaluation, resolved_at=None)
    tracks = PrivateTrack.objects.filter(game__evaluations=evaluation)
    zero, empty = Value(0), Value("")
    return select_part(
        _JUDGED, Judgement.objects.filter(evaluation=evaluation), *AnswerRecord.__struct_fields__
    ).union(
        select_part(
            _REVEALED, Reveal.objects.filter(evaluation=evaluation), zero, "what", *3 * [empty], zero, empty
        ),
        select_part(_REMARKED, remarks, "pk", "kind", "target", "text", empty, zero, empty),
        select_part(_PRIVATE, tracks, zero, *4 * [empty], zero, empty),
        all=True,
    )


@lru_cache(maxsize=32)
def _seen_game(game: int, content_sha256: str, round_offset: int) -> SeenGame:
    return conceal(game_record(game, content_sha256, round_offset))


@lru_cache(maxsize=64)
def _draw_statements(game: tuple[int, str], version: tuple[int, str], seed: str) -> tuple[str, ...]:
    thinking = {position for position, unsaid in load_unsaid(*game).items() if unsaid.thoughts}
    return draw_statements(
        game_record(*game), thinking, seed, read_sample_rule(rubric_record(*version).parameters)
    )


@lru_cache(maxsize=32)
def _load_judgeable(
    game: tuple[int, str, int], measured: tuple[int, str], version: tuple[int, str]
) -> tuple[JudgeableSubjects, dict[Key, str], Mapping[str, Mapping[str, str]], tuple[int, ...]]:
    rubric, measurements = rubric_record(*version), load_measurements(*measured)
    questions = len(rubric.criterion("engagement").guiding_questions)
    record = game_record(*game)
    judgeable = judgeable_subjects(record, measurements, rubric.parameters, questions)
    messages = {metric: METRICS[metric].machine_values(measurements[metric]) for metric in MESSAGE_KINDS}
    if not any(player.role for player in record.players):
        messages[ROLE_CONSISTENCY] = {}
    return judgeable, machine_values(measurements), messages, inconsistent_messages(measurements)
