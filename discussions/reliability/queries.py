"""What the statistics of a project's team are computed from, as records of the core, and where they are stored.

Blind answers are read in a fixed number of queries. Submitted evaluations are read in batches of games, four or five
queries each, so that a thousand games are never in memory together.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from sys import intern
from typing import Any

import msgspec
from django.db.models import Count, Exists, F, Max, OuterRef, Q, QuerySet
from msgspec import Struct

from discussions.adjudication.core.authorship_test import draw_test, read_draw_rule
from discussions.adjudication.core.effective import combine_tests, machine_values
from discussions.adjudication.core.judgeable import audit_sample, first_sampled, read_sample_rule
from discussions.core import judgement_kinds
from discussions.core.evaluation_states import SUBMITTED
from discussions.core.iteration_states import TEST
from discussions.core.outcome import DIVERSITY, ENGAGEMENT, Outcome
from discussions.core.records import GameRecord, Measurement
from discussions.metrics.core.registry import build_score, passes
from discussions.models import Evaluation, GameText, Judgement, MeasuredFindings, Reveal, TeamFigures, Verdict
from discussions.models.slots import REPEAT
from discussions.queries import rubric_record
from discussions.reliability.core import accuracy, agreement, blind_answers
from discussions.verdicts.core.basis import Basis
from discussions.verdicts.core.rule import check_identification, check_test
from discussions.verdicts.core.scoring import (
    JudgedVerdict,
    compute_effective_values,
    estimate_all,
    would_turn,
)
from rubric.core.records import RubricRecord
from workspace.core.canonical import canonical_hash
from workspace.models import Job, Project
from workspace.statistics.estimates import Agreement
from workspace.stored_statistics.queries import Present, StatisticsStore

COMPARED = (*blind_answers.PART_KINDS, *blind_answers.MARKS, judgement_kinds.QUESTION, judgement_kinds.RATING)
_CHUNK = 5_000


def agreement_figures(project: Project) -> agreement.EvaluatorAgreement:
    shared = query_submitted(project).filter(game__in=shared_games(project))
    counted = shared.aggregate(n=Count("pk"), games=Count("game", distinct=True))
    questions = _questions(project)
    first, twice = (
        read_answers(rows.filter(kind__in=COMPARED)) for rows in (_first(project), query_twice(project))
    )
    return agreement.EvaluatorAgreement(
        games=counted["games"],
        submitted=counted["n"],
        questions=questions,
        agreement=agreement.compute_agreement(first, len(questions)),
        own=agreement.compute_self_agreement(twice, len(questions)),
    )


def rating_agreement(project: Project) -> tuple[Agreement, int]:
    """The alpha of the rating now, and the number of games behind it."""
    answered = _read_ratings(project)
    return agreement.headline(answered), answered.shared_groups


def _read_ratings(project: Project) -> blind_answers.AnswerTable:
    answers = read_answers(_first(project).filter(kind=judgement_kinds.RATING))
    (answered,) = blind_answers.by_evaluators([blind_answers.AnswerKind(judgement_kinds.RATING)], answers)
    return answered


def answers_in_cell(
    project: Project, answer_kind: blind_answers.AnswerKind, row: str, column: str
) -> list[blind_answers.BlindAnswer]:
    """The first blind answers on that subject with one of two values."""
    rows = _first(project).filter(kind=answer_kind.kind, blind_value__in={row, column})
    return read_answers(rows.filter(subject=answer_kind.question) if answer_kind.question else rows)


def repeats(project: Project) -> "QuerySet[Evaluation]":
    """The submitted hidden duplicates of games that count in averages."""
    rows = Evaluation.objects.filter(game__project=project, game__withdrawn_at=None)
    return rows.filter(purpose=REPEAT, state=SUBMITTED)


def shared_games(project: Project) -> "QuerySet[Evaluation, int]":
    """The keys of games that two evaluators or more submitted."""
    counted = query_submitted(project).order_by().values("game").annotate(people=Count("pk"))
    return counted.filter(people__gt=1).values_list("game", flat=True)


def read_answers(rows: "QuerySet[Judgement]") -> list[blind_answers.BlindAnswer]:
    columns = ("evaluation__game_id", "evaluation_id", "evaluation__evaluator_id", "evaluation__purpose")
    blind = rows.exclude(blind_value="").values_list(*columns, "kind", "subject", "blind_value").order_by()
    # Rows repeat a few words; interned, the words take a third of the memory.
    return [
        blind_answers.BlindAnswer(game, evaluation, evaluator, *map(intern, words))
        for game, evaluation, evaluator, *words in blind.iterator(chunk_size=_CHUNK)
    ]


def _first(project: Project) -> "QuerySet[Judgement]":
    evaluations = query_submitted(project).filter(game__in=shared_games(project))
    return Judgement.objects.filter(evaluation__in=evaluations)


def query_twice(project: Project) -> "QuerySet[Judgement]":
    """The judgements, from both times, of games that the same person rated twice."""
    same = {"game": OuterRef("game"), "evaluator": OuterRef("evaluator")}
    first = query_submitted(project).filter(Exists(repeats(project).filter(**same)))
    again = repeats(project).filter(Exists(query_submitted(project).filter(**same)))
    return Judgement.objects.filter(
        Q(evaluation__in=first.values("pk")) | Q(evaluation__in=again.values("pk"))
    )


def _questions(project: Project) -> list[str]:
    """The questions of the newest rubric version with a submitted evaluation."""
    columns = ("measured__rubric_version", "measured__rubric_version__sha256")
    versions = (
        query_submitted(project).order_by().values(*columns).annotate(newest=Max("pk")).order_by("-newest")
    )
    newest = versions.values_list(*columns).first()
    return list(rubric_record(*newest).criterion("engagement").guiding_questions) if newest else []


MOST_GAMES = 100
MOST_MESSAGES = 20_000
MOST_RATED = 500

JUDGED = (
    judgement_kinds.REFERENCE,
    *judgement_kinds.MESSAGE_KINDS,
    judgement_kinds.PHRASE,
    judgement_kinds.IDENTIFY,
    judgement_kinds.ATTRIBUTION,
)


# One evaluation with what its figures need.
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


def query_submitted(project: Project) -> "QuerySet[Evaluation]":
    """The evaluations behind the statistics: submitted ratings of games that count in averages."""
    return Evaluation.objects.submitted_ratings().filter(game__project=project, game__withdrawn_at=None)


def accuracy_figures(project: Project) -> accuracy.AccuracyFigures:
    return accuracy.compute_accuracy(read_evaluated(project), read_turning(project))


def read_turning(project: Project) -> Iterator[tuple[accuracy.Version, dict[str, tuple[bool, bool]]]]:
    """Which metrics and verdicts people's estimates would flip, by recorded verdict, in two queries."""
    seeds = dict(query_submitted(project).values_list("pk", "seed"))
    columns = ("rubric_version_id", "rubric_version__sha256", "measured__code_version", "basis", "outcome")
    rows = query_recorded(project).values_list(*columns, "measured__findings__body")
    for version, sha256, code_version, basis_body, outcome_body, body in rows.iterator(chunk_size=MOST_GAMES):
        basis, measurements = _BASIS.decode(basis_body), _FINDINGS.decode(body)
        outcome = _OUTCOME.decode(outcome_body)
        found = compute_effective_values(basis, measurements)
        judged = JudgedVerdict(basis, measurements, rubric_record(version, sha256), outcome, found, seeds)
        lines = estimate_all(judged)
        turns = {line.key: (line.is_turned_by_people, would_turn(outcome, line.key)) for line in lines}
        yield (version, code_version), turns


def query_recorded(project: Project) -> "QuerySet[Verdict]":
    return Verdict.objects.not_superseded().filter(project=project, game__withdrawn_at=None).order_by("pk")


def read_evaluated(project: Project) -> Iterator[accuracy.SubmittedEvaluation]:
    """The submitted evaluations, the newest games first."""
    rows = query_submitted(project).order_by("-game__number", "pk").values_list(*_COLUMNS, named=True)
    for batch in _batches(rows):
        yield from _evaluated(batch)


def _batches(rows: Iterable[Any]) -> Iterator[list[Any]]:
    """Batches of evaluations that never split a game."""
    batch: list[Any] = []
    games = messages = 0
    for row in rows:
        if not batch or batch[-1].game_id != row.game_id:
            if batch and (games == MOST_GAMES or messages + row.game__message_count > MOST_MESSAGES):
                yield batch
                batch, games, messages = [], 0, 0
            games, messages = games + 1, messages + row.game__message_count
        batch.append(row)
    if batch:
        yield batch


def _evaluated(batch: list[Any]) -> Iterator[accuracy.SubmittedEvaluation]:
    keys = [row.pk for row in batch]
    bodies = MeasuredFindings.objects.filter(measured__in={row.measured_id for row in batch})
    versions = {row.measured_id: row for row in batch}
    automatic = {
        measured: _read_automatic_values(_FINDINGS.decode(body), _rubric(versions[measured]))
        for measured, body in bodies.values_list("measured_id", "body")
    }
    answers: dict[int, list[accuracy.SubmittedAnswer]] = defaultdict(list)
    judgements = Judgement.objects.filter(evaluation__in=keys, kind__in=JUDGED).order_by("pk")
    for evaluation, *values in judgements.values_list(
        "evaluation_id", *accuracy.SubmittedAnswer.__struct_fields__
    ):
        answers[evaluation].append(accuracy.SubmittedAnswer(*values))
    revealed: dict[int, set[str]] = defaultdict(set)
    for evaluation, what in Reveal.objects.filter(evaluation__in=keys).values_list("evaluation_id", "what"):
        revealed[evaluation].add(what)
    tested = {row.game_id for row in batch if row.identification == TEST}
    texts = {game: text for game, _number, text in game_texts(game__in=tested)}
    for row in batch:
        rule = read_sample_rule(_rubric(row).parameters)
        yield accuracy.SubmittedEvaluation(
            game=row.game__number,
            evaluator=row.evaluator_id,
            evaluation=row.pk,
            rubric_version=row.measured__rubric_version_id,
            code_version=row.measured__code_version,
            automatic=automatic[row.measured_id],
            samples={
                metric: frozenset(audit_sample(row.seed, metric, row.game__message_count, rule))
                for metric in judgement_kinds.MESSAGE_KINDS
            },
            drawn_from={
                metric: row.game__message_count + 1 - first_sampled(row.seed, metric)
                for metric in judgement_kinds.MESSAGE_KINDS
            },
            answers=answers[row.pk],
            revealed=frozenset(revealed[row.pk]),
            identified=_identified(row, answers[row.pk], texts.get(row.game_id)),
        )


def _rubric(row: Any) -> RubricRecord:
    return rubric_record(row.measured__rubric_version_id, row.measured__rubric_version__sha256)


def _read_automatic_values(
    measurements: dict[str, Measurement], rubric: RubricRecord
) -> accuracy.AutomaticValues:
    threshold = rubric.criterion(DIVERSITY).threshold
    judged = {key: measurements[key] for key in measurements if key in judgement_kinds.MESSAGE_KINDS}
    return accuracy.AutomaticValues(
        values=machine_values(judged),
        references={
            reference.subject: (reference.is_counted, reference.check)
            for reference in measurements["memory_accuracy"].references
        },
        phrases={phrase.subject: phrase.messages[0] for phrase in measurements["anti_repetition"].phrases},
        passes=None if threshold is None else passes(build_score(measurements[DIVERSITY]), threshold),
    )


def _identified(
    row: Any, answers: list[accuracy.SubmittedAnswer], text: GameRecord | None
) -> tuple[bool, bool] | None:
    """The result of the evaluator's blind manual check: (is the authorship test, passes); None without one."""
    kind = judgement_kinds.IDENTIFY if text is None else judgement_kinds.ATTRIBUTION
    blind = {answer.subject: answer.blind_value for answer in answers if answer.kind == kind}
    if text is not None:
        drawn = draw_test(text, row.seed, read_draw_rule(_rubric(row)))
        keys = {row.pk: drawn.answer_key} if drawn else {}
        test = combine_tests(keys, lambda _evaluation, place: blind.get(str(place), ""))
        return (True, check_test(test, decides=False).passes) if test else None
    values = [value for value in blind.values() if value]
    counts = (values.count(judgement_kinds.YES), len(values)) if values else None
    check = check_identification(counts, _rubric(row), decides=False)
    return (False, check.passes) if check else None


def game_texts(**games: Any) -> Iterator[tuple[int, int, GameRecord]]:
    """Key, number and text of these games, in one query; the keywords are a filter of `GameText`."""
    for game, number, body in GameText.objects.filter(**games).values_list("game_id", "game__number", "body"):
        yield game, number, _GAME.decode(body)


class _Prompt(Struct):
    prompt: str | None = None


def engagement_figures(project: Project) -> blind_answers.EngagementFigures:
    """The newest 500 rated games with a verdict; four queries."""
    _icc, panel = agreement.compute_correlations(_read_ratings(project))
    return blind_answers.compute_engagement(_read_rated(project), panel.value if panel else None)


def _read_rated(project: Project) -> list[blind_answers.RatedGame]:
    # As in the history, a verdict from before its iteration was moved to a newer rubric version does not count.
    current = query_recorded(project).filter(rubric_version=F("game__iteration__rubric_version"))
    columns = ("game_id", "game__number", "game__iteration__number", "game__iteration__stage", "outcome")
    rows = list(current.order_by("-game__number").values_list(*columns)[:MOST_RATED])
    unsorted = [game for game, _number, _iteration, stage, _outcome in rows if stage is None]
    texts = GameText.objects.filter(game__in=unsorted).values_list("game_id", "body")
    prompts = {game: _PROMPT.decode(body).prompt for game, body in texts.iterator(chunk_size=MOST_GAMES)}
    found = []
    for game, number, iteration, stage, body in rows:
        lines = {line.key: line for line in _OUTCOME.decode(body).lines}
        rating = lines.pop(ENGAGEMENT, None)
        if rating is not None and rating.score is not None:
            known = lines.items()
            scores = {key: line.score for key, line in known if line.is_applicable and line.score is not None}
            is_pass, limit = all(line.passes for line in lines.values()), rating.threshold
            named, prompt = (None, prompts.get(game) or None) if stage is None else (iteration, iteration)
            found.append(blind_answers.RatedGame(number, prompt, named, scores, rating.score, is_pass, limit))
    return found


_BASIS: Any = msgspec.json.Decoder(Basis)
_OUTCOME: Any = msgspec.json.Decoder(Outcome)
_FINDINGS: Any = msgspec.json.Decoder(dict[str, Measurement])
_GAME: Any = msgspec.json.Decoder(GameRecord)
_PROMPT: Any = msgspec.json.Decoder(_Prompt)
FIGURE_TEAM = "figure_team"


# What computes each kind, in the order of computation. Each has a page of the same name under the project's team.
KINDS: dict[str, Callable[[Project], Struct]] = {"accuracy": accuracy_figures, "agreement": agreement_figures}


class _TeamStore(StatisticsStore[Project]):
    row_model, owner_name, subject_name = TeamFigures, "project", "project"
    job_kind, kinds = FIGURE_TEAM, tuple(KINDS)

    def load(self, key: int) -> Project:
        return Project.objects.get(pk=key)

    def project(self, owner: Project) -> Project:
        return owner

    def inputs(self, owner: Project) -> Present:
        """Three queries. An evaluation's version counts its changes; evaluations of withdrawn games are left out."""
        columns = ("pk", "version", "measured_id", "game_id")
        submitted = [list(values) for values in query_submitted(owner).order_by("pk").values_list(*columns)]
        again = [list(values) for values in repeats(owner).order_by("pk").values_list(*columns)]
        recorded = list(query_recorded(owner).values_list("pk", flat=True))
        base = canonical_hash(submitted)
        content: dict[str, list[object]] = {
            "accuracy": [accuracy.CODE_VERSION, base, recorded],
            "agreement": [agreement.CODE_VERSION, canonical_hash([base, again])],
        }
        hashes = {kind: canonical_hash([kind, *values]) for kind, values in content.items()}
        return Present(hashes, len(submitted))

    def read(self, owner: Project, kind: str) -> Callable[[], Struct]:
        figures = KINDS[kind](owner)
        return lambda: figures

    def count(self, row: TeamFigures) -> int:
        return row.evaluation_count

    def columns(self, count: int, job: Job) -> dict[str, Any]:
        return {"evaluation_count": count, "job": job}


TEAM_STATISTICS = _TeamStore()
