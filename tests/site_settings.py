"""The settings of a running site that tests start: its own, but that templates are compiled once for all servers."""

from evalsite.settings import *  # noqa: F403
from evalsite.settings import BASE_DIR

COMPILED_TEMPLATES = BASE_DIR / "var" / "cache" / "templates"
