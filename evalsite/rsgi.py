"""The RSGI application, which granian serves. It starts only when the startup checks pass."""

from django.conf import settings

import evalsite.wsgi  # first: the rest needs apps that are loaded
from evalsite.whole_requests import WholeRequests

application = WholeRequests(evalsite.wsgi.application, threads=settings.WEB_THREADS)
