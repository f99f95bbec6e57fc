"""The audit chain: holds when untouched, and shows the first place that was touched."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workspace.core.audit_chain import Head, Line, Sealed, first_break
from workspace.core.canonical import seal

KEY = "k" * 40


def line(seq: int, **changes) -> Line:
    values = {
        "chain": 7,
        "seq": seq,
        "at": f"2026-03-02T09:00:{seq:02d}.000000+00:00",
        "by": 3,
        "role": "lead",
        "verb": "verdict:recorded",
        "object_kind": "verdict",
        "object_id": str(100 + seq),
        "detail": "{}",
    }
    return Line(**(values | changes))


def chain(count: int) -> tuple[list[Sealed], Head]:
    lines, mac = [], ""
    for seq in range(1, count + 1):
        mac = seal(line(seq), mac, KEY)
        lines.append(Sealed(line(seq), mac))
    return lines, Head(7, count, mac)


def broken(lines, head, **more):
    found = first_break(lines, head, KEY, **more)
    return None if found is None else (found.seq, found.code)


def test_a_seal_is_hmac_sha256_over_the_canonical_line_and_the_seal_before():
    import hashlib
    import hmac

    said = (
        b'["",{"at":"2026-03-02T09:00:01.000000+00:00","by":3,"chain":7,"detail":"{}","object_id":"101",'
        b'"object_kind":"verdict","role":"lead","seq":1,"verb":"verdict:recorded"}]'
    )
    assert seal(line(1), "", KEY) == hmac.new(KEY.encode(), said, hashlib.sha256).hexdigest()


@pytest.mark.parametrize("count", [0, 1, 2, 50])
def test_an_untouched_chain_holds(count):
    assert broken(*chain(count)) is None


@pytest.mark.parametrize("field", Line.__struct_fields__)
def test_a_change_of_any_field_shows(field):
    lines, head = chain(3)
    other = {"seq": 2, "by": 4, "chain": 8}.get(field, "else")
    if field == "seq":
        other = 9
    lines[1] = Sealed(msgspec.structs.replace(lines[1].line, **{field: other}), lines[1].mac)
    assert broken(lines, head) == (2, "gap" if field == "seq" else "altered")


def test_a_lost_line_a_swap_and_a_line_put_in_show():
    lines, head = chain(4)
    assert broken([lines[0], *lines[2:]], head) == (2, "gap")
    assert broken([lines[0], lines[2], lines[1], lines[3]], head) == (2, "gap")
    assert broken([*lines, lines[3]], head) == (5, "gap")
    assert broken(lines[1:], head) == (1, "gap")


def test_a_line_sealed_with_another_key_shows():
    lines, _head = chain(2)
    forged = Sealed(lines[1].line, seal(lines[1].line, lines[0].mac, "another key"))
    assert broken([lines[0], forged], Head(7, 2, forged.mac)) == (2, "altered")


def test_a_cut_tail_shows_by_the_head_of_the_chain():
    lines, head = chain(4)
    assert broken(lines[:2], head) == (3, "head")


def test_a_cut_tail_with_a_mended_head_shows_by_a_kept_head():
    lines, head = chain(4)
    mended = Head(7, 2, lines[1].mac)
    assert broken(lines[:2], mended) is None
    assert broken(lines[:2], mended, anchors=[Head(7, 1, lines[0].mac), head]) == (3, "cut")
    assert broken([], Head(7, 0, ""), anchors=[head]) == (1, "cut")


def test_a_chain_written_anew_with_the_key_shows_by_a_kept_head():
    lines, _head = chain(3)
    mac = seal(line(1, by=9), "", KEY)
    anew = [Sealed(line(1, by=9), mac)]
    assert broken(anew, Head(7, 1, mac)) is None
    assert broken(anew, Head(7, 1, mac), anchors=[Head(7, 1, lines[0].mac)]) == (1, "altered")


def test_heads_of_other_chains_and_of_empty_ones_count_for_nothing():
    lines, head = chain(2)
    assert broken(lines, head, anchors=[Head(8, 50, "x"), Head(7, 0, "")]) is None


@given(count=st.integers(1, 12), at=st.data())
def test_any_flipped_digit_of_any_seal_shows(count, at):
    lines, head = chain(count)
    number = at.draw(st.integers(0, count - 1))
    place = at.draw(st.integers(0, 63))
    mac = lines[number].mac
    other = "0" if mac[place] != "0" else "1"
    lines[number] = Sealed(lines[number].line, mac[:place] + other + mac[place + 1 :])
    assert broken(lines, head) == (number + 1, "altered")
