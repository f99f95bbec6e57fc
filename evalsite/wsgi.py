"""The WSGI application. It starts only when the startup checks pass."""

import os

from django.apps import apps
from django.core.handlers.wsgi import WSGIHandler
from django.core.wsgi import get_wsgi_application

from evalsite.encoding import Utf8Only
from evalsite.environment import read_settings

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "evalsite.settings")
read_settings()

# A fork of a process that loaded the site is set up.
application = Utf8Only(WSGIHandler() if apps.ready else get_wsgi_application())

from evalsite.celery import hurry  # noqa: E402  Django must be set up first
from evalsite.start import end_unless_ready, limit_waiting, spare_the_collector  # noqa: E402

end_unless_ready()
hurry()
limit_waiting()
spare_the_collector()
