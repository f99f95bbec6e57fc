"""Steps of the demo's script about games: import, rate, adjudicate, calibrate, and what a lead does with the queue."""

import random
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import msgspec

from discussions.adjudication.actions import adjudicate
from discussions.adjudication.core.judgeable import SUGGESTIONS, read_sample_rule, shared_sample
from discussions.adjudication.queries import disagreements_in
from discussions.agents.actions import ask_for_agents, code
from discussions.calibration.actions import RoundPlan, open_round, take_calibration
from discussions.core import judgement_kinds
from discussions.demo.actions.scene import FOLDER, Scene, Steps
from discussions.demo.core import Opinion
from discussions.games.actions import return_evaluation
from discussions.iterations.actions import change_iteration
from discussions.models import CalibrationRound, Evaluation, Iteration
from discussions.models.queue_rules import BY_CHANCE
from discussions.queue.actions import assign_game, change_queue, take_next_game
from discussions.rating.actions import (
    judge_all,
    look_at_suggestions,
    open_transcript,
    remark,
    reveal_roles,
    submit_evaluation,
)
from discussions.rating.core.visibility import Missing, asks_for_others, open_suggestions
from discussions.rating.queries import EvaluationState, load_state
from discussions.reliability.actions import ask_for_team_figures
from discussions.slots.actions import expire_leases
from discussions.transcripts.actions import Upload, import_files
from discussions.verdicts.actions import record_verdict
from discussions.verdicts.queries import load_verdict_preview
from workspace.audit.core import Act

OPPOSITE = {
    judgement_kinds.YES: judgement_kinds.NO,
    judgement_kinds.NO: judgement_kinds.YES,
    judgement_kinds.CONSISTENT: judgement_kinds.INCONSISTENT,
    judgement_kinds.INCONSISTENT: judgement_kinds.CONSISTENT,
}
ANSWERS = {"y": judgement_kinds.YES, "n": judgement_kinds.NO}
OVERRIDE_REASON = "Judged by what it does in the game, not by its words."


def _import_file(scene: Scene, by: str, file: str) -> None:
    """Import into the newest iteration. Games without a time were played in the hours before."""
    now = scene.clock()
    data = (FOLDER / "transcripts" / file).read_bytes()
    games = msgspec.json.decode(data)
    if isinstance(games, list):
        for hours, game in enumerate(reversed(games), start=1):
            game["timestamp"] = f"{now - timedelta(hours=hours):%Y-%m-%dT%H:00:00Z}"
        data = msgspec.json.format(msgspec.json.encode(games), indent=1)
    iteration = Iteration.objects.filter(project=scene.project).order_by("number").last()
    import_files(
        project=scene.project, files=[Upload(file, data)], by=scene.people[by], now=now, iteration=iteration
    )


def _rate(scene: Scene, by: str, games: dict[str, Any]) -> None:
    views = msgspec.convert(games, dict[str, Opinion])
    iteration = scene.game(next(iter(views))).iteration
    for _ in views:
        taken = take_next_game(project=scene.project, iteration=iteration, **scene.stamp(by))
        _judge_all(scene, by, taken, views)


def _calibrate(scene: Scene, by: str, games: dict[str, Any]) -> None:
    views = msgspec.convert(games, dict[str, Opinion])
    opened = CalibrationRound.objects.get(project=scene.project)
    for _ in views:
        _judge_all(scene, by, take_calibration(opened=opened, **scene.stamp(by)), views)


def _judge_all(scene: Scene, by: str, taken: Evaluation | None, views: Mapping[str, Opinion]) -> None:
    """Judge everything and submit it; with `most` only a part."""
    assert taken is not None
    evaluation = Evaluation.objects.with_work().get(pk=taken.pk)
    view = views[evaluation.game.source_id]
    _take_test(scene, by, evaluation)
    overrides = [
        _act(evaluation, kind, subject, judgement_kinds.YES, OVERRIDE_REASON)
        for kind, subjects in view.overrides.items()
        for subject in subjects
    ]
    _judge(scene, by, evaluation, overrides)
    _judge_missing(scene, by, evaluation, view)
    for note in view.remarks:
        remark(
            evaluation=evaluation,
            kind=note["kind"],
            target=f"message:{note['message']}",
            text=note["text"],
            key=f"demo:{evaluation.pk}:{note['kind']}",
            **scene.stamp(by),
        )
    if view.most is None:
        _judge_whole(scene, by, evaluation, view)
        reveal_roles(evaluation=evaluation, **scene.stamp(by))
        if view.stops_at_more:
            for _batch in range(view.stops_at_more):
                _judge_missing(scene, by, evaluation, view)
            return
        _judge_whole(scene, by, evaluation, view)
        _label_statements(scene, by, evaluation, view)
        submit_evaluation(evaluation=evaluation, **scene.stamp(by))


def _take_test(scene: Scene, by: str, evaluation: Evaluation) -> None:
    """Identify agents until the blind test is over, if the evaluation begins with one, and open the transcript."""
    work = load_state(evaluation)
    if work.visibility.transcript or work.drawn_test is None:
        return
    for number, author in enumerate(work.drawn_test.authors, start=1):
        if not work.is_test_over:
            act = _act(evaluation, judgement_kinds.ATTRIBUTION, str(number), str(author))
            work = _judge(scene, by, evaluation, [act])
    open_transcript(evaluation=evaluation, **scene.stamp(by))


def _label_statements(scene: Scene, by: str, evaluation: Evaluation, view: Opinion) -> None:
    labels = [
        _act(evaluation, judgement_kinds.STATEMENT, subject, view.statements[position])
        for subject in load_state(evaluation).statements
        if (position := subject.partition(".")[0]) in view.statements
    ]
    _judge(scene, by, evaluation, labels)


def _judge_whole(scene: Scene, by: str, evaluation: Evaluation, view: Opinion) -> None:
    """Judge all that can be judged now: judgements may lead to further questions."""
    before: tuple[Missing, ...] = ()
    work = load_state(evaluation)
    while (missing := work.visibility.missing) and missing != before:
        work, before = _judge_missing(scene, by, evaluation, view, work), missing


def _judge_missing(
    scene: Scene, by: str, evaluation: Evaluation, view: Opinion, work: EvaluationState | None = None
) -> EvaluationState:
    """Judge what is missing; the state after it."""
    work, acts = work or load_state(evaluation), []
    suggested = dict.fromkeys(open_suggestions(work.progress), judgement_kinds.NOT_A_REFERENCE)
    view = msgspec.structs.replace(view, labels=suggested | view.labels)
    for missing in work.visibility.missing[: view.most]:
        if missing.kind != "reveal":
            kind, subject = missing.kind, missing.subject
            automatic = work.machine.get((kind, subject), "")
            likely = view if _is_shared(work, kind, subject) else msgspec.structs.replace(view, differs=0.0)
            value = value_in(likely, kind, subject, automatic, f"{by}:{work.game.game_id}:{kind}:{subject}")
            acts.append(_act(evaluation, kind, subject, value))
    work = _judge(scene, by, evaluation, acts)
    if not asks_for_others(work.progress):
        return work
    look_at_suggestions(evaluation=evaluation, what=SUGGESTIONS, **scene.stamp(by))
    return load_state(evaluation)


def _is_shared(work: EvaluationState, kind: str, subject: str) -> bool:
    """Whether all evaluators of the game judge this: where only two do, a difference would be a tie."""
    if kind not in judgement_kinds.MESSAGE_KINDS:
        return True
    rule = read_sample_rule(work.rubric.parameters)
    shared = shared_sample(work.evaluation.seed, kind, len(work.game.messages), rule)
    return int(subject) in shared or (
        kind == judgement_kinds.ROLE_CONSISTENCY and int(subject) in work.inconsistent
    )


def value_in(view: Opinion, kind: str, subject: str, automatic: str, seed: str) -> str:
    """The view's answer on a subject; the same seed gives the same answer."""
    if kind == judgement_kinds.REFERENCE:
        return view.labels.get(subject, judgement_kinds.ACCURATE)
    if kind == judgement_kinds.RATING:
        return view.rating
    likely = ANSWERS[view.questions[int(subject) - 1]] if kind == judgement_kinds.QUESTION else automatic
    differs = random.Random(seed).random() < view.differs
    return OPPOSITE.get(likely, likely) if differs else likely


def _act(evaluation: Evaluation, kind: str, subject: str, value: str, reason: str | None = None) -> Act:
    return Act(
        kind=kind,
        subject=subject,
        value=value,
        version=0,
        key=f"demo:{evaluation.pk}:{kind}:{subject}",
        reason=reason,
        took_ms=2000 + 37 * len(subject),
    )


def _judge(scene: Scene, by: str, evaluation: Evaluation, acts: list[Act]) -> EvaluationState:
    timed = [(act, scene.clock()) for act in acts]
    return judge_all(evaluation=evaluation, acts=timed, by=scene.people[by])


def _record_verdict(scene: Scene, by: str, game: str) -> None:
    row = scene.game(game)
    preview = load_verdict_preview(row)
    assert preview is not None
    record_verdict(game=row, basis_sha256=preview.basis_sha256, **scene.stamp(by))


def _adjudicate_ties(scene: Scene, by: str, game: str, side: str, reason: str) -> None:
    row = scene.game(game)
    adopted = Evaluation.objects.get(game=row, evaluator=scene.people[side])
    for tie in disagreements_in(row):
        if tie.is_tie:
            adjudicate(
                game=row,
                kind=tie.kind,
                subject=tie.subject,
                value="",
                reason=reason,
                adopted=adopted,
                sides_sha256=tie.page_sha256,
                key=f"demo:{row.pk}:{tie.kind}:{tie.subject}",
                **scene.stamp(by),
            )


def _require_evaluators(scene: Scene, by: str, count: int) -> None:
    unsorted = Iteration.objects.select_related("project").get(project=scene.project, stage=None)
    change_iteration(
        iteration=unsorted, identification=unsorted.identification, evaluator_count=count, **scene.stamp(by)
    )


def _open_round(scene: Scene, by: str, name: str, games: list[str], pass_percent: int, note: str) -> None:
    numbers = [scene.game(game).number for game in games]
    plan = RoundPlan(
        name=name, games=numbers, is_required=False, pass_percent=pass_percent, notes={numbers[0]: note}
    )
    open_round(project=scene.project, plan=plan, **scene.stamp(by))


def _return_evaluation(scene: Scene, by: str, game: str, who: str, comment: str) -> None:
    rows = Evaluation.objects.select_related("game__project")
    evaluation = rows.get(game=scene.game(game), evaluator=scene.people[who])
    return_evaluation(evaluation=evaluation, comment=comment, **scene.stamp(by))


def _compute_team_statistics(scene: Scene, by: str) -> None:
    ask_for_team_figures(project=scene.project, **scene.stamp(by))
    ask_for_agents(project=scene.project, **scene.stamp(by))


def _code(scene: Scene, by: str, name: str, places: Mapping[str, list[int]]) -> None:
    """Put a category on these messages of these games."""
    for game, messages in places.items():
        row = scene.game(game)
        for message in messages:
            code(game=row, message=message, name=name, **scene.stamp(by))


GAME_STEPS: Steps = {
    "code": _code,
    "import_file": _import_file,
    "rate": _rate,
    "calibrate": _calibrate,
    "record_verdict": _record_verdict,
    "adjudicate_ties": _adjudicate_ties,
    "change_queue": lambda scene, by, repeat_percent: change_queue(
        project=scene.project, order=BY_CHANCE, repeat_percent=repeat_percent, **scene.stamp(by)
    ),
    "require_evaluators": _require_evaluators,
    "open_round": _open_round,
    "expire_leases": lambda scene, by: expire_leases(project=scene.project, **scene.stamp(by)),
    "return_evaluation": _return_evaluation,
    "assign_game": lambda scene, by, game, who: assign_game(
        game=scene.game(game), person=scene.people[who], **scene.stamp(by)
    ),
    "compute_team_statistics": _compute_team_statistics,
}
