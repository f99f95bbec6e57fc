"""The settings of a running site that waits for bodies for a short time: a second, and no more than three in all."""

from tests.site_settings import *  # noqa: F403

BODY_PAUSE = 1
BODY_RATE = 1024 * 1024
