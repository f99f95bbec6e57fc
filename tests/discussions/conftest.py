"""A project that takes files, its lead, the lead at the browser, and an open stage."""

import shutil

import pytest
from django.conf import settings

from tests.factories.iterations import make_stage
from tests.factories.people import make_lead
from tests.factories.transcripts import make_games_project


@pytest.fixture(autouse=True)
def forget_files():
    """What a test stored is not there for the next one."""
    yield
    shutil.rmtree(settings.VAR_DIR / "uploads", ignore_errors=True)


@pytest.fixture
def project(db):
    return make_games_project(slug="ours")


@pytest.fixture
def lead(project):
    return make_lead(project=project)


@pytest.fixture
def seen(client, lead):
    client.force_login(lead)
    return client


@pytest.fixture
def stage(db):
    return make_stage()
