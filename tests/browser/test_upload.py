"""The page of imports in a browser: files are dropped on it, and a refused file leaves the choice as it is."""

from errno import ENOSPC

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from discussions.models import Transcript
from tests.browser.test_verdict_pages import sign_in
from tests.factories.people import make_lead
from tests.factories.transcripts import make_games_project
from workspace.core.refusals import TooOften

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

DROP = """(names) => {
  const data = new DataTransfer();
  for (const name of names) data.items.add(new File(["game,player,text\\n1,Ann,Hello\\n1,Bea,Hello " + name], name));
  return data;
}"""


@pytest.fixture
def imports(page: Page, live_server, settings, tmp_path) -> Page:
    settings.MEDIA_ROOT = tmp_path
    project = make_games_project(slug="ours")
    sign_in(page, live_server, make_lead(project=project))
    page.goto(live_server.url + reverse("imports", args=["ours"]))
    return page


def drop(page: Page, *names: str) -> None:
    """Drop files of these names anywhere on the page."""
    data = page.evaluate_handle(DROP, list(names))
    page.dispatch_event("h1", "dragover", {"dataTransfer": data})
    page.dispatch_event("h1", "drop", {"dataTransfer": data})


def chosen(page: Page) -> list[str]:
    """The names of the files that the form would send."""
    names: list[str] = page.evaluate(
        "[...document.querySelector('[type=file]').files].map((file) => file.name)"
    )
    return names


def test_dropped_files_join_the_choice_and_stay_when_one_is_refused(imports: Page) -> None:
    empty = {"name": "empty.csv", "mimeType": "text/csv", "buffer": b""}
    imports.locator("[type=file]").set_input_files([empty])
    drop(imports, "a.csv", "b.csv")
    assert chosen(imports) == ["empty.csv", "a.csv", "b.csv"]
    expect(imports.locator("[data-chosen] li")).to_have_count(3)
    imports.locator("[data-drop] button").click()
    expect(imports.get_by_role("alert")).to_contain_text("“empty.csv” is empty.")
    expect(imports.get_by_role("alert")).to_be_in_viewport(ratio=1)
    expect(imports.locator("#import-lines")).to_contain_text("b.csv")
    assert chosen(imports) == ["empty.csv", "a.csv", "b.csv"]
    assert set(Transcript.objects.values_list("name", flat=True)) == {"a.csv", "b.csv"}


def test_what_is_over_the_limit_of_an_upload_is_said_and_the_choice_stays(imports: Page, settings) -> None:
    settings.MOST_UPLOADED_AT_ONCE = 100
    drop(imports, "a.csv")
    imports.locator("[data-drop] button").click()
    expect(imports.locator("#toasts")).to_contain_text("too large")
    assert chosen(imports) == ["a.csv"]


@pytest.mark.parametrize("answer", [None, 502], ids=["no answer", "the proxy's own page"])
def test_where_the_site_does_not_answer_it_is_said_and_the_choice_stays(imports: Page, answer) -> None:
    away = "abort" if answer is None else "fulfill"
    given = {} if answer is None else {"status": answer, "body": "<h1>Bad Gateway</h1>"}
    imports.route("**/*", lambda route: getattr(route, away)(**given))
    drop(imports, "a.csv")
    imports.locator("[data-drop] button").click()
    expect(imports.locator("#toasts")).to_contain_text("The site did not answer.")
    expect(imports.get_by_text("Bad Gateway")).to_have_count(0)
    assert chosen(imports) == ["a.csv"]


@pytest.mark.parametrize(
    "fault", [TooOften("Wait a moment."), OSError(ENOSPC, "No space left")], ids=[429, 507]
)
def test_a_refusal_of_any_status_is_a_note_and_the_choice_stays(imports: Page, monkeypatch, fault) -> None:
    def fail(**given: object) -> None:
        raise fault

    monkeypatch.setattr("discussions.transcripts.views.actions.import_files", fail)
    drop(imports, "a.csv")
    imports.locator("[data-drop] button").click()
    expect(imports.locator("#toasts .note")).to_have_count(1)
    assert chosen(imports) == ["a.csv"]
