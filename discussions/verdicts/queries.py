"""The current basis and outcome of a game, in a fixed number of queries; games and imports that wait for a lead."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

import msgspec
from django.db.models import Count, Exists, F, OuterRef, QuerySet, Subquery, Value
from msgspec import Struct

from discussions.adjudication.core.authorship_test import DrawnTest
from discussions.adjudication.core.effective import AdjudicatedAnswer, Effective, JudgeAnswers
from discussions.adjudication.core.judgeable import SUGGESTIONS, list_unasked
from discussions.adjudication.queries import load_drawn_test
from discussions.core.evaluation_states import SUBMITTED
from discussions.core.iteration_states import TEST
from discussions.core.judgement_kinds import SENTENCE_KINDS, parse_subject
from discussions.core.outcome import MEMORY, Outcome, OutcomeLine
from discussions.metrics.core.parameters import divides_by_judge, list_sides, scores_by_people
from discussions.metrics.core.registry import METRICS
from discussions.models import (
    Adjudication,
    Evaluation,
    Game,
    JudgeAnswer,
    Judgement,
    JudgeReply,
    Measured,
    Remark,
    Reveal,
    Slot,
    Transcript,
    Verdict,
)
from discussions.models.games import NEEDED_OF_GAME
from discussions.models.queue_rules import IGNORE, load_rating_rule
from discussions.models.slots import RATING
from discussions.queries import game_record, load_measurements, newest_measured, rubric_record
from discussions.verdicts.core.basis import (
    BY_HAND,
    FORMAT,
    FROM_TRANSCRIPT,
    WITH_JUDGES,
    WITH_SEEDS,
    Basis,
    BasisCost,
    BasisEvaluation,
    BasisJudgement,
    BasisMeasured,
    BasisTest,
    BasisVersion,
)
from discussions.verdicts.core.next_game import NextGame, PlayedGame, predict_next_games
from discussions.verdicts.core.people_estimate import POSITIVE
from discussions.verdicts.core.scoring import (
    JudgedVerdict,
    Samples,
    compute_basis_outcome,
    compute_effective_values,
    draw_samples,
    estimate_all,
)
from rubric.core.records import RubricRecord
from rubric.models import RubricVersion
from rubric.models.reviews import FETCHED
from workspace.core.canonical import bytes_hash, canonical_bytes
from workspace.database.prepared_queries import prepared
from workspace.database.unions import select_part


class Preview(Struct, frozen=True):
    basis: Basis
    basis_sha256: str
    outcome: Outcome
    found: Effective
    samples: Samples

    @property
    def has_ties(self) -> bool:
        return bool(self.found.ties)

    @property
    def is_complete(self) -> bool:
        enough = len(self.basis.evaluations) >= self.basis.evaluator_count
        return enough and not self.has_ties and not self.outcome.missing and not self.outcome.open


def load_verdict_preview(game: Game) -> Preview | None:
    """The verdict of the submitted evaluations; None while the game is not measured."""
    basis = load_basis(game)
    if basis is None:
        return None
    version, measured = basis.rubric_version, basis.measured
    measurements = load_measurements(measured.id, measured.findings_sha256)
    found = compute_effective_values(basis, measurements)
    rubric = rubric_record(version.id, version.sha256)
    samples = draw_samples(basis, measurements, rubric)
    outcome = compute_basis_outcome(basis, measurements, rubric, found, samples)
    return Preview(basis, bytes_hash(canonical_bytes(basis)), outcome, found, samples)


def count_unasked_suggestions(basis: Basis) -> int:
    """How many suggested references none of the basis's evaluators looked at, and no lead decided on.

    0 without evaluations. One query, none for a game without suggestions.
    """
    found = load_measurements(basis.measured.id, basis.measured.findings_sha256)[MEMORY].references
    possible = [reference.subject for reference in found if not reference.is_counted]
    keys = [evaluation.id for evaluation in basis.evaluations]
    if not possible or not keys:
        return 0
    judged = {said.subject for said in basis.judgements if said.kind in SENTENCE_KINDS and said.value}
    judged |= {decision.subject for decision in basis.adjudications if decision.kind in SENTENCE_KINDS}
    looked_at = Reveal.objects.filter(evaluation__in=keys, what__startswith=SUGGESTIONS)
    return len(list_unasked(possible, judged, looked_at.values_list("what", flat=True)))


def load_people_estimates(preview: Preview) -> list[OutcomeLine]:
    basis = preview.basis
    keys = [evaluation.id for evaluation in basis.evaluations if not evaluation.seed]
    return estimate_all(
        JudgedVerdict(
            basis=basis,
            measurements=load_measurements(basis.measured.id, basis.measured.findings_sha256),
            rubric=rubric_record(basis.rubric_version.id, basis.rubric_version.sha256),
            outcome=preview.outcome,
            found=preview.found,
            seeds=load_seeds(keys),
        )
    )


def load_seeds(evaluations: list[int]) -> dict[int, str]:
    return (
        dict(Evaluation.objects.filter(pk__in=evaluations).values_list("pk", "seed")) if evaluations else {}
    )


MOST_PLAYED = 500


class _RecordedLine(Struct):
    key: str
    numerator: int
    denominator: int
    is_applicable: bool = True


class _PlayedVerdict(Struct):
    lines: list[_RecordedLine]


_RECORDED: Any = msgspec.json.Decoder(_PlayedVerdict)


def load_next_games(game: Game, outcome: Outcome) -> dict[str, NextGame]:
    """Metric -> where another game under the same prompt would score; one query of the newest 500 verdicts.

    Games whose prompt was not kept form one batch per iteration. Unsorted games have no known prompt.
    """
    rows = _played(game.project_id, game.iteration.rubric_version_id)
    played = [
        PlayedGame(key, prompt or f"iteration {iteration}", _read_scores(recorded))
        for key, iteration, prompt, recorded in rows
    ]
    own = game.iteration.prompt_sha256 or f"iteration {game.iteration_id}"
    return predict_next_games(outcome.lines, game.pk, "" if game.iteration.is_unsorted else own, played)


@prepared
def _played(project: int, version: int) -> "QuerySet[Verdict, Any]":
    verdicts = Verdict.objects.filter(
        project=project,
        rubric_version=version,
        game__withdrawn_at=None,
        game__iteration__stage__isnull=False,
    ).not_superseded()
    columns = ("game_id", "game__iteration_id", "game__iteration__prompt_sha256", "outcome")
    return verdicts.order_by("-pk").values_list(*columns)[:MOST_PLAYED]


def _read_scores(outcome: str) -> dict[str, Fraction]:
    return {
        line.key: METRICS[line.key].scale.value(line.numerator, line.denominator)
        for line in _RECORDED.decode(outcome).lines
        if line.is_applicable and line.denominator and line.key in METRICS
    }


def load_basis(game: Game) -> Basis | None:
    """The current basis; None while the game is not measured under its iteration's rubric version.

    It contains submitted evaluations, their judgements and the adjudications. Fetch the game with its iteration,
    rubric version and transcript, or each costs a query.
    """
    measured = newest_measured(game)
    if measured is None:
        return None
    (basis,) = load_bases(
        [(game, measured, measured.by_hand, measured.verdict)],  # type: ignore[attr-defined]
        lambda tested: [load_drawn_test(evaluation, game) for evaluation in tested],
    )
    return basis


def load_bases(
    games: Sequence[tuple[Game, Measured, Decimal | None, int | None]],
    draw_tests: Callable[[list[Evaluation]], list[DrawnTest | None]],
    *,
    draft: RubricRecord | None = None,
) -> list[Basis]:
    """The basis of each game with its measurement, the cost entered by hand and the current verdict; one query.

    A basis has the seeds of its evaluations, and what judges said, if its version or the `draft` needs them.
    """
    keys = [game.id for game, *_others in games]
    seeded = {game.id for game, *_others in games if _needs(scores_by_people, game, draft)}
    judges = load_judge_answers([game.id for game, *_ in games if _needs(divides_by_judge, game, draft)])
    rated, judgements, adjudications = _load_parts(keys)
    evaluations = _build_evaluations(rated, seeded)
    tests = _draw_by_game(rated, draw_tests)
    return [
        Basis(
            format=WITH_JUDGES if game.id in judges else WITH_SEEDS if game.id in seeded else FORMAT,
            game=game.id,
            game_sha256=game.content_sha256,
            transcript=game.transcript_id,
            transcript_sha256=game.transcript.sha256,
            rubric_version=_find_version(game),
            measured=BasisMeasured(
                measured.id, measured.code_version, measured.input_hash, measured.findings_sha256
            ),
            cost=_build_cost(game.cost_usd, by_hand),
            evaluator_count=game.evaluator_count,
            evaluations=evaluations[game.id],
            judgements=judgements[game.id],
            adjudications=adjudications[game.id],
            supersedes=supersedes,
            tests=tests[game.id],
            judges=judges.get(game.id, []),
        )
        for game, measured, by_hand, supersedes in games
    ]


def _find_version(game: Game) -> BasisVersion:
    return BasisVersion(game.iteration.rubric_version_id, game.iteration.rubric_version.sha256)


def load_judge_answers(games: Collection[int]) -> dict[int, list[JudgeAnswers]]:
    """Game -> what admitted judges say of its messages, each of those whose speaker's side it is admitted for.

    Answers that somebody brought in after the first evaluation of their game was submitted may have been chosen by it:
    they do not count.
    """
    if not games:
        return {}
    first = (
        Evaluation.objects.submitted_ratings().filter(game=OuterRef("prompt__game")).order_by("submitted_at")
    )
    too_late = JudgeReply.objects.exclude(source=FETCHED).filter(
        prompt=OuterRef("prompt"), created_at__gt=Subquery(first.values("submitted_at")[:1])
    )
    judge, admission = "prompt__judge", "prompt__judge__admissions"
    rows = JudgeAnswer.objects.filter(
        ~Exists(too_late),
        prompt__game__in=games,
        prompt__kind__in=POSITIVE,
        prompt__purpose=RATING,
        **{f"{judge}__suspended_at": None, f"{judge}__ended_at": None},
        **{f"{admission}__ended_at": None, f"{admission}__metric": F("prompt__kind")},
    ).exclude(value="")
    columns = (f"{admission}__pk", f"{admission}__side", "subject", "value")
    about = ("prompt__kind", judge, f"{judge}__identity", f"{judge}__number", f"{judge}__name")
    said: dict[int, list[tuple[Any, ...]]] = {game: [] for game in games}
    for game, *row in rows.order_by("pk").values_list("prompt__game", *about, *columns):
        said[game].append(tuple(row))
    asked = Game.objects.filter(pk__in=[game for game, found in said.items() if found])
    texts = {game.pk: game for game in asked.select_related("iteration__rubric_version")}
    return {game: _join_answers(found, texts[game]) if found else [] for game, found in said.items()}


def _join_answers(rows: Sequence[tuple[Any, ...]], game: Game) -> list[JudgeAnswers]:
    """By metric and judge; the newest answer on each message counts."""
    version = game.iteration.rubric_version
    role_map = rubric_record(version.pk, version.sha256).lists["role_map"]
    sides = list_sides(game_record(game.pk, game.content_sha256), role_map)
    answers: dict[tuple[Any, ...], dict[str, str]] = defaultdict(dict)
    admissions: dict[tuple[Any, ...], set[int]] = defaultdict(set)
    for *about, admission, side, subject, value in rows:
        if sides[parse_subject(subject)[0] - 1] == side:
            answers[tuple(about)][subject] = value
            admissions[tuple(about)].add(admission)
    return [
        JudgeAnswers(judge, identity, number, name, metric, sorted(admissions[about]), answers[about])
        for about in sorted(answers)
        for metric, judge, identity, number, name in [about]
    ]


def _build_evaluations(
    rated: Iterable[Evaluation], seeded: Collection[int]
) -> Mapping[int, list[BasisEvaluation]]:
    """The evaluations of each game; where it is in `seeded`, with seeds and further batches that were asked for."""
    with_seeds = [row.pk for row in rated if row.game_id in seeded]
    more: dict[int, Counter[str]] = defaultdict(Counter)
    if with_seeds:
        asked = Reveal.objects.filter(evaluation__in=with_seeds, what__startswith="more:")
        for evaluation, what in asked.values_list("evaluation", "what"):
            more[evaluation][what.split(":")[1]] += 1
    evaluations: dict[int, list[BasisEvaluation]] = defaultdict(list)
    for row in rated:
        extra = (row.seed, dict(more[row.pk])) if row.game_id in seeded else ()
        evaluations[row.game_id].append(BasisEvaluation(row.id, row.evaluator_id, *extra))
    return evaluations


def _needs(what: Callable[[Mapping[str, Any]], bool], game: Game, draft: RubricRecord | None) -> bool:
    """Whether the game's version or the draft does `what`."""
    version = game.iteration.rubric_version
    return what(rubric_record(version.pk, version.sha256).parameters) or bool(
        draft and what(draft.parameters)
    )


def _draw_by_game(
    evaluations: list[Evaluation], draw_tests: Callable[[list[Evaluation]], list[DrawnTest | None]]
) -> dict[int, list[BasisTest]]:
    tests: dict[int, list[BasisTest]] = defaultdict(list)
    tested = [evaluation for evaluation in evaluations if evaluation.identification == TEST]
    for evaluation, drawn in zip(tested, draw_tests(tested), strict=True):
        if drawn is not None:
            key = drawn.answer_key
            test = BasisTest(evaluation.id, key.agents, list(drawn.unseen), list(key.authors), key.needed)
            tests[evaluation.game_id].append(test)
    return tests


def _load_parts(
    games: list[int],
) -> tuple[list[Evaluation], Mapping[int, list[BasisJudgement]], Mapping[int, list[AdjudicatedAnswer]]]:
    """The submitted evaluations, and by game their judgements and what leads decided."""
    rated: list[Evaluation] = []
    judgements: dict[int, list[BasisJudgement]] = defaultdict(list)
    adjudications: dict[int, list[AdjudicatedAnswer]] = defaultdict(list)
    for part, key, game, *values in sorted(_list_parts(games)):
        if part == _RATED:
            rated.append(_build_evaluation(key, game, *values))
        elif part == _JUDGED:
            judgements[game].append(BasisJudgement(key, *values))
        else:
            adjudications[game].append(AdjudicatedAnswer(key, *values[1:4]))
    return rated, judgements, adjudications


_RATED, _JUDGED, _ADJUDICATED = range(3)


# Every page of a game asks this.
@prepared
def _list_parts(games: list[int]) -> "QuerySet[Any, Any]":
    """Submitted evaluations of games, their judgements, what leads decided: the part, key, game, and columns."""
    version, zero, empty = "measured__rubric_version", Value(0), Value("")
    rated = Evaluation.objects.submitted_ratings().filter(game__in=games)
    judged = Judgement.objects.counting().filter(evaluation__in=rated)
    decided = Adjudication.objects.not_superseded().filter(game__in=games)
    seed = ("seed", "identification", f"{version}__sha256")
    return select_part(_RATED, rated, "pk", "game", "evaluator", *seed, empty, version).union(
        select_part(_JUDGED, judged, "pk", "evaluation__game", *BasisJudgement.__struct_fields__[1:]),
        select_part(_ADJUDICATED, decided, "pk", "game", zero, "kind", "subject", "value", empty, zero),
        all=True,
    )


def _build_evaluation(
    key: int, game: int, evaluator: int, seed: str, identification: str, sha256: str, _text: str, version: int
) -> Evaluation:
    row = Evaluation(pk=key, game_id=game, evaluator_id=evaluator, seed=seed, identification=identification)
    row.measured = Measured(rubric_version=RubricVersion(pk=version, sha256=sha256))
    return row


def _build_cost(reported: Decimal | None, by_hand: Decimal | None) -> BasisCost:
    """The cost with its source; a manual cost replaces the reported one."""
    total, source = (reported, FROM_TRANSCRIPT) if by_hand is None else (by_hand, BY_HAND)
    return BasisCost(None if total is None else total.quantize(Decimal("0.000001")), source)


def rests_on(evaluation: Evaluation, **only: Any) -> bool:
    """Whether a current verdict was recorded with this evaluation; `only` narrows the verdicts."""
    rows = Verdict.objects.filter(game=evaluation.game_id, **only).not_superseded()
    named = [
        msgspec.json.decode(basis, type=Basis).evaluations for basis in rows.values_list("basis", flat=True)
    ]
    return any(basis_evaluation.id == evaluation.pk for group in named for basis_evaluation in group)


def load_open_flags(game: Game) -> list[Remark]:
    """The open flags of evaluations that the game's verdict rests on, oldest first; none if they are ignored."""
    rows = Remark.objects.filter(kind="flag", resolved_at=None, evaluation__game=game)
    flags = list(rows.filter(evaluation__purpose=RATING, evaluation__state=SUBMITTED).order_by("pk"))
    return flags if flags and load_rating_rule(game.project_id).flags != IGNORE else []


def complete_games(project: Any) -> "QuerySet[Any, Any]":
    """Games with enough submitted evaluations and without a verdict under their version, in the order of import.

    A row for each game, with `game`, `game__number` and `game__iteration`. The query uses the index of waiting slots,
    so its time does not grow with finished games. Evaluations submitted after the verdict do not count.
    """
    present = Verdict.objects.filter(
        game=OuterRef("game"), rubric_version=OuterRef("game__iteration__rubric_version")
    )
    submitted = Slot.objects.filter(
        ~Exists(present),
        project=project,
        awaiting_since__isnull=False,
        game__withdrawn_at=None,
    )
    games = submitted.order_by("game").values(
        "game", "game__number", "game__iteration", needed=NEEDED_OF_GAME
    )
    return games.annotate(done=Count("pk")).filter(done__gte=F("needed"))


def list_complete_games(
    project: Any, *, iteration: Any = None, after: int = 0, most: int
) -> list[tuple[int, int]]:
    """Key and number of at most `most` complete games, in order of import, of one iteration if it is given."""
    games = complete_games(project).filter(game__gt=after)
    if iteration is not None:
        games = games.filter(game__iteration=iteration)
    return list(games.values_list("game", "game__number")[:most])


def complete_alone(project: Any, person: Any) -> "QuerySet[Any, Any]":
    return complete_games(project).filter(evaluator=person, needed=1)


def faulty_transcripts(project: Any) -> "QuerySet[Transcript]":
    """Imports with faults that nobody has marked as seen and no later upload has corrected, newest first."""
    rows = Transcript.objects.filter(project=project, fault_count__gt=0, dismissal=None)
    return rows.order_by("-pk")
