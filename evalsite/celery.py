"""The Celery application: settings from Django, tasks from the wings. A message only says "look at job N"."""

import os

from celery import Celery
from celery.signals import worker_init

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "evalsite.settings")

app = Celery("evalsite")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@worker_init.connect
def _check_the_ground(**_given: object) -> None:
    from evalsite.start import assert_ready

    assert_ready()
