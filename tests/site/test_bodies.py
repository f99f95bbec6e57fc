"""Nobody fills the disk: a large body is refused before a byte of it is read, save where files are brought in."""

import html
import io
import re

import pytest
from django.conf import settings as site
from django.test import Client
from django.urls import get_resolver, reverse

from rubric.comparisons.actions import close_set
from tests.factories.comparisons import make_set
from tests.factories.people import NOW, make_admin, make_lead, make_member, make_person
from tests.factories.transcripts import make_games_project
from tests.factories.world import make_world
from tests.site.test_rights_matrix import ROUTES, get_address
from workspace.web.problems import API

pytestmark = pytest.mark.django_db


LARGE = 20 * 1024 * 1024


MULTIPART = "multipart/form-data; boundary=limit"


FORM = "application/x-www-form-urlencoded"


TAKE_FILES = ("import_upload", "import_comparisons", "upload_answers", "upload_judge_answers")


class Unread(io.RawIOBase):
    """A body that counts what is taken of it."""

    def __init__(self, begins=b""):
        super().__init__()
        self.begins, self.taken = begins, 0

    def read(self, size=-1):
        piece = (self.begins + b"x" * max(size, 0))[: size if size >= 0 else None]
        self.begins = b""
        self.taken += len(piece)
        return piece


def sign_in(person):
    """The browser of somebody who signed in, or did not."""
    client = Client()
    if person is not None:
        client.force_login(person)
    return client


def send(person, address, *, length, kind=MULTIPART, body=None, htmx=False):
    """The status, the text and the body of a POST that announces that many bytes; None announces none.

    It comes from a person, or from a browser.
    """
    body = Unread() if body is None else body
    client = person if isinstance(person, Client) else sign_in(person)
    given = {"wsgi.input": body, "CONTENT_TYPE": kind}
    given |= {} if length is None else {"CONTENT_LENGTH": str(length)}
    given |= {"HTTP_HX_REQUEST": "true"} if htmx else {}
    answer = client.generic("POST", address, **given)
    return answer.status_code, html.unescape(answer.content.decode()), body


@pytest.fixture
def project(settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path / "uploads"
    settings.FILE_UPLOAD_TEMP_DIR = tmp_path
    return make_games_project(slug="ours")


def test_no_address_but_the_imports_takes_more_than_a_form(project, settings):
    settings.API_ADDRESS_LIMIT = 10**6
    world = make_world()
    admin = sign_in(make_admin())
    kinds = (MULTIPART, FORM, "application/octet-stream")
    assert len(ROUTES) > len(TAKE_FILES) > 0
    for place, name in enumerate(ROUTES):
        address = get_address(name, world)
        for kind in kinds if name in TAKE_FILES else (kinds[place % 3],):
            status, said, body = send(admin, address, length=LARGE, kind=kind)
            if name in TAKE_FILES and kind != FORM:
                assert status != 413
                continue
            assert (name, status, body.taken) == (name, 413, 0)
            if not address.startswith(API):
                assert "The upload is larger than this site takes. Nothing was stored." in said


def test_htmx_is_told_in_a_sentence(project):
    status, said, body = send(make_member(project=project), reverse("home"), length=LARGE, htmx=True)
    assert (status, body.taken) == (413, 0)
    assert "That is too large; nothing was stored." in said


def test_who_may_not_import_sends_no_files_to_the_import(project, tmp_path):
    address = reverse("import_upload", args=["ours"])
    for person in (None, make_person(), make_member(project=project)):
        status, _said, body = send(person, address, length=LARGE)
        assert (status, body.taken) == (413, 0)
    assert not list(tmp_path.iterdir())


def test_who_may_not_fill_a_set_sends_no_files_to_it(project, tmp_path):
    lead, reviewer = make_lead(project=project), make_member(project=project)
    made = make_set(by=lead, people=[reviewer])
    address = reverse("import_comparisons", args=["ours", made.number])
    for person in (None, make_person(), make_member(project=project), reviewer):
        status, _said, body = send(person, address, length=LARGE)
        assert (status, body.taken) == (413, 0)
    close_set(comparison_set=made, by=lead, now=NOW)
    status, _said, body = send(lead, address, length=LARGE)
    assert (status, body.taken) == (413, 0)
    assert not list(tmp_path.iterdir())


def test_who_may_import_is_held_to_the_limit_of_uploads(project):
    address = reverse("import_upload", args=["ours"])
    status, _said, body = send(make_lead(project=project), address, length=site.MOST_UPLOADED_AT_ONCE + 1)
    assert (status, body.taken) == (413, 0)


@pytest.mark.parametrize("length", [None, "", "-1", "many", 5000])
def test_a_length_that_lies_gets_no_more_read_than_it_says(project, tmp_path, length):
    begins = b'--limit\r\nContent-Disposition: form-data; name="a"; filename="a"\r\n\r\n'
    for address in (reverse("import_upload", args=["ours"]), reverse("home")):
        body = Unread(begins)
        status, _said, _body = send(make_lead(project=project), address, length=length, body=body)
        assert status in (400, 405, 422)
        assert body.taken <= (length if isinstance(length, int) else 0)
    assert not list(tmp_path.iterdir())


def all_addresses(resolver, before=""):
    """Every address of the site as its pattern, and its view."""
    for found in resolver.url_patterns:
        if hasattr(found, "url_patterns"):
            yield from all_addresses(found, f"{before}{found.pattern}")
        else:
            yield f"{before}{found.pattern}", found.callback


def test_proxies_let_large_bodies_through_where_files_are_taken_and_nowhere_else():
    """`deploy/nginx.conf` names these addresses; everywhere else it takes what a form takes."""
    nginx = (site.BASE_DIR / "deploy" / "nginx.conf").read_text()
    (pattern,) = re.findall(r"location ~ (\S+) \{\s+client_max_body_size 160m;", nginx)
    takes_files, takes_forms = [], []
    for address, view in all_addresses(get_resolver()):
        filled = "/" + re.sub(r"<(?:(\w+):)?\w+>", lambda found: "7" if found[1] == "int" else "one", address)
        (takes_files if getattr(view, "files", None) else takes_forms).append(filled)
    assert (len(takes_files), len(takes_forms) > 150) == (6, True)
    assert [address for address in takes_files if not re.search(pattern, address)] == []
    assert [address for address in takes_forms if re.search(pattern, address)] == []
