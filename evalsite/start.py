"""What a process makes sure of before it serves: migrations are applied and every check passes."""

import ctypes
import gc
import sys
from functools import cache
from importlib import import_module

import django
from django import forms
from django.apps import apps
from django.conf import settings
from django.core.checks import ERROR, run_checks
from django.core.exceptions import ImproperlyConfigured
from django.core.handlers.wsgi import WSGIHandler
from django.core.wsgi import get_wsgi_application
from django.db import connection
from django.template import engines
from django.urls import reverse
from django.utils.module_loading import import_string

from evalsite.environment import read_settings
from workspace.database.damage import find_damage
from workspace.database.prepared_queries import compile_all
from workspace.database.startup_checks import missing_migrations

# Else the first request, the start of a worker or its first job would import them, in every fork anew.
LOADED = (
    "celery.app.amqp",
    "celery.app.control",
    "celery.app.events",
    "celery.app.log",
    "celery.app.trace",
    "celery.apps.worker",
    "celery.concurrency.prefork",
    "celery.worker.autoscale",
    "celery.worker.components",
    "celery.worker.consumer",
    "celery.worker.consumer.delayed_delivery",
    "celery.worker.loops",
    "celery.worker.strategy",
    "django.contrib.auth.backends",
    "django.contrib.sessions.serializers",
    "evalsite.celery",
    "evalsite.urls",
    "evalsite.whole_requests",
    "granian",
    "kombu.transport.redis",
)

# Folders of the templates that people meet all day.
MAIN_TEMPLATES = (
    "base.html",
    "components/",
    "discussions/games/",
    "discussions/guidelines/",
    "discussions/home/",
    "discussions/rating/",
    "discussions/verdicts/",
    "workspace/authentication/",
    "workspace/notifications/",
)

_is_ready = False

# Numbers of settings in glibc's malloc.h.
_MMAP_THRESHOLD, _ARENA_MAX = -3, -8

# Bytes: the largest gap that is filled, a block too large for any gap, and the most that is allocated.
_PAGE, _LARGE_BLOCK, _MOST_TAKEN = 4096, 200_000, 2 * 1024 * 1024


def assert_ready() -> None:
    """Raise ImproperlyConfigured, naming everything that is wrong, unless work can begin."""
    # Before the checks: Django's own open the database, too.
    if damage := find_damage(connection):
        raise ImproperlyConfigured(damage)
    faults = [fault for fault in run_checks(databases=["default"]) if fault.level >= ERROR]
    if faults:
        raise ImproperlyConfigured("The site does not start: " + " ".join(str(fault) for fault in faults))
    if missing := missing_migrations(connection):
        raise ImproperlyConfigured(
            f"The database is {missing} migrations behind. Run `manage.py migrate` first, then start again."
        )
    connection.close()


def take_as_ready(is_ready: bool) -> None:
    """Say whether forks may begin unchecked, since another process has just checked; checks touch a sixth of memory."""
    global _is_ready  # noqa: PLW0603  what forks inherit
    _is_ready = is_ready


def end_unless_ready() -> None:
    """End the process with the sentence when work cannot begin. Celery would log any other fault and go on."""
    if _is_ready:
        return
    try:
        assert_ready()
    except ImproperlyConfigured as fault:
        sys.exit(str(fault))


def limit_waiting() -> None:
    """For processes that answer pages: a PostgreSQL that stands still holds no thread for ever."""
    if connection.vendor == "postgresql":
        from workspace.database.postgresql.base import DatabaseWrapper

        DatabaseWrapper.longest_wait = settings.WEB_STATEMENT_SECONDS


def load() -> None:
    """Load all that web server and worker need, for a process that forks both; it connects to nothing."""
    give_memory_back()
    read_settings()
    django.setup()
    for module in LOADED:
        import_module(module)
    for name in (*settings.MIDDLEWARE, *settings.AUTHENTICATION_BACKENDS, settings.ACCOUNT_ADAPTER):
        import_string(name)
    load_actions()
    load_tasks()
    gc.collect()
    gc.freeze()


def load_actions() -> None:
    """Load what jobs and sweeps call, before the worker forks: its pool's processes then share that memory.

    And compile the patterns of the newest rubric version, which takes as long as measuring 30 games.
    """
    for action in (*settings.JOB_ACTIONS.values(), *settings.SWEEP_ACTIONS, *settings.FAILED_JOB_ACTIONS):
        import_string(action)
    from discussions.metrics.core.parameters import get_parameters
    from rubric.versions.queries import discussion_version

    get_parameters(discussion_version())


def load_tasks() -> None:
    """Do what a worker does before it knows its settings: find the tasks and make them ready."""
    from evalsite.celery import app, load_broker

    app.loader.init_worker()
    app.finalize()
    load_broker()


def load_pages() -> None:
    """Load what the main pages need, for a process that forks web workers: templates, queries and addresses.

    Else the first people whom each worker serves wait for it, 0.1 s for a game to rate.
    """
    load_templates()
    for widget in (forms.HiddenInput, forms.TextInput, forms.PasswordInput, forms.Textarea, forms.Select):
        widget().render("name", None)
    compile_all()
    reverse("home")
    connection.close()
    spare_the_collector()


@cache
def make_handler() -> WSGIHandler:
    """What answers requests; it knows all static files, which must be there by now."""
    return WSGIHandler() if apps.ready else get_wsgi_application()


def load_templates() -> None:
    """Compile the main templates, a second of work; they are kept, and forks share them."""
    templates = engines["jinja2"].env  # type: ignore[attr-defined]
    for name in templates.list_templates(extensions=["html"]):
        if name.startswith(MAIN_TEMPLATES):
            templates.get_template(name)
    gc.freeze()


def give_memory_back() -> None:
    """Let freed memory go back to the system, in this process and those it forks; glibc keeps what one import needed.

    Blocks of 256 KiB and more are mapped by themselves, and threads share one arena. Other C libraries have no such
    settings. Source: mallopt(3).
    """
    if libc := _glibc():
        libc.mallopt(_MMAP_THRESHOLD, 256 * 1024)
        libc.mallopt(_ARENA_MAX, 1)


def trim_memory() -> None:
    """Give back what a job left: what only refers to itself, and what is free between what is used.

    Source: malloc_trim(3).
    """
    gc.collect()
    if libc := _glibc():
        libc.malloc_trim(0)


def fill_gaps() -> None:
    """Allocate the free gaps of the heap, about half a MB, and keep them. Call it before processes are forked.

    A forked process fills such gaps first, for example when SQLite reads the schema. Each write of a few bytes then
    copies a shared page: 5 MB in each process.
    """
    if not (libc := _glibc()):
        return
    libc.malloc.restype, libc.free.argtypes = ctypes.c_size_t, [ctypes.c_size_t]
    beyond, taken = libc.malloc(_LARGE_BLOCK), 0
    for size in range(_PAGE, 0, -16):
        # The limit: a heap in two parts would be allocated without end.
        while 0 < (block := libc.malloc(size)) < beyond and taken < _MOST_TAKEN:
            taken += size
        libc.free(block)
    libc.free(beyond)


def _glibc() -> ctypes.CDLL | None:
    libc = ctypes.CDLL(None)
    return libc if hasattr(libc, "mallopt") and hasattr(libc, "malloc_trim") else None


def spare_the_collector() -> None:
    """Let the garbage collector pass over what is loaded by now, and come after more work: a tenth of each request."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)
