"""The report on one game with a recorded verdict, as a record that the page and its files are made of."""

from collections import defaultdict

import msgspec
from msgspec.structs import replace

from discussions.adjudication.core.disagreements import AdjudicationRecord
from discussions.adjudication.core.effective import Key, machine_values
from discussions.adjudication.queries import load_adjudication_history
from discussions.core.judgement_kinds import QUESTION, RATING
from discussions.core.outcome import ENGAGEMENT, MEMORY, Outcome, OutcomeLine
from discussions.models import Evaluation, Game, Remark, Revision, Verdict
from discussions.queries import load_measurements, rubric_record
from discussions.verdicts.core.basis import Basis
from discussions.verdicts.core.next_game import NextGame
from discussions.verdicts.core.report import (
    AdjudicationStep,
    FigureRow,
    Override,
    RatedBy,
    Report,
    list_overrides,
    make_sort_key,
)
from discussions.verdicts.core.rule import read_outcome
from discussions.verdicts.pages.lines import (
    NONE,
    NextGames,
    SubjectWords,
    describe_next,
    describe_next_basis,
    describe_target,
    describe_unasked,
    figure_row,
    verdict_turns,
)
from discussions.verdicts.pages.verdict import cost_says
from discussions.verdicts.queries import count_unasked_suggestions, load_next_games
from rubric.models import RubricVersion
from workspace.models import Person


def build_report(*, game: Game, only: Person | None = None) -> Report | None:
    """The report on the current verdict, or None; with `only`, it has no other person's judgements."""
    rows = Verdict.objects.filter(game=game).not_superseded()
    verdict = rows.select_related("created_by", "rubric_version__rubric").first()
    if verdict is None:
        return None
    basis, outcome = msgspec.json.decode(verdict.basis, type=Basis), read_outcome(verdict.outcome)
    evaluations = _load_evaluations(basis)
    own = [evaluation for evaluation in evaluations if only is None or evaluation.evaluator_id == only.pk]
    # Evaluators must not know about other games, nor, from adjudications, what others said.
    next_games, judged = NONE if only else load_next_games(game, outcome), SubjectWords(game)
    return Report(
        project=game.project.name,
        game=game.number,
        game_id=game.source_id,
        file_name=game.transcript.name,
        transcript_sha256=basis.transcript_sha256,
        rubric=str(verdict.rubric_version),
        code_version=basis.measured.code_version,
        number=verdict.number,
        recorded_at=verdict.created_at,
        recorded_by=verdict.created_by.name,
        reason=verdict.reason,
        lines=[_build_line(line, next_games.get(line.key)) for line in outcome.lines],
        headline=outcome.headline,
        passes=bool(outcome.passes),
        reasons=outcome.reasons,
        cost_usd=outcome.cost_usd,
        cost_says=cost_says(outcome, basis),
        turns=verdict_turns(outcome, basis.rater_count),
        composite=outcome.composite,
        recommendations=None if only else outcome.recommendations,
        questions=_questions(verdict.rubric_version, basis),
        judges=_judges(own, basis),
        overrides=[judged.say_override(override) for override in _overrides(own, basis)],
        basis_sha256=verdict.basis_sha256,
        bases=_bases(outcome, next_games),
        resolved=[] if only else _steps(game, evaluations, basis, judged),
        fewer="" if only else _fewer(game, verdict),
        unasked=describe_unasked(outcome.line(MEMORY).label, count_unasked_suggestions(basis)),
    )


def _load_evaluations(basis: Basis) -> list[Evaluation]:
    rows = Evaluation.objects.filter(pk__in=[evaluation.id for evaluation in basis.evaluations])
    return list(rows.select_related("evaluator").order_by("pk"))


def _build_line(line: OutcomeLine, next_game: NextGame | None) -> FigureRow:
    says = "" if next_game is None else describe_next(line, next_game)
    return replace(figure_row(line), next_game=says)


def _bases(outcome: Outcome, next_games: NextGames) -> list[str]:
    found: dict[str, list[str]] = {}
    for line in outcome.lines:
        if line.key in next_games and (says := describe_next_basis(next_games[line.key])):
            found.setdefault(says, []).append(line.label)
    if len(found) == 1:
        return list(found)
    return [f"{', '.join(labels)}: {says}" for says, labels in found.items()]


def _questions(version: RubricVersion, basis: Basis) -> list[str]:
    asked = rubric_record(version.pk, version.sha256).criterion(ENGAGEMENT).guiding_questions
    return [asked[int(subject) - 1] for subject in _answered(basis)]


def _answered(basis: Basis) -> list[str]:
    return sorted(
        {judgement.subject for judgement in basis.judgements if judgement.kind == QUESTION}, key=int
    )


def _judges(evaluations: list[Evaluation], basis: Basis) -> list[RatedBy]:
    said = {
        (judgement.evaluation, judgement.kind, judgement.subject): judgement.value
        for judgement in basis.judgements
    }
    comments: dict[int, list[tuple[str, str, str]]] = {}
    for remark in Remark.objects.filter(evaluation__in=evaluations).exclude(text="").order_by("pk"):
        said_of = remark.target, describe_target(remark.target), remark.text
        comments.setdefault(remark.evaluation_id, []).append(said_of)
    questions = _answered(basis)
    return [
        RatedBy(
            name=evaluation.evaluator.name,
            submitted_at=evaluation.submitted_at,
            rating=said.get((evaluation.pk, RATING, ""), ""),
            answers=[said.get((evaluation.pk, QUESTION, subject), "") for subject in questions],
            comments=comments.get(evaluation.pk, []),
        )
        for evaluation in evaluations
    ]


def _steps(
    game: Game, evaluations: list[Evaluation], basis: Basis, words: SubjectWords
) -> list[AdjudicationStep]:
    named = {adjudication.id for adjudication in basis.adjudications}
    names = {evaluation.pk: evaluation.evaluator.name for evaluation in evaluations}
    chains: dict[Key, list[AdjudicationRecord]] = defaultdict(list)
    for record in load_adjudication_history(game.pk) if named else ():
        chains[record.kind, record.subject].append(record)
    return [
        AdjudicationStep(
            kind=kind,
            subject=subject,
            value=record.value,
            what=words.describe(kind, subject),
            says=words.answer(kind, record.value),
            adopted="" if record.adopted is None else names.get(record.adopted, ""),
            by=record.by_name,
            at=record.at,
            reason=record.reason,
            earlier=[(words.answer(kind, before.value), before) for before in chain[:number]],
        )
        for (kind, subject), chain in sorted(chains.items(), key=lambda row: make_sort_key(*row[0]))
        for number, record in enumerate(chain)
        if record.id in named
    ]


def _fewer(game: Game, verdict: Verdict) -> str:
    if game.needed_at is None or game.needed_by is None or game.needed_at > verdict.created_at:
        return ""
    return f"{game.needed_count}, {game.needed_by.name}: {game.needed_reason}"


def _overrides(evaluations: list[Evaluation], basis: Basis) -> list[Override]:
    measurements = load_measurements(basis.measured.id, basis.measured.findings_sha256)
    keys = {evaluation.pk for evaluation in evaluations}
    basis = replace(
        basis, judgements=[judgement for judgement in basis.judgements if judgement.evaluation in keys]
    )
    versions = {judgement.id: judgement.version for judgement in basis.judgements}
    revisions = Revision.objects.filter(judgement__in=versions).exclude(reason="")
    reasons = {row.judgement_id: row.reason for row in revisions if versions[row.judgement_id] == row.version}
    names = {evaluation.pk: evaluation.evaluator.name for evaluation in evaluations}
    return list_overrides(basis, machine_values(measurements), names, reasons)
