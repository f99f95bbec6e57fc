"""The pages of access tokens and of the API's operations."""

import re
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from tests.factories.people import PASSWORD, make_admin, make_lead, make_person, make_project
from tests.factories.tokens import Program, make_account, make_token
from tools.llms import DOCS, write_index
from workspace.models import AccessToken, Person
from workspace.tokens.core import PREFIX

pytestmark = pytest.mark.django_db
GIVEN = {"name": "Nightly", "scopes": ["read", "import"], "days": "30"}


def text_of(answer):
    return answer.content.decode()


def test_a_token_is_made_on_its_page_and_shown_once(client):
    client.force_login(make_person())
    address = reverse("access_tokens")
    assert text_of(client.get(reverse("settings"))).count(address) == 1
    made = text_of(client.post(address, GIVEN))
    secret = re.search(rf'value="({PREFIX}[^"]+)"', made)[1]
    assert Program(secret).get("projects/").status_code == 200
    again = text_of(client.get(address))
    assert secret not in again
    assert secret[:8] in again


def test_from_a_project_its_settings_are_the_current_tab(client):
    lead = make_lead(project=make_project(slug="ours"))
    client.force_login(lead)
    address = reverse("access_tokens")

    def current(query):
        return re.findall(r'aria-current="page">([^<]+)<', text_of(client.get(address + query)))

    assert current("?project=ours") == ["Settings", "Access tokens"]
    assert current("") == current("?project=theirs") == ["Access tokens"]
    assert client.get(f"{address}?projects=ours").status_code == 400
    client.force_login(make_person())
    assert current("?project=ours") == ["Access tokens"]


def test_who_signed_in_long_ago_proves_who_they_are(client):
    person = make_person()
    client.force_login(person)
    session = client.session
    session["began"] = int((timezone.now() - timedelta(hours=1)).timestamp())
    session["seen"] = int(timezone.now().timestamp())
    session.save()
    answer = client.post(reverse("access_tokens"), GIVEN)
    assert (answer.status_code, AccessToken.objects.count()) == (422, 0)
    answer = client.post(reverse("access_tokens"), {**GIVEN, "proof": "wrong"})
    assert (answer.status_code, 'value="Nightly"' in text_of(answer)) == (422, True)
    assert client.post(reverse("access_tokens"), {**GIVEN, "proof": PASSWORD}).status_code == 200


@pytest.mark.parametrize("changes", [{"name": ""}, {"scopes": []}, {"scopes": ["all"]}, {"days": "9999"}])
def test_a_bad_form_comes_back_with_what_was_typed(client, changes):
    client.force_login(make_person())
    answer = client.post(reverse("access_tokens"), GIVEN | changes)
    assert (answer.status_code, AccessToken.objects.count()) == (422, 0)
    assert "fault" in text_of(answer)
    assert ("Choose at least one scope." in text_of(answer)) == (changes == {"scopes": []})


def test_a_token_is_revoked_on_its_page(client):
    person = make_person()
    secret = make_token(person)
    client.force_login(person)
    answer = client.post(reverse("revoke_access_token", args=[AccessToken.objects.get().pk]))
    assert answer["Location"] == reverse("access_tokens")
    assert Program(secret).get("projects/").status_code == 401
    assert "Tokens that ended" in text_of(client.get(reverse("access_tokens")))


def test_an_admin_makes_a_service_account_and_its_token_and_sees_all_tokens(client):
    project = make_project()
    make_token(make_person(name="Somebody else"))
    client.force_login(make_admin())
    given = {"name": "Pipeline", "project": project.pk, "role": "lead"}
    answer = client.post(reverse("all_access_tokens"), given)
    account = Person.objects.get(is_service=True)
    assert answer["Location"] == reverse("service_tokens", args=[account.pk])
    made = text_of(client.post(answer["Location"], GIVEN))
    program = Program(re.search(rf'value="({PREFIX}[^"]+)"', made)[1])
    assert program.get("projects/").json()["items"][0]["role"] == "lead"
    shown = text_of(client.get(reverse("all_access_tokens")))
    assert "Somebody else" in shown
    assert "Pipeline" in shown


def test_nobody_signs_in_as_a_service_account(client):
    account = make_account(project=make_project(), by=make_admin())
    answer = client.post(reverse("account_login"), {"login": account.email, "password": ""})
    assert answer.status_code == 422
    account.set_password(PASSWORD)
    account.save()
    answer = client.post(reverse("account_login"), {"login": account.email, "password": PASSWORD})
    assert answer.status_code == 422


def test_the_page_of_operations_has_each_with_its_scope_and_an_example(client):
    client.force_login(make_person())
    shown = text_of(client.get(reverse("api_docs")))
    paths = client.get(reverse("api_openapi")).json()["paths"]
    assert paths and all(path in shown for path in paths)
    assert shown.partition("<main")[2].count("<details") == sum(len(verbs) for verbs in paths.values())
    assert "curl -H" in shown
    assert "The token needs the scope “import”." in shown
    post = paths["/api/v1/projects/{slug}/imports/"]["post"]
    assert "Idempotency-Key" in [given["name"] for given in post["parameters"]]
    assert post["requestBody"]["content"].keys() == {"application/octet-stream", "multipart/form-data"}
    assert "application/problem+json" in post["responses"]["default"]["content"]
    file = paths["/api/v1/projects/{slug}/exports/{export}/file/"]["post"]["responses"]["200"]
    assert file["content"].keys() == {"application/octet-stream"}


def test_programs_read_the_documentation_and_its_index_without_a_sign_in(client):
    index = text_of(client.get("/llms.txt"))
    assert index == write_index(), "make fix"
    linked = re.findall(r"\]\((.+?)\): \w", index)
    assert sorted(linked) == sorted(
        f"/docs/{path.name}" for path in DOCS.glob("*.md") if path.name != "README.md"
    )
    page = client.get(linked[0])
    assert page["Content-Type"] == "text/plain; charset=utf-8"
    assert text_of(page).startswith("# First steps\n")
    outside = [
        client.get(f"/docs/{name}").status_code for name in ("nothing.md", "..", "adr", "%2e%2e%2f.env")
    ]
    assert outside == [404] * 4
