"""The pages of judges and what programs are told: from a new judge to what it may do; the API beside it."""

import json
from types import SimpleNamespace

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from discussions.core import judgement_kinds as kinds
from discussions.core.judgement_kinds import HELPS, STRATA
from discussions.games.actions import withdraw_game
from discussions.judges.actions.prompts import open_prompts, upload_answers
from discussions.judges.core.contract import REFUSED
from discussions.judges.core.prompts import AnswerText
from discussions.judges.labels import FEW
from discussions.judges.pages import ContractRow, say_headline
from discussions.judges.queries import load_contracts, load_costs, load_judged_items, load_progress
from discussions.models import Evaluation, Judge, JudgeAnswer, JudgePrompt
from tests.factories.blindness import crawled, masked
from tests.factories.jobs import run_waiting_jobs
from tests.factories.judges import KINDS, answer, answer_all, make_judge, run_all
from tests.factories.people import NOW, make_lead
from tests.factories.rating import make_game, make_rating_project, ready_to_submit, start, submitted
from tests.factories.reliability import make_agreeing_project
from tests.factories.tokens import program_of
from tests.factories.verdicts import record

pytestmark = pytest.mark.django_db


@pytest.fixture
def led(client):
    project = make_rating_project(slug="judged")
    make_game(project=project)
    lead = make_lead(project=project)
    client.force_login(lead)
    return project, lead


def test_a_lead_adds_a_judge_runs_it_and_uploads_its_answers(client, led):
    page = client.get(reverse("judges", args=["judged"])).content.decode()
    assert "Judge a game" in page or "You judge a game" in page
    given = {"name": "Larch", "model": "larch-3", "how": "pasted", "prompt": "Judge.", "temperature": "0.3"}
    added = client.post(reverse("judges", args=["judged"]), given)
    assert added.url == reverse("run_judge", args=["judged", 1])
    assert Judge.objects.get().parameters == {"temperature": 0.3}
    run = {"games": "1", "kinds": list(KINDS), "which": "all", "repeat_percent": "10"}
    went = client.post(added.url, run)
    assert went.url == reverse("show_judge", args=["judged", 1])
    assert "Prompts are being made" in client.get(went.url).content.decode()
    run_waiting_jobs()
    assert "Give answers" in client.get(went.url).content.decode()
    shown = client.get(reverse("judge_answers", args=["judged", 1])).content.decode()
    assert "untrusted-" in shown and "prompts are open" in shown
    lines = b"".join(client.post(reverse("judge_prompts", args=["judged", 1])).streaming_content).splitlines()
    by_number = dict(JudgePrompt.objects.values_list("number", "kind"))
    answers = []
    for line in map(json.loads, lines):
        answers.append({"prompt": line["prompt"], "text": answer(line["text"], by_number[line["prompt"]])})
    assert len(answers) == len(by_number) == len(lines)
    body = "\n".join(map(json.dumps, answers)).encode()
    upload = reverse("upload_judge_answers", args=["judged", 1])
    wrong = client.post(upload, {"file": SimpleUploadedFile("a.jsonl", b'{"prompt": 99, "text": "x"}')})
    assert wrong.status_code == 422 and "no prompt 99" in wrong.content.decode()
    assert client.post(upload, {"file": SimpleUploadedFile("a.jsonl", body)}).status_code == 303
    assert JudgeAnswer.objects.count() > 40
    assert "Larch" in client.get(reverse("show_judge", args=["judged", 1])).content.decode()


def test_a_pasted_answer_leads_to_the_next_prompt_and_a_suspension_says_why(client, led):
    project, lead = led
    run_all(make_judge(project, lead), lead, [1], kinds=[kinds.RATING, kinds.COHERENCE], repeat_percent=0)
    page = reverse("judge_answers", args=["judged", 1])
    assert client.post(page, {"prompt": "1", "text": "I refuse."}).status_code == 303
    assert "Prompt 2" in client.get(page).content.decode()
    assert client.post(page, {"prompt": "1", "text": "Again."}).status_code == 409
    assert client.post(reverse("suspend_judge", args=["judged", 1]), {"reason": ""}).status_code == 422
    assert (
        client.post(reverse("suspend_judge", args=["judged", 1]), {"reason": "It drifts"}).status_code == 303
    )
    assert "It drifts" in client.get(reverse("show_judge", args=["judged", 1])).content.decode()


def test_the_page_says_what_it_may_do_beside_people(client):
    project = make_agreeing_project(games=3, k=3, slug="team")
    lead = make_lead(project=project)
    client.force_login(lead)
    judge = make_judge(project, lead)
    run_all(judge, lead, [1, 2, 3], which="answered", repeat_percent=50)
    answer_all(judge, lead)
    items, repeats = load_judged_items(judge.pk)
    assert {len(item.people) for item in items} >= {3} and all(item.judge for item in items)
    assert {item.role for item in items if item.metric == "coherence"} >= {"mafia", "village"}
    assert {item.rule for item in items if item.metric == "coherence"} == {"yes", "no"}
    assert repeats and all(repeat.first == repeat.second for repeat in repeats)
    contracts = load_contracts(judge)
    assert contracts["coherence", "mafia"].use == REFUSED
    costs = load_costs(judge, load_progress([judge.pk])[judge.pk])
    assert costs["silent"] == (0, len(items)) and costs["repeats"] == (0, len(repeats))
    told = program_of(lead).get("projects/team/judges/1/").json()["contracts"]
    assert {(one["metric"], one["side"], one["use"]) for one in told} == {
        (*key, one.use) for key, one in contracts.items()
    }
    page = client.get(reverse("show_judge", args=["team", 1])).content.decode()
    assert "Larch was asked about too few items" in page
    assert page.count('class="word few"') == len([one for one in contracts.values() if one.items]) > 5
    counted = contracts["coherence", "mafia"].items
    withdraw_game(game=judge.project.games.get(number=1), reason="Broken", by=lead, now=NOW)
    assert 0 < load_contracts(judge)["coherence", "mafia"].items < counted


def test_the_headline_names_a_side_only_where_sides_differ(led):
    project, lead = led
    judge = make_judge(project, lead)

    def rows(*given):
        return [
            ContractRow((metric, side), SimpleNamespace(use=use, reasons=[])) for metric, side, use in given
        ]

    both = rows(
        ("memory_accuracy", "village", HELPS),
        ("memory_accuracy", "mafia", HELPS),
        ("strategic_depth", "mafia", REFUSED),
        ("strategic_depth", "village", STRATA),
    )
    assert say_headline(judge, both) == "Larch may help with memory, not with strategic depth for mafia"
    few = ("coherence", "", FEW)
    helps, refused = both[0], ("strategic_depth", "", REFUSED)
    assert say_headline(judge, [helps, *rows(few)]) == "Larch may help with memory, not yet with coherence"
    assert say_headline(judge, rows(few, refused)) == "Larch may not help yet"
    assert say_headline(judge, rows(refused)) == "Larch may not help"
    strata = rows(("strategic_depth", "", STRATA))
    assert say_headline(judge, strata) == "Larch may sort what people are asked about strategic depth"
    assert say_headline(judge, []) == "Larch"


def test_a_program_adds_runs_answers_and_ends_a_judge(led):
    _project, lead = led
    program = program_of(lead)

    def send(path, **body):
        return program.send("POST", f"projects/judged/judges/{path}", body)

    given = {"name": "Larch", "model": "larch-3", "prompt": "Judge.", "parameters": {"temperature": 0.3}}
    made = send("", **given, budget_usd=2.5)
    assert made.status_code == 201, made.content
    assert made.json()["judge"]["number"] == 1 and made.json()["state"] == "on probation"
    assert send("", **given).status_code == 409
    assert send("1/run/", games=[1], kinds=["coherence"], items="all", repeat_percent=0).json()["is_making"]
    run_waiting_jobs()
    (prompt,) = program.get("projects/judged/judges/1/prompts/").json()["items"]
    wrong = send("1/answers/", answers=[{"prompt": 9, "text": "x"}])
    assert (wrong.status_code, wrong.json()["field"]) == (422, "answers/0/prompt")
    text = answer(prompt["text"], kinds.COHERENCE)
    assert send("1/answers/", answers=[{"prompt": prompt["prompt"], "text": text}]).json()["answers"] == 11
    assert send("1/suspend/", reason="It drifts").json()["state"] == "suspended"
    assert send("1/resume/").json()["state"] == "on probation"
    assert send("1/end/").json()["state"] == "ended"
    assert program.get("projects/judged/judges/").json()["items"][0]["name"] == "Larch"


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
        lines.append(AnswerText(line, prompt["prompt"], text))
    assert not upload_answers(judge=judge, lines=lines, by=lead, now=NOW)
    assert JudgeAnswer.objects.count() > 40


def crawl(evaluation, *, of_others):
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
        of_others=of_others,
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
    before = crawl(evaluation, of_others=begin is start)
    run_marked(evaluation.game.project, evaluation.game.number, lead)
    after = crawl(evaluation, of_others=begin is start)
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
