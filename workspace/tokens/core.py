"""What an access token allows, how long it is valid, and the format of its secret."""

from datetime import timedelta

READ, IMPORT, RATE, ADMIN = "read", "import", "rate", "admin"
SCOPES = (READ, IMPORT, RATE, ADMIN)

PREFIX = "evs_"
SHOWN_CHARACTERS = len(PREFIX) + 4
DEFAULT_DAYS, MOST_DAYS = 90, 366
MOST_TOKENS = 20
LONGEST_TOKEN_NAME = 100
ANSWERS_STAY = timedelta(days=3)
USE_IS_NOTED_EVERY = timedelta(minutes=1)


def read_bearer(header: str) -> str:
    """The secret in an Authorization header, "" without one of the scheme Bearer."""
    scheme, _space, secret = header.partition(" ")
    return secret.strip() if scheme.lower() == "bearer" else ""
