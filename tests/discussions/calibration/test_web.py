"""Pages of calibration: opened by leads, feedback for who rated, nobody else's answers anywhere.

Calibration where evaluators look for work: home, the queue, the rating page, their own evaluations and answers.
"""

import re

import pytest
from django.urls import reverse

import workspace.core.hidden_duplicates
from discussions.calibration.actions import close_round, let_rate, take_calibration
from discussions.calibration.queries import own_calibrations
from discussions.home.pages.home import build_home
from discussions.models import CalibrationRound, CalibrationWaiver, Evaluation
from discussions.models.slots import CALIBRATION
from tests.factories.calibration import make_round, make_trainee, take
from tests.factories.people import NOW, make_lead, make_member, make_person
from tests.factories.queue import finish, rated_once, until_repeated
from tests.factories.rating import make_game, make_rating_project, say
from tests.factories.tokens import program_of
from tests.factories.verdicts import recorded_verdict
from workspace.models import Membership

pytestmark = pytest.mark.django_db


PLAN = {"name": "First", "is_required": "on", "pass_percent": "75", "rating_within": "0.5", "notes": ""}


def signed(client, person):
    client.force_login(person)
    return client


def finished(opened, *, otherwise=("1", "2")) -> Evaluation:
    """A trainee who answered these questions with no, the team with yes."""
    evaluation = take(opened, make_trainee(opened))
    for question in otherwise:
        say(evaluation, "question", question, "no")
    return finish(evaluation)


def test_a_lead_opens_a_round_and_reads_its_rule(client):
    verdict = recorded_verdict()
    project, number = verdict.project, verdict.game.number
    lead = signed(client, make_lead(project=project))
    page = lead.get(reverse("calibrations", args=[project.slug]))
    assert page.context["offered"] == [number]
    given = PLAN | {"games": str(number), "notes": f"{number}: Vague counts as vague."}
    answer = lead.post(reverse("calibrations", args=[project.slug]), given)
    assert (answer.status_code, answer["Location"]) == (303, reverse("calibration", args=[project.slug, 1]))
    opened = CalibrationRound.objects.get()
    assert (opened.pass_percent, opened.is_required, opened.games.get().note) == (
        75,
        True,
        "Vague counts as vague.",
    )
    shown = lead.get(answer["Location"]).content.decode()
    assert "75\u00a0% of answers" in shown
    assert "Vague counts as vague." in shown


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"games": "7-3"}, "names no games"),
        ({"games": "99"}, "has no recorded verdict"),
        ({"games": ""}, "required"),
        ({"notes": "no number"}, "does not begin with"),
        ({"pass_percent": "101"}, "less than or equal to 100"),
    ],
)
def test_what_cannot_be_is_said_and_everything_typed_stays(client, changes, says):
    verdict = recorded_verdict()
    given = PLAN | {"games": str(verdict.game.number), "name": "Kept as typed"} | changes
    lead = signed(client, make_lead(project=verdict.project))
    answer = lead.post(reverse("calibrations", args=[verdict.project.slug]), given)
    assert answer.status_code == 422
    assert says in answer.content.decode()
    assert "Kept as typed" in answer.content.decode()
    assert not CalibrationRound.objects.exists()


def test_the_next_game_of_a_new_evaluator_is_a_calibration_and_ends_in_feedback(client):
    opened = make_round(games=2, pass_percent=100)
    person = make_trainee(opened)
    browser = signed(client, person)
    browser.get(reverse("guideline", args=[opened.project.slug]))
    browser.post(reverse("next_game", args=[opened.project.slug]))
    evaluation = Evaluation.objects.get(purpose=CALIBRATION)
    say(Evaluation.objects.with_work().get(pk=evaluation.pk), "question", "3", "no")
    before = browser.get(reverse("calibration_feedback", args=[evaluation.pk]))
    assert before.status_code == 404
    finish(evaluation)
    page = browser.get(reverse("calibration_feedback", args=[evaluation.pk]))
    shown = page.context["page"]
    assert (shown.compared.count - shown.compared.alike, shown.result.passes, shown.left) == (1, None, 1)
    (other,) = shown.differences
    assert (other.given, other.agreed, other.subject.label) == ("no", "yes", "Question")
    assert "Next calibration game" in page.content.decode()


def test_handing_in_leads_to_the_feedback(client):
    opened = make_round()
    evaluation = take(opened, make_trainee(opened))
    finish(evaluation)
    answer = signed(client, evaluation.evaluator).post(
        reverse("submit_evaluation", args=[evaluation.pk]), {"key": "k"}
    )
    assert answer["Location"] == reverse("calibration_feedback", args=[evaluation.pk])


def test_who_passed_and_who_did_not_is_told_to_them_and_to_leads(client):
    opened = make_round(pass_percent=95)
    good, bad = finished(opened, otherwise=()), finished(opened, otherwise="123")
    for evaluation, says in ((good, "Passed"), (bad, "Not passed yet")):
        page = signed(client, evaluation.evaluator).get(reverse("calibration_feedback", args=[evaluation.pk]))
        assert f"<strong>{says}</strong>" in page.content.decode()
        assert re.search(r'href="/" autofocus\s*>Your work<', page.content.decode())
    lead = signed(client, make_lead(project=opened.project))
    address = reverse("calibration", args=[opened.project.slug, opened.number])
    people = {person.pk: progress.result.passes for person, progress in lead.get(address).context["people"]}
    assert (people[good.evaluator_id], people[bad.evaluator_id]) == (True, False)
    wave = reverse("let_rate", args=[opened.project.slug, opened.number, bad.evaluator_id])
    refused = lead.post(wave, {"reason": " "})
    assert (refused.status_code, "Say why they may rate" in refused.content.decode()) == (422, True)
    assert lead.post(wave, {"reason": "We talked"}).status_code == 303
    assert "We talked" in lead.get(address).content.decode()
    page = signed(client, bad.evaluator).get(reverse("calibration_feedback", args=[bad.pk])).content.decode()
    assert "<strong>You may rate</strong>" in page
    assert "Passed" not in page


def test_who_left_meanwhile_is_not_let_rate_and_the_lead_is_told(client):
    opened = make_round(pass_percent=95)
    lead, stranger = make_lead(project=opened.project), make_person()
    left = finished(opened, otherwise="123").evaluator
    Membership.objects.filter(person=left).update(ended_at=NOW, ended_by=lead)
    client = signed(client, lead)
    place = ["let_rate", opened.project.slug, opened.number]
    answer = client.post(reverse(place[0], args=[*place[1:], left.pk]), {"reason": "We talked"})
    assert answer.status_code == 409
    program = program_of(lead)
    for person, status in ((left, 409), (stranger, 404)):
        path = f"projects/{opened.project.slug}/calibrations/{opened.number}/people/{person.pk}/let-rate/"
        answer = program.post(path, {"reason": "We talked"})
        assert answer.status_code == status, answer.content
    assert client.post(reverse(place[0], args=[*place[1:], stranger.pk]), {"reason": "x"}).status_code == 404


def test_what_several_answer_otherwise_is_listed(client):
    opened = make_round(pass_percent=1)
    for _person in range(2):
        finished(opened, otherwise="4")
    lead = signed(client, make_lead(project=opened.project))
    (missed,) = lead.get(reverse("calibration", args=[opened.project.slug, 1])).context["missed"]
    words = [*missed["words"][1:3], missed["people"], missed["of_people"]]
    assert words == ["Question", "4", 2, 2]


def test_feedback_is_ones_own_alone_and_names_nobody(client):
    opened = make_round()
    team = Evaluation.objects.get(game=opened.games.get().game).evaluator
    evaluation = finished(opened)
    page = signed(client, evaluation.evaluator).get(reverse("calibration_feedback", args=[evaluation.pk]))
    assert team.name not in page.content.decode()
    for person in (make_member(project=opened.project), make_lead(project=opened.project)):
        address = reverse("calibration_feedback", args=[evaluation.pk])
        assert signed(client, person).get(address).status_code == 404


def test_a_rating_has_no_feedback(client):
    opened = make_round()
    rated = Evaluation.objects.get(game=opened.games.get().game)
    page = signed(client, rated.evaluator).get(reverse("calibration_feedback", args=[rated.pk]))
    assert page.status_code == 404


def test_a_round_is_closed_by_a_lead_of_its_project(client):
    opened = make_round()
    address = reverse("close_calibration", args=[opened.project.slug, opened.number])
    elsewhere = make_lead(project=make_rating_project())
    assert signed(client, elsewhere).post(address).status_code == 404
    assert signed(client, make_lead(project=opened.project)).post(address).status_code == 303
    opened.refresh_from_db()
    assert opened.closed_at is not None


@pytest.mark.parametrize("count", [1, 4])
def test_queries_do_not_grow_with_people(client, count, django_assert_max_num_queries):
    opened = make_round(pass_percent=1)
    for _person in range(count):
        finished(opened)
    lead = signed(client, make_lead(project=opened.project))
    address = reverse("calibration", args=[opened.project.slug, opened.number])
    lead.get(address)
    with django_assert_max_num_queries(15):
        assert len(lead.get(address).context["people"]) >= count


def get_text(client, person, name, *args):
    client.force_login(person)
    answer = client.get(reverse(name, args=args))
    assert answer.status_code == 200
    return answer.content.decode()


def failed(opened, person) -> Evaluation:
    """One game of the round, with four answers unlike those of the key."""
    taken = take(opened, person) if opened.is_required else _voluntary(opened, person)
    for question in "1234":
        say(taken, "question", question, "no")
    return finish(taken)


def _voluntary(opened, person) -> Evaluation:
    taken = take_calibration(opened=opened, by=person, now=NOW)
    return Evaluation.objects.with_work().get(pk=taken.pk)


def test_a_required_round_comes_first_and_next_game_leads_to_it(client):
    opened = make_round(games=3)
    person = make_trainee(opened)
    make_game(project=opened.project)
    for page, args, says in (
        ("home", [], ("Calibration comes first", "0 of 3 done")),
        ("queue", [opened.project.slug], ("Calibration first:", "0 of 3 games done.")),
    ):
        text = get_text(client, person, page, *args)
        assert all(part in text for part in says), page
        assert reverse("next_game", args=[opened.project.slug]) in text
        assert reverse("take_calibration", args=[opened.project.slug, 1]) not in text
    assert "Start the calibration game" in get_text(client, person, "home")
    first = finish(take(opened, person))
    text = get_text(client, person, "home")
    assert "1 of 3 done" in text
    assert reverse("calibration_feedback", args=[first.pk]) in text
    started = take(opened, person)
    text = get_text(client, person, "home")
    assert reverse("rate", args=[started.pk]) in text
    assert "Continue the calibration" in text
    assert "Calibration game 2 is under way" in text, "what was started says what it is"


def test_a_round_that_is_not_required_is_offered_beside_the_next_game(client):
    opened = make_round(games=2, is_required=False)
    person = make_trainee(opened)
    make_game(project=opened.project)
    text = get_text(client, person, "home")
    assert "optional, 0 of 2 done" in text
    assert reverse("next_game", args=[opened.project.slug]) in text
    place = reverse("take_calibration", args=[opened.project.slug, 1])
    assert place in get_text(client, person, "queue", opened.project.slug)
    client.get(reverse("guideline", args=[opened.project.slug]))
    answer = client.post(place, {"key": "take"})
    assert answer["Location"] == reverse("rate", args=[Evaluation.objects.get(evaluator=person).pk])
    assert place not in get_text(client, person, "home"), "one at a time"


@pytest.mark.parametrize("is_required", [True, False])
def test_who_did_not_pass_reads_it_with_the_way_to_the_last_feedback(client, is_required):
    opened = make_round(pass_percent=100, is_required=is_required)
    person = make_trainee(opened)
    last = failed(opened, person)
    make_game(project=opened.project)
    text = get_text(client, person, "home")
    assert ("Calibration not passed yet" if is_required else "not passed yet") in text
    assert reverse("calibration_feedback", args=[last.pk]) in text
    assert (reverse("next_game", args=[opened.project.slug]) in text) is not is_required
    assert ("Go through the differences with a team lead" in text) is is_required
    if is_required:
        lead = make_lead(project=opened.project)
        let_rate(opened=opened, person=person, reason="Talked it over.", by=lead, now=NOW)
        text = get_text(client, person, "home")
        assert "not passed" not in text
        assert reverse("next_game", args=[opened.project.slug]) in text


def test_who_passed_reads_it_and_a_closed_round_or_known_games_say_nothing(client):
    opened = make_round(games=2)
    person = make_trainee(opened)
    for _game in range(2):
        finish(take(opened, person))
    assert "Calibration passed: feedback" in get_text(client, person, "home")
    rater = Evaluation.objects.filter(purpose="rating").first().evaluator
    (own,) = own_calibrations(person=rater, projects=[opened.project_id]).values()
    assert (own.done, own.of_games, own.waiting) == (0, 1, 1), "the game they rated is not asked of them"
    close_round(opened=opened, by=make_lead(project=opened.project), now=NOW)
    assert "alibration" not in get_text(client, person, "home")
    assert build_home(person=person, now=NOW)["projects"][0]["calibration"] is None


def test_the_rating_page_says_openly_that_it_is_a_calibration(client):
    opened = make_round()
    person = make_trainee(opened)
    started = take(opened, person)
    assert '<span class="chip">Calibration</span>' in get_text(client, person, "rate", started.pk)
    other = Evaluation.objects.filter(purpose="rating").first()
    assert "Calibration</span>" not in get_text(client, other.evaluator, "rate", other.pk)


def test_own_lists_name_calibrations_with_their_feedback_once_submitted(client):
    opened = make_round(games=2)
    person = make_trainee(opened)
    done, started = finish(take(opened, person)), take(opened, person)
    mine = get_text(client, person, "mine")
    assert mine.count('<span class="chip">calibration</span>') == 2
    assert reverse("calibration_feedback", args=[done.pk]) in mine
    assert reverse("calibration_feedback", args=[started.pk]) not in mine
    answers = get_text(client, person, "own_history")
    assert reverse("calibration_feedback", args=[done.pk]) in answers
    assert reverse("rate", args=[started.pk]) not in answers


def test_a_repeat_is_told_only_once_it_is_submitted(client, monkeypatch):
    monkeypatch.setattr(workspace.core.hidden_duplicates, "APART", 0)
    again = until_repeated(rated_once())
    for page in ("mine", "own_history", "home"):
        text = get_text(client, again.evaluator, page)
        assert "rated again" not in text
        assert "rated before" not in text
    finish(again)
    assert "rated again" in get_text(client, again.evaluator, "own_history")


@pytest.mark.parametrize("games", [1, 4])
def test_home_asks_as_often_however_many_games_a_round_has(client, games, django_assert_num_queries):
    opened = make_round(games=games)
    person = make_trainee(opened)
    client.force_login(person)
    client.get(reverse("home"))
    with django_assert_num_queries(9):
        client.get(reverse("home"))


def test_a_round_from_its_opening_to_its_end():
    verdict = recorded_verdict()
    project, number = verdict.project, verdict.game.number
    program, path = program_of(make_lead(project=project)), f"projects/{project.slug}/calibrations/"
    given = {"name": "First", "games": [number], "pass_percent": 100, "rating_within": 0.5}
    wrong = program.post(path, given | {"games": [99]})
    assert (wrong.status_code, wrong.json()["field"]) == (422, "games")
    note = {"game": number, "note": "Vague counts as vague."}
    for notes in ([note, note], [{"game": 99, "note": "Not of this round"}]):
        assert program.post(path, given | {"notes": notes}).json()["field"] == "notes"
    made = program.post(path, given | {"notes": [note]})
    assert (made.status_code, made.json()["number"], made.json()["games"]) == (201, 1, [note])
    assert (made.json()["rating_within"], made.json()["is_required"]) == (0.5, True)
    assert program.post(path, given).json()["code"] == "round_open"
    trainee = make_member(project=project)
    evaluation = take(verdict.project.calibration_rounds.get(), trainee)
    say(evaluation, "question", "1", "no")
    finish(evaluation)
    row = next(row for row in program.get(f"{path}1/").json()["people"] if row["id"] == trainee.pk)
    assert (row["done"], row["asked"], row["passes"], row["count"] - row["alike"]) == (1, 1, False, 1)
    let = program.post(f"{path}1/people/{trainee.pk}/let-rate/", {"reason": "We talked"}).json()
    assert [one["waiver"] for one in let["people"] if one["id"] == trainee.pk] == ["We talked"]
    assert CalibrationWaiver.objects.get().person == trainee
    assert program.post(f"{path}1/close/").json()["closed_at"]
    (listed,) = program.get(path).json()["items"]
    assert (listed["game_count"], bool(listed["closed_at"])) == (1, True)
