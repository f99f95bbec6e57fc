"""The step of the demo's script about a judge: what it answers by itself, as nobody calls a model here."""

import json
from collections import Counter
from zlib import crc32

from discussions.core.judgement_kinds import VALUES
from discussions.demo.actions.scene import Scene, Steps
from discussions.judges.actions.prompts import RunPlan, plan_run, upload_answers
from discussions.judges.actions.runs import JudgePlan, add_judge
from discussions.judges.core.prompts import CRITERIA, DEFAULT_PROMPT, AnswerText, draw_code
from discussions.judges.queries import ANSWERED_BLIND, find_open
from discussions.models import Evaluation, Judgement, JudgePrompt
from workspace.jobs.actions import run_job


def _judge(scene: Scene, by: str, name: str, model: str, like_people: int, repeat_percent: int) -> None:
    """A judge of all rated games that answers as most people did in that percentage of its answers."""
    plan = JudgePlan(name, model, DEFAULT_PROMPT)
    judge = add_judge(project=scene.project, plan=plan, **scene.stamp(by))
    rated = Evaluation.objects.submitted_ratings().filter(game__project=scene.project)
    games = sorted(set(rated.values_list("game__number", flat=True)))
    run = RunPlan(games, tuple(CRITERIA), ANSWERED_BLIND, repeat_percent)
    run_job(job=plan_run(judge=judge, plan=run, **scene.stamp(by)).pk, clock=scene.clock)
    lines = [AnswerText(row.number, row.number, _write_answer(row, like_people)) for row in find_open(judge)]
    assert not upload_answers(judge=judge, lines=lines, **scene.stamp(by))


def _write_answer(prompt: JudgePrompt, like_people: int) -> str:
    rows = Judgement.objects.filter(
        evaluation__game=prompt.game, kind=prompt.kind, subject__in=prompt.subjects
    )
    said = list(rows.exclude(blind_value="").values_list("subject", "blind_value"))
    answers = {}
    for item, subject in enumerate(prompt.subjects, start=1):
        most = Counter(value for key, value in said if key == subject).most_common(1)[0][0]
        chance = crc32(f"{prompt.game.source_id} {prompt.kind} {subject}".encode()) % 100
        others = [value for value in VALUES[prompt.kind] if value != most]
        answers[str(item)] = most if chance < like_people else others[chance % len(others)]
    return json.dumps({"code": draw_code(prompt.seed), "answers": answers})


JUDGE_STEPS: Steps = {"judge": _judge}
