"""The RSGI application, which granian serves. It starts only when the startup checks pass."""

from django.conf import settings

from evalsite.whole_requests import WholeRequests
from evalsite.wsgi import application as site

application = WholeRequests(site, threads=settings.WEB_THREADS)
