"""The settings of live calls to models: off unless configured, and nothing half configured gets past the start."""

from decimal import Decimal

import pytest
from django.core.exceptions import ImproperlyConfigured

from evalsite import environment
from tests.services.test_production_settings import in_production  # noqa: F401  a fixture

URL = "https://api.example.org/v1"


def address(value: str, monkeypatch, *, is_local: bool = False) -> str:
    monkeypatch.setenv("REVIEW_MODELS_URL", value)
    return environment.endpoint("REVIEW_MODELS_URL", is_local=is_local)


@pytest.mark.parametrize(
    "value", ["", URL, "http://127.0.0.1:9/v1", "http://localhost/v1", "http://[::1]:1/"]
)
def test_addresses_that_may_be_called_in_production(value, monkeypatch):
    assert address(value, monkeypatch) == value


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ("http://api.example.org/v1", "begins with http://"),
        ("http://127.0.0.1.example.org/v1", "begins with http://"),
        ("http://2130706433/", "begins with http://"),
        ("file:///etc/passwd", "is no address to call"),
        ("https://u:p@example.org/", "is no address to call"),
        ("https://example.org:x/", "is no address to call"),
        ("https://example.org/?a=b", "is no address to call"),
        ("https://[example.org/", "is no address to call"),
        ("example.org", "is no address to call"),
    ],
)
def test_addresses_that_are_refused(value, says, monkeypatch):
    with pytest.raises(ImproperlyConfigured, match=f"REVIEW_MODELS_URL {says}"):
        address(value, monkeypatch)


def test_plain_http_is_for_local_mode_or_this_machine(monkeypatch):
    assert address("http://models.lan/v1", monkeypatch, is_local=True) == "http://models.lan/v1"


def test_an_endpoint_needs_models(monkeypatch):
    monkeypatch.setenv("REVIEW_MODELS", "one-model, other/model,")
    assert environment.models("REVIEW_MODELS", url=URL) == ["one-model", "other/model"]
    monkeypatch.setenv("REVIEW_MODELS", "")
    assert environment.models("REVIEW_MODELS", url="") == []
    with pytest.raises(ImproperlyConfigured, match="REVIEW_MODELS is not set"):
        environment.models("REVIEW_MODELS", url=URL)


@pytest.mark.parametrize("value", ["0", "101", "1e2", "-5", "sixty", "60.5"])
def test_a_timeout_is_whole_seconds(value, monkeypatch):
    monkeypatch.setenv("REVIEW_TIMEOUT", value)
    with pytest.raises(ImproperlyConfigured, match="write whole seconds from 1 to 100"):
        environment.whole("REVIEW_TIMEOUT", "60", "seconds", at_most=100)


def test_prices_by_model(monkeypatch):
    monkeypatch.setenv("REVIEW_PRICES", "one-model=2.50/10, other/model=0/0.1")
    assert environment.prices("REVIEW_PRICES") == {
        "one-model": (Decimal("2.50"), Decimal(10)),
        "other/model": (Decimal(0), Decimal("0.1")),
    }
    for wrong in ("one-model=2.50", "one-model=-1/2", "=1/2", "one-model=1/2/3x", "one-model=NaN/1"):
        monkeypatch.setenv("REVIEW_PRICES", wrong)
        with pytest.raises(ImproperlyConfigured, match="write model=in/out"):
            environment.prices("REVIEW_PRICES")


def test_the_site_starts_without_the_client_that_asks_models(in_production):  # noqa: F811
    code = (
        "import sys, django; django.setup();"
        "import evalsite.urls, evalsite.celery, rubric.model_reviewers.actions.jobs;"
        "print(sorted({'openai', 'httpx2'} & set(sys.modules)))"
    )
    done = in_production.run("-c", code, REVIEW_MODELS_URL=URL, REVIEW_MODELS="one-model")
    assert done.stdout.strip() == "[]", done.stderr
