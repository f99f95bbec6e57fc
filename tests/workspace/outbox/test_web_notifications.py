"""The bell, the list, one notification, the settings, and the operations for programs."""

import html

import pytest
from django.urls import reverse

from tests.factories.outbox import configure_email
from tests.factories.people import make_lead, make_member, make_project, moment
from tests.factories.tokens import program_of
from tests.workspace.outbox.test_actions_notifications import tell
from workspace.models import Notification, NotificationSettings
from workspace.outbox.actions.changes import mark_read

pytestmark = [pytest.mark.django_db, pytest.mark.services(is_long=True)]


@pytest.fixture
def project():
    return make_project(slug="ours", name="Ours <b>")


@pytest.fixture
def ann(project, client):
    person = make_member(project=project)
    client.force_login(person)
    return person


def text_of(answer):
    return html.unescape(answer.content.decode())


def test_the_bell_counts_what_is_unread_and_costs_no_query_while_it_is_little(
    project, ann, client, django_assert_num_queries
):
    page = reverse("settings")
    client.get(page)
    assert 'class="count"' not in text_of(client.get(page))
    with django_assert_num_queries(4):
        client.get(page)
    for game in range(2):
        tell(project, ann, game=game)
    with django_assert_num_queries(4):
        found = text_of(client.get(page))
    assert ">2<" in found.split('class="count"')[1][:20]
    for game in range(2, 101):
        tell(project, ann, game=game, now=moment(11 * game))
    with django_assert_num_queries(5):
        found = text_of(client.get(page))
    assert "99+" in found


@pytest.mark.parametrize("show", ["", "unread"])
def test_the_bell_the_tab_and_the_list_say_one_number(project, ann, client, show):
    for game in range(9):
        tell(project, ann, game=game)
    for game in range(3):
        tell(project, ann, code="evaluation_returned", game=game, about={"game": game, "evaluation": 1})
    # One that was read in the midst of others does not cut their line.
    mark_read(notifications=[Notification.objects.order_by("pk")[4].pk], by=ann, now=moment(1))
    tell(project, ann, game=50, now=moment(30))
    page = text_of(client.get(reverse("notifications"), {"show": show} if show else {}))
    assert page.count('<li class="unread">') == 3
    assert ">3<" in page.split('class="count"')[1][:20] and "Unread (3)" in page
    assert "8 games are assigned to you." in page


def test_what_lies_between_the_rows_of_a_line_is_on_its_page(project, ann, client):
    for game in range(3):
        tell(project, ann, game=game, now=moment(0))
    mark_read(notifications=[Notification.objects.order_by("pk")[1].pk], by=ann, now=moment(1))
    tell(project, ann, game=3, now=moment(2))
    for game in range(4, 53):
        tell(project, ann, game=game, now=moment(11 * game))
    page = text_of(client.get(reverse("notifications")))
    assert "3 games are assigned to you." in page and "Game 1 is assigned to you." in page
    assert page.count("assigned to you.") == 51 and "?before=" not in page


def test_the_list_leads_to_its_things_and_marks_them_as_read(project, ann, client):
    assert "No notifications yet" in text_of(client.get(reverse("notifications")))
    tell(project, ann)
    tell(project, ann, game=8)
    found = text_of(client.get(reverse("notifications")))
    assert "Game 7 is assigned to you." in found and "Ours <b>" in found
    row = Notification.objects.get(about={"game": 7})
    answer = client.get(reverse("notification", args=[row.pk]))
    assert (answer.status_code, answer["Location"]) == (302, reverse("queue", args=["ours"]))
    assert "Game 7" not in text_of(client.get(reverse("notifications"), {"show": "unread"}))
    client.post(reverse("read_notifications"), {"until": Notification.objects.latest("pk").pk})
    assert not Notification.objects.filter(read_at=None).exists()


def test_a_burst_is_one_line_that_leads_to_all_of_it_and_reads_it(project, ann, client):
    tell(project, ann, game=100, now=moment(0))
    for game in range(50):
        tell(project, ann, game=game, now=moment(11 + game / 10))
    tell(project, ann, code="evaluation_returned", game=100, now=moment(17))
    found = text_of(client.get(reverse("notifications")))
    assert "50 games are assigned to you." in found and "Game 100 is assigned to you." in found
    assert found.count("assigned to you") == 2
    newest = Notification.objects.filter(code="game_assigned").latest("pk")
    answer = client.get(reverse("notification", args=[newest.pk]))
    assert answer["Location"] == reverse("queue", args=["ours"])
    left = Notification.objects.filter(read_at=None).order_by("pk")
    assert [row.about["game"] for row in left] == [100, 100]
    assert "50 games are assigned to you." in text_of(client.get(reverse("notifications")))


def test_a_burst_of_flags_leads_to_their_list_and_one_flag_to_itself(project, client):
    lead = make_lead(project=project)
    client.force_login(lead)
    for flag in range(3):
        tell(project, lead, code="flag_opened", game=flag, about={"flag": flag, "game": flag}, for_leads=True)
    newest = Notification.objects.latest("pk")
    flags = reverse("flags", args=["ours"])
    assert client.get(reverse("notification", args=[newest.pk]))["Location"] == flags
    assert client.get(reverse("notification", args=[newest.pk]))["Location"] == f"{flags}#flag-2"


def test_a_page_has_fifty_and_leads_on(project, ann, client):
    for game in range(51):
        tell(project, ann, game=game, now=moment(11 * game))
    first = text_of(client.get(reverse("notifications")))
    assert first.count("is assigned to you") == 50
    oldest = Notification.objects.order_by("pk")[1].pk
    assert f"?before={oldest}" in first
    assert "Game 0 " in text_of(client.get(reverse("notifications"), {"before": oldest}))


def test_nobody_opens_or_reads_those_of_others(project, ann, client):
    other = make_member(project=project)
    tell(project, other)
    row = Notification.objects.get()
    assert client.get(reverse("notification", args=[row.pk])).status_code == 404
    client.post(reverse("read_notifications"), {"until": row.pk})
    row.refresh_from_db()
    assert row.read_at is None


def test_settings_offer_what_one_can_be_told_of(project, ann, client, settings):
    page = reverse("notification_settings")
    found = text_of(client.get(page))
    assert (
        "sends no e-mail" in found
        and 'name="mailed"' not in found
        and "An evaluator sets a flag" not in found
    )
    client.post(page, {"shown": ["assigned"]})
    assert NotificationSettings.objects.get().unmailed == ""
    configure_email(settings)
    assert f"E-mails go to {ann.email}" in text_of(client.get(page))
    answer = client.post(
        page, {"shown": ["assigned"], "mailed": ["returned"], "digest": "daily"}, follow=True
    )
    assert "From now on you get what you chose" in text_of(answer)
    chosen = NotificationSettings.objects.get()
    assert (chosen.digest, chosen.hidden) == ("daily", "returned mentioned second_round job_failed")
    assert client.post(page, {"shown": ["flag"], "digest": "daily"}).status_code == 422
    client.force_login(make_lead(project=project))
    assert "An evaluator sets a flag" in text_of(client.get(page))


def test_programs_list_and_read_them(project, ann):
    program = program_of(ann)
    tell(project, ann)
    (line,) = program.get("notifications/").json()["items"]
    assert (line["kind"], line["says"], line["project"], line["page"]) == (
        "assigned",
        "Game 7 is assigned to you.",
        "ours",
        reverse("queue", args=["ours"]),
    )
    assert program.post("notifications/read/", {"notifications": [line["id"]]}).json() == {"count": 1}
    assert program.get("notifications/?unread=true").json()["items"] == []
    tell(project, ann, game=8)
    assert program.post("notifications/read/", {"until": line["id"] + 1}).json() == {"count": 1}
