"""The page of the audit sample: its states, who sees it, the way from a count to its cases."""

import html
import re
from types import SimpleNamespace

import pytest
from django.urls import reverse

from discussions.adjudication.core.judgeable import audit_sample
from discussions.core.judgement_kinds import STRATEGIC_DEPTH
from discussions.models import Evaluation
from discussions.rating.actions import reveal_roles, submit_evaluation
from discussions.reliability.core.accuracy import PRECISION
from discussions.reliability.core.crosstab import Rate
from discussions.reliability.views.accuracy import _conclude
from tests.factories.people import NOW, make_admin, make_lead, make_member, make_project
from tests.factories.rating import ANSWERS, make_rating_project, say_what_is_missing, start, submitted
from tests.factories.reliability import figure_team
from tests.factories.verdicts import record
from tests.site.python_reprs import find_reprs
from workspace.models import Job

pytestmark = pytest.mark.django_db


HTMX = {"HX-Request": "true", "HX-Target": "figures"}


@pytest.fixture(scope="module")
def figured(django_db_setup, django_db_blocker):
    """A project of three games of one evaluator each, with its figures; undone at the end."""
    from django.db import transaction

    with django_db_blocker.unblock(), transaction.atomic():
        project = make_rating_project()
        for _time in range(3):
            submitted(project=project)
        project.lead = make_lead(project=project)
        figure_team(project, by=project.lead)
        yield project
        transaction.set_rollback(True)


def address(project, name="accuracy"):
    return reverse(name, args=[project.slug])


def shown(client, person, url, *, status=200, **given):
    client.force_login(person)
    answer = client.get(url, **given)
    assert answer.status_code == status, answer.content.decode()[:400]
    said = answer.content.decode()
    assert find_reprs(said) == []
    return said


def test_without_evaluations_there_is_nothing_to_compute(client):
    project = make_rating_project()
    said = shown(client, make_lead(project=project), address(project))
    assert "No evaluations yet" in said
    assert "Compute" not in said


def test_figures_are_asked_for_watched_and_shown(client):
    project = make_rating_project()
    submitted(project=project)
    lead = make_lead(project=project)
    assert "1 evaluation was submitted." in shown(client, lead, address(project))
    asked = client.post(address(project, "figure_team"), {"kind": "accuracy"})
    assert (asked.status_code, asked["Location"]) == (303, address(project))
    said = shown(client, lead, address(project), headers=HTMX)
    assert said.startswith('<div id="figures"')
    for words in (
        "every 1s",
        "The figures are being computed",
        "Accuracy of automatic metrics: pending",
        "No worker is running",
    ):
        assert words in said
    figure_team(project, by=lead)
    said = shown(client, lead, address(project), headers=HTMX)
    assert "From 1 evaluation that was submitted, computed" in said
    assert "every 1s" not in said
    submitted(project=project)
    said = shown(client, lead, address(project))
    assert "1 evaluation was submitted since the figures were computed, so they are not shown." in said
    assert "metric-coherence" not in said


def test_a_job_that_failed_says_so_and_can_be_asked_for_again(client):
    project = make_rating_project()
    submitted(project=project)
    client.force_login(make_lead(project=project))
    client.post(address(project, "figure_team"), {"kind": "accuracy"})
    Job.objects.filter(kind="figure_team").update(state="failed", error="It broke.")
    assert "It broke." in client.get(address(project)).content.decode()
    client.post(address(project, "figure_team"), {"kind": "accuracy"})
    assert Job.objects.get(kind="figure_team").state == "queued"


def test_the_page_says_what_was_measured_on_what(client, figured):
    said = shown(client, figured.lead, address(figured))
    for words in (
        "3 evaluations, 3 games, 3 evaluators.",
        "15 messages judged: 3 evaluations, 3 games, 3 evaluators.",
        "of at least 20 answers.",
        "Undefined: people said no to nothing.",
        "true recall is at most this high",
        "Nobody answered the manual check blind.",
        "Do automatic values influence people (anchoring)?",
        "too few to conclude anything",
    ):
        assert words in said
    for key in ("memory_accuracy", "strategic_depth", "coherence", "role_consistency", "anti_repetition"):
        assert f'id="metric-{key}"' in said
    # Fifteen answers are too few for a chart.
    assert 'id="plot-strategic_depth' not in said


def test_every_count_opens_its_cases_and_they_lead_to_the_game(client, figured):
    said = shown(client, figured.lead, address(figured))
    links = [link.replace("&amp;", "&") for link in re.findall(r'href="([^"]*/accuracy/cases/[^"]*)"', said)]
    assert len(links) > 10
    for link in links:
        opened = shown(client, figured.lead, link)
        assert "Back to the figures" in opened
    depth = [link for link in links if "table=strategic_depth" in link and "column=yes" in link]
    opened = "".join(shown(client, figured.lead, link) for link in depth)
    evaluation = Evaluation.objects.get(game__project=figured, game__number=2)
    game = reverse("game", args=[figured.slug, 2])
    found = {int(entry) for entry in re.findall(rf'href="{game}#m(\d+)"', opened)}
    assert found == set(audit_sample(evaluation.seed, STRATEGIC_DEPTH, 12))
    assert shown(client, figured.lead, f"{game}").count(f'id="m{min(found)}"') == 1


@pytest.mark.parametrize(
    "given",
    ["table=luck&row=yes&column=yes", "table=coherence&row=yes&column=maybe", "table=moved-luck&row=a&column=b",
     "table=strategic_depth&row=yes&column=yes&from=999", "version=9-9&table=coherence&row=yes&column=yes"],
)  # fmt: skip
def test_a_cell_that_there_is_not_is_not_found(client, figured, given):
    shown(client, figured.lead, f"{address(figured, 'accuracy_cases')}?{given}", status=404)


def test_versions_that_there_are_not_are_not_found_and_nonsense_is_refused(client, figured):
    shown(client, figured.lead, f"{address(figured)}?version=9-9", status=404)
    shown(client, figured.lead, f"{address(figured)}?luck=1", status=400)
    assert client.post(address(figured, "figure_team"), {"kind": "luck"}).status_code == 400
    assert client.get(address(figured, "figure_team")).status_code == 405
    assert client.post(address(figured)).status_code == 405


def test_cases_of_figures_that_are_not_there_lead_back(client):
    project = make_rating_project()
    submitted(project=project)
    client.force_login(make_lead(project=project))
    answer = client.get(f"{address(project, 'accuracy_cases')}?table=coherence&row=yes&column=yes")
    assert (answer.status_code, answer["Location"]) == (302, address(project))


def test_it_says_how_many_verdicts_people_would_turn(client):
    """One evaluator objects to every sampled message; the rest counts as the rule says, so the metric passes."""
    project = make_rating_project(number="1.2")
    evaluation = start(project=project, message_count=100)
    say_what_is_missing(evaluation)
    reveal_roles(evaluation=evaluation, by=evaluation.evaluator, now=NOW)
    say_what_is_missing(evaluation, answers=ANSWERS | {"role_consistency": "inconsistent"})
    submit_evaluation(evaluation=evaluation, by=evaluation.evaluator, now=NOW)
    lead = make_lead(project=project)
    figure_team(project, by=lead)
    said = " ".join(shown(client, lead, address(project)).split())
    assert said.count("No recorded verdict could be flipped") == 3
    verdict = record(evaluation.game)
    assert verdict.passes
    assert "Compute" in shown(client, lead, address(project)), "a verdict is another input"
    figure_team(project, by=lead)
    said = " ".join(html.unescape(shown(client, lead, address(project))).split())
    depth, roles = (
        said.partition(f'id="metric-{key}"')[2] for key in ("strategic_depth", "role_consistency")
    )
    says = "would be on the other side of its threshold in %d of 1 recorded verdict, and %d would flip."
    assert says % (0, 0) in depth[:600]
    assert says % (1, verdict.passed_count == 5) in roles[:600]


def test_evaluators_learn_nothing_of_it(client, figured):
    for name in ("accuracy", "accuracy_cases"):
        said = shown(client, make_member(project=figured), address(figured, name), status=403)
        assert "Only team leads of this project see how its evaluators agree." in said
        shown(client, make_lead(project=make_project()), address(figured, name), status=404)
    shown(client, make_admin(), address(figured))


@pytest.mark.parametrize("games", [1, 3])
def test_queries_do_not_grow(client, games, django_assert_num_queries):
    project = make_rating_project()
    for _time in range(games):
        submitted(project=project)
    lead = make_lead(project=project)
    figure_team(project, by=lead)
    client.force_login(lead)
    client.get(address(project))  # the first request of a session writes to it
    with django_assert_num_queries(12):
        client.get(address(project))
    with django_assert_num_queries(12):
        client.get(f"{address(project, 'accuracy_cases')}?table=strategic_depth&row=yes&column=yes")


def rate(right, of, interval):
    return Rate(PRECISION, right, of, interval, None, "few games", None)


def conclude(**rates):
    """The conclusion where these tables have these shares of right findings, and all others none."""
    tables = {part: [rates[part]] for part in rates}
    version = SimpleNamespace(table=lambda part: SimpleNamespace(rates=tables.get(part, [rate(0, 0, None)])))
    return _conclude(version)["answer"]


def test_the_conclusion_names_what_is_least_often_right_of_what_is_known():
    unknown = "Too few answers to say how often automatic findings are right"
    assert conclude() == unknown
    assert conclude(strategic_depth=rate(3, 4, (30.0, 95.0))) == unknown
    known = {"strategic_depth": rate(160, 200, (74.0, 85.0)), "coherence": rate(120, 200, (53.0, 67.0))}
    assert conclude(**known) == "Least often right: Conversation coherence, 60.0 %".replace(" %", "\u00a0%")
    right = {part: rate(200, 200, (98.0, 100.0)) for part in known}
    assert conclude(**right) == "People agree with every automatic finding that they judged"
    few = {"role_consistency": rate(0, 3, (0.0, 56.0))}
    assert conclude(**known, **few).startswith("Least often right: "), "what nobody can tell yet is not named"
    assert "60.0" in conclude(**known, **few)
