"""How long e-mails are tried and kept, and how a text becomes a header line."""

from datetime import timedelta

NOTIFICATIONS, PASSWORD_RESET, INVITATION = "notifications", "password_reset", "invitation"

# An e-mail that could not be delivered for a day is no longer news.
TRIED_FOR = timedelta(days=1)
EMAILS_STAY = timedelta(days=30)
LONGEST_ERROR = 300
LONGEST_HEADER = 200


def one_header_line(text: str) -> str:
    """The text in a form allowed in a header: one line, no control characters."""
    return " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())[:LONGEST_HEADER]
