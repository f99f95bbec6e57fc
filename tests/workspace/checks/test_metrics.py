"""What Prometheus reads: who may, that every figure is right, and that no label holds anything of people."""

from datetime import timedelta

import pytest
from django.conf import settings as site
from django.db import OperationalError
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families

from tests.factories.people import PASSWORD, make_lead, make_person, make_project
from tests.factories.rating import say, start
from workspace.checks import metrics
from workspace.models import Job

pytestmark = pytest.mark.django_db
TOKEN = "a-token-of-the-tests-0123456789abcdef"
COUNTED = "workspace.checks.metrics.CountRequests"


@pytest.fixture
def counted(settings):
    """A site with metrics, whose process counted nothing yet."""
    settings.METRICS_TOKEN = TOKEN
    settings.MIDDLEWARE = [COUNTED, *site.MIDDLEWARE]
    metrics._begin_counts.cache_clear()
    yield settings
    metrics._begin_counts.cache_clear()


def scrape(client) -> dict[tuple, float]:
    """Every sample: its name and its labels, which come in the order of the alphabet, and the value."""
    answer = client.get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"})
    assert (answer.status_code, answer["Content-Type"]) == (200, metrics.CONTENT_TYPE)
    return {
        (sample.name, *sample.labels.values()): sample.value
        for family in text_string_to_metric_families(answer.content.decode())
        for sample in family.samples
    }


def test_without_a_token_nothing_counts_and_there_is_no_page(client):
    assert COUNTED not in site.MIDDLEWARE
    assert client.get("/metrics", headers={"Authorization": "Bearer "}).status_code == 404


@pytest.mark.parametrize("header", ["", "Bearer", f"Bearer {TOKEN}x", f"Basic {TOKEN}", "Bearer é" + TOKEN])
def test_whoever_has_no_token_is_refused_also_when_signed_in(client, counted, header):
    client.force_login(make_person(is_admin=True))
    answer = client.get("/metrics", headers={"Authorization": header})
    assert (answer.status_code, answer["WWW-Authenticate"]) == (401, "Bearer")
    assert b"evalsite_" not in answer.content


def test_requests_are_counted_by_route_method_and_status(client, counted):
    project = make_project()
    lead = make_lead(project=project)
    for _ in range(3):
        assert client.get("/sign-in/").status_code == 200
    client.get("/nowhere/")
    client.post("/sign-in/", {"login": lead.email, "password": "wrong"})
    client.force_login(lead)
    client.get(f"/projects/{project.slug}/")
    client.generic("BREW", "/sign-in/")
    found = scrape(client)
    name = "evalsite_requests_total"
    assert found[name, "GET", "account_login", "200"] == 3
    assert found[name, "GET", "none", "404"] == 1
    assert found[name, "POST", "account_login", "422"] == 1
    assert found[name, "GET", "project", "200"] == 1
    assert found[name, "other", "account_login", "405"] == 1
    assert found["evalsite_request_seconds_count", "GET", "account_login"] == 3
    assert found["evalsite_request_seconds_bucket", "+Inf", "GET", "account_login"] == 3
    assert 0 < found["evalsite_request_seconds_sum", "GET", "account_login"] < 60


def test_refusals_are_counted_and_stand_at_0_before(client, counted):
    assert [scrape(client)["evalsite_refusals_total", str(code)] for code in metrics.REFUSALS] == [0] * 6
    client.force_login(make_person())
    assert client.get("/people/").status_code == 403
    assert client.get("/metrics").status_code == 401
    assert client.get("/readyz").status_code == 503
    found = scrape(client)
    assert [found["evalsite_refusals_total", str(code)] for code in metrics.REFUSALS] == [1, 1, 0, 0, 0, 0]


def test_jobs_by_state_and_the_wait_of_the_oldest(client, counted):
    person, now = make_person(), timezone.now()
    assert scrape(client)["evalsite_queue_lag_seconds",] == 0
    for seconds, state in ((90, "queued"), (30, "queued"), (500, "failed"), (700, "done")):
        Job.objects.create(
            kind="noop",
            subject=str(seconds),
            state=state,
            created_by=person,
            created_at=now - timedelta(seconds=seconds),
        )
    found = scrape(client)
    assert 90 <= found["evalsite_queue_lag_seconds",] < 150
    jobs = {state: found["evalsite_jobs", state] for state in ("queued", "running", "done", "failed")}
    assert jobs == {"queued": 2, "running": 0, "done": 1, "failed": 1}
    assert found["evalsite_database_up",] == 1


def test_saved_judgements_are_counted(client, counted):
    evaluation = start()
    before = scrape(client)["evalsite_judgements_saved_total", "games"]
    say(evaluation, "coherence", "1", "yes")
    found = scrape(client)
    assert found["evalsite_judgements_saved_total", "games"] == before + 1
    assert found["evalsite_judgements_saved_total", "comparisons"] == 0


def test_without_the_database_what_was_counted_is_still_told(client, counted, monkeypatch):
    client.get("/sign-in/")

    def away(*_):
        raise OperationalError("secret address")

    monkeypatch.setattr(metrics, "count_jobs", away)
    found = scrape(client)
    assert found["evalsite_database_up",] == 0
    assert found["evalsite_requests_total", "GET", "account_login", "200"] == 1
    assert not [name for name, *_ in found if name in ("evalsite_jobs", "evalsite_queue_lag_seconds")]


def test_labels_hold_nothing_of_people(client, counted):
    project = make_project(slug="slug-of-ours", name="Name of ours")
    lead = make_lead(project=project)
    client.post("/sign-in/", {"login": lead.email, "password": PASSWORD})
    client.get(f"/projects/{project.slug}/?search=typed-by-somebody")
    client.get("/typed-by-somebody/")
    answer = client.get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"}).content.decode()
    for said in (lead.email, lead.name, project.slug, project.name, "typed-by-somebody", TOKEN):
        assert said not in answer
    labels = {
        (name, value)
        for family in text_string_to_metric_families(answer)
        for sample in family.samples
        for name, value in sample.labels.items()
    }
    assert {name for name, _ in labels} == {"route", "method", "status", "le", "state", "of"}
