"""Blind first: nothing automatic of a metric before the rating and one's own blind answers on it, step by step.

Every automatic value of every metric carries a mark. An evaluation is walked act by act, in the order of the page and
in the opposite one, and everything that its evaluator may ask for is searched for the marks.
"""

import re

import pytest
from django.test import Client
from django.urls import reverse
from msgspec.structs import replace

from discussions.core.records import Evidence
from discussions.models import Evaluation, Iteration, MeasuredFindings, RatingRule
from discussions.queries import load_measurements
from discussions.queue.actions import take_next_game
from discussions.rating import queries
from discussions.rating.core.visibility import STEP_BY_KIND
from discussions.rating.pages import items, review, transcript
from discussions.rating.queries import load_state
from tests.factories.blindness import HTMX, crawled, get_text
from tests.factories.people import NOW, make_member
from tests.factories.rating import ANSWERS, game_of, make_game, make_rating_project
from tests.factories.tokens import program_of
from workspace.core.words import say as say_words

pytestmark = pytest.mark.django_db

SAMPLED = {"strategic_depth": "depth", "coherence": "coherence", "role_consistency": "roles"}
AUTOMATIC = ("memory_accuracy", *SAMPLED, "personality_diversity", "anti_repetition")
KINDS = {"reference": "memory_accuracy"} | {metric: metric for metric in SAMPLED}
LEGEND = ("the rule's", "mine, agreed with the rule", "overridden by you")
RATED = ("canary-phrase", "Result of the manual check")


def mark(metric):
    return f"CANARY-{metric}-"


def with_marks(measurements):
    """The measurements with a mark in every text that a page can show."""
    marked = dict(measurements)
    marked["memory_accuracy"] = replace(
        marked["memory_accuracy"],
        references=[
            replace(found, check="supported", evidence=Evidence(mark("memory_accuracy")))
            for found in marked["memory_accuracy"].references
        ],
    )
    for metric in SAMPLED:
        messages = [
            replace(found, rule=mark(metric), words=[mark(metric)]) for found in marked[metric].messages
        ]
        marked[metric] = replace(marked[metric], messages=messages)
    phrases = [
        replace(found, phrase=f"canary-phrase {found.phrase}", count=500 + found.count)
        for found in marked["anti_repetition"].phrases
    ]
    marked["anti_repetition"] = replace(marked["anti_repetition"], phrases=phrases)
    return marked


def clear_caches():
    for cached in (load_measurements, queries._load_judgeable):
        cached.cache_clear()


@pytest.fixture(autouse=True)
def marks(monkeypatch):
    """A mark in every automatic value: findings and their texts, chips, figures with their bars and outcomes."""
    read, figure = MeasuredFindings.to_records, review._figure
    monkeypatch.setattr(MeasuredFindings, "to_records", lambda row: with_marks(read(row)))
    monkeypatch.setattr(
        review, "_figure", lambda line: replace(figure(line), text=f"{mark(line.key)}{line.key}")
    )
    monkeypatch.setattr(transcript, "answer_label", lambda metric, value: f"{mark(metric)}{value}")
    monkeypatch.setattr(items, "say_answer", lambda metric, value: f"{mark(metric)}{value}")
    clear_caches()
    yield
    clear_caches()


class Walk:
    """One evaluator at the browser, with everything that was answered so far.

    The version asks for no more messages than the samples, so that each metric opens with the last of its own.
    """

    def __init__(self, *, reveal="blind_first"):
        self.project = make_rating_project(slug="blind", reveal=reveal, evaluator_count=2, number="1.2")
        make_game(project=self.project, content=game_of(12, game_id="marked"))
        person = make_member(project=self.project)
        self.key = take_next_game(project=self.project, by=person, now=NOW).pk
        RatingRule.objects.create(
            project=self.project, shows_differences=True, changed_at=NOW, changed_by=person
        )
        self.client, self.program = Client(), program_of(person)
        self.client.force_login(person)
        self.acts = 0

    @property
    def evaluation(self):
        return Evaluation.objects.with_work().get(pk=self.key)

    @property
    def state(self):
        return load_state(self.evaluation)

    def post(self, act, headers=HTMX):
        self.acts += 1
        body = {"act": act, "nonce": f"n{self.acts}", "step": "coherence"}
        return self.client.post(reverse("judge", args=[self.key]), body, headers=headers)

    def judge(self, kind, subject, value):
        """The answers to an act, to the same act on an old version, and to one that is refused."""
        stored = self.state.judgements.get((kind, subject))
        version = stored.version if stored else 0
        answers = [self.post(f"{kind}~{subject}~{version}~{value}")]
        assert answers[0].status_code == 200, answers[0].content
        other = {"yes": "no", "accurate": "vague", "3.5": "4.0", "consistent": "inconsistent"}[value]
        for headers in (HTMX, {}):
            answers.append(self.post(f"{kind}~{subject}~{version}~{other}", headers))
            assert answers[-1].status_code == 409
        answers.append(self.post("coherence~999~0~yes"))
        answers.append(
            self.client.post(reverse("submit_evaluation", args=[self.key]), {"key": "n:s"}, headers=HTMX)
        )
        return "\n".join(map(get_text, answers))

    def undo(self):
        """What undoing the newest act is answered."""
        self.acts += 1
        body = {"key": f"n{self.acts}:undo", "step": "coherence"}
        answer = self.client.post(reverse("undo", args=[self.key]), body, headers=HTMX)
        assert answer.status_code == 200
        return get_text(answer)

    def look(self):
        """The pages of the evaluation, its regions and what programs are told of it."""
        rate = reverse("rate", args=[self.key])
        # Every page has all steps; the one that is open differs only in what is marked as such.
        addresses = [f"{rate}?step=review", reverse("mine"), reverse("home")]
        texts = [get_text(self.client.get(address)) for address in addresses]
        for more in ("at=5", "find=vote", "at=1&step=review"):
            texts.append(get_text(self.client.get(f"{rate}?{more}&nonce=n", headers=HTMX)))
        texts.append(get_text(self.program.get(f"evaluations/{self.key}/")))
        return "\n".join(texts)

    def crawl(self):
        """Everything that the site answers this evaluator."""
        numbers = {self.evaluation.game.number}
        given = {"slug": "blind", "person": self.evaluation.evaluator_id, "thing": "rating", "stage": 1}
        given |= {"iteration": 0, "verdict": 1, "slot": 1, "membership": 1, "webhook": 1, "calibration": 1}
        given["judge"] = 1
        texts = crawled(
            self.client, [self.evaluation], program=self.program, numbers=numbers, transcript=1, **given
        )
        assert len(texts) > 50
        return "\n".join(texts.values())

    def may_see(self):
        """The metrics of which something automatic may be seen."""
        missing = {asked.step for asked in self.state.visibility.missing}
        if "engagement" in missing:
            return set()
        seen = {metric for kind, metric in KINDS.items() if STEP_BY_KIND[kind] not in missing}
        return seen | (
            {"personality_diversity", "anti_repetition"} if missing <= {"roles", "review"} else set()
        )

    def check(self, text, may_see):
        """Fail where a mark is that may not be seen."""
        shown = {metric for metric in AUTOMATIC if mark(metric).lower() in text.lower()}
        assert shown <= may_see, shown - may_see
        is_rated = "engagement" not in {asked.step for asked in self.state.visibility.missing}
        assert is_rated or not [word for word in RATED if word in text]
        assert may_see & {*SAMPLED} or not [word for word in LEGEND if word in text.replace("&#39;", "'")]
        assert "anti_repetition" in may_see or ">robotic<" not in text
        return shown


def list_acts(state, order):
    """What is asked for before the roles, the manual check among it, in the order of the page or the opposite one."""
    asked = [(one.kind, one.subject) for one in state.visibility.missing if one.kind != "reveal"]
    asked += [("identify", str(player)) for player in state.judgeable.speakers]
    return asked if order == "page" else asked[::-1]


@pytest.mark.slow
@pytest.mark.parametrize("order", ["page", pytest.param("opposite", marks=pytest.mark.long)])
def test_no_automatic_value_is_sent_before_the_rating_and_ones_own_answers(order):
    walk = Walk()
    walk.check(walk.crawl(), set())
    seen = set()
    acts = list_acts(walk.state, order)
    assert {kind for kind, _subject in acts} == {*KINDS, "question", "rating", "identify"} - {
        "role_consistency"
    }
    for kind, subject in acts:
        said = walk.judge(kind, subject, ANSWERS.get(kind, "yes"))
        may_see = walk.may_see()
        shown = walk.check(said + walk.look(), may_see)
        assert shown >= may_see, "what may be seen is seen"
        seen |= shown
        if not may_see:
            walk.check(walk.undo() + walk.look(), set())
            walk.check(walk.judge(kind, subject, ANSWERS.get(kind, "yes")), walk.may_see())
    assert seen == {*AUTOMATIC} - {"role_consistency"}
    assert all(word in walk.look() for word in RATED)
    walk.check(walk.crawl(), walk.may_see())
    assert walk.post("reveal~roles~0~yes").status_code == 200
    while asked := [one for one in walk.state.visibility.missing if one.kind == "role_consistency"]:
        walk.check(walk.look(), {*AUTOMATIC} - {"role_consistency"})
        walk.judge("role_consistency", asked[0].subject, "consistent")
    assert walk.check(walk.look(), {*AUTOMATIC}) == {*AUTOMATIC}


@pytest.mark.parametrize("order", ["page", "opposite"])
def test_the_act_that_opens_something_sends_it_and_the_page_stays_whole(order):
    walk = Walk()
    sent = {}
    for kind, subject in list_acts(walk.state, order):
        before = walk.may_see()
        stored = walk.state.judgements.get((kind, subject))
        answer = walk.post(f"{kind}~{subject}~{stored.version if stored else 0}~{ANSWERS.get(kind, 'yes')}")
        text = answer.content.decode()
        opened = walk.may_see() - before
        assert walk.check(text, walk.may_see()) >= opened
        sent |= dict.fromkeys(opened, kind)
        ids = re.findall(r' id="((?:step|item|message)-[^"]+)"', text)
        assert len(ids) == len(set(ids)), "nothing is drawn twice"
        if (
            "engagement" not in {one.step for one in walk.state.visibility.missing}
            and "repetition" not in sent
        ):
            assert "canary-phrase" in text, "the phrases come with the rating"
            sent["repetition"] = kind
    assert sent.keys() == {*AUTOMATIC, "repetition"} - {"role_consistency"}


@pytest.mark.slow
def test_under_never_nothing_is_sent_at_all_and_alongside_everything_from_the_start():
    walk = Walk(reveal="never")
    for kind, subject in list_acts(walk.state, "page"):
        walk.check(walk.judge(kind, subject, ANSWERS.get(kind, "yes")) + walk.look(), set())
    assert "canary-phrase" in walk.look()
    Iteration.objects.filter(project=walk.project).update(reveal="alongside")
    text = walk.look()
    assert walk.check(text, {*AUTOMATIC}) == {*AUTOMATIC}
    assert all(word in text.replace("&#39;", "'") for word in (*LEGEND, "robotic"))


def test_an_evaluation_whose_rating_is_cleared_opens_nothing_more():
    walk = Walk()
    acts = list_acts(walk.state, "page")
    for kind, subject in acts:
        if STEP_BY_KIND[kind] in ("engagement", "depth"):
            walk.judge(kind, subject, ANSWERS.get(kind, "yes"))
    assert walk.may_see() == {"strategic_depth"}
    walk.post("rating~~1~")
    for kind, subject in acts:
        if kind == "coherence":
            walk.judge(kind, subject, "yes")
    walk.check(walk.look(), {"strategic_depth"})
    assert say_words("The rating is not given yet.") in walk.look()
