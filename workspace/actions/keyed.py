"""Acts that a form posts once under a key of its own: the same key again gives what was stored, or it is refused."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from workspace.core.canonical import bytes_hash
from workspace.core.refusals import Unacceptable

LONGEST_KEY = 160


@contextmanager
def one_act() -> Iterator[None]:
    """The transaction of one keyed act; Unacceptable when something else is being stored under the key this moment."""
    try:
        with transaction.atomic():
            yield
    except IntegrityError as fault:
        if "key_unique" not in str(fault):
            raise
        raise key_reused() from None


def key_reused() -> Unacceptable:
    """The refusal of a key that something else was stored under."""
    return Unacceptable(
        _(
            "This form was already saved with another answer or another text. "
            "Load the page again and repeat the last one."
        ),
        code="key_reused",
        field="key",
    )


def short_key(key: str) -> str:
    """The key as it is stored: itself, or its hash when it is longer than the column."""
    if not key:
        raise Unacceptable(_("The form came without its key. Load the page again."), field="key")
    return key if len(key) <= LONGEST_KEY else f"sha256:{bytes_hash(key.encode())}"
