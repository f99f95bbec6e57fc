"""The site's settings for a worker that can be killed by what it reads."""

from evalsite.settings import *  # noqa: F403
from evalsite.settings import JOB_ACTIONS

JOB_ACTIONS = JOB_ACTIONS | {"import": "tests.faults.deadly.import_or_die"}
