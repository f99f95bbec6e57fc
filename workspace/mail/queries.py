"""Whether the site sends e-mail, and the addresses of pages for its e-mails."""

from django.conf import settings


def sends_email() -> bool:
    """Whether a mail server is configured; without one no e-mail is ever queued."""
    return bool(settings.EMAIL_HOST)


def page_address(path: str) -> str:
    """The full address of a page. Its host comes from SITE_URL, never from a request."""
    return f"{settings.SITE_URL.rstrip('/')}{path}"
