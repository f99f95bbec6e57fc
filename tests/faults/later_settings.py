"""The settings of a later version, which brings migrations."""

from tests.site_settings import *  # noqa: F403

MIGRATION_MODULES = {"discussions": "tests.faults.later.migrations"}
