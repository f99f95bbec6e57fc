"""Every evaluation of a project that was handed in, beside what the machine found: rows in, records of the core out.

Read in batches of games, four or five queries each, so that a thousand games never lie in memory together.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import msgspec
from django.db.models import QuerySet

from discussions.core import kinds
from discussions.core.effective import machine_values
from discussions.core.evaluated import Evaluated, Found, Said
from discussions.core.grounds import subject_of
from discussions.core.identification import Asked, deal, result_of
from discussions.core.metrics import passes, score_of
from discussions.core.moves import SUBMITTED
from discussions.core.outcome import DIVERSITY
from discussions.core.records import GameRecord, Measurement
from discussions.core.sampled_accuracy import AccuracyFigures, accuracy_of
from discussions.core.samples import audit_sample, rule_of
from discussions.core.verdict import check_of, check_of_test
from discussions.models.evaluations import Evaluation, Judgement, Reveal
from discussions.models.games import GameText
from discussions.models.iterations import TEST
from discussions.models.measurements import MeasuredFindings
from discussions.models.slots import RATING
from discussions.models.standings import rubric_record
from rubric.core.records import RubricRecord
from workspace.models import Project

MOST_GAMES = 100
MOST_MESSAGES = 20_000
JUDGED = (
    kinds.REFERENCE,
    *kinds.OF_A_MESSAGE,
    kinds.PHRASE,
    kinds.IDENTIFY,
    kinds.ATTRIBUTION,
)


class Row(NamedTuple):
    """One evaluation with the columns that its figures need."""

    evaluation: int
    game: int
    number: int
    message_count: int
    evaluator: int
    seed: str
    identification: str
    measured: int
    code_version: str
    version: int
    sha256: str

    @property
    def rubric(self) -> RubricRecord:
        """What the rubric version says that it was measured under."""
        return rubric_record(self.version, self.sha256)


_COLUMNS = (
    "pk",
    "game_id",
    "game__number",
    "game__message_count",
    "evaluator_id",
    "seed",
    "identification",
    "measured_id",
    "measured__code_version",
    "measured__rubric_version_id",
    "measured__rubric_version__sha256",
)


def handed_in(project: Project) -> "QuerySet[Evaluation]":
    """The evaluations that a team's figures rest on: of rating, submitted, of games that count in averages."""
    rows = Evaluation.objects.filter(game__project=project, game__withdrawn_at=None)
    return rows.filter(purpose=RATING, state=SUBMITTED)


def accuracy_figures(project: Project) -> AccuracyFigures:
    """How far the machine's findings are right, on all that was handed in."""
    return accuracy_of(read_evaluated(project))


def read_evaluated(project: Project) -> Iterator[Evaluated]:
    """Everything handed in, the newest games first."""
    rows = handed_in(project).order_by("-game__number", "pk").values_list(*_COLUMNS)
    for batch in _batches(Row(*values) for values in rows):
        yield from _evaluated(batch)


def _batches(rows: Iterable[Row]) -> Iterator[list[Row]]:
    """Runs of evaluations of whole games."""
    batch: list[Row] = []
    games = messages = 0
    for row in rows:
        if not batch or batch[-1].game != row.game:
            if batch and (games == MOST_GAMES or messages + row.message_count > MOST_MESSAGES):
                yield batch
                batch, games, messages = [], 0, 0
            games, messages = games + 1, messages + row.message_count
        batch.append(row)
    if batch:
        yield batch


def _evaluated(batch: list[Row]) -> Iterator[Evaluated]:
    keys = [row.evaluation for row in batch]
    bodies = MeasuredFindings.objects.filter(measured__in={row.measured for row in batch})
    versions = {row.measured: row for row in batch}
    found = {
        measured: _found(_FINDINGS.decode(body), versions[measured].rubric)
        for measured, body in bodies.values_list("measured_id", "body")
    }
    said: dict[int, list[Said]] = defaultdict(list)
    judgements = Judgement.objects.filter(evaluation__in=keys, kind__in=JUDGED).order_by("pk")
    for evaluation, *values in judgements.values_list("evaluation_id", *Said.__struct_fields__):
        said[evaluation].append(Said(*values))
    revealed: dict[int, set[str]] = defaultdict(set)
    for evaluation, what in Reveal.objects.filter(evaluation__in=keys).values_list("evaluation_id", "what"):
        revealed[evaluation].add(what)
    texts = _texts({row.game for row in batch if row.identification == TEST})
    for row in batch:
        yield Evaluated(
            game=row.number,
            evaluator=row.evaluator,
            evaluation=row.evaluation,
            rubric_version=row.version,
            code_version=row.code_version,
            message_count=row.message_count,
            found=found[row.measured],
            samples=_samples(row),
            said=said[row.evaluation],
            revealed=frozenset(revealed[row.evaluation]),
            identified=_identified(row, said[row.evaluation], texts.get(row.game)),
        )


def _samples(row: Row) -> dict[str, frozenset[int]]:
    rule = rule_of(row.rubric.parameters)
    return {
        metric: frozenset(audit_sample(row.seed, metric, row.message_count, rule))
        for metric in kinds.OF_A_MESSAGE
    }


def _found(measurements: dict[str, Measurement], rubric: RubricRecord) -> Found:
    threshold = rubric.criterion(DIVERSITY).threshold
    return Found(
        values=machine_values({key: one for key, one in measurements.items() if key in kinds.OF_A_MESSAGE}),
        references={
            subject_of(one): (one.is_counted, one.check) for one in measurements["memory_accuracy"].references
        },
        phrases={
            f"{one.player}|{one.phrase}": one.messages[0] for one in measurements["anti_repetition"].phrases
        },
        passes=None if threshold is None else passes(score_of(measurements[DIVERSITY]), threshold),
    )


def _identified(row: Row, said: list[Said], text: GameRecord | None) -> tuple[bool, bool] | None:
    """What the evaluator's own manual check came to, as it was answered blind: (the test, passes); None without any."""
    if text is not None:
        read = row.rubric.parameters
        dealt = deal(
            text,
            seed=row.seed,
            least=int(read["identification_min_messages"]),
            most=int(read["identification_max_messages"]),
            ambiguous=frozenset(row.rubric.lists["ambiguous_names"]),
        )
        given = {each.subject: each.blind_value for each in said if each.kind == kinds.ATTRIBUTION}
        asked = {row.evaluation: Asked(dealt.authors, len(dealt.agents))} if dealt else {}
        test = result_of(asked, lambda _evaluation, place: given.get(str(place), ""))
        return (True, check_of_test(test, decides=False).passes) if test else None
    answers = [each.blind_value for each in said if each.kind == kinds.IDENTIFY and each.blind_value]
    check = check_of((answers.count(kinds.YES), len(answers)) if answers else None, row.rubric, decides=False)
    return (False, check.passes) if check else None


def _texts(games: set[int]) -> dict[int, GameRecord]:
    if not games:
        return {}
    rows = GameText.objects.filter(game__in=games).values_list("game_id", "body")
    return {game: _GAME.decode(body) for game, body in rows}


_FINDINGS: Any = msgspec.json.Decoder(dict[str, Measurement])
_GAME: Any = msgspec.json.Decoder(GameRecord)
