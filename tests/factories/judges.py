"""Judges of games in tests: added, run, and answered."""

import json
import re
from zlib import crc32

from discussions.core import judgement_kinds as kinds
from discussions.judges.actions.prompts import RunPlan, make_prompts, open_prompts, plan_run, upload_answers
from discussions.judges.actions.runs import JudgePlan, add_judge
from discussions.judges.core.prompts import AnswerText, draw_code
from discussions.judges.queries import ALL
from tests.factories.people import NOW
from tests.factories.reliability import make_agreeing_project, write_labels
from tests.factories.replays import replayed
from workspace.jobs.actions import take_job

FIRST = {
    kinds.REFERENCE: "accurate",
    kinds.STRATEGIC_DEPTH: "yes",
    kinds.COHERENCE: "yes",
    kinds.ROLE_CONSISTENCY: "consistent",
    kinds.RATING: 4.0,
}
KINDS = tuple(FIRST)


def make_judge(project, by, **given):
    plan = {"name": "Larch", "model": "larch-3", "prompt": "Judge with care."} | given
    return add_judge(project=project, plan=JudgePlan(**plan), by=by, now=NOW)


def run_all(judge, by, games, kinds=KINDS, which=ALL, now=NOW, **given):
    """Plan a run, and make its prompts as the worker does; a refusal of the job is raised."""
    plan = RunPlan(games=games, kinds=kinds, which=which, **given)
    held = take_job(job=plan_run(judge=judge, plan=plan, by=by, now=now).pk, now=now)
    make_prompts(job=held, clock=lambda: now)


def data_of(text):
    """The game between the markers of a prompt."""
    return json.loads(text.split("<untrusted-")[1].split(">\n", 1)[1].split("\n</untrusted")[0])


def code_of(text):
    return re.search(r'"code": "([0-9a-f]{8})"', text)[1]


def answer(text, kind, value=None):
    """What an obedient judge writes to this prompt: one value for all items."""
    value = FIRST[kind] if value is None else value
    given = {str(item["item"]): value for item in data_of(text)["items"]}
    return "My reasons.\n```json\n" + json.dumps({"code": code_of(text), "answers": given}) + "\n```"


def answer_all(judge, by, value=None):
    """Upload an answer to every open prompt."""
    by_number = dict(judge.prompts.values_list("number", "kind"))
    lines = [
        AnswerText(line, prompt["prompt"], answer(prompt["text"], by_number[prompt["prompt"]], value))
        for line, prompt in enumerate(open_prompts(judge=judge, by=by), start=1)
    ]
    assert not upload_answers(judge=judge, lines=lines, by=by, now=NOW)


def answer_as(judge, by, say, now=NOW):
    """Upload an answer to every open prompt: of each subject what `say(number of the game, subject)` says."""
    lines = []
    for row in judge.prompts.filter(state="open").select_related("game").order_by("number"):
        given = {str(at): say(row.game.number, subject) for at, subject in enumerate(row.subjects, start=1)}
        text = json.dumps({"code": draw_code(row.seed), "answers": given})
        lines.append(AnswerText(row.number, row.number, text))
    assert not upload_answers(judge=judge, lines=lines, by=by, now=now)


def say_in_turn(game, subject):
    """Yes or no on coherence, in no order that follows roles or automatic values."""
    return "yes" if crc32(f"{game} {subject}".encode()) % 2 else "no"


@replayed
def make_trusted_project(*, games=6, people=3, **given):
    """Games on whose coherence all people say the same, in turn yes and no."""
    project = make_agreeing_project(games=games, k=people, **given)
    for game in project.games.all():
        labels = [[say_in_turn(game.number, str(number))] * people for number in range(1, 13)]
        write_labels(game, kinds.COHERENCE, labels)
    return project


@replayed
def make_trusted(project, by, *, repeat_percent=50, **given):
    """A judge that says of coherence what people say, also when it is asked again."""
    judge = make_judge(project, by, **given)
    numbers = list(project.games.values_list("number", flat=True))
    run_all(judge, by, numbers, kinds=[kinds.COHERENCE], repeat_percent=repeat_percent)
    answer_as(judge, by, say_in_turn)
    return judge


@replayed
def make_judged(project, by, numbers):
    """A judge of these games that has answered on engagement and is to answer on coherence."""
    judge = make_judge(project, by)
    run_all(judge, by, numbers, kinds=[kinds.RATING], repeat_percent=0)
    answer_all(judge, by, 4.5)
    run_all(judge, by, numbers, kinds=[kinds.COHERENCE], repeat_percent=0)
    return judge
