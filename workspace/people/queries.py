"""Whose password a link changes."""

from django.contrib.auth.tokens import default_token_generator

from workspace.models import Person


def person_of_link(person: int, secret: str) -> Person | None:
    """The account for which a link chooses a new password; None when the link is used, too old or invented."""
    found = Person.objects.signing_in().filter(pk=person).first()
    return found if found is not None and default_token_generator.check_token(found, secret) else None
