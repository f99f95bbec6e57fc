"""Flags: the inbox of leads and evaluators, answers, and who waits for whom."""

import html

import pytest
from django.urls import reverse

from discussions.games.actions import answer_flag
from discussions.home.pages.home import build_home
from discussions.models import Game, Remark
from discussions.queue.actions import take_next_game
from discussions.rating.actions import remark
from tests.factories.jobs import run_waiting_jobs
from tests.factories.people import NOW, make_lead, make_member
from tests.factories.rating import make_rating_project
from tests.factories.transcripts import upload
from workspace.core.refusals import Conflict, NotAllowed, Unacceptable
from workspace.models import Event

pytestmark = pytest.mark.django_db


@pytest.fixture
def flagged():
    """A game with a flag on its third message: lead, evaluator and flag."""
    project = make_rating_project(slug="flagged")
    lead, person = make_lead(project=project), make_member(project=project)
    upload(project=project, by=lead)
    run_waiting_jobs()
    evaluation = take_next_game(project=project, by=person, now=NOW)
    given = {"evaluation": evaluation, "kind": "flag", "text": "Is this cut off?", "by": person, "now": NOW}
    return lead, person, remark(target="message:3", key="f", **given)


def waiting(lead, person, flag) -> tuple[int, int]:
    """The flags that wait for the lead, and for the evaluator, as their start pages count them."""
    for_lead, for_evaluator = (
        build_home(person=who, now=NOW)["projects"][0]["to_do"].flags for who in (lead, person)
    )
    return for_lead, for_evaluator


def test_a_flag_waits_for_whoever_did_not_write_last(flagged):
    lead, person, flag = flagged
    assert waiting(*flagged) == (1, 0)
    answer_flag(flag=flag, text="Yes, leave it out.", is_resolved=False, by=lead, now=NOW)
    assert waiting(*flagged) == (0, 1)
    answer_flag(flag=flag, text="And message 5?", is_resolved=False, by=person, now=NOW)
    assert waiting(*flagged) == (1, 0)
    answer_flag(flag=flag, text="", is_resolved=True, by=lead, now=NOW)
    assert waiting(*flagged) == (0, 0)
    with pytest.raises(Conflict, match="resolved already"):
        answer_flag(flag=flag, text="Too late", is_resolved=False, by=lead, now=NOW)
    verbs = list(
        Event.objects.filter(verb__startswith="remark:").order_by("pk").values_list("verb", flat=True)
    )
    assert verbs == ["remark:made", "remark:answered", "remark:answered", "remark:resolved"]


def test_the_bar_of_the_project_marks_the_flags_of_lead_and_evaluator(client, flagged):
    lead, evaluator, *_others = flagged
    for who, place in ((lead, "page sections-bar"), (evaluator, None)):
        client.force_login(who)
        page = client.get(reverse("flags", args=["flagged"])).content.decode()
        start = f'<nav class="{place}"' if place else '<nav aria-label="Project"'
        bar = page.partition(start)[2].partition("</nav>")[0]
        assert f'href="{reverse("flags", args=["flagged"])}" aria-current="page"' in " ".join(bar.split())


def test_an_answer_sent_twice_is_kept_once_and_an_empty_one_refused(flagged):
    lead, _person, flag = flagged
    for _again in range(2):
        answer_flag(flag=flag, text=" Yes. ", is_resolved=False, by=lead, now=NOW)
    assert [reply.text for reply in flag.replies.all()] == ["Yes."]
    with pytest.raises(Unacceptable, match="answer is empty"):
        answer_flag(flag=flag, text="  ", is_resolved=False, by=lead, now=NOW)


def test_other_evaluators_neither_see_nor_answer_a_flag(flagged, client):
    _lead, _person, flag = flagged
    project = flag.evaluation.game.project
    other = make_member(project=project)
    with pytest.raises(NotAllowed):
        answer_flag(flag=flag, text="Me too", is_resolved=False, by=other, now=NOW)
    client.force_login(other)
    assert "Is this cut off?" not in client.get(reverse("flags", args=[project.slug])).content.decode()
    assert (
        client.post(reverse("answer_flag", args=[project.slug, flag.pk]), {"do": "resolve"}).status_code
        == 404
    )


def test_a_lead_answers_on_the_page_and_the_evaluator_reads_it(flagged, client):
    lead, person, flag = flagged
    slug = flag.evaluation.game.project.slug
    inbox, answer = reverse("flags", args=[slug]), reverse("answer_flag", args=[slug, flag.pk])
    client.force_login(lead)
    assert "1 flag waits for an answer" in " ".join(client.get(reverse("home")).content.decode().split())
    shown = client.get(inbox).content.decode()
    assert "Is this cut off?" in shown
    assert person.name in shown
    assert "to answer" in shown
    empty = client.post(answer, {"text": "", "do": "answer"})
    assert (empty.status_code, "The answer is empty" in empty.content.decode()) == (422, True)
    assert client.post(answer, {"text": "Leave it out.", "do": "answer"}).status_code == 303
    client.force_login(person)
    assert "1 of your flags is answered" in " ".join(client.get(reverse("home")).content.decode().split())
    assert "Leave it out." in client.get(inbox).content.decode()
    client.post(answer, {"text": "Thanks", "do": "resolve"})
    assert "No flag is open" in client.get(inbox).content.decode()
    assert "Thanks" in client.get(f"{inbox}?show=resolved").content.decode()
    late = client.post(answer, {"text": "More to say", "do": "answer"})
    assert (late.status_code, "More to say" in late.content.decode()) == (409, True)
    assert "resolved already" in late.content.decode()


def test_leads_do_not_learn_who_flagged_a_game_that_several_rate(client):
    project = make_rating_project(slug="shared", evaluator_count=2)
    lead, person = make_lead(project=project), make_member(project=project)
    upload(project=project, by=lead)
    run_waiting_jobs()
    evaluation = take_next_game(project=project, by=person, now=NOW)
    remark(evaluation=evaluation, kind="flag", target="game", text="Odd", key="f", by=person, now=NOW)
    answer_flag(flag=Remark.objects.get(), text="Very odd", is_resolved=False, by=person, now=NOW)
    client.force_login(lead)
    shown = client.get(reverse("flags", args=[project.slug])).content.decode()
    assert "Very odd" in shown
    assert person.name not in shown
    take_next_game(project=project, by=make_member(project=project), now=NOW)
    lowered = {"needed_count": 1, "needed_at": NOW, "needed_by": lead, "needed_reason": "One left"}
    Game.objects.filter(pk=evaluation.game_id).update(**lowered)
    assert person.name not in client.get(reverse("flags", args=[project.slug])).content.decode()


def test_evaluators_read_no_quote_and_leads_ask_as_often_however_many_flags(
    flagged, client, django_assert_num_queries
):
    lead, person, flag = flagged
    quote = flag.evaluation.game.text.to_record().messages[2].text
    inbox = reverse("flags", args=[flag.evaluation.game.project.slug])
    client.force_login(person)
    assert quote not in client.get(inbox).content.decode()
    given = {"evaluation": flag.evaluation, "kind": "flag", "text": "", "by": person, "now": NOW}
    for position in (1, 2, 4, 5):
        remark(target=f"message:{position}", key=f"{position}", **given)
    client.force_login(lead)
    assert html.escape(quote) in client.get(inbox).content.decode()
    # One of them is for the bell.
    with django_assert_num_queries(12):
        client.get(inbox)
