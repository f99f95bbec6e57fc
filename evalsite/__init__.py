"""The site. Celery's application is made at start, so that a task sent from a web process knows its broker."""

from evalsite.celery import app as celery_app

__all__ = ("celery_app",)
