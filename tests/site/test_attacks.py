"""What was tried against the running site and once went through: each stays shut.

Attacks by people who have, had or want an account: weak passwords, invitations of the dismissed, others' work.
"""

import hashlib
import hmac
import itertools

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.handlers.wsgi import WSGIHandler
from django.test import Client, RequestFactory
from django.urls import reverse
from django.utils import timezone

from discussions.adjudication.core.judgeable import audit_sample
from discussions.models import Evaluation, Revision
from discussions.queue.actions import take_next_game
from discussions.rating.actions import reveal_roles, submit_evaluation
from evalsite.encoding import Utf8Only
from tests.factories.people import NOW, make_admin, make_lead, make_member
from tests.factories.rating import make_game, make_rating_project, say_what_is_missing, start
from tests.factories.transcripts import make_games_project, upload
from workspace.core.canonical import canonical_hash
from workspace.core.identifiers import plain_name
from workspace.core.text import MOST_BADGES, pieces
from workspace.markup import hostile
from workspace.models import Person
from workspace.people.actions.people import deactivate_person, invite

pytestmark = pytest.mark.django_db


HTMX = {"HX-Request": "true", "HX-Target": "answer"}


KINDS = ("reference", "missed", "deliberate", "strategic_depth", "coherence", "role_consistency", "identify")


KINDS += ("question", "phrase", "flag", "comment", "__class__", "")


SUBJECTS = (
    "",
    "abc",
    "1.abc",
    ".",
    "1.1.1",
    "²",
    "٣",
    "-1",
    "9" * 190,
    "message:",
    "message:abc",
    "message:²",
)


SUBJECTS += ("message:-1", "game ", "1\r\nX: y", "\ud7ff", "a|b")


@pytest.mark.parametrize("headers", [HTMX, {}])
@pytest.mark.parametrize("kind", KINDS)
def test_no_subject_breaks_the_answer(client, kind, headers):
    evaluation = start()
    client.force_login(evaluation.evaluator)
    address = reverse("judge", args=[evaluation.pk])
    for number, subject in enumerate(SUBJECTS):
        given = {"key": f"n:{number}", "kind": kind, "subject": subject, "version": "0", "value": "yes"}
        assert client.post(address, given | {"text": "x"}, headers=headers).status_code == 422, subject
    assert not Revision.objects.exists()


@pytest.mark.parametrize("number", ["9" * 19, "9" * 40, str(2**63)])
def test_a_number_beyond_the_database_is_no_evaluation(client, number):
    client.force_login(start().evaluator)
    assert client.get(f"/rate/{number}/").status_code == 404
    assert client.post(f"/rate/{number}/judge/", {"act": "question~1~0~yes", "nonce": "n"}).status_code == 404


@pytest.mark.parametrize("charset", ["hex", "base64", "idna", "undefined", "utf-7", "nonsense", "utf-16"])
def test_an_encoding_that_a_client_names_breaks_nothing(charset):
    seen = {}

    def start_response(status, headers):
        seen.update(status=status, **{name.lower(): value for name, value in headers})

    environ = RequestFactory().get("/sign-in/?next=/mine/").environ
    environ["CONTENT_TYPE"] = f"text/html; charset={charset}"
    list(Utf8Only(WSGIHandler())(environ, start_response))
    assert seen["status"].startswith("200")
    assert "content-security-policy" in seen


def test_strangers_cannot_fill_the_disk():
    browser = Client(enforce_csrf_checks=True)
    browser.get(reverse("account_login"))
    large = SimpleUploadedFile("large.bin", b"x" * (3 * 1024 * 1024))
    for address in (reverse("account_login"), "/rate/1/judge/"):
        assert browser.post(address, {"file": large}).status_code == 413
        large.seek(0)


def test_samples_cannot_be_worked_out_from_numbers_that_can_be_guessed():
    evaluation = start()
    numbers = [evaluation.game_id, evaluation.slot.number, evaluation.evaluator_id]
    guesses = {canonical_hash(list(order))[:32] for order in itertools.permutations(numbers)}
    plain = f"sample:{numbers[0]}:{numbers[1]}:{numbers[2]}".encode()
    guesses |= {hashlib.sha256(plain).hexdigest()[:32], hmac.new(b"", plain, "sha256").hexdigest()[:32]}
    assert evaluation.seed not in guesses
    assert audit_sample(evaluation.seed, "role_consistency", 60)


def test_hidden_characters_cannot_fill_a_page():
    text = "a\u200b" * 50_000
    drawn = hostile(text)
    assert len(drawn) < 10 * len(text)
    assert drawn.count('class="badge"') == MOST_BADGES
    assert "\u200b" not in drawn
    assert "".join(piece.text for piece in pieces(text, [(99_000, 99_010)])).count("a") == 50_000
    assert any(piece.is_marked for piece in pieces(text, [(99_000, 99_010)]))


@pytest.mark.parametrize("name", ["\u3164", "\u2800", "\u115f", "a\u202eb", "Ada\u200b", "\u034f\u034f"])
def test_nobody_has_a_name_that_cannot_be_seen(name):
    assert plain_name(name) is None


def test_evaluators_are_not_told_which_imports_there_are(client):
    project = make_games_project(slug="here")
    found = upload(project=project, by=make_admin())
    client.force_login(make_member(project=project))
    for number in (found.pk, found.pk + 1):
        page = client.get(reverse("import_show", args=[project.slug, number]))
        cancel = client.post(reverse("import_cancel", args=[project.slug, number]))
        assert (page.status_code, cancel.status_code) == (403, 403)


PASSWORD = "correct horse battery 9"


@pytest.mark.parametrize(
    "weak", ["123456789012", "314159265358979", "aaaaaaaaaaaaaaaa", " " * 14, "abababababab"]
)
def test_passwords_that_are_guessed_first_are_refused(client, weak):
    invited = invite(
        email="chief@example.org", role="admin", project=None, by=make_admin(), now=timezone.now()
    )
    address = reverse("invitation", args=[invited.secret])
    assert client.post(address, {"name": "Chief", "password": weak}).status_code == 422
    assert not Person.objects.filter(email="chief@example.org").exists()
    assert client.post(address, {"name": "Chief", "password": PASSWORD}).status_code == 303


def test_the_invitations_of_somebody_switched_off_let_nobody_in(client):
    dismissed, admin, now = make_admin(), make_admin(), timezone.now()
    invited = invite(email="second@example.org", role="admin", project=None, by=dismissed, now=now)
    address = reverse("invitation", args=[invited.secret])
    assert client.get(address).status_code == 200
    deactivate_person(person=dismissed, by=admin, now=now)
    assert client.get(address).status_code == 404
    assert client.post(address, {"name": "Second", "password": PASSWORD}).status_code == 404
    assert not Person.objects.filter(email="second@example.org").exists()


def test_the_verdict_page_shows_nothing_of_other_evaluators_before_it_is_recorded(client):
    project = make_rating_project(evaluator_count=2)
    game = make_game(project=project)
    for number in range(2):
        evaluator = make_member(project=project)
        taken = take_next_game(project=project, by=evaluator, now=NOW)
        evaluation = Evaluation.objects.with_work().get(pk=taken.pk)
        say_what_is_missing(evaluation)
        reveal_roles(evaluation=evaluation, by=evaluator, now=NOW)
        say_what_is_missing(evaluation)
        submit_evaluation(evaluation=evaluation, by=evaluation.evaluator, now=NOW)
        client.force_login(evaluation.evaluator)
        page = client.get(reverse("verdict", args=[project.slug, game.number]))
        assert page.status_code == 200, number
        assert page.context["page"].outcome is None
        assert page.context["page"].basis == ""
    client.force_login(make_lead(project=project))
    page = client.get(reverse("verdict", args=[project.slug, game.number]))
    assert page.context["page"].outcome is not None
    assert page.context["page"].basis


def test_a_stranger_to_the_project_gets_no_verdict(client):
    evaluation = start()
    client.force_login(make_member(project=make_rating_project(slug="elsewhere")))
    game = evaluation.game
    assert client.get(reverse("verdict", args=[game.project.slug, game.number])).status_code == 404
