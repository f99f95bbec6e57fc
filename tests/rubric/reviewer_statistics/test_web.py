"""The statistics pages of a set: their states, who sees what, the way from a figure to the reviews, adopting."""

import html
import re

import pytest
from django.urls import reverse

from rubric.models import RubricVersion, SetFigures
from rubric.reviewer_statistics.core.figure_kinds import PAGES as PAGE_NAMES
from tests.factories.comparisons import RECORD_SCORES, make_set, review_with
from tests.factories.people import make_admin, make_lead, make_member, make_project
from tests.factories.reviewer_statistics import close, figure, make_reviewed_set
from tests.site.python_reprs import find_reprs
from workspace.models import Heartbeat, Job

pytestmark = pytest.mark.django_db
PAGES = ("manners", "agreement", "success", "tuning")
HTMX = {"HX-Request": "true", "HX-Target": "figures"}


@pytest.fixture(scope="module")
def figured(django_db_setup, django_db_blocker):
    """A set with figures: reviewer 2 is harsh, reviewer 3 gives one number throughout; undone at the end."""
    from django.db import transaction

    with django_db_blocker.unblock(), transaction.atomic():
        made = make_reviewed_set(questions=22, reviewers=3, harsh={2: 2.0}, flat=3)
        figure(made)
        yield made
        transaction.set_rollback(True)


def address(made, kind, *more):
    return reverse(PAGE_NAMES.get(kind, f"set_{kind}"), args=[made.project.slug, made.number, *more])


def shown(client, person, made, kind, *more, status=200, **given):
    client.force_login(person)
    answer = client.get(address(made, kind, *more), **given)
    assert answer.status_code == status
    said = answer.content.decode()
    assert find_reprs(said) == []
    return said


@pytest.mark.parametrize("kind", PAGES)
def test_without_reviews_there_is_nothing_to_compute(client, kind):
    made = make_set()
    said = shown(client, made.created_by, made, kind)
    assert "No reviews yet" in said
    assert "Compute" not in said


@pytest.mark.parametrize("kind", PAGES)
def test_figures_are_asked_for_watched_and_shown(client, kind):
    made = make_reviewed_set()
    said = shown(client, made.created_by, made, kind)
    assert "4 reviews were submitted." in said
    assert "every 1s" not in said
    asked = client.post(reverse("figure_set", args=[made.project.slug, made.number]), {"kind": kind})
    assert (asked.status_code, asked["Location"]) == (303, address(made, kind))
    said = shown(client, made.created_by, made, kind, headers=HTMX)
    assert said.lstrip().startswith('<div id="figures"')
    for words in ("every 1s", "The figures are being computed", "Reviewers: pending", "No worker is running"):
        assert words in said
    figure(made)
    said = shown(client, made.created_by, made, kind, headers=HTMX)
    assert "From 4 reviews, computed" in said
    assert "every 1s" not in said


def test_progress_is_shown_kind_by_kind(client):
    made = make_reviewed_set()
    figure(made)
    done = SetFigures.objects.get(kind="manners")
    # As if the review had just come in and the job were on its way with it.
    review_with(comparison=made.comparisons.get(number=1), reviewer=late(made), scores=RECORD_SCORES)
    client.force_login(made.created_by)
    client.post(reverse("figure_set", args=[made.project.slug, made.number]), {"kind": "tuning"})
    from rubric.reviewer_statistics.queries import figures_hash

    sha256 = figures_hash(made, "manners")
    SetFigures.objects.create(
        set=made, kind="manners", input_sha256=sha256, body=done.body, created_at=done.created_at
    )
    said = shown(client, made.created_by, made, "tuning")
    assert "Reviewers: done" in said
    assert "Agreement: pending" in said
    assert '<progress max="4" value="1"' in said


def late(made):
    from rubric.comparisons.actions import add_reviewer
    from tests.factories.people import NOW

    return add_reviewer(comparison_set=made, kind="elsewhere", name="Late", by=made.created_by, now=NOW)


@pytest.mark.parametrize("kind", PAGES)
def test_figures_of_other_reviews_are_not_shown(client, kind):
    made = make_reviewed_set()
    figure(made)
    review_with(comparison=made.comparisons.get(number=1), reviewer=late(made), scores=RECORD_SCORES)
    said = shown(client, made.created_by, made, kind)
    assert "The figures are out of date" in said
    assert "They are computed once somebody presses Compute" in said
    assert "1 review was submitted since the figures were computed, so they are not shown." in said
    assert "computed 2 Mar" not in said
    for words in ("alpha-title", "severity-title", "variance-title", "holistic-title"):
        assert words not in said


def test_a_job_that_failed_says_so_and_can_be_asked_for_again(client):
    made = make_reviewed_set()
    client.force_login(made.created_by)
    ask = reverse("figure_set", args=[made.project.slug, made.number])
    client.post(ask, {"kind": "success"})
    Job.objects.filter(kind="figure_set").update(state="failed", error="It broke.")
    said = shown(client, made.created_by, made, "success")
    assert "It broke." in said
    client.post(ask, {"kind": "success"})
    assert Job.objects.get(kind="figure_set").state == "queued"


def test_asking_by_a_get_writes_nothing(client, figured):
    before = (SetFigures.objects.count(), Job.objects.count())
    for kind in PAGES:
        shown(client, figured.created_by, figured, kind)
    assert (SetFigures.objects.count(), Job.objects.count()) == before
    client.force_login(figured.created_by)
    assert client.get(reverse("figure_set", args=[figured.project.slug, figured.number])).status_code == 405
    wrong = client.post(reverse("figure_set", args=[figured.project.slug, figured.number]), {"kind": "luck"})
    assert wrong.status_code == 400


def test_reviewers_in_words_and_each_opens_into_the_reviews(client, figured):
    said = shown(client, figured.created_by, figured, "manners")
    for words in (
        "severe",
        "lenient",
        "Worth a look: more often than can be expected.",
        "100\u00a0%",
        "&lt; 0.001",
    ):
        assert words in said
    assert "No reviewer has judged a response of their own." in said
    flat = figured.reviewers.get(name="Reader 3")
    assert f'href="{address(figured, "reviewer", flat.pk)}"' in said
    opened = shown(client, figured.created_by, figured, "reviewer", flat.pk)
    assert "Reviews by" in opened
    assert opened.count("straight-lining") == 66
    review = flat.reviews.get(comparison__number=1)
    result = reverse("comparison_result", args=[figured.project.slug, figured.number, 1])
    assert f"{result}#review-{review.pk}" in opened


def test_pages_of_a_reviewer(client, figured, monkeypatch):
    monkeypatch.setattr("rubric.reviewer_statistics.views.rater_effects.RESPONSES_A_PAGE", 40)
    reviewer = figured.reviewers.first()
    assert "1 to 40 of 66" in shown(client, figured.created_by, figured, "reviewer", reviewer.pk)
    second = shown(client, figured.created_by, figured, "reviewer", reviewer.pk, data={"from": 41})
    assert "41 to 66 of 66" in second
    shown(client, figured.created_by, figured, "reviewer", reviewer.pk, data={"from": 67}, status=404)
    shown(client, figured.created_by, figured, "reviewer", reviewer.pk + 1000, status=404)


def test_too_few_to_tell_is_said_with_the_name(client):
    made = make_reviewed_set(questions=1)
    figure(made)
    said = shown(client, made.created_by, made, "manners")
    assert (
        "Can&#39;t tell: Reader 1 has 3 complete responses that others judged too; it takes at least 15."
        in said
    )
    assert "Can&#39;t tell: it takes 8 responses." in said
    assert "3 responses, 1 question" in said and "1 questions" not in said


def test_agreement_says_what_is_undefined_and_why(client, figured):
    said = shown(client, figured.created_by, figured, "agreement")
    for words in ("Krippendorff", "ICC(2,1)", "Weighted overall", "Holistic score", "66</td>", "198</td>"):
        assert words in said
    assert said.count("Reader 1") == 2  # a pair with each of the others
    alone = make_reviewed_set(reviewers=1)
    figure(alone)
    said = shown(client, alone.created_by, alone, "agreement")
    assert "undefined: Agreement needs ratings by at least two raters." in said
    assert "Can't tell: fewer than two reviewers have scored anything." in said


@pytest.mark.parametrize("kind", ["agreement", "success"])
def test_w_says_on_how_many_questions_it_rests(client, figured, kind):
    said = shown(client, figured.created_by, figured, kind)
    assert re.search(r"on \d+ of \d+ questions", said)


def test_success_has_four_metrics_literally_and_corrected(client, figured):
    said = shown(client, figured.created_by, figured, "success")
    for number in range(1, 5):
        assert f"{number}. " in said
    assert said.count("As written") == 4
    assert said.count("After correction") == 3
    assert "Rests on 22 questions" in said
    assert "Nobody in the arm with the breakdown has answered." in said
    assert "can't tell yet" in said
    assert "overalls rounded to the 10 steps of the holistic score" in said
    # The same alpha has another interval on the page Agreement.
    assert "leave out one question after the other here, and one response under Agreement" in said


def test_below_twenty_questions_only_that_an_interval_needs_them_is_said(client):
    made = make_reviewed_set(questions=3)
    figure(made)
    said = shown(client, made.created_by, made, "success")
    assert said.count("An interval needs at least 20 comparisons; there are ") == 6
    assert said.count("too few questions") == 6
    # Of the third metric only, which has answers and no questions to count.
    assert said.count("are needed to show a difference that matters reliably") == said.count("can't tell yet")
    assert "how many it needs cannot be said yet" not in said


def test_weights_with_their_evidence_and_who_adopts_them(client, figured):
    said = shown(client, figured.created_by, figured, "tuning")
    for words in (
        "Error with the default weights",
        "excludes the default",
        f"The default weights are those of version {figured.rubric_version.number}.",
        "Below 100 responses",
        "Clarity",
    ):
        assert words in said
    assert "Tuning needs at least 50 responses with all scores and a preference; there are 0." in said
    assert "0 questions" not in said
    row = re.findall(r'<th scope="row">(?:<[^>]+>)?Accuracy.*?</tr>', said, re.DOTALL)[-1]
    cells = " ".join(html.unescape(re.sub(r"<[^>]+>", " ", row)).split())
    assert re.match(r"Accuracy 35 % [\d.]+ % [\d.]+ % to [\d.]+ %", cells), "one unit in a row"
    assert "Only admins change rubrics. Ask one of them." in said
    adopt = reverse("adopt_fit", args=[figured.project.slug, figured.number])
    assert adopt not in said
    admin = make_admin()
    said = shown(client, admin, figured, "tuning")
    basis = SetFigures.objects.get(set=figured, kind="tuning").input_sha256
    assert f'value="{basis}"' in said
    made = client.post(adopt, {"target": "holistic", "basis": basis})
    draft = RubricVersion.objects.get(state="draft")
    assert made["Location"] == reverse("rubric_version", args=[draft.rubric.key, draft.number])
    assert client.post(adopt, {"target": "holistic", "basis": "old"}).status_code == 409
    assert client.post(adopt, {"target": "preferences", "basis": basis}).status_code == 422
    assert client.post(adopt, {"target": "luck", "basis": basis}).status_code == 400
    assert RubricVersion.objects.filter(state="draft").count() == 1


@pytest.mark.parametrize("kind", PAGES)
def test_a_reviewer_who_has_not_handed_in_is_told_why(client, kind):
    project = make_project()
    lead, person = make_lead(project=project), make_member(project=project)
    made = make_set(by=lead, people=[person, lead], elsewhere=1)
    said = shown(client, person, made, kind, status=403)
    assert "Results are shown when the set is closed. A team lead does that." in said
    said = shown(client, lead, made, kind, status=403)
    assert "You review this set yourself. Submit all your reviews first" in said
    shown(client, make_member(project=project), made, kind, status=404)
    shown(client, make_lead(project=make_project()), made, kind, status=404)


def test_a_reviewer_of_a_closed_set_sees_notes_on_oneself_alone(client):
    project = make_project()
    lead, person = make_lead(project=project), make_member(project=project)
    made = make_reviewed_set(by=lead, questions=8, harsh={1: 3.0}, people=[person])
    own = made.reviewers.get(person=person)
    for comparison in made.comparisons.all():
        review_with(comparison=comparison, reviewer=own, scores=RECORD_SCORES, by=person)
    close(made)
    figure(made)
    said = shown(client, person, made, "manners")
    assert person.name in said
    assert "another reviewer (1)" in said
    assert "Reader 1" not in said
    assert said.count("Worth a look") == said.count("chip wait")
    shown(client, person, made, "reviewer", own.pk)
    other = made.reviewers.get(name="Reader 1")
    assert "Only team leads open" in shown(client, person, made, "reviewer", other.pk, status=403)
    assert "Only team leads and admins see weights." in shown(client, person, made, "tuning", status=403)
    assert address(made, "tuning") not in said
    assert "Reader 1" not in shown(client, person, made, "agreement")
    assert "Reader 1" in shown(client, lead, made, "agreement")


@pytest.mark.parametrize("kind", PAGES)
def test_queries(client, figured, django_assert_num_queries, kind):
    shown(client, figured.created_by, figured, kind)
    # Leads also see how far people agree with themselves.
    with django_assert_num_queries(15 if kind == "manners" else 14):
        client.get(address(figured, kind))


def test_queries_while_a_job_works(client, django_assert_num_queries):
    made = make_reviewed_set()
    client.force_login(made.created_by)
    client.post(reverse("figure_set", args=[made.project.slug, made.number]), {"kind": "success"})
    Heartbeat.objects.all().delete()
    with django_assert_num_queries(16):
        client.get(address(made, "success"))


def test_earlier_addresses_lead_to_the_pages(client, figured):
    client.force_login(figured.created_by)
    for kind, now in (("manners", "reviewers"), ("tuning", "weights")):
        page = address(figured, kind)
        old = page.replace(f"/{now}/", f"/{kind}/")
        assert client.get(f"{old}?sort=name")["Location"] == f"{page}?sort=name"
    project = figured.project.slug
    assert client.get(f"/projects/{project}/iteration/")["Location"] == f"/projects/{project}/settings/"
