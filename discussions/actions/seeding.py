"""What deals the samples of an evaluation."""

import hashlib
import hmac

from django.conf import settings


def seed_of(drawn: str) -> str:
    """The seed that belongs to these numbers, so that nothing hidden in a game shows in which messages are drawn.

    Keyed, since the numbers can be guessed: who worked out the sample of role consistency before labelling would know
    that every other message asked about is one the rules object to.
    """
    return hmac.new(settings.AUDIT_KEY.encode(), drawn.encode(), hashlib.sha256).hexdigest()[:32]
