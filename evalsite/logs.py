"""How logs are written: one line per event, JSON in production, plain on a developer's machine.

Bodies of requests are never logged. Values that could carry a secret or break out of their line are handled for every
logger, Django's and Celery's too: the secrets of invitations and password links in addresses are blanked, and control
characters are escaped.
"""

import re
from collections.abc import MutableMapping
from typing import Any

import structlog

SECRET = re.compile(r"(/invitations/|/password/\d+/|/new-password/\w+/)[^/\s\"']+")
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")

# Without the values of local variables: those hold passwords and transcripts.
TRACEBACKS = structlog.processors.ExceptionRenderer(
    structlog.tracebacks.ExceptionDictTransformer(show_locals=False)
)
Entry = MutableMapping[str, Any]


def without_secrets(_logger: Any, _method: str, entry: Entry) -> Entry:
    """Blank the secrets of links and escape control characters in the message."""
    said = SECRET.sub(r"\1...", str(entry.get("event", "")))
    entry["event"] = CONTROL.sub(lambda found: f"\\x{ord(found[0]):02x}", said)
    return entry


def without_alarm(_logger: Any, _method: str, entry: Entry) -> Entry:
    """Log what Django refused as suspicious (a wrong host, too many fields) as a warning without traceback.

    Django logs it as an error of the site, but anybody can send it.
    """
    if str(entry.get("logger", "")).startswith("django.security"):
        entry["level"] = "warning"
        entry.pop("exc_info", None)
    return entry


def log_settings(*, as_json: bool, level: str) -> dict[str, Any]:
    """The LOGGING dictionary: everything to standard error, through the same steps for every logger."""
    steps: list[Any] = [
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        without_alarm,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        without_secrets,
    ]
    last = (
        [TRACEBACKS, structlog.processors.JSONRenderer()]
        if as_json
        else [structlog.dev.ConsoleRenderer(colors=False, exception_formatter=structlog.dev.plain_traceback)]
    )
    structlog.configure(
        processors=[*steps, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    formatter = {
        "()": structlog.stdlib.ProcessorFormatter,
        "foreign_pre_chain": steps,
        "processors": [structlog.stdlib.ProcessorFormatter.remove_processors_meta, *last],
    }
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"lines": formatter},
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "lines"}},
        "root": {"handlers": ["stderr"], "level": level},
        "loggers": {
            "django": {"handlers": [], "level": level, "propagate": True},
            "django.server": {"handlers": [], "level": level, "propagate": True},
            # Readers of logs must not see what models are asked; these two loggers would write it at level DEBUG.
            **{
                name: {"handlers": [], "level": "WARNING", "propagate": True} for name in ("openai", "httpx2")
            },
        },
    }
