"""What several browser tests look at."""

import pytest
from playwright.sync_api import expect

from tests.browser.gallery import Gallery
from tests.browser.looking import Asked
from tests.services.live_stack import stack_in

# What is waited for comes in its time, also on a machine that has other things to do.
expect.set_options(timeout=20_000)


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
