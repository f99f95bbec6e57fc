"""The reader of archives: never an exception, always sentences, and of proper files what each gives by itself."""

from typing import Any

from discussions.transcripts.core.notes import Limits
from tests.factories.archives import GAME, HOSTILE, zipped
from tests.factories.native_games import as_bytes, native_game
from tests.factories.reading import read_transcripts
from tests.fuzz.promises import LONG_BYTES, check_sentences, check_storable, in_time

LIMITS = Limits(file_bytes=200_000, unpacked_bytes=1_000_000, archive_files=50)
BETWEEN = b"\n--\n"
NAMES = ("a.json", "b.jsonl", "../c.txt", "d/e.json", "d/f\0.json", "LICENSE")


def check(data: bytes, read: Any = read_transcripts) -> None:
    """Everything that holds of the bytes as an archive, and of an archive of their parts. Raises when it does not."""
    for archive in (data, zipped(_files(data))):
        found = in_time(lambda given: read(given, "all.zip", LIMITS), archive)
        check_storable(found)
        assert found == read(archive, "all.zip", LIMITS), "read twice, it says something else"
        assert found.games or found.faults, "neither a game nor a fault"
        check_sentences(*(fault.message for fault in found.faults))
        assert all(fault.place.startswith("all.zip") for fault in found.faults)
    parts = [read(part, name, LIMITS) for name, part in _files(data).items() if name != "LICENSE" and part]
    if all(_is_plain(part) for part in _files(data).values()):
        records = [game.record for game in found.games]
        assert records == [game.record for part in parts for game in part.games], (
            "an archive changes its files"
        )


def check_long(data: bytes) -> None:
    """The same many times over is read in time."""
    for case in (data * (LONG_BYTES // (len(data) + 1)), zipped({f"{at}.json": data for at in range(40)})):
        in_time(lambda given: read_transcripts(given, "all.zip", LIMITS), case)


def seeds() -> list[bytes]:
    """Parts of archives, proper archives and those that are made to do harm."""
    parts = [
        GAME,
        as_bytes(native_game(gameId="b")),
        b"no transcript",
        b"[" + GAME + b"]",
        b'{"gameId": 1}',
        b"x",
    ]
    small = [data for data in HOSTILE.values() if len(data) < 20_000]
    return [BETWEEN.join(parts[:count]) for count in range(1, 7)] + [zipped({"a.json": GAME}), *small]


def _files(data: bytes) -> dict[str, bytes]:
    return dict(zip(NAMES, data.split(BETWEEN), strict=False))


def _is_plain(part: bytes) -> bool:
    """Whether a part is no archive and not made of zeros, which pack too well."""
    return (
        not part.startswith((b"PK", b"\x1f\x8b"))
        and part[257:262] != b"ustar"
        and len(part) < LIMITS.file_bytes
    )
