"""What costs much is limited for each person, in rows that all processes share; a refusal says when it works again."""

from datetime import UTC, datetime
from types import SimpleNamespace

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from tests.factories.people import make_admin, make_lead
from tests.factories.routes import named_routes
from tests.factories.tokens import program_of
from tests.factories.transcripts import make_games_project
from workspace.models import Counter, Export
from workspace.web import rate_limits
from workspace.web.views import announced_length

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def at_half_past(monkeypatch):
    """Half past an hour by the clock of the limits, so that no window ends while a test runs."""
    be(monkeypatch, datetime(2026, 11, 24, 10, 30, 20, tzinfo=UTC))


def be(monkeypatch, moment):
    clock = SimpleNamespace(now=lambda: moment, localtime=timezone.localtime)
    monkeypatch.setattr(rate_limits, "timezone", clock)


@pytest.fixture
def project():
    return make_games_project(slug="ours")


@pytest.fixture
def lead(project):
    return make_lead(project=project)


@pytest.fixture
def visitor(client, lead):
    client.force_login(lead)
    return client


def limit(settings, what, most):
    settings.COSTLY_LIMITS = settings.COSTLY_LIMITS | {what: (most, settings.COSTLY_LIMITS[what][1])}


def file_of(kib):
    return SimpleUploadedFile("game.json", b"{" + b" " * (1024 * kib - 2) + b"}")


def test_every_address_that_takes_files_counts_their_size():
    routes = named_routes()
    assert any(getattr(route.callback, "files", None) for route in routes.values())
    for name, route in routes.items():
        view = route.callback
        costs = getattr(view, "costs", "")
        costs = set(costs.values()) if isinstance(costs, dict) else {costs}
        assert ("uploads" in costs) == bool(getattr(view, "files", None)), name


def test_what_counts_for_which_limit():
    found = {}
    for name, route in named_routes().items():
        view = route.callback
        costs = getattr(view, "costs", "")
        for verb, what in costs.items() if isinstance(costs, dict) else [("", costs)]:
            if what:
                found.setdefault(what, set()).add(f"{name} {verb}".strip())
    assert found == {
        "exports": {"new_export", "api:api_exports POST"},
        "uploads": {
            "import_upload",
            "import_comparisons",
            "upload_answers",
            "upload_judge_answers",
            "api:api_imports POST",
            "api:api_set_lines POST",
        },
        "computations": {
            "ask_failed_again",
            "ask_judge",
            "ask_models",
            "change_version",
            "import_resume",
            "import_separate",
            "map_columns",
            "measure_again",
            "preview_version",
            "reread_answers",
            "retry_job",
            "run_judge",
            "api:api_change_version POST",
            "api:api_file_columns POST",
            "api:api_import_resume POST",
            "api:api_import_separate POST",
            "api:api_job_retry POST",
            "api:api_judge_ask POST",
            "api:api_judge_run POST",
            "api:api_measure_again POST",
            "api:api_rubric_preview POST",
        },
        "searches": {
            "games",
            "search",
            "search_everywhere",
            "people",
            "audit",
            "audit_file",
            "site_audit",
            "site_audit_file",
            "api:api_games GET",
            "api:api_all_messages GET",
            "api:api_messages GET",
            "api:api_audit GET",
            "api:api_site_audit GET",
        },
    }


def test_exports_of_a_person_from_pages_and_programs_count_together(visitor, lead, settings):
    limit(settings, "exports", 3)
    program = program_of(lead)
    address = reverse("new_export", args=["ours"])
    given = {"of": "project", "format": "jsonl"}
    assert visitor.get(address).status_code == 200
    assert visitor.post(address, given).status_code == 303
    assert program.post("projects/ours/exports/", {"format": "csv"}).status_code == 202
    assert visitor.post(address, given | {"format": "csv", "pseudonyms": "on"}).status_code == 303
    assert Export.objects.count() == 3

    page = visitor.post(address, given | {"pseudonyms": "on"})
    assert (page.status_code, page["Retry-After"]) == (429, str(29 * 60 + 40))
    says = page.content.decode()
    assert "Nothing was exported: the limit of exports is 3 an hour" in says
    assert "It works again at 11:00, in 30 minutes at most." in says
    assert "Write pseudonyms instead of names" in says  # what was chosen is still there

    said = program.post("projects/ours/exports/", {})
    assert (said.status_code, said.json()["code"], said["Retry-After"]) == (429, "too_many_exports", "1780")
    assert Export.objects.count() == 3

    other = make_lead(project=lead.memberships.get().project)
    assert program_of(other).post("projects/ours/exports/", {}).status_code == 202


def test_what_was_refused_may_be_sent_again_under_its_key_in_the_next_window(lead, settings, monkeypatch):
    limit(settings, "exports", 1)
    program = program_of(lead)
    assert program.post("projects/ours/exports/", {}).status_code == 202
    assert program.post("projects/ours/exports/", {}, key="again").status_code == 429
    be(monkeypatch, datetime(2026, 11, 24, 11, 0, 0, tzinfo=UTC))
    assert program.post("projects/ours/exports/", {}, key="again").status_code == 202


@pytest.mark.services
def test_uploads_are_limited_by_their_size(visitor, settings):
    limit(settings, "uploads", 1)
    address = reverse("import_upload", args=["ours"])

    def upload(kib, **headers):
        return visitor.post(address, {"transcripts": [file_of(kib)]}, headers=headers)

    assert upload(600).status_code == 303
    page = upload(601)
    assert (page.status_code, page["Retry-After"]) == (429, "1780")
    assert "Nothing was stored: the limit of uploads is 1 MB an hour" in page.content.decode()
    # With htmx the note comes beside the form, in which the chosen files stay.
    note = upload(602, **{"HX-Request": "true"})
    assert (note.status_code, note["HX-Retarget"]) == (429, "#toasts")
    # What was refused does not count: a smaller file still fits.
    assert upload(300).status_code == 303
    assert upload(301).status_code == 429


def test_a_single_upload_over_the_limit_is_taken_when_it_is_the_first(lead, settings):
    limit(settings, "uploads", 1)
    program = program_of(lead)
    assert (
        program.post("projects/ours/imports/?name=a.json", b"{" + b" " * 1_500_000 + b"}").status_code == 202
    )
    refused = program.post("projects/ours/imports/?name=b.json", b"{}")
    assert refused.json()["code"] == "too_many_uploads"


@pytest.mark.parametrize("address", ["/projects/ours/games/", "/projects/ours/audit/"])
def test_searches_are_limited_and_lists_are_not(visitor, settings, address):
    limit(settings, "searches", 2)
    name = "q" if "games" in address else "who"
    assert [visitor.get(address).status_code for _ in range(5)] == [200] * 5
    assert [visitor.get(address, {name: "x"}).status_code for _ in range(3)] == [200, 200, 429]
    page = visitor.get(address, {name: "x"})
    assert page["Retry-After"] == "40"
    assert "It works again at 10:31, in 1 minute at most." in page.content.decode()
    assert visitor.get(address).status_code == 200


def test_computations_are_limited(settings):
    limit(settings, "computations", 1)
    visitor = Client()
    visitor.force_login(make_admin())
    address = reverse("retry_job", args=[99])
    assert [visitor.post(address).status_code for _ in range(2)] == [404, 429]


def test_limits_are_rows_and_hold_without_redis(visitor, settings, lead):
    limit(settings, "searches", 1)
    visitor.get("/projects/ours/games/", {"q": "x"})
    row = Counter.objects.get(key__startswith=f"searches:{lead.pk}:")
    assert (row.value, row.expires_at) == ("1", datetime(2026, 11, 24, 10, 31, tzinfo=UTC))


def test_a_length_that_is_none_costs_nothing(rf, lead):
    for length in ("many", "-5"):
        request = rf.post("/", CONTENT_LENGTH=length)
        request.user = lead
        rate_limits.limit_costly(request, "uploads", announced_length(request.META))
    assert not Counter.objects.filter(key__startswith="uploads:").exists()
