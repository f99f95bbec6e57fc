"""The settings of a running site that tests start: its own, but that templates are compiled once for all servers."""

from hashlib import sha256

from jinja2 import FileSystemBytecodeCache

from evalsite.settings import *  # noqa: F403
from evalsite.settings import BASE_DIR, TEMPLATES

# They are compiled again when their text changes, or how they are compiled.
_compiler = sha256((BASE_DIR / "evalsite" / "jinja2.py").read_bytes()).hexdigest()[:12]
_compiled = BASE_DIR / "var" / "cache" / "templates" / _compiler
_compiled.mkdir(parents=True, exist_ok=True)
TEMPLATES[0]["OPTIONS"]["bytecode_cache"] = FileSystemBytecodeCache(str(_compiled))
