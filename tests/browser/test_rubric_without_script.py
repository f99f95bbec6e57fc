"""An admin changes weights with script switched off: draft, a fault, scaling, saving, publishing, the file; sliders."""

import re

import pytest
from playwright.sync_api import Page, expect

from rubric.core.records import RubricRecord
from rubric.versions.core.version_json import read_version
from tests.browser.driving import ADMIN, prepare_site, sign_in

pytestmark = pytest.mark.slow


@pytest.fixture
def browser_context_args(browser_context_args):
    """As everywhere, without script."""
    return browser_context_args | {"java_script_enabled": False}


def weights(page: Page) -> list[str]:
    """What stands in the weight fields of the criteria that are there."""
    return [page.locator(f'[name="c{place}-weight"]').input_value() for place in range(4)]


def test_weights_are_changed_and_published_by_forms(live_stack, page: Page):
    prepare_site(live_stack)
    sign_in(page, live_stack, ADMIN)
    page.get_by_role("link", name="Rubrics").click()
    page.get_by_role("link", name="1.2 of Response quality", exact=True).click()
    page.get_by_role("link", name="New draft from it").click()
    page.get_by_label("Change note").fill("Accuracy is to count more")
    page.get_by_role("button", name="Create draft").click()

    page.get_by_label("Accuracy", exact=True).fill("48")
    page.get_by_label("Source").fill("Our own reading")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text("The weights sum to 113 %, 13 % too much")
    expect(page.get_by_label("Source")).to_have_value("Our own reading")
    page.get_by_role("button", name="Scale the others to Accuracy").click()
    assert weights(page) == ["48", "20", "16", "16"]
    expect(page.get_by_label("Weight of Accuracy")).to_be_hidden()
    page.get_by_label("Accuracy", exact=True).press("Enter")
    expect(page.get_by_role("status").first).to_contain_text("Nothing is wrong with this draft")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Response quality 1.3")

    page.get_by_role("link", name="Publish").click()
    expect(page.get_by_text("5 differences from 1.2")).to_be_visible()
    page.get_by_label("Reason").fill("Agreed by the team")
    page.get_by_role("button", name="Publish").click()
    expect(page.get_by_text(re.compile("published .*Ad Min: Agreed by the team"))).to_be_visible()
    with page.expect_download() as download:
        page.get_by_role("link", name="Export as JSON").click()
    record = read_version(download.value.path().read_bytes())
    assert isinstance(record, RubricRecord)
    assert [criterion.weight for criterion in record.criteria] == [0.48, 0.2, 0.16, 0.16]
    assert (
        live_stack.rows("SELECT COUNT(*) FROM workspace_event WHERE verb LIKE 'rubric_version:%'")[0][0] == 3
    )


def test_with_script_a_slider_is_dragged_and_the_sum_runs_along(live_stack, browser, browser_context_args):
    prepare_site(live_stack)
    page = browser.new_page(**browser_context_args | {"java_script_enabled": True})
    sign_in(page, live_stack, ADMIN)
    page.goto(f"{live_stack.url}/rubrics/response/1.1/draft/")
    page.get_by_label("Change note").fill("Accuracy is to count more")
    page.get_by_role("button", name="Create draft").click()
    slider, number = page.get_by_label("Weight of Accuracy"), page.get_by_label("Accuracy", exact=True)
    total = page.locator("#weights-sum")
    box = slider.bounding_box()
    page.mouse.move(box["x"] + 8 + 0.35 * (box["width"] - 16), box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"], box["y"], steps=8)
    expect(total).to_contain_text("Sum 165 %")  # while it is held
    expect(number).to_have_value("100")
    page.mouse.move(box["x"], box["y"], steps=8)
    page.mouse.up()
    expect(number).to_have_value("0")
    expect(slider).to_be_focused()
    for _press in range(35):
        page.keyboard.press("ArrowRight")
    expect(number).to_have_value("35")
    expect(total).to_contain_text("Sum 100 % correct")
    expect(slider).to_be_focused()
    number.fill("48")
    expect(slider).to_have_value("48")
    expect(total).to_contain_text("13 % too much")
    expect(number).to_be_focused()
    page.close()
