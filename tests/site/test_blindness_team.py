"""Of a team an evaluator learns how many are in, and nothing more: marks wherever others leave any, worlds that differ.

What belongs to the game itself is looked for in test_blindness.py.
"""

import pytest
from django.db import transaction
from django.test import Client
from django.urls import reverse

import workspace.core.hidden_duplicates
from discussions.adjudication.actions import adjudicate
from discussions.adjudication.queries import disagreements_in
from discussions.calibration.actions import RoundPlan, let_rate, open_round
from discussions.games.actions import restore_game, return_evaluation, withdraw_game
from discussions.home.pages.home import build_home
from discussions.models import Evaluation, Game, Transcript
from discussions.models.slots import CALIBRATION, RATING, REPEAT
from discussions.queue.actions import change_queue
from discussions.queue.views import queue_page
from discussions.rating.actions import skip_game, submit_evaluation
from discussions.rating.queries import load_state
from discussions.slots.actions import expire_leases, reduce_required_evaluators
from discussions.slots.core import LEASE
from discussions.verdicts.actions import record_verdict
from tests.factories.blindness import (
    HTMX,
    begin,
    begin_again,
    crawled,
    game_with_marks,
    leaks,
    marked_team,
    masked,
)
from tests.factories.jobs import run_waiting_jobs
from tests.factories.outbox import make_webhook
from tests.factories.people import NOW, make_lead, make_member
from tests.factories.queue import finish
from tests.factories.rating import (
    ANSWERS,
    load_again,
    make_game,
    make_rating_project,
    say,
    say_what_is_missing,
)
from tests.factories.tokens import program_of
from tests.factories.transcripts import upload
from tests.factories.verdicts import fresh, preview
from workspace.people.actions.people import system_person

pytestmark = [pytest.mark.django_db, pytest.mark.slow]


# Other people's: never, also not after the verdict.
OTHERS = (
    "OTHERMARK",
    "COMMENTMARK",
    "FLAGMARK",
    "REASONMARK",
    "SKIPMARK",
    "RELEASEMARK",
    "RETURNMARK",
    "LETMARK",
)


# The game's own: until the verdict is recorded.
GAME = ("JUSTIFYMARK", "WINNERMARK", "MODELMARK", "PROMPTMARK", "gamemark", "filemark")


ROLES = ("ROLEMARK", "PERSONMARK")


LEADS = ("SETTLEMARK", "FEWERMARK", "OUTMARK", "NOTEMARK")


class Evaluator:
    """One evaluator of the marked team at the browser. `numbers` are those of games."""

    def __init__(self, game, numbers=(1,)):
        self.game, self.project, self.numbers = game, game.project, numbers
        self.person = make_member(project=self.project)
        self.client = Client()
        self.client.force_login(self.person)
        self.program = program_of(self.person)
        self.webhook = make_webhook(project=self.project).webhook

    def crawl(self, *others, of_others=False):
        own = Evaluation.objects.filter(evaluator=self.person).select_related("game")
        given = {
            "slug": self.project.slug,
            "person": self.person.pk,
            "thing": "rating",
            "stage": 1,
            "iteration": 1,
        }
        return crawled(
            self.client,
            [*own, *others],
            program=self.program,
            numbers=self.numbers,
            of_others=of_others,
            verdict=1,
            slot=1,
            membership=1,
            webhook=self.webhook.pk,
            calibration=1,
            judge=1,
            transcript=Transcript.objects.filter(project=self.project).first().pk,
            **given,
        )


def list_others(game):
    return list(
        Evaluation.objects.filter(game=game, purpose=RATING).select_related("game").order_by("pk")[:2]
    )


def resolve_all(game, lead):
    """Every tie resolved with a reason that is a mark."""
    for disagreement in disagreements_in(fresh(game)):
        if disagreement.is_split and disagreement.can_be_adjudicated:
            adjudicate(
                game=fresh(game),
                kind=disagreement.kind,
                subject=disagreement.subject,
                value=disagreement.sides[0].value or "yes",
                reason="SETTLEMARK",
                adopted=None,
                sides_sha256=disagreement.page_sha256,
                key=f"settle-{disagreement.kind}-{disagreement.subject}",
                by=lead,
                now=NOW,
            )


def record_as(game, lead, **given):
    return record_verdict(game=game, basis_sha256=preview(game).basis_sha256, by=lead, now=NOW, **given)


def test_nothing_of_others_is_in_any_answer_in_any_phase():
    """Lapsed, submitted and returned are looked at where worlds are compared."""
    game, lead = marked_team()
    me = Evaluator(game)
    hidden = OTHERS + GAME + LEADS + ("7.77",)
    assert leaks(me.crawl(*list_others(game), of_others=True), (*hidden, *ROLES)) == []
    evaluation = begin(me.project, me.person)
    assert leaks(me.crawl(*list_others(game)), (*hidden, *ROLES)) == []
    say_what_is_missing(evaluation)
    assert leaks(me.crawl(*list_others(game)), (*hidden, *ROLES)) == []
    expire_leases(by=system_person(now=NOW), now=NOW + LEASE)
    skip_game(evaluation=begin_again(evaluation), reason="I know it", by=me.person, now=NOW)
    assert leaks(me.crawl(), (*hidden, *ROLES)) == []
    finish(begin_again(evaluation))
    differences = reverse("own_differences", args=[evaluation.pk])
    assert me.client.get(differences).status_code == 200, "what is crawled has the page"
    hidden = tuple(mark for mark in hidden if mark != "7.77")
    return_evaluation(evaluation=load_again(evaluation), comment="Look again", by=lead, now=NOW)
    submit_evaluation(evaluation=load_again(evaluation), by=me.person, now=NOW)
    second = list_others(game)[1]
    submit_evaluation(evaluation=load_again(second), by=second.evaluator, now=NOW)
    resolve_all(game, lead)
    assert leaks(me.crawl(*list_others(game)), hidden) == []
    record_as(game, lead)
    recorded = me.crawl(*list_others(game), of_others=True)
    assert leaks(recorded, OTHERS) == []
    assert leaks(recorded, ("WINNERMARK",))


def test_reasons_of_leads_on_games_that_one_rates_or_could_rate_are_theirs():
    game, lead = marked_team()
    me = Evaluator(game)
    evaluation = begin(me.project, me.person)
    reduce_required_evaluators(game=game, count=2, reason="FEWERMARK", by=lead, now=NOW)
    withdraw_game(game=fresh(game), reason="OUTMARK", by=lead, now=NOW)
    assert leaks(me.crawl(), LEADS + OTHERS + GAME + ROLES) == []
    restore_game(game=fresh(game), reason="OUTMARK", by=lead, now=NOW)
    finish(evaluation)
    assert leaks(me.crawl(*list_others(game), of_others=True), LEADS + OTHERS + GAME) == []


def calibrated():
    """A marked game with a verdict, a calibration round on it with notes, and a trainee."""
    game, lead = marked_team()
    third = begin(game.project, make_member(project=game.project))
    finish(third)
    second = list_others(game)[1]
    submit_evaluation(evaluation=load_again(second), by=second.evaluator, now=NOW)
    resolve_all(game, lead)
    record_as(game, lead)
    plan = RoundPlan(name="First", games=[game.number], pass_percent=100, notes={game.number: "NOTEMARK"})
    opened = open_round(project=game.project, plan=plan, by=lead, now=NOW)
    let_rate(opened=opened, person=second.evaluator, reason="LETMARK", by=lead, now=NOW)
    return game, Evaluator(game)


def test_a_calibration_shows_its_key_and_note_once_it_is_submitted_and_others_never():
    game, me = calibrated()
    hidden = OTHERS + GAME + ROLES + LEADS
    assert leaks(me.crawl(*list_others(game)), hidden) == []
    evaluation = begin(me.project, me.person)
    assert evaluation.purpose == CALIBRATION
    assert leaks(me.crawl(*list_others(game)), hidden) == []
    say(evaluation, "question", "1", "no")
    say_what_is_missing(evaluation)
    assert leaks(me.crawl(*list_others(game)), hidden) == []
    finish(load_again(evaluation))
    after = me.crawl(*list_others(game), of_others=True)
    assert leaks(after, (*OTHERS, "SETTLEMARK", "filemark")) == []
    assert leaks(after, ("NOTEMARK",))


# ---------------------------------------------------------------- worlds that differ in what is hidden


def posted(me, evaluation):
    """What good, stale and impossible acts are answered, and what renewing, skipping and submitting are."""
    acts = (
        "question~1~0~yes",
        "question~1~0~no",
        "coherence~999~0~yes",
        "comment~message:3~0~",
        "reveal~roles~0~yes",
    )
    answers = {}
    for number, act in enumerate(acts):
        body = {"act": act, "nonce": f"n{number}", "step": "coherence"}
        answers[act] = me.client.post(reverse("judge", args=[evaluation.pk]), body, headers=HTMX)
    for name, body in (
        ("undo", {"key": "n:undo"}),
        ("submit_evaluation", {"key": "n:submit"}),
        ("renew_lease", {}),
        ("return_to_game", {}),
        ("reopen_evaluation", {}),
        ("skip_game", {"text": "", "key": "n:skip"}),
    ):
        for manner, headers in (("page", {}), ("region", HTMX)):
            answers[f"{manner} {name}"] = me.client.post(
                reverse(name, args=[evaluation.pk]), body, headers=headers
            )
    answers["next"] = me.client.post(reverse("next_game", args=[me.project.slug]))
    return {
        at: f"{answer.status_code} {answer.headers}\n{answer.content.decode()}"
        for at, answer in answers.items()
    }


def say_half(evaluation):
    """Every second thing that is asked for before the roles are shown."""
    for missing in load_state(evaluation).visibility.missing[::2]:
        if missing.kind != "reveal":
            say(evaluation, missing.kind, missing.subject, ANSWERS.get(missing.kind, "yes"))


def unlike(first, other):
    """Where two crawls differ, and in what, without what is new with every request."""
    assert first.keys() == other.keys()
    lines = {at: (masked(first[at]).splitlines(), masked(other[at]).splitlines()) for at in first}
    return [
        f"{at}: {left} | {right}"
        for at, (ours, theirs) in lines.items()
        for left, right in zip([*ours, f"{len(ours)} lines"], [*theirs, f"{len(theirs)} lines"], strict=False)
        if left != right
    ]


def in_a_world_of_its_own(work):
    """What it gives; its rows are undone, so that the next world has the same numbers."""
    with transaction.atomic():
        given = work()
        transaction.set_rollback(True)
    return given


@pytest.mark.parametrize("phase", ["half", "submitted", "lapsed", "returned"])
def test_what_others_said_changes_no_byte_of_what_one_is_answered(phase):
    def world(secret, *, swapped):
        # What is shown of the game once it is submitted is the same in both worlds.
        of_game = secret if phase == "half" else "MARK"
        game, lead = marked_team(secret=secret, of_game=of_game, swapped=swapped)
        me = Evaluator(game)
        evaluation = begin(me.project, me.person)
        say_half(evaluation)
        if phase == "lapsed":
            expire_leases(by=system_person(now=NOW), now=NOW + LEASE)
        if phase in ("submitted", "returned"):
            finish(load_again(evaluation))
        if phase == "returned":
            return_evaluation(evaluation=load_again(evaluation), comment="Look again", by=lead, now=NOW)
        got = me.crawl(*list_others(game), of_others=phase == "half")
        if secret == "MARK":
            hidden = OTHERS + GAME + LEADS
            is_in = phase in ("submitted", "returned")
            assert leaks(got, hidden if is_in else (*hidden, "7.77", *ROLES)) == []
            assert leaks(got, ROLES) or phase != "submitted"
        return got | posted(me, evaluation)

    result = in_a_world_of_its_own(lambda: world("MARK", swapped=False))
    two = in_a_world_of_its_own(lambda: world("SIGN", swapped=True))
    assert len(result) > 50
    assert not (found := unlike(result, two)), found[:9]


@pytest.fixture
def like_any_other(monkeypatch):
    """A repeat is due where there is one game; all samples are drawn alike, as a repeat's is like the first one's."""
    monkeypatch.setattr(workspace.core.hidden_duplicates, "APART", 0)
    monkeypatch.setattr("discussions.queue.actions.is_due", lambda *_given: Game.objects.count() != 2)
    monkeypatch.setattr("discussions.queue.actions._seed", lambda *_given: "1" * 32)


def second_game(*, is_repeat, evaluator_count=3):
    """Somebody who rated a game and has another one open that reads alike: the same game again, or a second one."""
    project = make_rating_project(evaluator_count=evaluator_count, slug="blind")
    lead = make_lead(project=project)
    for name in ("first",) if is_repeat else ("first", "second"):
        content = {**game_with_marks(messages=12), "gameId": name}
        upload(project=project, by=lead, games=content, name=f"{name}.json")
        run_waiting_jobs()
    change_queue(project=project, order="oldest", repeat_percent=50, by=lead, now=NOW)
    # The second game's pages are asked for in a world without one, too.
    me = Evaluator(Game.objects.filter(project=project).order_by("pk")[0], numbers=(1, 2))
    finish(begin(project, me.person))
    evaluation = begin(project, me.person)
    assert evaluation.purpose == (REPEAT if is_repeat else RATING)
    assert evaluation.game_number == evaluation.shown_number >= 100
    return me, evaluation


@pytest.mark.parametrize(("phase", "count"), [("half", 1), ("lapsed", 3), ("skipped", 1)])
def test_nothing_tells_a_hidden_repeat_from_another_game_until_it_is_submitted(like_any_other, phase, count):
    def world(*, is_repeat):
        me, evaluation = second_game(is_repeat=is_repeat, evaluator_count=count)
        if phase == "half":
            say_half(evaluation)
        if phase == "lapsed":
            expire_leases(by=system_person(now=NOW), now=NOW + LEASE)
        if phase == "skipped":
            skip_game(evaluation=load_again(evaluation), reason="Later", by=me.person, now=NOW)
        return me.crawl(of_others=phase == "half") | posted(me, evaluation)

    first, two = (in_a_world_of_its_own(lambda kind=kind: world(is_repeat=kind)) for kind in (True, False))
    assert len(first) > 50
    assert not (found := unlike(first, two)), found[:9]


def test_a_given_repeat_is_one_free_game_less_as_any_given_game_is(like_any_other):
    project = make_rating_project(slug="blind")
    lead = make_lead(project=project)
    for _game in range(4):
        make_game(project=project)
    person = make_member(project=project)
    finish(begin(project, person))
    assert queue_page(person=person, project=project).free_count == 3
    change_queue(project=project, order="oldest", repeat_percent=50, by=lead, now=NOW)
    repeat = begin(project, person)
    assert repeat.purpose == REPEAT
    assert queue_page(person=person, project=project).free_count == 2
    skip_game(evaluation=repeat, reason="Later", by=person, now=NOW)
    assert queue_page(person=person, project=project).free_count == 2
    assert build_home(person=person, now=NOW)["projects"][0]["free_count"] == 2
