"""How long e-mails are tried and kept, and what text makes a good line of one."""

from datetime import timedelta

NOTIFICATIONS, PASSWORD_RESET, INVITATION = "notifications", "password_reset", "invitation"

# An e-mail that nobody could take for a day says nothing new any more.
TRIED_FOR = timedelta(days=1)
EMAILS_STAY = timedelta(days=30)
LONGEST_ERROR = 300


def one_header_line(text: str, *, most: int = 200) -> str:
    """The text as a header may hold it: one line, no control characters."""
    return " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())[:most]
