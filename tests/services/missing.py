"""What happens when a machine cannot give a test its server or browser."""

import os

import pytest


def cannot(have: str, because: str):
    """Fail the test with a sentence, or skip it when ALLOW_MISSING=1 says that is wanted."""
    sentence = f"{have} cannot be had here: {because}"
    if os.environ.get("ALLOW_MISSING") == "1":
        pytest.skip(sentence)
    pytest.fail(f"{sentence} (ALLOW_MISSING=1 skips the tests that need it)", pytrace=False)
