"""What holds a verdict back or is named beside it, who may record it, and recording at submission."""

import html
from datetime import timedelta

import pytest
from django.urls import reverse

from discussions.adjudication.core.judgeable import list_unasked
from discussions.core.evaluation_states import DRAFT
from discussions.games.actions import answer_flag
from discussions.models import RatingRule, Remark, Verdict
from discussions.planning.actions import change_rating_rule
from discussions.rating.actions import act, remark, submit_evaluation
from discussions.rating.pages.evaluation import EvaluationQuery, rating_page
from discussions.rating.pages.lease import build_lease
from discussions.rating.pages.own_work import mine_page
from discussions.rating.queries import load_state
from discussions.verdicts.permissions import check_reopen
from discussions.verdicts.queries import count_unasked_suggestions, load_basis
from tests.factories.adjudication import HOSTILE, TIE, list_evaluations, make_differing, resolve_difference
from tests.factories.people import NOW, make_admin, make_lead, make_member
from tests.factories.rating import (
    game_of,
    load_again,
    make_game,
    make_rating_project,
    ready_to_submit,
    say,
    say_engagement,
    say_what_is_missing,
    start,
    submitted,
)
from tests.factories.tokens import program_of
from tests.factories.verdicts import fresh, get_lead, preview, record
from workspace.audit.core import Act
from workspace.core.refusals import NotAllowed
from workspace.models import Event

pytestmark = pytest.mark.django_db


@pytest.fixture
def flag():
    """An open flag on the third message of a submitted evaluation."""
    evaluation = ready_to_submit()
    by = evaluation.evaluator
    made = remark(
        evaluation=evaluation, kind="flag", target="message:3", text="<cut> off?", key="f", by=by, now=NOW
    )
    submit_evaluation(evaluation=evaluation, by=by, now=NOW)
    return Remark.objects.select_related("evaluation__game__project", "evaluation__evaluator").get(pk=made.pk)


def set_rule(project, flags):
    """Choose what an open flag does."""
    given = {"reopen_minutes": 30, "shows_differences": False, "records_at_submit": False}
    change_rating_rule(project=project, flags=flags, **given, by=make_lead(project=project), now=NOW)


def shown(client, flag, person):
    """The page of the verdict."""
    client.force_login(person)
    game = flag.evaluation.game
    answer = client.get(reverse("verdict", args=[game.project.slug, game.number]))
    return " ".join(html.unescape(answer.content.decode()).split())


def test_held_by_default_until_the_flag_is_resolved(client, flag):
    game, by = flag.evaluation.game, flag.evaluation.evaluator
    with pytest.raises(NotAllowed, match="still open") as held:
        record(game)
    assert held.value.code == "flag_open"
    page = shown(client, flag, by)
    assert "1 open flag" in page and "<cut> off?" in page
    assert f'href="{reverse("flags", args=[game.project.slug])}#flag-{flag.pk}"' in page
    assert f'href="{reverse("rate", args=[flag.evaluation_id])}?at=3"' in page
    assert "You flagged something in this game" in page
    assert ("Next game" in page, "No more games for you" in page) == (False, True)
    make_game(project=game.project)
    assert "Next game" in shown(client, flag, by), "the evaluator goes on with another game meanwhile"
    answer_flag(flag=flag, text="", is_resolved=True, by=by, now=NOW)
    assert "open flag" not in shown(client, flag, by)
    assert record(game).number == 1


def test_a_lead_records_and_reads_of_the_flag(client, flag):
    game = flag.evaluation.game
    page = shown(client, flag, get_lead(game))
    assert "1 open flag" in page
    assert f"{reverse('game', args=[game.project.slug, game.number])}?from=3#m3" in page
    assert record(game, by=get_lead(game)).number == 1


def test_a_warning_names_it_and_holds_nobody_back(client, flag):
    set_rule(flag.evaluation.game.project, "warn")
    page = shown(client, flag, flag.evaluation.evaluator)
    assert "1 open flag" in page and "You flagged something" not in page
    assert record(flag.evaluation.game).number == 1


def test_ignored_it_is_not_even_named(client, flag):
    set_rule(flag.evaluation.game.project, "ignore")
    for person in (flag.evaluation.evaluator, get_lead(flag.evaluation.game)):
        assert "open flag" not in shown(client, flag, person)
    assert record(flag.evaluation.game).number == 1


def test_a_program_is_refused_by_the_same_rule(flag):
    game = fresh(flag.evaluation.game)
    program = program_of(flag.evaluation.evaluator)
    path = f"projects/{game.project.slug}/games/{game.number}/verdict/"
    assert "still open" in program.get(path).json()["refusal"]
    answer = program.post(path, {"basis_sha256": preview(game).basis_sha256})
    assert answer.status_code == 403
    assert "still open" in str(answer.json())
    assert not Verdict.objects.exists()


def test_an_evaluator_of_a_shared_game_reads_of_their_own_flag_alone(client):
    game = make_differing()
    first, second = list_evaluations(game)
    address = reverse("verdict", args=[game.project.slug, game.number])
    said = {}
    for evaluation in (first, second):
        client.force_login(evaluation.evaluator)
        said[evaluation.pk] = html.unescape(client.get(address).content.decode())
    assert HOSTILE in said[first.pk]
    assert "open flag" not in said[second.pk] and HOSTILE not in said[second.pk]


def test_own_work_still_lists_the_game(flag):
    page = mine_page(person=flag.evaluation.evaluator, now=NOW)
    assert page["reopenable"] == {flag.evaluation_id}


SAID = "Memory accuracy: nobody looked at {n} suggestion"


def content(references=0, suggestions=2):
    """A game of twelve messages with that many references and suggested references."""
    game = game_of(12)
    texts = ["Bea voted for Ann in round 1."] * references + [
        "If Bea had voted for Cid in round 2, he would be gone."
    ] * suggestions
    assert len(texts) <= 12
    for message, text in zip(
        game["messages"], texts + ["Good morning to you."] * (12 - len(texts)), strict=True
    ):
        message["message"] = text
    return game


def ended(**given):
    """An evaluation with everything in that is asked for, and no look at the suggestions."""
    return ready_to_submit(project=make_rating_project(number="1.2"), content=content(**given))


def open_page(evaluation, step=""):
    evaluation = load_again(evaluation)
    lease = build_lease(evaluation=evaluation, now=NOW)
    return rating_page(work=load_state(evaluation), wanted=EvaluationQuery("n", step), lease=lease)


def look(evaluation, what="suggestions"):
    posted = Act(kind="reveal", subject=what, value="yes", version=0, key="look")
    act(evaluation=load_again(evaluation), posted=posted, by=evaluation.evaluator, now=NOW)


def submit(client, evaluation):
    client.force_login(evaluation.evaluator)
    answer = client.post(reverse("submit_evaluation", args=[evaluation.pk]), {"key": "n:submit"})
    assert answer.status_code == 303


def read(client, game, name):
    address = reverse(name, args=[game.project.slug, game.number])
    return " ".join(html.unescape(client.get(address).content.decode()).split())


def test_what_counts_as_looked_at():
    possible = ["2.1", "5.1", "5.2", "11.1"]
    assert list_unasked(possible, set(), []) == possible
    assert list_unasked(possible, {"5.1"}, ["roles", "reference:2.1"]) == ["2.1", "5.2", "11.1"]
    assert list_unasked(possible, set(), ["suggestions:5.1-5.2"]) == ["2.1", "11.1"]
    assert list_unasked(possible, set(), ["suggestions"]) == []


@pytest.mark.parametrize(("references", "suggestions"), [(0, 3), (2, 5)])
def test_it_is_said_at_submitting_and_wherever_the_verdict_is_read(client, references, suggestions):
    evaluation = ended(references=references, suggestions=suggestions)
    count = len(load_state(load_again(evaluation)).judgeable.possible)
    assert (count, len(load_state(load_again(evaluation)).judgeable.counted)) == (suggestions, references)
    said = SAID.format(n=count)
    assert open_page(evaluation, "review").review.unasked.startswith(said)
    submit(client, evaluation)
    game = fresh(evaluation.game)
    assert said in read(client, game, "verdict")
    lead = get_lead(game)
    program = program_of(lead)
    path = f"projects/{game.project.slug}/games/{game.number}/verdict/"
    assert program.get(path).json()["unasked"].startswith(said)
    record(game)
    client.force_login(lead)
    for name in ("verdict", "game", "report", "report_markdown", "report_json"):
        assert read(client, game, name).count(said) == 1, name
    facts = client.get(reverse("report_json", args=[game.project.slug, game.number])).json()["verdict"]
    assert len(facts["notes"]) == 1
    assert program.get(path).json()["unasked"].startswith(said)


@pytest.mark.parametrize("is_marked", [False, True])
def test_nothing_is_said_once_somebody_looked(client, is_marked):
    evaluation = ended(suggestions=2)
    if is_marked:
        for subject in load_state(load_again(evaluation)).judgeable.possible:
            say(load_again(evaluation), "missed", subject, "yes")
        say_what_is_missing(load_again(evaluation))
    else:
        look(evaluation)
    assert open_page(evaluation, "review").review.unasked == ""
    submit(client, evaluation)
    game = fresh(evaluation.game)
    assert "nobody looked at" not in read(client, game, "verdict")
    record(game)
    facts = client.get(reverse("report_json", args=[game.project.slug, game.number])).json()["verdict"]
    assert facts["notes"] == []


def test_some_may_be_left():
    evaluation = ended(suggestions=3)
    first = load_state(load_again(evaluation)).judgeable.possible[0]
    look(evaluation, f"suggestions:{first}-{first}")
    assert open_page(evaluation, "review").review.unasked.startswith(SAID.format(n=2) + "s")


def test_without_evaluations_nobody_could_look():
    game = fresh(start(content=content()).game)
    assert count_unasked_suggestions(load_basis(game)) == 0


def test_the_page_opens_at_suggestions_that_nobody_asked_for():
    evaluation = start(project=make_rating_project(number="1.2"), content=content(suggestions=2))
    assert open_page(evaluation).step == "engagement"
    say_engagement(evaluation)
    page = open_page(evaluation)
    assert page.step == "references"
    assert [item.is_suggested for item in page.references] == [True, True]
    look(evaluation)
    page = open_page(evaluation)
    assert page.step != "references"
    assert [item.is_suggested for item in page.references] == [False, False]


def test_with_everything_in_it_opens_at_the_suggestions_and_not_at_submit():
    evaluation = ended(suggestions=2)
    assert open_page(evaluation).step == "references"
    look(evaluation)
    assert open_page(evaluation).step == "review"


def make_project(*, is_on: bool = True, **details):
    project = make_rating_project(**details)
    lead = make_lead(project=project)
    RatingRule.objects.create(project=project, records_at_submit=is_on, changed_at=NOW, changed_by=lead)
    return project


def test_the_verdict_is_recorded_by_whoever_submits():
    evaluation = submitted(project=make_project())
    verdict = Verdict.objects.get(game=evaluation.game)
    assert verdict.created_by_id == evaluation.evaluator_id
    assert Event.objects.filter(verb="verdict:recorded").count() == 1


def test_by_hand_is_what_holds_without_the_rule():
    submitted(project=make_project(is_on=False))
    submitted(project=make_rating_project())
    assert not Verdict.objects.exists()


def test_several_evaluators_leave_it_to_a_lead():
    evaluation = submitted(project=make_project(evaluator_count=2))
    assert evaluation.state == "submitted"
    assert not Verdict.objects.exists()


def test_an_open_flag_is_in_the_way_of_recording_and_not_of_submitting():
    evaluation = ready_to_submit(project=make_project())
    by = evaluation.evaluator
    remark(evaluation=evaluation, kind="flag", target="message:3", text="Off?", key="f", by=by, now=NOW)
    assert submit_evaluation(evaluation=evaluation, by=by, now=NOW).state == "submitted"
    assert not Verdict.objects.exists()


def refuse(evaluation, *, by=None, after=timedelta(minutes=1)):
    """The code and the sentence of the refusal."""
    with pytest.raises(NotAllowed) as refused:
        check_reopen(by or evaluation.evaluator, evaluation, evaluation.submitted_at + after)
    return refused.value.code, refused.value.sentence


def test_whoever_submitted_reopens_it_in_time_and_while_the_account_is_active():
    evaluation = submitted()
    person, minutes = evaluation.evaluator, timedelta(minutes=30)
    check_reopen(person, evaluation, evaluation.submitted_at + minutes - timedelta(seconds=1))
    assert refuse(evaluation, after=minutes)[0] == "too_late"
    project = evaluation.game.project
    for other in (make_member(project=project), make_lead(project=project), make_admin()):
        assert refuse(evaluation, by=other)[1].startswith("Only the evaluator")
    person.is_active = False
    assert refuse(evaluation)[1].startswith("Only the evaluator")


def test_what_is_not_submitted_is_not_reopened():
    evaluation = submitted()
    evaluation.state = DRAFT
    assert refuse(evaluation)[0] == "open"


def test_what_a_verdict_rests_on_stays():
    evaluation = submitted()
    record(evaluation.game, minutes=1)
    assert refuse(evaluation)[0] == "verdict_stands"


def test_what_a_lead_has_resolved_stays():
    game = make_differing()
    first, _second = list_evaluations(game)
    check_reopen(first.evaluator, first, first.submitted_at)
    resolve_difference(game, TIE, "yes", minutes=5)
    assert refuse(first)[0] == "adjudicated"
