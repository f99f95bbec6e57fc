"""Whether the site sends e-mail, and where its pages are for whoever reads one."""

from django.conf import settings


def sends_email() -> bool:
    """Whether a mail server is configured; without one no e-mail is ever queued."""
    return bool(settings.EMAIL_HOST)


def page_address(path: str) -> str:
    """The whole address of a page of ours. It comes from SITE_URL, never from what a request says its host is."""
    return f"{settings.SITE_URL.rstrip('/')}{path}"
