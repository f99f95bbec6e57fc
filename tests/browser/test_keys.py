"""Keys of the evaluator's page: struck at any speed they are stored on the items they were meant for; none is dead."""

import re

import pytest
from playwright.sync_api import Page, expect

from discussions.models import Evaluation
from discussions.rating.queries import load_state
from tests.browser.driving import HERE, Watch, hold, open_rating_page, settle
from tests.factories.rating import make_rating_project, say, say_engagement, say_what_is_missing, start

pytestmark = pytest.mark.django_db(transaction=True)

# Every answer of the server comes so many milliseconds later.
SLOW = """{
    const real = fetch;
    window.late = 0;
    window.fetch = async (...given) => {
        const answer = await real(...given);
        await new Promise((done) => setTimeout(done, window.late));
        return answer;
    };
}"""


@pytest.fixture
def evaluation(db) -> Evaluation:
    return start(project=make_rating_project(number="1.2"), message_count=30)


@pytest.fixture
def rating_page(evaluation, page: Page, live_server) -> Page:
    """The evaluator's page, with the first question in focus."""
    page.add_init_script(SLOW)
    return open_rating_page(page, live_server.url, evaluation)


def test_keys_are_stored_on_their_items_at_any_latency_and_none_is_dead(rating_page, evaluation) -> None:
    watch = Watch(rating_page)
    said = rating_page.locator("#says")
    reading_and_judging_are_one_key_apart(rating_page)
    expected = what_was_struck(rating_page, evaluation)
    settle(rating_page)
    assert load_state(evaluation).values == expected
    what_a_key_does_after_something_else(rating_page, evaluation)
    rating_page.keyboard.press("Alt+3")
    rating_page.keyboard.press("a")
    expect(rating_page.locator("#heard")).to_contain_text("saved")
    expect(said).to_have_text(
        "a does nothing here. The keys here are: y Yes, strategic, n No, not strategic, 0 Clear."
    )
    watch.check()


def reading_and_judging_are_one_key_apart(rating_page: Page) -> None:
    """A new game is to be read; the page remembers how far one has read."""
    first = rating_page.evaluate(HERE)
    rating_page.keyboard.type("tjj")
    assert rating_page.evaluate(HERE) == "message-3"
    rating_page.keyboard.press("t")
    assert rating_page.evaluate(HERE) == first
    rating_page.reload()
    expect(rating_page.locator("body.phase-read #message-3:focus")).to_have_count(1)
    rating_page.keyboard.type("t")
    assert rating_page.evaluate(HERE) == first


def what_was_struck(rating_page: Page, evaluation: Evaluation) -> dict[str, dict[str, str]]:
    """Answer everything before the roles without ever waiting; what ought to be stored."""
    state = load_state(evaluation)
    labels = ["accurate", "inaccurate", "vague"]
    references = {
        subject: labels[at % 3] for at, subject in enumerate(dict.fromkeys(state.judgeable.counted))
    }
    expected: dict[str, dict[str, str]] = {"reference": references, "rating": {"": "3.5"}}
    words = {"y": "yes", "n": "no"}
    kinds = {"question": (0, 30), "strategic_depth": (100, 250), "coherence": (300, 30)}
    for kind, (latency, cadence) in kinds.items():
        subjects = [str(position) for position in state.samples.get(kind, range(1, 6))]
        keys = ("ynyny" * 2)[: len(subjects)]
        rating_page.evaluate("late => { window.late = late }", latency)
        rating_page.keyboard.type(keys, delay=cadence)
        expected[kind] = {subject: words[key] for subject, key in zip(subjects, keys, strict=True)}
        if kind == "question":
            # The rating does not go on by itself: the half point and the undo wait for what they are about.
            rating_page.evaluate("window.late = 300")
            rating_page.keyboard.type("3h2u.", delay=30)
            rating_page.keyboard.type("".join(label[0] for label in references.values()), delay=30)
    return expected


def what_a_key_does_after_something_else(rating_page: Page, evaluation: Evaluation) -> None:
    """After help, a tab, j and k, a comment and a click a judging key acts on the current item."""
    rating_page.evaluate("window.late = 0")
    rating_page.locator("#steps [data-step=coherence]").click()
    first, second, third, *_rest = load_state(evaluation).samples["coherence"]

    def stored(position: int) -> str:
        settle(rating_page)
        return load_state(evaluation).values["coherence"][str(position)]

    rating_page.keyboard.press("n")
    assert stored(first) == "no"
    rating_page.keyboard.press("ArrowDown")
    here = rating_page.evaluate(HERE)
    rating_page.keyboard.press("?")
    expect(rating_page.locator("#keysheet")).to_have_attribute("open", "")
    rating_page.keyboard.press("Escape")
    assert rating_page.evaluate(HERE) == here == f"item-coherence-{second}"
    rating_page.keyboard.type("?y")
    assert stored(second) == "yes"
    expect(rating_page.locator("#keysheet")).not_to_have_attribute("open", "")
    rating_page.keyboard.press("ArrowDown")
    rating_page.keyboard.type("kjn")
    assert stored(third) == "no"
    rating_page.keyboard.type("wodd", delay=10)
    rating_page.keyboard.press("Enter")
    settle(rating_page)
    expect(rating_page.locator(f"#message-{third}")).to_contain_text("comments: 1")
    rating_page.keyboard.press("y")
    assert stored(third) == "yes"
    rating_page.locator(f"#message-{second} .said").click()
    rating_page.keyboard.press("n")
    assert stored(second) == "no"


def answer_of(evaluation: Evaluation, kind: str, subject: str) -> str:
    return load_state(evaluation).values.get(kind, {}).get(subject, "")


def test_no_key_answers_for_another_message_than_the_marked_one(rating_page, evaluation) -> None:
    said, marked = rating_page.locator("#says"), rating_page.locator(".msg.now")
    sample = load_state(evaluation).samples["coherence"]
    other = next(position for position in range(1, 31) if position not in sample)
    rating_page.keyboard.press("Alt+4")
    rating_page.locator(f"#message-{other} .said").click()
    for key in "ny":
        rating_page.keyboard.press(key)
        expect(said).to_have_text(f"Message {sample[0]} is asked. Press t to go back to it.")
    rating_page.keyboard.type("tn")
    settle(rating_page)
    assert load_state(evaluation).values["coherence"] == {str(sample[0]): "no"}
    rating_page.locator(f"#message-{sample[2] - 1} .said").click()
    rating_page.keyboard.press("j")
    expect(rating_page.locator(f"#item-coherence-{sample[2]}.now")).to_be_in_viewport()
    expect(rating_page.locator("#step-says")).to_have_text(f"Conversation coherence, 3 of {len(sample)}")
    rating_page.keyboard.press("y")
    settle(rating_page)
    assert load_state(evaluation).values["coherence"] == {str(sample[0]): "no", str(sample[2]): "yes"}
    rating_page.locator(f"#message-{other} .said").click()
    rating_page.locator("#steps [data-step=depth]").click()
    expect(marked).to_have_id(f"message-{load_state(evaluation).samples['strategic_depth'][0]}")


def test_the_keys_for_open_questions_start_at_the_marked_message(rating_page, evaluation) -> None:
    sample = load_state(evaluation).samples["coherence"]
    at = next(at for at in range(1, 4) if sample[at] - 1 not in sample)
    for keys, place in ((",", at - 1), ("j,", at - 1), ("j.", at + 1), (".", at)):
        rating_page.keyboard.press("Alt+4")
        rating_page.locator(f"#message-{sample[at] - 1} .said").click()
        rating_page.keyboard.type(keys)
        expect(rating_page.locator(f"#item-coherence-{sample[place]}")).to_be_focused()
    rating_page.locator("#message-1 .said").click()
    rating_page.keyboard.press(",")
    last = load_state(evaluation).samples["strategic_depth"][-1]
    expect(rating_page.locator(f"#item-strategic_depth-{last}")).to_be_focused()


def test_what_going_back_makes_possible_is_said_and_one_key_goes_back(rating_page, evaluation) -> None:
    said, first = rating_page.locator("#says"), load_state(evaluation).samples["coherence"][0]
    rating_page.keyboard.press("Alt+4")
    rating_page.locator("#message-1 .said").click()
    for key in "mu0":
        rating_page.keyboard.press(key)
        expect(said).to_have_text(f"{key} does nothing: there is nothing to judge here.")
    rating_page.locator("#judge").click(position={"x": 5, "y": 600})
    assert rating_page.evaluate(HERE) == "judge"
    rating_page.keyboard.press("y")
    expect(said).to_have_text(f"Message {first} is asked. Press t to go back to it.")
    rating_page.keyboard.press("t")
    expect(rating_page.locator(f"#item-coherence-{first}")).to_be_focused()


def test_before_the_first_thing_to_do_is_none(rating_page, evaluation) -> None:
    rating_page.keyboard.type("y,")
    expect(rating_page.locator("#says")).to_have_text("Nothing earlier needs an answer.")
    expect(rating_page.locator("#item-question-2")).to_be_focused()
    rating_page.keyboard.press("ArrowUp")
    expect(rating_page.locator("#item-question-1")).to_be_focused()
    rating_page.keyboard.press("Alt+4")
    rating_page.keyboard.press(",")
    last = load_state(evaluation).samples["strategic_depth"][-1]
    expect(rating_page.locator(f"#item-strategic_depth-{last}")).to_be_focused()


def test_a_notice_ends_with_what_it_was_about(rating_page) -> None:
    said = rating_page.locator("#says")
    rating_page.keyboard.press("1")
    expect(said).to_have_text("1 does nothing here. The keys here are: y Yes, n No.")
    rating_page.keyboard.press("y")
    assert said.inner_text() == ""
    settle(rating_page)
    rating_page.keyboard.type("1?")
    assert said.inner_text() == "", "the list of keys is open"
    rating_page.reload()
    rating_page.keyboard.press("w")
    expect(said).to_have_text("w is for a message: choose one first (j).")
    rating_page.keyboard.press("Alt+3")
    assert said.inner_text() == ""


def test_what_comes_before_the_reveal_is_said_anew_and_leads_there(rating_page, evaluation) -> None:
    rating_page.keyboard.type("yy")
    settle(rating_page)
    rating_page.keyboard.press("Alt+7")
    first = rating_page.locator("#locked").get_by_role("link")
    expect(first).to_have_text("Question 3 is not answered yet.")
    first.click()
    expect(rating_page.locator("#item-question-3")).to_be_focused()


def test_the_last_of_several_answers_to_one_thing_is_stored(rating_page, evaluation) -> None:
    """Yes, No, Yes before the first answer of the server is there; and again where the thing is answered already."""
    rating_page.locator("#steps [data-step=coherence]").click()
    first, second, *_rest = load_state(evaluation).samples["coherence"]
    rating_page.evaluate("window.late = 500")
    for keys in ("yny", "nyn"):
        for position in (first, second):
            for key in keys:
                item = rating_page.locator(f"#item-coherence-{position}")
                if not item.is_visible():
                    rating_page.keyboard.press(".")
                elif item.get_by_role("link", name="Edit").is_visible():
                    item.get_by_role("link", name="Edit").click()
                item.locator(f"[data-key={key}]").click()
        settle(rating_page)
        word = {"y": "yes", "n": "no"}[keys[-1]]
        for position in (first, second):
            assert answer_of(evaluation, "coherence", str(position)) == word
            pressed = rating_page.locator(f"#item-coherence-{position} [aria-pressed=true]")
            expect(pressed).to_have_attribute("data-key", keys[-1])
    assert [row.version for row in evaluation.judgements.filter(kind="coherence")] == [6, 6]


def test_an_answer_after_undo_is_sent_though_the_page_shows_it_still(rating_page, evaluation) -> None:
    rating_page.locator("#steps [data-step=engagement]").click()
    item = rating_page.locator("#item-question-1")
    item.locator("[data-key=y]").click()
    settle(rating_page)
    item.get_by_role("link", name="Edit").click()
    rating_page.evaluate("window.late = 500")
    rating_page.locator("#undo button").click()
    item.locator("[data-key=y]").click()
    settle(rating_page)
    assert answer_of(evaluation, "question", "1") == "yes"


def test_keys_for_forms_that_cannot_be_loaded_say_so_and_do_nothing(rating_page, evaluation) -> None:
    rating_page.keyboard.type("tj+")
    expect(rating_page.locator("#at")).to_contain_text("Message 2")
    rating_page.keyboard.press("Escape")
    before = load_state(evaluation).values
    rating_page.route("**/*at=*", lambda route: route.abort())
    for number, key in enumerate("+rwf", start=3):
        rating_page.keyboard.press("j")
        rating_page.keyboard.press(key)
        expect(rating_page.locator("#says")).to_contain_text(f"forms of message {number} could not be loaded")
        rating_page.keyboard.type("axivy", delay=100)  # meant for the field that did not come
        rating_page.wait_for_timeout(1600)
    settle(rating_page)
    assert load_state(evaluation).values == before
    assert not evaluation.remarks.exists()


def test_a_comment_and_its_enter_struck_before_the_field_came_are_sent(rating_page, evaluation) -> None:
    let_go = hold(rating_page, "**/*at=*")
    rating_page.keyboard.type("tjwodd")
    rating_page.keyboard.press("Enter")
    rating_page.wait_for_timeout(300)
    assert not evaluation.remarks.exists()
    let_go()
    expect(rating_page.locator("#message-2")).to_contain_text("comments: 1")
    settle(rating_page)
    assert [remark.text for remark in evaluation.remarks.all()] == ["odd"]


def test_answers_struck_before_the_field_of_a_comment_came_are_kept(rating_page, evaluation) -> None:
    let_go = hold(rating_page, "**/*at=*")
    rating_page.keyboard.type("wodd")
    rating_page.keyboard.press("Enter")
    rating_page.locator("#steps [data-step=engagement]").click()
    rating_page.keyboard.type("yyyyy")
    let_go()
    settle(rating_page)
    expect(rating_page.locator("#judge")).to_have_attribute("data-step", "engagement")
    assert [remark.text for remark in evaluation.remarks.all()] == ["odd"]
    assert [answer_of(evaluation, "question", str(number)) for number in range(1, 6)] == ["yes"] * 5


def test_a_step_clicked_while_an_answer_is_awaited_gets_the_keys_that_follow(rating_page, evaluation) -> None:
    rating_page.locator("#steps [data-step=depth]").click()
    rating_page.keyboard.type("y")
    settle(rating_page)
    answered = rating_page.locator("#step-depth .item:not([data-needs])").first
    message = answered.get_attribute("data-message")
    answered.get_by_role("link", name="Edit").click()
    let_go = hold(rating_page, "**/judge/")
    answered.press("n")
    expect(rating_page.locator("body[data-busy=wait]")).to_have_count(1)
    rating_page.locator("#steps [data-step=engagement]").click()
    rating_page.keyboard.press("y")
    let_go()
    settle(rating_page)
    expect(rating_page.locator("#judge")).to_have_attribute("data-step", "engagement")
    assert answer_of(evaluation, "strategic_depth", message) == "no"
    assert answer_of(evaluation, "question", "1") == "yes"


def test_space_presses_the_focused_button_while_an_answer_is_awaited(rating_page, evaluation) -> None:
    rating_page.locator("#steps [data-step=engagement]").click()
    rating_page.keyboard.type("yyyyy")
    settle(rating_page)
    rating_page.evaluate("window.late = 600")
    rating_page.locator(".buttons.scale [data-key='3']").click()
    rating_page.locator("#item-question-2").get_by_role("link", name="Edit").click()
    rating_page.locator("#item-question-2 [data-key=n]").focus()
    rating_page.keyboard.press("Space")
    settle(rating_page)
    assert answer_of(evaluation, "question", "2") == "no"


def test_what_is_jumped_to_is_not_read(rating_page) -> None:
    rating_page.keyboard.type("tjj]")
    assert rating_page.evaluate(HERE) != "message-3"
    rating_page.reload()
    expect(rating_page.locator("body.phase-read #message-3:focus")).to_have_count(1)


def test_labels_of_messages_are_named_by_message_and_metric(rating_page, evaluation) -> None:
    say_engagement(evaluation)
    for position in load_state(evaluation).samples["strategic_depth"]:
        say(evaluation, "strategic_depth", str(position), "yes")
    rating_page.goto(f"{rating_page.url}?step=depth")
    position = load_state(evaluation).samples["strategic_depth"][0]
    name = re.compile(rf"^Message {position}, Strategic Depth: \w+", re.IGNORECASE)
    expect(rating_page.get_by_role("link", name=name)).to_have_count(1)


def test_the_list_of_keys_is_read_and_left_by_keyboard(rating_page) -> None:
    rating_page.set_viewport_size({"width": 1366, "height": 768})
    here = rating_page.evaluate(HERE)
    sheet = rating_page.locator("#keysheet > div")
    rating_page.keyboard.press("?")
    expect(sheet).to_be_focused()
    assert sheet.evaluate("one => one.scrollHeight <= one.clientHeight"), "all keys are seen at one look"
    rating_page.set_viewport_size({"width": 1366, "height": 600})
    rating_page.keyboard.press("End")
    expect(rating_page.get_by_text("leave a field or this sheet")).to_be_in_viewport()
    rating_page.keyboard.press("ArrowUp")
    expect(sheet).to_be_focused()
    rating_page.keyboard.press("Escape")
    expect(sheet).to_be_hidden()
    assert rating_page.evaluate(HERE) == here
    rating_page.set_viewport_size({"width": 360, "height": 740})
    for leave in (sheet.get_by_role("button", name="Close").click, lambda: rating_page.mouse.click(180, 735)):
        rating_page.keyboard.press("?")
        expect(sheet.get_by_role("heading", name="References")).to_have_count(1)
        leave()
        expect(sheet).to_be_hidden()
    rating_page.keyboard.press("?")
    rating_page.keyboard.press("Home")
    expect(sheet.locator("dd").first).to_be_in_viewport(ratio=1)


def test_an_answer_leads_on_in_its_step_and_next_says_when_only_the_reveal_is_left(
    rating_page, evaluation
) -> None:
    rating_page.keyboard.press("Alt+4")
    step = rating_page.locator("#step-coherence .item")
    for _item in range(step.count() - 1):
        rating_page.keyboard.press("ArrowDown")
    rating_page.keyboard.press("y")
    settle(rating_page)
    expect(step.first).to_be_focused()
    say_what_is_missing(evaluation)
    rating_page.reload()
    rating_page.keyboard.press("Alt+7")
    rating_page.get_by_role("button", name=re.compile("^Next")).click()
    expect(rating_page.locator("#says")).to_have_text("Nothing else can be done before this: answer it.")


def test_the_buttons_of_the_rating_are_in_a_laptops_window(rating_page) -> None:
    rating_page.set_viewport_size({"width": 1366, "height": 768})
    rating_page.keyboard.press("Alt+1")
    for _question in range(5):
        rating_page.keyboard.press("y")
        settle(rating_page)
    expect(rating_page.locator("#item-rating-")).to_be_focused()
    expect(
        rating_page.locator("#item-rating-").get_by_role("button", name="5", exact=True)
    ).to_be_in_viewport(ratio=1)
    rating_page.keyboard.press("4")
    settle(rating_page)
    expect(rating_page.get_by_role("button", name="Make it")).to_be_in_viewport(ratio=1)
