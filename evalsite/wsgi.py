"""The WSGI application. It starts only when the startup checks pass."""

import os

from evalsite.encoding import Utf8Only
from evalsite.environment import read_settings

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "evalsite.settings")
read_settings()

from evalsite.celery import hurry  # noqa: E402  the settings must be read first
from evalsite.memory import spare_the_collector  # noqa: E402
from evalsite.preload import make_handler  # noqa: E402
from evalsite.start import end_unless_ready, limit_waiting  # noqa: E402

application = Utf8Only(make_handler())
end_unless_ready(with_addresses=True)  # so the API is loaded, and forks share it
hurry()
limit_waiting()
spare_the_collector()
