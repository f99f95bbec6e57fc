"""Guidelines of projects: versions, who has read which, and that the next game waits for the reading."""

import pytest
from django.urls import reverse

from discussions.calibration.actions import confirm_guideline, write_guideline
from discussions.calibration.queries import newest_guideline, unread_guideline
from discussions.models import Evaluation, Guideline
from tests.factories.jobs import run_waiting_jobs
from tests.factories.people import NOW, make_lead, make_member, make_project
from tests.factories.rating import make_rating_project
from tests.factories.tokens import program_of
from tests.factories.transcripts import upload
from workspace.core.refusals import Conflict, NotAllowed, Unacceptable
from workspace.markup import prose
from workspace.models import Event

pytestmark = pytest.mark.django_db


@pytest.fixture
def people():
    """A project, its lead and an evaluator."""
    project = make_project()
    return project, make_lead(project=project), make_member(project=project)


def test_a_new_version_is_to_be_read_once(people):
    project, lead, person = people
    assert unread_guideline(person, project) is None
    first = write_guideline(project=project, text="Heed roles.", after=0, by=lead, now=NOW)
    assert unread_guideline(person, project) == first
    for _again in range(2):
        confirm_guideline(guideline=first, by=person, now=NOW)
    assert unread_guideline(person, project) is None
    second = write_guideline(project=project, text="Heed roles and votes.", after=1, by=lead, now=NOW)
    assert (second.number, unread_guideline(person, project)) == (2, second)
    write_guideline(project=project, text="", after=2, by=lead, now=NOW)
    assert (newest_guideline(project), unread_guideline(person, project)) == (None, None)
    verbs = Event.objects.filter(object_kind="guideline").order_by("pk").values_list("verb", flat=True)
    assert list(verbs) == ["guideline:written", "guideline:read", "guideline:written", "guideline:written"]


def test_nobody_overwrites_what_they_have_not_seen(people):
    project, lead, person = people
    write_guideline(project=project, text="One", after=0, by=lead, now=NOW)
    assert write_guideline(project=project, text="One", after=0, by=lead, now=NOW).number == 1
    with pytest.raises(Conflict, match="version 1 while you wrote"):
        write_guideline(project=project, text="Two", after=0, by=lead, now=NOW)
    with pytest.raises(NotAllowed):
        write_guideline(project=project, text="Two", after=1, by=person, now=NOW)
    with pytest.raises(Unacceptable):
        write_guideline(project=project, text="x" * 20_001, after=1, by=lead, now=NOW)
    assert Guideline.objects.count() == 1


def test_programs_of_leads_write_it_after_the_version_they_know(people):
    project, lead, person = people
    program, path = program_of(lead), f"projects/{project.slug}/guideline/"
    assert program.get(path).json()["newest"] == 0
    answer = program.post(path, {"text": "Heed roles.", "after": 0}).json()
    assert (answer["version"], answer["newest"], answer["text"]) == (1, 1, "Heed roles.")
    assert program.post(path, {"text": "Heed votes.", "after": 0}).status_code == 409
    ended = program.post(path, {"text": "", "after": 1}).json()
    assert (ended["version"], ended["newest"]) == (0, 2)
    assert program_of(person).post(path, {"text": "Mine.", "after": 2}).status_code == 403
    assert Guideline.objects.count() == 2


def test_the_next_game_waits_until_the_guideline_is_read(client):
    project = make_rating_project(slug="guided")
    lead, person = make_lead(project=project), make_member(project=project)
    upload(project=project, by=lead)
    run_waiting_jobs()
    write_guideline(project=project, text="# Heed\n\n**roles**", after=0, by=lead, now=NOW)
    client.force_login(person)
    page, take = reverse("guideline", args=[project.slug]), reverse("next_game", args=[project.slug])
    assert client.post(take)["Location"] == page
    assert not Evaluation.objects.exists()
    shown = client.get(page).content.decode()
    assert "<h2>Heed</h2>" in shown
    assert "<strong>roles</strong>" in shown
    assert "I have read it" in shown
    confirm = reverse("confirm_guideline", args=[project.slug])
    write_guideline(project=project, text="**roles** and votes", after=1, by=lead, now=NOW)
    assert client.post(confirm, {"number": 1})["Location"] == page, "version 2 came while version 1 was read"
    answer = client.post(confirm, {"number": 2})
    assert answer["Location"] == reverse("queue", args=[project.slug])
    assert "/rate/" in client.post(take)["Location"]
    assert "I have read it" not in client.get(page).content.decode()


def test_a_lead_writes_the_guideline_and_keeps_what_was_typed_when_another_was_faster(people, client):
    project, lead, _person = people
    client.force_login(lead)
    edit = reverse("edit_guideline", args=[project.slug])
    assert client.post(edit, {"text": "Mine", "after": "0"}).status_code == 303
    assert "0 of 1 evaluator has confirmed" in " ".join(
        client.get(reverse("guideline", args=[project.slug])).content.decode().split()
    )
    late = client.post(edit, {"text": "Also mine", "after": "0"})
    assert late.status_code == 409
    assert "Also mine" in late.content.decode()
    assert 'name="after" value="1"' in late.content.decode()


@pytest.mark.parametrize(
    ("text", "drawn"),
    [
        ("# One", "<h2>One</h2>"),
        ("<script>a</script> <b>", "<p>&lt;script&gt;a&lt;/script&gt; &lt;b&gt;</p>"),
        ("[a](javascript:x)", "<p>[a](javascript:x)</p>"),
        ("[a](data:text/html,x)", "<p>[a](data:text/html,x)</p>"),
        ("[a](JAVASCRIPT:x)", "<p>[a](JAVASCRIPT:x)</p>"),
        (
            "![i](https://e.org/x.png)",
            '<p>!<a href="https://e.org/x.png" rel="noopener noreferrer">i</a></p>',
        ),
        ("&lt;img src=x&gt;", "<p>&lt;img src=x&gt;</p>"),
        ('[a](https://e.org "&quot; onload=x")', 'title="&quot; onload=x"'),
    ],
)
def test_a_guideline_draws_a_safe_part_of_markdown(text, drawn):
    assert drawn in prose(text)


@pytest.mark.parametrize(
    "text",
    [
        "trust \u202eme\u202c and **her\u200b**",
        "# \u2066One",
        "[a\u202e](https://e.org/\u202e 'b\u202e')",
        "[a][b]\n\n[b]: https://e.org 'c\u202e'",
        "<https://e.org/\u202ea>",
        "`a\u202e`",
        "```a\u202e\nb\u202e\n```",
        "    a\u202e",
        "&#x202e;",
        "* a\u202e\n\n> b\u202e",
    ],
)
def test_a_guideline_draws_hidden_characters_as_badges(text):
    drawn = prose(text)
    assert not set(drawn) & set("\u202e\u202c\u200b\u2066")
    assert "⟨U+20" in drawn
