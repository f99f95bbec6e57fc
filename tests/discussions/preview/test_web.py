"""The room "What would change" on the page of publishing: asked for, on its way, found, out of date, stopped."""

import html
import re

import pytest
from django.urls import reverse

from rubric.models import ImpactPreview, RubricVersion
from tests.factories.comparisons import RECORD_SCORES, make_set, review_with
from tests.factories.jobs import run_waiting_jobs
from tests.factories.people import NOW, make_lead, make_member, moment
from tests.factories.preview import asked, draft_with, previewed, recorded_with, saved, thresholds, weights
from tests.factories.rating import make_rating_project
from tests.factories.versions import make_draft
from workspace.jobs.actions import fail, take_job
from workspace.models import Job

pytestmark = pytest.mark.django_db


HTMX = {"HTTP_HX_REQUEST": "true"}


STRICTER = thresholds(engagement=4)


PUBLISH = "/rubrics/discussion/1.4/publish/"


PREVIEW = "/rubrics/discussion/1.4/preview/"


CANCEL = "/rubrics/discussion/1.4/preview/cancel/"


@pytest.fixture
def project(db):
    return make_rating_project(slug="ours")


@pytest.fixture
def draft(db):
    return draft_with(STRICTER)


@pytest.fixture
def admin(client, draft):
    client.force_login(draft.created_by)
    return client


def room(client, address=PUBLISH, **given):
    """The text of the room, and its markup."""
    markup = html.unescape(client.get(address, **given).content.decode())
    found = re.search(r'<section id="impact".*?</section>', markup, re.DOTALL)
    assert found is not None
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", found.group())), found.group()


def test_without_a_preview_the_page_says_so_and_publishing_needs_none(admin, draft):
    text, markup = room(admin)
    assert "There is no preview of this draft yet" in text and "you can publish without one" in text
    assert f'action="{PREVIEW}"' in markup and 'hx-trigger="submit, load"' in markup
    answer = admin.post(PUBLISH, {"reason": "Agreed", "basis": draft.sha256})
    assert (answer.status_code, RubricVersion.objects.get(pk=draft.pk).state) == (303, "published")


def test_asked_for_without_script_it_is_there_after_a_reload(admin, project):
    verdict = recorded_with(project=project, rating="3.5")
    recorded_with(project=project, rating="4.0")
    answer = admin.post(PREVIEW)
    assert (answer.status_code, answer["Location"]) == (303, PUBLISH)
    text, markup = room(admin)
    assert (
        "The preview is queued" in text and 'hx-trigger="every 1s"' in markup and "impact-ask" not in markup
    )
    run_waiting_jobs()
    text, markup = room(admin)
    assert (
        "Under this draft, 1 of 2 recorded verdicts would be different" in text
        and "1 from PASS to FAIL, 0 from FAIL to PASS" in text
    )
    why = "Engagement 3.5 was enough at 3, is not at 4. It must pass."
    assert text.count(why) == 2 and "Publishing changes nothing that exists" in text
    assert f"Game {verdict.game.number} {project.name} PASS" in text and "never a verdict" in text
    assert f'href="{reverse("verdict", args=["ours", verdict.game.number])}"' in markup
    assert "hx-trigger" not in markup and "impact-ask" not in markup
    assert "No rank would change" in text


def test_htmx_gets_the_room_alone_while_it_is_made_and_when_it_is_there(admin, project):
    recorded_with(project=project, rating="3.5")
    answer = admin.post(PREVIEW, **HTMX)
    assert answer.status_code == 200
    assert answer.content.decode().strip().startswith('<section id="impact"')
    job = Job.objects.get(kind="preview_games")
    Job.objects.filter(pk=job.pk).update(
        state="running", started_at=moment(), done_count=250, total_count=1000, lease_until=moment(1)
    )
    text, _markup = room(admin, **HTMX)
    assert "250 of 1000 games" in text and "No worker is running" in text
    Job.objects.filter(pk=job.pk).update(state="queued", started_at=None)
    run_waiting_jobs()
    assert "1 of 1 recorded verdict would be different" in room(admin, **HTMX)[0]


def test_an_old_preview_is_never_shown_as_the_present_one(admin, draft, project):
    recorded_with(project=project, rating="3.5")
    previewed(draft)
    assert "1 of 1 recorded verdict would be different" in room(admin)[0]
    recorded_with(project=project, rating="4.0")
    text, markup = room(admin)
    assert "What was scored so far has changed since the last preview" in text
    assert "would be different" not in text and "Preview again" in text and "impact-flips" not in markup
    later = saved(draft, thresholds(engagement=5), by=draft.created_by)
    text, _markup = room(admin)
    assert "The draft was saved since the last preview" in text and "would be different" not in text
    previewed(later)
    assert "2 of 2 recorded verdicts would be different" in room(admin)[0]
    same = saved(later, STRICTER, by=draft.created_by)
    assert same.sha256 == draft.sha256
    assert "The draft was saved since" in room(admin)[0]


def test_a_preview_of_the_same_state_is_found_again_after_the_draft_was_changed_and_changed_back(
    admin, draft, project
):
    recorded_with(project=project, rating="3.5")
    previewed(draft)
    saved(saved(draft, thresholds(engagement=5), by=draft.created_by), STRICTER, by=draft.created_by)
    assert "1 of 1 recorded verdict would be different" in room(admin)[0]
    assert admin.post(PREVIEW).status_code == 303
    assert not Job.objects.filter(state="queued").exists()


def test_cancelled_and_failed_previews_say_so_and_can_be_asked_for_again(admin, draft, project):
    recorded_with(project=project, rating="3.5")
    asked(draft)
    assert admin.post(CANCEL).status_code == 303
    text, markup = room(admin)
    assert "was cancelled before its end" in text and "impact-ask" in markup and "load" not in markup
    assert admin.post(CANCEL).status_code == 409
    job = take_job(job=asked(draft).pk, now=NOW)
    fail(job=job, code="gave_up", reason="The work stopped 3 times.", now=NOW)
    assert "The work stopped 3 times." in room(admin)[0]
    assert admin.post(PREVIEW, **HTMX).status_code == 200
    assert ImpactPreview.objects.count() == 0


def test_games_without_a_verdict_and_what_cannot_be_told_are_named(admin, draft, project):
    from tests.factories.preview import parameters
    from tests.factories.verdicts import game_to_record

    recorded_with(project=project, rating="4.0")
    game_to_record(project=project)
    later = saved(draft, parameters(reference_unit="message"), by=draft.created_by)
    previewed(later)
    text, _markup = room(admin)
    assert "0 of 1 recorded verdict would be different" in text and "1 can't be told" in text
    assert text.count("not recorded") == 2 and "rated, no verdict yet" in text
    assert (
        "2 games were measured again" in text
        and "labels are of references that the draft does not find" in text
    )


def test_nothing_judged_says_so(admin, draft):
    previewed(draft)
    assert "No verdict is recorded so far, so none can be different" in room(admin)[0]


def test_what_people_wrote_stays_text(admin, draft, project):
    project.name = "<b>Ours</b>"
    project.save()
    recorded_with(project=project, rating="3.5")
    previewed(draft)
    markup = admin.get(PUBLISH).content.decode()
    assert "&lt;b&gt;Ours" in markup and "<b>Ours" not in markup


def test_rankings_link_to_their_comparisons(client):
    made = make_set(elsewhere=1)
    comparison = made.comparisons.get()
    review_with(comparison=comparison, reviewer=made.reviewers.get(), scores=RECORD_SCORES)
    draft = draft_with(weights(0.33, 0.25, 0.22, 0.2), key="response")
    client.force_login(draft.created_by)
    assert client.post("/rubrics/response/1.3/preview/").status_code == 303
    run_waiting_jobs()
    text, markup = room(client, "/rubrics/response/1.3/publish/")
    assert "Under this draft, 1 of 1 comparison would have another winner" in text
    assert "Response 2 has 8.10 and would have 8.14." in text
    place = [made.project.slug, made.number, comparison.number]
    assert f'href="{reverse("comparison_result", args=place)}"' in markup
    assert "First: Response 2, not Response 1" in text
    assert "Response 2 8.10, then 8.14" in text


def test_overalls_are_rounded_half_up_as_on_the_page_of_results(client):
    made = make_set(elsewhere=2)
    comparison = made.comparisons.get()
    lower = {**RECORD_SCORES, 1: {"accuracy": 9, "completeness": 7, "conciseness": 7, "clarity": 9}}
    for reviewer, scores in zip(made.reviewers.order_by("pk"), (RECORD_SCORES, lower), strict=True):
        review_with(comparison=comparison, reviewer=reviewer, scores=scores)
    draft = draft_with(weights(0.33, 0.25, 0.22, 0.2), key="response")
    client.force_login(draft.created_by)
    client.post("/rubrics/response/1.3/preview/")
    run_waiting_jobs()
    _text, markup = room(client, "/rubrics/response/1.3/publish/")
    # The means of 8.15 with 8.10 and of 8.11 with 8.06.
    assert re.search(r'<td class="num"[^>]*>8\.13</td><td class="num"[^>]*>8\.09</td>', markup)


def test_nobody_but_admins_asks_and_published_versions_have_no_preview(client, draft, project):
    for person, status in ((make_lead(project=project), 404), (make_member(project=project), 404)):
        client.force_login(person)
        assert client.post(PREVIEW).status_code == client.post(CANCEL).status_code == status
    client.force_login(draft.created_by)
    assert client.get(PREVIEW).status_code == 405
    assert client.post("/rubrics/discussion/1.3/preview/").status_code == 403
    assert client.post(PREVIEW, {"colour": "red"}).status_code == 400
    assert client.post("/rubrics/discussion/9/preview/").status_code == 404
    assert not Job.objects.filter(kind="preview_games").exists()


def test_queries_at_two_sizes_in_every_state(admin, draft, project, django_assert_num_queries):
    def count(number, **given):
        room(admin, **given)
        with django_assert_num_queries(number):
            room(admin, **given)

    for _size in range(2):
        recorded_with(project=project, rating="3.5")
        count(12)
        admin.post(PREVIEW)
        count(8)
        count(6, **HTMX)
        run_waiting_jobs()
        count(12)
        make_draft(now=NOW)
