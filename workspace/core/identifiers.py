"""Names, addresses and short names as people type them, normalised to the form that is stored."""

import hashlib
import re
import unicodedata

from workspace.core.limits import LONGEST_NAME
from workspace.core.text import pieces

SLUG = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,58}[a-z0-9])?")
# An invitation that arrives proves the address, not its spelling: this only catches typing errors.
EMAIL = re.compile(
    r"[a-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{1,62}"
)
RESERVED_SLUGS = frozenset({"new"})


def plain_email(text: str) -> str | None:
    """The address in lower case, without surrounding white space; None when it is not an address."""
    email = text.strip().lower()
    return email if len(email) <= LONGEST_NAME and EMAIL.fullmatch(email) else None


def plain_name(text: str) -> str | None:
    """The name with single spaces; None when it is empty, over 200 characters or holds invisible ones."""
    name = " ".join(text.split())
    is_seen = name.isprintable() and not any(piece.title for piece in pieces(name))
    return name if 0 < len(name) <= LONGEST_NAME and is_seen else None


def is_slug(text: str) -> bool:
    """Whether the text can be the short name of a project: 1 to 60 small letters, digits and inner hyphens."""
    return bool(SLUG.fullmatch(text)) and text not in RESERVED_SLUGS


def slug_of(name: str) -> str:
    """A short name made from a name: letters without accents, hyphens between words; "" if no such letter is in it."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower().replace("'", "")
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:60].rstrip("-")


def secret_hash(secret: str) -> str:
    """The hash of an invitation's secret, to store: plain SHA-256 is enough, since the secret has 256 random bits."""
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()
