"""What answers to keyed acts have in common."""

import secrets
from datetime import datetime

from django.http import HttpResponse
from django.utils import timezone


def new_nonce() -> str:
    """The part of every key that is new with each load of the page."""
    return secrets.token_hex(8)


def tell_saved(answer: HttpResponse, saved_at: datetime | None) -> HttpResponse:
    """The answer, with the time at which its act was stored."""
    if saved_at:
        answer["X-Saved"] = timezone.localtime(saved_at).strftime("%H:%M:%S")
    return answer
