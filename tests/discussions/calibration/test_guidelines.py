"""Guidelines, which the next game waits for, and practice: the page of rating, explained, which counts nowhere."""

import html
import re

import pytest
from django.urls import reverse

from discussions.calibration.actions import confirm_guideline, write_guideline
from discussions.calibration.core import EXCHANGE, LESSONS, VOTES
from discussions.calibration.pages import begin_practice, explain, practise_again
from discussions.calibration.queries import newest_guideline, unread_guideline
from discussions.metrics.core.registry import METRICS
from discussions.models import Evaluation, Game, Guideline, Judgement, Slot
from rubric.models import RubricVersion
from tests.factories.jobs import run_waiting_jobs
from tests.factories.people import NOW, make_lead, make_member, make_project
from tests.factories.rating import make_game, make_rating_project, start
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


@pytest.fixture
def project():
    return make_rating_project(slug="fresh")


def said(client, address, **given):
    """A page's text."""
    answer = client.get(address, given)
    assert answer.status_code == 200
    return " ".join(html.unescape(answer.content.decode()).split())


def test_a_newcomer_is_shown_how_rating_works_before_the_first_game(client, project):
    make_game(project=project)
    client.force_login(make_member(project=project))
    page, take = reverse("guideline", args=["fresh"]), reverse("next_game", args=["fresh"])
    for _again in range(2):
        assert client.post(take)["Location"] == page
    assert not Evaluation.objects.exists()
    shown = said(client, page)
    assert reverse("practice", args=["fresh"]) in shown
    assert f'action="{take}"' in shown
    assert "/rate/" in client.post(take)["Location"]


def test_who_has_started_a_game_here_is_no_newcomer(client):
    evaluation = start()
    client.force_login(evaluation.evaluator)
    answer = client.post(reverse("next_game", args=[evaluation.game.project.slug]))
    assert answer["Location"] == reverse("rate", args=[evaluation.pk])


def test_home_and_the_rating_page_lead_back_to_it(client):
    evaluation = start()
    client.force_login(evaluation.evaluator)
    link = f'href="{reverse("guideline", args=[evaluation.game.project.slug])}"'
    for address in ("/", reverse("rate", args=[evaluation.pk])):
        assert said(client, address).count(link) == 1


def test_there_is_a_lesson_of_each_metric_with_its_words():
    assert {lesson.metric for lesson in LESSONS} == {
        key for key, metric in METRICS.items() if metric.judged
    }, "each metric that people judge has a lesson in LESSONS of discussions/calibration/core.py"
    assert all(lesson.why for lesson in LESSONS)
    assert len({(lesson.kind, lesson.subject) for lesson in LESSONS}) == len(LESSONS)
    assert ("Otis", "Mira") in VOTES and ("Pia", "Mira") in VOTES, "message 6 is inaccurate by the votes"
    assert "voted for Lena" in str(EXCHANGE[5][2])


@pytest.mark.parametrize("number", ["1.0", "1.1", "1.2", "1.3"])
def test_every_lesson_is_asked_under_every_version_and_its_answer_is_taken(number):
    project = make_rating_project(number=number)
    work = begin_practice(make_member(project=project), project)
    questions = [("question", str(n + 1), "yes") for n in range(work.judgeable.question_count)]
    rating = [("rating", "", "4.0")]
    others = [(lesson.kind, lesson.subject, lesson.right) for lesson in LESSONS[1:]]
    done = practise_again(work, [*questions, *rating, *others[:-1], ("reveal", "roles", "yes"), others[-1]])
    assert not done.visibility.missing
    assert [explain(done, lesson.kind, lesson.subject)[0] for lesson in LESSONS] == [True] * len(LESSONS)
    wrong = practise_again(work, [*questions, ("rating", "", "1.0"), ("reference", "6.1", "accurate")])
    assert explain(wrong, "rating", "")[0] is False
    assert explain(wrong, "question", "1")[0] is None


def test_the_exchange_and_the_examples_of_the_rubric_tell_one_story():
    record = RubricVersion.objects.newest("discussion").to_record()
    examples = [
        said for criterion in record.criteria for said in criterion.good_examples + criterion.bad_examples
    ]
    told = {vote for said in examples for vote in re.findall(r"\b(?:but )?(\w+) voted for (\w+)\.", said)}
    assert ("Lena", "Pia") in told
    assert told <= set(VOTES)


def press(client, act, address="judge", **given):
    """The answer to one act on the page of practice."""
    where = reverse(f"{address}_practice", args=["fresh"])
    given = {"nonce": "n", "step": "engagement", **({"act": act} if act else {"key": "n:undo"}), **given}
    answer = client.post(where, given, headers={"HX-Request": "true", "HX-Target": "answer"})
    return answer.status_code, " ".join(html.unescape(answer.content.decode()).split())


def test_practice_is_the_page_of_rating_and_counts_nowhere(client, project):
    client.force_login(make_member(project=project))
    address = reverse("practice", args=["fresh"])
    rows = [Evaluation, Judgement, Event, Game, Slot]
    before = [model.objects.count() for model in rows]
    shown = said(client, address)
    assert "phase-read" in shown and "Practice" in shown and "/practice/fresh/judge/" in shown
    for _name, _round, text in EXCHANGE:
        assert text in re.sub(r"</?mark[^>]*>", "", shown)
    assert "doctor" not in shown, "roles come later, as on the page of rating"
    status, answer = press(client, "question~1~0~yes")
    assert (status, "Your own opinion" in answer) == (200, True)
    for n in range(2, 6):
        press(client, f"question~{n}~0~yes")
    status, answer = press(client, "rating~~0~1.0")
    assert "Not quite" in answer and "With 4 or more yes the rubric puts the rating at 3 or more" in answer
    status, answer = press(client, "rating~~1~4.0")
    assert "Right" in answer
    status, answer = press(client, "reference~6.1~0~accurate")
    assert "Not quite" in answer and "the vote record of round 1 has Otis and Pia voting for Mira" in answer
    assert "Not quite" in said(client, address), "it is kept while one is signed in"
    press(client, "", "undo")
    status, answer = press(client, "reference~6.1~0~inaccurate")
    assert "Right" in answer
    status, answer = press(client, "strategic_depth~1~0~yes")
    assert (status, "Practice asks only what it explains." in answer) == (422, True)
    assert [model.objects.count() for model in rows] == before


def test_the_result_leads_to_the_first_game_and_practice_can_begin_anew(client, project):
    make_game(project=project)
    client.force_login(make_member(project=project))
    acts = [*(f"question~{n}~0~yes" for n in range(1, 6)), "rating~~0~4.0"]
    acts += [f"{one.kind}~{one.subject}~0~{one.right}" for one in LESSONS[1:]]
    acts.insert(-1, "reveal~roles~0~yes")
    for act in acts:
        assert press(client, act)[0] == 200, act
    address = reverse("practice", args=["fresh"])
    shown = said(client, address)
    assert f"Practice finished: {len(LESSONS)} of {len(LESSONS)} answers right" in shown
    take = reverse("next_game", args=["fresh"])
    assert f'action="{take}"' in shown and "Start the first game" in shown
    assert "/rate/" in client.post(take)["Location"]
    assert client.post(address)["Location"] == address
    assert "Practice finished" not in said(client, address)


def test_leads_practise_and_are_led_back(client, project):
    client.force_login(make_lead(project=project))
    address = reverse("practice", args=["fresh"])
    assert "Start the first game" not in said(client, address, step="review")
    assert client.get(address, {"colour": "red"}).status_code == 400
    assert press(client, "question~9~0~<b>")[0] == 422
