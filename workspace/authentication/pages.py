"""A person's second factor: whether there is one, what the set-up shows, and where the person is signed in."""

from datetime import datetime
from urllib.parse import quote, urlencode

from msgspec import Struct

from workspace.access.permissions import get_refusal
from workspace.authentication.permissions import check_switch_off_second_factor, must_have_second_factor
from workspace.authentication.queries import APP, CODES, codes_left, factor_rows
from workspace.models import Person, SignIn

FEW_CODES = 3

# Pixels per square: a whole number, so that all are equally wide.
SQUARE = 5


class FactorPage(Struct, frozen=True):
    """The person's factor: since when (None: no factor), recovery codes left, why it cannot be switched off."""

    since: datetime | None
    codes: int
    is_few: bool
    is_required: bool
    off_refusal: str


class SetUpPage(Struct, frozen=True):
    """The secret for the app: as a picture (a path in squares, its side in squares and pixels), and as text."""

    path: str
    side: int
    pixels: int
    secret: str
    address: str
    has_one: bool
    is_required: bool


class SignInLine(Struct, frozen=True):
    """One browser in which somebody is signed in."""

    browser: str
    began_at: datetime | None
    seen_at: datetime | None
    is_this: bool


def factor_page(*, person: Person) -> FactorPage:
    """The state of the person's second factor."""
    rows = {row.type: row for row in factor_rows(person)}
    left = len(codes_left(rows[CODES])) if CODES in rows else 0
    return FactorPage(
        since=rows[APP].created_at if APP in rows else None,
        codes=left,
        is_few=left <= FEW_CODES,
        is_required=must_have_second_factor(person),
        off_refusal=get_refusal(check_switch_off_second_factor, person),
    )


def set_up_page(*, person: Person, secret: str, host: str, has_one: bool) -> SetUpPage:
    """The secret for the app; `host` is the name of this site in the app."""
    issuer = host.partition(":")[0]
    known = urlencode({"secret": secret, "issuer": issuer}, quote_via=quote)
    address = f"otpauth://totp/{quote(issuer)}:{quote(person.email)}?{known}"
    path, side = qr_path(address)
    grouped = " ".join(secret[at : at + 4] for at in range(0, len(secret), 4))
    return SetUpPage(path, side, side * SQUARE, grouped, address, has_one, must_have_second_factor(person))


def qr_path(text: str) -> tuple[str, int]:
    """A QR code as the path of an SVG in units of one square, with its quiet zone, and the side of the picture."""
    import segno  # needed only by the set-up

    quiet = 4
    rows = [bytes(row) for row in segno.make(text, error="m", micro=False).matrix]
    drawn = []
    for down, row in enumerate(rows, start=quiet):
        for across, is_dark in enumerate(row, start=quiet):
            if is_dark:
                drawn.append(f"M{across} {down}h1v1h-1z")
    return "".join(drawn), len(rows) + 2 * quiet


def sign_in_lines(*, person: Person, key: str, now: datetime) -> list[SignInLine]:
    """Where the person is signed in, this browser first, then the one that was used last."""
    lines = [
        SignInLine(
            browser=row.get_decoded().get("browser", ""),
            began_at=row.noted("began"),
            seen_at=row.noted("seen"),
            is_this=row.pk == key,
        )
        for row in SignIn.objects.of(person).filter(expire_date__gt=now)
    ]
    return sorted(lines, key=lambda line: (not line.is_this, -(line.seen_at or now).timestamp()))
