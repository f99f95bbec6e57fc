"""What several browser tests look at."""

import pytest
from playwright.sync_api import expect

from tests.browser.gallery import Gallery
from tests.services.live_stack import LiveStack, stack_in

# What is waited for comes in its time, also on a machine that has other things to do.
expect.set_options(timeout=20_000)


@pytest.fixture(scope="session")
def gallery(tmp_path_factory, static_files, migrated_database):
    """One running site with one of everything, for tests that only look."""
    with stack_in(tmp_path_factory.mktemp("gallery"), static_files, migrated_database) as stack:
        yield Gallery(stack)


@pytest.fixture(scope="session")
def started_stack(tmp_path_factory, static_files, migrated_database):
    """One running site for all browser tests of a process: starting its servers takes longer than most of them."""
    with stack_in(tmp_path_factory.mktemp("stack"), static_files, migrated_database) as stack:
        yield stack


@pytest.fixture
def live_stack(started_stack, migrated_database) -> LiveStack:
    """The running site with a migrated, empty database; what a test killed runs again."""
    started_stack.empty(migrated_database)
    return started_stack
