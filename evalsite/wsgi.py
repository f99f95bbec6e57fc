"""The WSGI application. It starts only when the startup checks pass."""

import os

from evalsite.encoding import Utf8Only
from evalsite.environment import read_settings

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "evalsite.settings")
read_settings()

from evalsite.start import (  # noqa: E402  the settings must be read first
    end_unless_ready,
    limit_waiting,
    make_handler,
    spare_the_collector,
)

application = Utf8Only(make_handler())

from evalsite.celery import hurry  # noqa: E402  Django must be set up first

end_unless_ready()
hurry()
limit_waiting()
spare_the_collector()
