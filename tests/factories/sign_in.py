"""Second factors for tests: an app that computes codes, and people who have one."""

from datetime import datetime

from allauth.mfa.totp.internal.auth import format_hotp_value, generate_totp_secret, hotp_value
from django.utils import timezone

from tests.factories.people import make_person
from workspace.authentication.actions import set_up_second_factor
from workspace.authentication.queries import STEP
from workspace.models import Person


class App:
    """What runs on a phone: knows the secret, shows the code of a moment."""

    def __init__(self, secret: str = "") -> None:
        self.secret = secret or generate_totp_secret()

    def code(self, now: datetime | None = None, *, steps: int = 0) -> str:
        """The six digits of the moment, or of so many half minutes later."""
        step = int((now or timezone.now()).timestamp()) // STEP + steps
        return format_hotp_value(hotp_value(self.secret, step))

    def wrong(self) -> str:
        """Six digits that are no code of these minutes."""
        near = {self.code(steps=steps) for steps in range(-4, 5)}
        return next(code for code in map("{:06}".format, range(10)) if code not in near)


def make_secured(
    person: Person | None = None, *, now: datetime | None = None
) -> tuple[Person, App, list[str]]:
    """Somebody with a second factor, their app, and their recovery codes. The code of that moment is used."""
    now = now or timezone.now()
    person, app = person or make_person(now=now), App()
    codes = set_up_second_factor(secret=app.secret, code=app.code(now, steps=-1), by=person, now=now)
    return person, app, codes
