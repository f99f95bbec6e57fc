"""A project that takes files, its lead, and the lead at the browser."""

import pytest

from tests.factories.people import make_lead
from tests.factories.transcripts import make_games_project


@pytest.fixture
def project(db, settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path
    return make_games_project(slug="ours")


@pytest.fixture
def lead(project):
    return make_lead(project=project)


@pytest.fixture
def seen(client, lead):
    client.force_login(lead)
    return client
