"""Loads what web server and worker need, in a process that forks them: they share it (docs/adr/0025)."""

import gc
from functools import cache
from importlib import import_module

import django
from django import forms
from django.apps import apps
from django.conf import settings
from django.core.handlers.wsgi import WSGIHandler
from django.core.wsgi import get_wsgi_application
from django.db import connection
from django.template import engines
from django.urls import reverse
from django.utils.module_loading import import_string

from evalsite.celery import app, load_actions, load_broker
from evalsite.environment import read_settings
from evalsite.memory import give_memory_back, spare_the_collector
from workspace.database.prepared_queries import compile_all

# Otherwise the first request, the start of a worker or its first job would import them, in each fork separately.
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
    "evalsite.whole_requests",
    "granian",
    "kombu.transport.redis",
)

# Folders of the templates that people use all day.
MAIN_TEMPLATES = (
    "base.html",
    "components/",
    "discussions/games/",
    "discussions/guidelines/",
    "discussions/home/",
    "discussions/rating/",
    "discussions/verdicts/",
    "workspace/authentication/",
    "workspace/outbox/",
)


def load() -> None:
    """Load all that web server and worker need, for a process that forks both; it connects to nothing."""
    load_apps()
    load_servers()


def load_apps() -> None:
    """Load what pages and jobs do: all that filling the database needs."""
    set_up()
    gc.disable()  # nearly all that is made here stays: looking through it took a sixth of the time
    load_actions()
    import_module("evalsite.urls")
    gc.freeze()
    gc.enable()


def load_servers() -> None:
    """Load the rest, which answers requests and takes jobs."""
    gc.disable()
    for module in LOADED:
        import_module(module)
    for name in (*settings.MIDDLEWARE, *settings.AUTHENTICATION_BACKENDS, settings.ACCOUNT_ADAPTER):
        import_string(name)
    load_tasks()
    gc.enable()
    gc.unfreeze()
    gc.collect()
    gc.freeze()


def set_up() -> None:
    """Load settings and models: all that migrations need. Ends with a sentence when a setting is wrong."""
    if not apps.ready:
        give_memory_back()
        read_settings()
        django.setup()


def load_tasks() -> None:
    """Do what a worker does before it knows its settings: find the tasks and make them ready."""
    app.loader.init_worker()
    app.finalize()
    load_broker()


def load_pages() -> None:
    """Load what the main pages need, for a process that forks web workers: templates, queries and addresses.

    Otherwise the first people whom each worker serves would wait for it, 0.1 s for a game to rate.
    """
    load_templates()
    for widget in (forms.HiddenInput, forms.TextInput, forms.PasswordInput, forms.Textarea, forms.Select):
        widget().render("name", None)
    compile_all()
    reverse("home")
    connection.close()
    spare_the_collector()


def load_templates() -> None:
    """Compile the main templates, a second of work; they are kept, and forks share them."""
    templates = engines["jinja2"].env  # type: ignore[attr-defined]
    for name in templates.list_templates(extensions=["html"]):
        if name.startswith(MAIN_TEMPLATES):
            templates.get_template(name)
    gc.freeze()


@cache
def make_handler() -> WSGIHandler:
    """What answers requests; it knows all static files, which must be there by now."""
    return WSGIHandler() if apps.ready else get_wsgi_application()
