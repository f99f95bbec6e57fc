"""The gate before every operation of the API: tokens, scopes, rates, keys, and errors as JSON."""

import logging
from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import OperationalError
from django.test import Client
from django.utils import timezone

from discussions.models import Transcript
from tests.factories.jobs import run_waiting_jobs
from tests.factories.people import make_admin, make_lead, make_person
from tests.factories.tokens import Program, make_account, make_token, program_of
from tests.factories.transcripts import import_game, make_games_project, native_game, upload
from workspace.models import AccessToken, Job, KeptAnswer, Project
from workspace.people.actions.people import deactivate_person
from workspace.people.actions.projects import add_member, change_role, end_membership
from workspace.tokens.queries import find_answer

pytestmark = pytest.mark.django_db
IMPORTS = "projects/ours/imports/"


@pytest.fixture
def lead(settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path
    return make_lead(project=make_games_project(slug="ours"))


def problem(answer):
    """Status and code of an error, which has a sentence and is no page."""
    said = answer.json()
    assert answer["Content-Type"] == "application/problem+json"
    assert (said["status"], said["detail"][-1:]) == (answer.status_code, ".")
    return answer.status_code, said["code"]


def test_without_a_token_that_opens_anything_nobody_is_answered():
    person = make_person()
    secret = make_token(person)
    assert problem(Program("").get("projects/")) == (401, "token_needed")
    assert Program("nothing").get("projects/")["WWW-Authenticate"] == "Bearer"
    assert Program(secret).get("projects/").status_code == 200
    AccessToken.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert "expired" in Program(secret).get("projects/").json()["detail"]
    other = make_token(person)
    deactivate_person(person=person, by=make_admin(), now=timezone.now())
    assert "deactivated" in Program(other).get("projects/").json()["detail"]


def test_a_sign_in_by_cookie_counts_for_nothing_and_a_token_makes_none():
    person = make_person()
    browser = Client()
    browser.force_login(person)
    assert browser.get("/api/v1/projects/").status_code == 401
    program = program_of(person)
    answer = program.get("projects/")
    assert (answer.status_code, answer.cookies, person.sign_ins.count()) == (200, {}, 1)
    headers = {"Authorization": f"Bearer {program.secret}"}
    assert Client().get("/projects/", headers=headers).status_code == 302


def test_a_program_that_comes_by_http_is_told_so_and_not_led_on(settings):
    settings.SECURE_SSL_REDIRECT = True
    program = program_of(make_person())
    answer = program.get("projects/")
    assert problem(answer) == (400, "https_needed")
    assert "Location" not in answer.headers
    assert program.client.get("/projects/").status_code == 301
    by_tls = program.client.get("/api/v1/projects/", headers=program.headers(), secure=True)
    assert by_tls.status_code == 200


def test_leads_without_their_second_factor_are_told_and_service_accounts_need_none(settings, lead):
    settings.REQUIRE_TOTP = True
    assert problem(program_of(lead).get("projects/")) == (403, "second_factor_missing")
    account = make_account(project=lead.memberships.get().project, by=make_admin())
    with_token = Program(make_token(account))
    assert with_token.get("projects/").status_code == 200


def test_too_many_requests_in_a_minute_are_refused_with_the_time_to_wait(settings):
    settings.API_RATE_LIMIT = 2
    program, person = program_of(make_person()), make_person()
    assert [program.get("projects/").status_code for _request in range(2)] == [200, 200]
    answer = program.get("projects/")
    assert problem(answer) == (429, "too_often")
    assert 0 < int(answer["Retry-After"]) <= 60
    assert program_of(person).get("projects/").status_code == 200


def test_wrong_addresses_and_verbs_count_for_the_token_and_bad_tokens_for_the_address(settings):
    settings.API_RATE_LIMIT, settings.API_ADDRESS_LIMIT = 2, 3
    program = program_of(make_person())
    assert program.get("nowhere/").status_code == 404
    assert program.client.put("/api/v1/projects/", headers=program.headers()).status_code == 405
    assert problem(program.get("projects/")) == (429, "too_often")
    strangers = [
        Program(secret).get("projects/").status_code for secret in ("", "evs_no", "evs_none", "evs_")
    ]
    assert strangers == [401, 401, 401, 429]
    answer = Client().get("/api/v1/projects/", REMOTE_ADDR="10.0.0.9")
    assert answer.status_code == 401
    assert program_of(make_person()).get("projects/").status_code == 200


def test_the_use_is_noted_and_logged_with_the_number_of_the_token_alone(caplog):
    caplog.set_level(logging.INFO, "evalsite.requests")
    program = program_of(make_person())
    program.get("projects/")
    token = AccessToken.objects.get()
    assert token.used_address == "127.0.0.1"
    assert f"token {token.pk} of person {token.person_id}" in caplog.text
    assert program.secret not in caplog.text


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("nowhere/", (404, "not_found")),
        ("projects/theirs/games/", (404, "not_found")),
        ("projects/ours/games/99/", (404, "not_found")),
        ("projects/ours/games/99999999999999999999999999/", (404, "not_found")),
        ("projects/ours/games/?colour=red", (400, "malformed")),
        ("projects/ours/games/?limit=1&limit=2", (400, "malformed")),
        ("projects/ours/games/?limit=0", (422, "greater_than_equal")),
        ("projects/ours/games/?limit=many", (422, "int_parsing")),
        ("projects/ours/games/?state=lost", (422, "literal_error")),
        ("projects/ours/games/?after=-1", (422, "greater_than_equal")),
    ],
)
def test_a_question_that_does_not_fit_is_answered_in_json(lead, path, expected):
    assert problem(program_of(lead).get(path)) == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ('{"basis_sha256": "x"', (400, "malformed")),
        ('{"basis_sha256": NaN}', (400, "malformed")),
        ('{"basis_sha256": ' + "9" * 5000 + "}", (400, "malformed")),
        ('{"basis_sha256": ' + "[" * 5000 + "]" * 5000 + "}", (400, "malformed")),
        ('{"basis_sha256": "x", "basis_sha256": "y"}', (400, "malformed")),
        ('{"basis_sha256": 5}', (422, "string_type")),
        ('{"basis_sha256": "x", "colour": "red"}', (422, "extra_forbidden")),
        ("{}", (422, "missing")),
        ("[]", (422, "model_type")),
    ],
)
def test_a_body_that_does_not_fit_is_answered_in_json(lead, body, expected):
    import_game(project=Project.objects.get(slug="ours"), by=lead)
    program = program_of(lead)
    headers = {**program.headers(), "Idempotency-Key": "k"}
    address = "/api/v1/projects/ours/games/1/verdict/"
    answer = program.client.post(address, body, content_type="application/json", headers=headers)
    assert problem(answer) == expected
    assert not KeptAnswer.objects.exists()


def test_what_a_refused_request_asked_for_is_not_done(lead):
    answer = program_of(lead).post("projects/ours/stages/?colour=red", {"name": "First"})
    assert problem(answer) == (400, "malformed")
    stages = program_of(lead).get("projects/ours/stages/").json()["items"]
    assert program_of(lead).post("projects/ours/stages/", {"name": "First"}).status_code == 201
    assert (stages, len(program_of(lead).get("projects/ours/stages/").json()["items"])) == ([], 1)


def test_a_database_that_is_away_and_a_fault_are_told_without_their_texts(lead, monkeypatch):
    program = program_of(lead)
    for fault, expected in ((OperationalError, (503, "unavailable")), (ValueError, (500, "broken"))):

        def fail(*_given, fault=fault, **_named):
            raise fault("secret")

        monkeypatch.setattr("workspace.people.api.load_projects", fail)
        answer = program.get("projects/")
        assert problem(answer) == expected
        assert b"secret" not in answer.content


@pytest.mark.parametrize(
    "place", ["evalsite.middleware.find_bearer", "workspace.models.counters.CounterQuerySet.count_up"]
)
def test_a_database_that_is_away_before_the_operation_is_told_as_well(lead, monkeypatch, place):
    def fail(*_given, **_named):
        raise OperationalError("secret")

    program = program_of(lead)
    monkeypatch.setattr(place, fail)
    answer = program.get("projects/")
    assert problem(answer) == (503, "unavailable")
    assert int(answer["Retry-After"]) > 0
    assert b"secret" not in answer.content


def test_what_one_was_answered_is_not_told_again_after_one_left_the_project(lead):
    program, project = program_of(lead), lead.memberships.get().project
    assert program.post(IMPORTS, b"[1]", key="k").status_code == 202
    own = lead.memberships.get()
    own = change_role(membership=own, role="evaluator", by=make_admin(), now=timezone.now())
    assert problem(program.post(IMPORTS, b"[1]", key="k")) == (422, "key_reused")
    end_membership(membership=own, by=make_admin(), now=timezone.now())
    assert problem(program.post(IMPORTS, b"[1]", key="k")) == (422, "key_reused")
    assert problem(program.post(IMPORTS, b"[1]", key="new")) == (404, "not_found")
    add_member(project=project, person=lead, role="lead", by=make_admin(), now=timezone.now())
    assert "Idempotent-Replayed" in program.post(IMPORTS, b"[1]", key="k")


def test_the_same_key_and_request_is_done_once_and_another_request_is_refused(lead):
    program = program_of(lead)
    first = program.post(IMPORTS, b"[1]", key="k")
    assert (first.status_code, Transcript.objects.count()) == (202, 1)
    Transcript.objects.update(job=None)
    Job.objects.all().delete()
    again = program.post(IMPORTS, b"[1]", key="k")
    assert (again.status_code, again.content) == (202, first.content)
    assert (again["Idempotent-Replayed"], Job.objects.count()) == ("true", 0)
    assert problem(program.post(IMPORTS, b"[2]", key="k")) == (422, "key_reused")
    assert problem(program.post(f"{IMPORTS}?name=b.json", b"[1]", key="k")) == (422, "key_reused")
    # Keys are those of a person: a second token of theirs repeats, another lead's request is another one.
    assert "Idempotent-Replayed" in program_of(lead).post(IMPORTS, b"[1]", key="k")
    assert "Idempotent-Replayed" not in program_of(make_admin()).post(IMPORTS, b"[1]", key="k")


@pytest.mark.parametrize("key", ["", "x" * 161, "naïve", "a\tb"])
def test_a_post_needs_a_key(lead, key):
    assert problem(program_of(lead).post(IMPORTS, b"[]", key=key)) == (400, "key_needed")
    assert not Transcript.objects.exists()


def test_what_was_refused_can_be_sent_again_under_its_key(lead):
    program = program_of(lead)
    assert problem(program.post(IMPORTS, b"", key="k")) == (422, "empty")
    assert not KeptAnswer.objects.exists()
    assert program.post(IMPORTS, b"[]", key="k").status_code == 202


def test_who_lost_against_the_same_request_at_the_same_moment_gets_its_answer(lead, monkeypatch):
    """Both began before the first was done: the second finds the game withdrawn, and the answer to the first."""
    project = lead.memberships.get().project
    upload(project=project, by=lead, games=native_game())
    run_waiting_jobs()
    program, body = program_of(lead), {"is_withdrawn": True, "reason": "Cut short"}
    first = program.post("projects/ours/games/1/withdrawal/", body, key="one")
    answers = iter([None])
    monkeypatch.setattr("workspace.tokens.api.find_answer", lambda *asked: next(answers, find_answer(*asked)))
    second = program.post("projects/ours/games/1/withdrawal/", body, key="one")
    assert (first.status_code, second.status_code) == (200, 200)
    assert (second.content, second["Idempotent-Replayed"]) == (first.content, "true")
    answers = iter([None])
    other = program.post("projects/ours/games/1/withdrawal/", {**body, "reason": "Another"}, key="one")
    assert problem(other) == (422, "key_reused")


def test_a_body_in_pieces_without_its_length_is_refused_and_not_taken_as_empty(lead):
    client, headers = Client(), {"Idempotency-Key": "k", "Transfer-Encoding": "chunked"}
    headers["Authorization"] = f"Bearer {program_of(lead).secret}"
    answer = client.post(f"/api/v1/{IMPORTS}", b"", content_type="application/octet-stream",
                         headers=headers, CONTENT_LENGTH="")  # fmt: skip
    assert problem(answer) == (400, "length_needed")
    assert not Transcript.objects.exists()


def test_an_address_without_its_slash_leads_nowhere_else(lead):
    """Most clients follow a redirect of a POST with a GET, whose answer looks as if something had been done."""
    program = program_of(lead)
    for answer in (program.post("projects/ours/stages", {"name": "Lost"}), program.get("projects")):
        assert (problem(answer), "end with" in answer.json()["detail"]) == ((404, "not_found"), True)


def test_a_body_that_is_missing_is_asked_for(lead):
    answer = program_of(lead).post("projects/ours/stages/", b"")
    assert (problem(answer), "JSON object" in answer.json()["detail"]) == ((422, "missing"), True)


def test_a_form_with_files_is_the_same_request_when_its_files_are(lead):
    program = program_of(lead)

    def send(text):
        file = SimpleUploadedFile("a.json", text, content_type="application/json")
        headers = {**program.headers(), "Idempotency-Key": "k"}
        return program.client.post(f"/api/v1/{IMPORTS}", {"transcripts": [file]}, headers=headers)

    first = send(b"[1]")
    assert (first.status_code, first.json()["items"][0]["name"]) == (202, "a.json")
    assert send(b"[1]").content == first.content
    assert problem(send(b"[2]")) == (422, "key_reused")


def test_a_large_file_is_taken_from_leads_alone(lead):
    large = b"[" + b" " * (3 * 1024 * 1024) + b"]"
    assert program_of(lead).post(IMPORTS, large).status_code == 202
    assert problem(program_of(make_person()).post(IMPORTS, large)) == (413, "too_large")
