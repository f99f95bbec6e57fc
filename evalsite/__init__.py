"""The site. Celery's application is made at start, so that a task sent from a web process knows its broker."""

from evalsite.own_python import end_if_foreign

end_if_foreign()

from evalsite.celery import app as celery_app  # noqa: E402  with another Python's packages it says nothing useful

__all__ = ("celery_app",)
