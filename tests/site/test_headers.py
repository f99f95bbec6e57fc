"""Every kind of answer carries the headers that let nobody in, errors and regions too; errors tell nothing."""

import gzip

import pytest
from django.test import Client, override_settings

from tests.factories.people import make_person
from tests.site.urls_with_faults import FAULTS

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.site.urls_with_faults")]


HEADERS = {
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=(), clipboard-read=()",
    "Cache-Control": "no-store",
}


POLICY = {
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "font-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "object-src 'none'",
}


SAMPLES = [
    ("/sign-in/", 200),
    ("/projects/", 302),
    ("/fail/malformed/", 400),
    ("/fail/suspicious/", 400),
    ("/fail/refused/", 403),
    ("/fail/denied/", 403),
    ("/fail/missing/", 404),
    ("/nowhere/", 404),
    ("/take/", 405),
    ("/fail/conflict/", 409),
    ("/fail/large/", 413),
    ("/fail/unacceptable/", 422),
    ("/fail/often/", 429),
    ("/fail/broken/", 500),
    ("/fail/away/", 503),
    ("/fail/database/", 503),
    ("/download/", 200),
    ("/healthz", 200),
]


@pytest.fixture
def browser():
    return Client(raise_request_exception=False)


@pytest.mark.parametrize("as_htmx", [False, True], ids=["page", "htmx"])
@pytest.mark.parametrize(("address", "status"), SAMPLES)
def test_every_answer_has_the_headers(browser, address, status, as_htmx):
    answer = browser.get(address, headers={"HX-Request": "true"} if as_htmx else {})
    assert answer.status_code == (401 if as_htmx and status == 302 else status)
    for name, value in HEADERS.items():
        assert answer[name] == value or (name == "Cache-Control" and "no-store" in answer[name]), name
    assert {part.strip() for part in answer["Content-Security-Policy"].split(";") if part.strip()} == POLICY
    assert not [name for name in answer.headers if name.startswith("Access-Control")]
    said = answer.content.decode()
    assert "secret of the exception" not in said and not (status >= 500 and "Sign in" in said)
    assert ("<html" in answer.content.decode()) is (
        not as_htmx and "html" in answer["Content-Type"] and status != 302
    ) or address == "/sign-in/"


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://testserver"])
def test_no_other_origin_is_let_read(browser, origin):
    answer = browser.get("/sign-in/", headers={"Origin": origin})
    assert not [name for name in answer.headers if name.startswith("Access-Control")]


def test_pages_of_the_signed_in_are_never_stored(browser):
    browser.force_login(make_person())
    assert "no-store" in browser.get("/projects/")["Cache-Control"]


def test_refusals_say_their_sentence_as_page_and_beside_the_page(browser):
    page = browser.get("/fail/refused/").content.decode()
    assert "Not now." in page
    region = browser.get("/fail/refused/", headers={"HX-Request": "true"})
    assert (region["HX-Retarget"], region["HX-Reswap"]) == ("#toasts", "beforeend")
    assert "Not now." in region.content.decode()
    assert browser.get("/fail/often/")["Retry-After"] == "77"


@pytest.mark.parametrize("what", sorted(FAULTS))
def test_a_boosted_request_and_a_restored_history_get_pages(browser, what):
    for header in ("HX-Boosted", "HX-History-Restore-Request"):
        answer = browser.get(f"/fail/{what}/", headers={"HX-Request": "true", header: "true"})
        assert "<html" in answer.content.decode()


def test_a_view_that_names_no_permission_is_closed(browser):
    assert browser.get("/unguarded/").status_code == 302
    assert browser.get("/unguarded/", headers={"HX-Request": "true"}).status_code == 401


def test_an_unknown_host_is_refused(browser):
    for host in ("evil.example", "testserver.evil.example", "testserver:80@evil.example"):
        answer = browser.get("/sign-in/", headers={"Host": host, "X-Forwarded-Host": "testserver"})
        assert answer.status_code == 400
        assert "evil" not in answer.content.decode()


def test_a_forwarded_host_changes_nothing(browser):
    answer = browser.get(
        "/projects/", headers={"X-Forwarded-Host": "evil.example", "X-Forwarded-Proto": "https"}
    )
    assert "evil" not in answer["Location"]


def test_a_body_over_the_limit_is_413_and_too_many_fields_are_400(browser):
    big = browser.post(
        "/take/", "a=" + "x" * (3 * 1024 * 1024), content_type="application/x-www-form-urlencoded"
    )
    assert big.status_code == 413
    many = "&".join(f"f{number}=1" for number in range(1001))
    assert browser.post("/take/", many, content_type="application/x-www-form-urlencoded").status_code == 400


@override_settings(
    SECURE_HSTS_SECONDS=31536000, SECURE_HSTS_INCLUDE_SUBDOMAINS=True, SECURE_SSL_REDIRECT=True
)
def test_production_goes_to_https_and_stays_there():
    browser = Client()
    plain = browser.get("/sign-in/")
    assert (plain.status_code, plain["Location"]) == (301, "https://testserver/sign-in/")
    assert plain["Content-Security-Policy"]
    secure = browser.get("/sign-in/", secure=True)
    assert secure["Strict-Transport-Security"].startswith("max-age=31536000; includeSubDomains")


@pytest.mark.urls("evalsite.urls")
def test_pages_are_packed_for_who_takes_them_packed_at_a_length_that_tells_nothing():
    plain = Client().get("/sign-in/")
    packed = [Client().get("/sign-in/", headers={"Accept-Encoding": "br, gzip"}) for _ in range(12)]
    assert "Content-Encoding" not in plain.headers
    for answer in packed:
        assert answer.headers["Content-Encoding"] == "gzip"
        assert "Accept-Encoding" in answer.headers["Vary"]
        assert int(answer.headers["Content-Length"]) == len(answer.content) < len(plain.content)
        assert gzip.decompress(answer.content).lstrip().startswith(b"<!DOCTYPE html>")
    assert len({len(answer.content) for answer in packed}) > 2
    short = Client().get("/healthz", headers={"Accept-Encoding": "gzip"})
    assert "Content-Encoding" not in short.headers
