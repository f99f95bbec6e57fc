"""What a judge says reaches no evaluator, neither before an answer nor after it, and changes no verdict."""

import pytest
from django.test import Client

from discussions.core import judgement_kinds as kinds
from discussions.judges.actions.prompts import open_prompts, upload_answers
from discussions.judges.core.prompts import AnswerLine
from discussions.models import Evaluation, JudgeAnswer
from tests.factories.blindness import crawled, masked
from tests.factories.judges import answer, answer_all, make_judge, run_all
from tests.factories.people import NOW, make_lead
from tests.factories.rating import ready_to_submit, start, submitted
from tests.factories.tokens import program_of
from tests.factories.verdicts import record

pytestmark = pytest.mark.django_db
CANARY = "KANARIMARK"


def run_marked(project, number, lead):
    """A judge whose name, prompt and texts carry a mark, and which contradicts the automatic values."""
    judge = make_judge(project, lead, name=f"Judge {CANARY}", model=CANARY, prompt=f"{CANARY} Judge.")
    run_all(judge, lead, [number])
    by_number = dict(judge.prompts.values_list("number", "kind"))
    against = {kinds.RATING: 1.0, kinds.ROLE_CONSISTENCY: "inconsistent", kinds.REFERENCE: "inaccurate"}
    lines = []
    for line, prompt in enumerate(open_prompts(judge=judge, by=lead), start=1):
        kind = by_number[prompt["prompt"]]
        text = f"{CANARY} {answer(prompt['text'], kind, against.get(kind, 'no'))}"
        lines.append(AnswerLine(line, prompt["prompt"], text))
    assert not upload_answers(judge=judge, lines=lines, by=lead, now=NOW)
    assert JudgeAnswer.objects.count() > 40


def crawl(evaluation):
    client = Client()
    client.force_login(evaluation.evaluator)
    names = (
        "stage",
        "iteration",
        "verdict",
        "slot",
        "membership",
        "webhook",
        "calibration",
        "transcript",
        "judge",
    )
    texts = crawled(
        client,
        [Evaluation.objects.select_related("game").get(pk=evaluation.pk)],
        program=program_of(evaluation.evaluator),
        numbers={evaluation.game.number},
        slug=evaluation.game.project.slug,
        person=evaluation.evaluator_id,
        thing="rating",
        **dict.fromkeys(names, 1),
    )
    assert len(texts) > 50
    return {address: masked(text) for address, text in texts.items()}


@pytest.mark.parametrize("begin", [start, ready_to_submit, submitted])
def test_an_evaluator_is_answered_the_same_with_and_without_a_judge(begin):
    evaluation = begin()
    lead = make_lead(project=evaluation.game.project)
    before = crawl(evaluation)
    run_marked(evaluation.game.project, evaluation.game.number, lead)
    after = crawl(evaluation)
    assert after.keys() == before.keys()
    differing = [address for address, text in after.items() if text != before[address]]
    assert not differing
    assert not [address for address, text in after.items() if CANARY.lower() in text.lower()]


def test_a_verdict_rests_on_people_alone():
    evaluation = submitted()
    project = evaluation.game.project
    lead = make_lead(project=project)
    judge = make_judge(project, lead)
    run_all(judge, lead, [evaluation.game.number])
    answer_all(judge, lead)
    other = submitted()
    first, second = (record(one.game) for one in (evaluation, other))
    assert first.outcome == second.outcome
    assert judge.identity not in first.basis
