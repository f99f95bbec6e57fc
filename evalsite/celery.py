"""The Celery application: settings from Django, tasks from the wings. A message only says "look at job N"."""

import os

from celery import Celery
from celery.signals import worker_init

from evalsite.environment import read_settings

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "evalsite.settings")

app = Celery("evalsite")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@app.on_configure.connect
def _read_settings(**_given: object) -> None:
    read_settings()


@worker_init.connect
def _check_startup(**_given: object) -> None:
    from evalsite.start import assert_ready, spare_the_collector

    assert_ready()
    spare_the_collector()


def hurry() -> None:
    """For processes that answer pages: no page waits more than a second (two tries) for a broker that is away or hangs.

    What the first message would import is imported here, so that the first page that rings pays nothing for it.
    """
    app.conf.broker_transport_options = app.conf.broker_transport_options | {"socket_timeout": 0.5}
    with app.connection_for_write() as unopened:
        assert unopened.transport
    assert app.amqp.queues is not None
