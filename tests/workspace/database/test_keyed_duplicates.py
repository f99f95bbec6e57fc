"""When a hidden duplicate comes is drawn with the key of the installation: numbers alone tell nothing."""

from workspace.core.hidden_duplicates import is_due
from workspace.database.locked_texts import keyed_text


def test_the_draw_depends_on_the_key(settings):
    def draws(key):
        settings.AUDIT_KEY = key
        seed = keyed_text("repeats", "project 1:2")
        return [is_due(seed, given_count, 50) for given_count in range(200)]

    assert draws("a" * 40) == draws("a" * 40) != draws("b" * 40)


def test_purposes_have_keys_of_their_own():
    assert keyed_text("repeats", "1") != keyed_text("other", "1")
