"""Pages of calibration: opened by leads, feedback for who rated, nobody else's answers anywhere."""

import pytest
from django.urls import reverse

from discussions.models import CalibrationRound, Evaluation
from discussions.models.slots import CALIBRATION
from tests.calibrated import make_round, take, trainee_of
from tests.factories import make_lead, make_member
from tests.rated import make_rating_project, say
from tests.repeated import finish
from tests.settled import settled

pytestmark = pytest.mark.django_db

PLAN = {"name": "First", "is_required": "on", "pass_percent": "75", "rating_within": "0.5", "notes": ""}


def signed(client, person):
    client.force_login(person)
    return client


def finished(opened, *, otherwise=("1", "2")) -> Evaluation:
    """A trainee who answered these questions with no, the team with yes."""
    evaluation = take(opened, trainee_of(opened))
    for question in otherwise:
        say(evaluation, "question", question, "no")
    return finish(evaluation)


def test_a_lead_opens_a_round_and_reads_its_rule(client):
    verdict = settled()
    project, number = verdict.project, verdict.game.number
    lead = signed(client, make_lead(project=project))
    page = lead.get(reverse("calibrations", args=[project.slug]))
    assert page.context["page"].offered == [number]
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
    assert "75 of a hundred answers" in shown
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
    verdict = settled()
    given = PLAN | {"games": str(verdict.game.number), "name": "Kept as typed"} | changes
    lead = signed(client, make_lead(project=verdict.project))
    answer = lead.post(reverse("calibrations", args=[verdict.project.slug]), given)
    assert answer.status_code == 422
    assert says in answer.content.decode()
    assert "Kept as typed" in answer.content.decode()
    assert not CalibrationRound.objects.exists()


def test_the_next_game_of_a_new_evaluator_is_a_calibration_and_ends_in_feedback(client):
    opened = make_round(games=2, pass_percent=100)
    person = trainee_of(opened)
    browser = signed(client, person)
    browser.post(reverse("next_game", args=[opened.project.slug]))
    evaluation = Evaluation.objects.get(purpose=CALIBRATION)
    say(Evaluation.objects.with_work().get(pk=evaluation.pk), "question", "3", "no")
    before = browser.get(reverse("calibration_feedback", args=[evaluation.pk]))
    assert before.status_code == 404
    finish(evaluation)
    page = browser.get(reverse("calibration_feedback", args=[evaluation.pk]))
    shown = page.context["page"]
    assert (shown.count - shown.alike, shown.passes, shown.left) == (1, None, 1)
    (other,) = shown.differences
    assert (other.said, other.agreed, other.thing.label) == ("no", "yes", "Question")
    assert "Next calibration game" in page.content.decode()


def test_handing_in_leads_to_the_feedback(client):
    opened = make_round()
    evaluation = take(opened, trainee_of(opened))
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
    lead = signed(client, make_lead(project=opened.project))
    address = reverse("calibration", args=[opened.project.slug, opened.number])
    people = {one.key: one.passes for one in lead.get(address).context["page"].people}
    assert (people[good.evaluator_id], people[bad.evaluator_id]) == (True, False)
    wave = reverse("let_rate", args=[opened.project.slug, opened.number, bad.evaluator_id])
    assert lead.post(wave, {"reason": " "}).status_code == 422
    assert lead.post(wave, {"reason": "We talked"}).status_code == 303
    assert "We talked" in lead.get(address).content.decode()
    page = signed(client, bad.evaluator).get(reverse("calibration_feedback", args=[bad.pk])).content.decode()
    assert "<strong>You may rate</strong>" in page
    assert "Passed" not in page


def test_what_several_answer_otherwise_is_listed(client):
    opened = make_round(pass_percent=1)
    for _person in range(2):
        finished(opened, otherwise="4")
    lead = signed(client, make_lead(project=opened.project))
    (missed,) = lead.get(reverse("calibration", args=[opened.project.slug, 1])).context["page"].missed
    assert (missed.label, missed.subject, missed.people, missed.of_people) == ("Question", "4", 2, 2)


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
        assert len(lead.get(address).context["page"].people) >= count
