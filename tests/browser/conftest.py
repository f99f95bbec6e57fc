"""What several browser tests look at."""

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.gallery import Gallery
from tests.browser.looking import Asked
from tests.services.live_stack import stack_in
from tools.processes import PATIENCE

# What is waited for comes in its time, also on a machine that has other things to do.
expect.set_options(timeout=1000 * PATIENCE)


@pytest.fixture(autouse=True, scope="session")
def patient():
    """Every page waits as long for what a test does on it. Playwright has no setting for this."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("new_context", "new_page"):
            patch.setattr(Browser, name, make_patient(getattr(Browser, name)))
        yield


def make_patient(make):
    def made(*given, **options):
        place = make(*given, **options)
        place.set_default_timeout(1000 * PATIENCE)
        return place

    return made


@pytest.fixture(scope="session")
def gallery(tmp_path_factory, static_files, migrated_database):
    """One running site with one of everything, for tests that only look."""
    folder = tmp_path_factory.mktemp("gallery")
    with stack_in(folder, static_files, migrated_database, has_worker=False) as stack:
        yield Gallery(stack)


@pytest.fixture(scope="session")
def asked() -> Asked:
    """What the crawls of this process have asked of axe."""
    return Asked()
