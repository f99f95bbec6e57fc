"""The settings of a running site that tests start: its own, but that templates are compiled once for all servers."""

from jinja2 import FileSystemBytecodeCache

from evalsite.settings import *  # noqa: F403
from evalsite.settings import BASE_DIR, TEMPLATES

# They are compiled again when their text changes.
_compiled = BASE_DIR / "var" / "cache" / "templates"
_compiled.mkdir(parents=True, exist_ok=True)
TEMPLATES[0]["OPTIONS"]["bytecode_cache"] = FileSystemBytecodeCache(str(_compiled))
