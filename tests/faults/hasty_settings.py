"""The settings of a running site whose pages wait for the database for a short time."""

from tests.site_settings import *  # noqa: F403

WEB_STATEMENT_SECONDS = 4
