"""The contact sheet shows every picture that is there, by role, and says where one is missing."""

from pathlib import Path

from tests.browser.contact_sheet import write_contact_sheet


def test_every_picture_is_on_the_sheet_under_its_role(tmp_path: Path):
    there = ("lead-wide-light/games.png", "lead-phone-dark/games.png", "admin-wide-dark/a<b.png")
    for name in (*there, "elsewhere/other.png"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"")
    sheet = write_contact_sheet(tmp_path)
    html = sheet.read_text()
    assert sheet.name == "contact-sheet.html"
    lead = html.partition('<h2 id="lead">')[2].partition("<h2")[0]
    assert (
        lead.count('href="lead-wide-light/games.png"') == lead.count('src="lead-phone-dark/games.png"') == 1
    )
    assert lead.count("<td>–</td>") == 2 and lead.count("<img") == 2
    assert 'src="admin-wide-dark/a&lt;b.png"' in html and "a<b" not in html
    assert "other.png" not in html
