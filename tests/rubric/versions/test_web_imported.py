"""The page of a version that a project archive brought: an admin offers it for new work."""

import html

import pytest

from tests.factories.people import make_admin
from tests.factories.versions import make_imported_version

pytestmark = pytest.mark.django_db


def shown(client, person, address):
    client.force_login(person)
    return html.unescape(client.get(address).content.decode())


def test_an_imported_version_is_offered_for_new_work_on_its_page(client):
    admin = make_admin()
    version = make_imported_version(by=admin)
    address = f"/rubrics/discussion/{version.number}/"
    text = shown(client, admin, address)
    assert "New work does not use it until an admin offers it" in text
    assert f'href="{address}offer/"' in text
    assert "imported" in shown(client, admin, "/rubrics/")
    assert "Once it is offered" in shown(client, admin, f"{address}offer/")
    assert client.post(f"{address}offer/", {"reason": ""}).status_code == 422
    answer = client.post(f"{address}offer/", {"reason": "Compared with ours", "basis": version.sha256})
    assert (answer.status_code, answer["Location"]) == (303, address)
    assert f'href="{address}offer/"' not in shown(client, admin, address)
    assert client.get(f"{address}offer/").status_code == 403
