"""Judges of games in tests: added, run, and answered."""

import json
import re

from discussions.core import judgement_kinds as kinds
from discussions.judges.actions.answers import open_prompts, upload_answers
from discussions.judges.actions.runs import JudgePlan, RunPlan, add_judge, plan_run
from discussions.judges.core.answers import AnswerLine
from discussions.judges.queries import ALL
from tests.factories.people import NOW
from tests.factories.replays import replayed

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


def run_all(judge, by, games, kinds=KINDS, which=ALL, **given):
    plan = RunPlan(games=games, kinds=kinds, which=which, **given)
    return plan_run(judge=judge, plan=plan, by=by, now=NOW)


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
        AnswerLine(line, prompt["prompt"], answer(prompt["text"], by_number[prompt["prompt"]], value))
        for line, prompt in enumerate(open_prompts(judge=judge, by=by), start=1)
    ]
    assert not upload_answers(judge=judge, lines=lines, by=by, now=NOW)


@replayed
def make_judged(project, by, numbers):
    """A judge of these games that has answered on engagement and is to answer on coherence."""
    judge = make_judge(project, by)
    run_all(judge, by, numbers, kinds=[kinds.RATING], repeat_percent=0)
    answer_all(judge, by, 4.5)
    run_all(judge, by, numbers, kinds=[kinds.COHERENCE], repeat_percent=0)
    return judge
