"""What a page that could not take a form shows of it, and what it sends again."""

import re
import sys
from html import unescape

import pytest
from django.forms import Form
from django.test import RequestFactory
from django.urls import get_resolver, resolve, reverse

from workspace.web.unsaved_form import unsaved_fields

pytestmark = pytest.mark.django_db
# What our own pages send without asking a person: keys, versions, hashes, places on the page, the button.
TECHNICAL = {
    "group", "item",
    "act", "after", "again", "back", "basis", "basis_sha256", "do", "is_on", "key", "kind", "known", "names", "next",
    "nonce", "number", "page", "ready", "sides_sha256", "step", "subject", "target", "to", "took_ms",
    "then", "unchanged", "under_way", "until", "version",
}  # fmt: skip


def unsaved(name, fields, args=()):
    address = reverse(name, args=args)
    request = RequestFactory().post(address, fields)
    request.resolver_match = resolve(address)
    return unsaved_fields(request)


@pytest.mark.parametrize(
    ("name", "args", "fields", "shown"),
    [
        ("settings", [], {"name": "Ada", "time_zone": "UTC"}, [("Your name", "Ada"), ("Time zone", "UTC")]),
        ("settings", [], {"has_single_keys": "on"}, [("Keyboard shortcuts act on the page where I rate", "yes")]),
        ("settings", [], {"name": "Ada", "odd_field-name": "7"}, [("Your name", "Ada"), ("Odd field name", "7")]),
        ("answer_flag", ["ours", 1], {"text": "Seen", "do": "resolve"}, [("Answer", "Seen")]),
        ("record_verdict", ["ours", 1], {"basis_sha256": "0a", "basis": "{}", "reason": "Slip"}, [("Reason", "Slip")]),
        ("skip_game", [1], {"step": "roles", "text": "I played"}, [("Why do you skip this game?", "I played")]),
        ("judge", [1], {"nonce": "n", "step": "engagement", "act": "question~2~0~yes"}, [("Question 2", "yes")]),
        ("judge", [1], {"nonce": "n", "act": "coherence~19~0~no"}, [("Coherence, message 19", "off topic")]),
        ("judge", [1], {"nonce": "n", "act": "reference~<b>~0~vague"}, [("Memory reference <b>", "vague")]),
        ("judge", [1], {"nonce": "n", "act": "comment~message:3~0~", "text": "Odd"}, [("Text", "Odd")]),
        ("mark", [1], {"nonce": "n", "act": "score~2.accuracy~0~7"}, [("Response B: accuracy", "7")]),
        (
            "mark", [1],
            {"act": "score~1.clarity~3~*", "value~score~1.clarity~3": "8", "text~notes~1~0": "Short"},
            [("Response A: clarity", "8"), ("Notes on Response A", "Short")],
        ),
        (
            "mark", [1],
            {"act": "holistic~2~0~cannot", "text~holistic~2~0": "Empty"},
            [
                ("Response B: overall (holistic)", "cannot judge"),
                ("Response B: overall (holistic) cannot be judged, since", "Empty"),
            ],
        ),
        ("mark", [1], {"act": "score~99999.x~0~7"}, [("Ranking", "7")]),
    ],
)  # fmt: skip
def test_what_was_entered_has_the_labels_of_its_form(name, args, fields, shown):
    found = unsaved(name, fields, args)
    assert found["shown"] == shown
    assert found["fields"] == list(fields.items()), "everything is sent again"


def test_a_page_shows_labels_and_sends_hidden_fields_again(client):
    fields = {"nonce": "n1", "step": "engagement", "act": "question~2~0~yes"}
    origin = {"Origin": "http://testserver"}
    answer = client.post(reverse("judge", args=[1]), fields, headers=origin)
    page = answer.content.decode()
    assert answer.status_code == 401
    sent = re.findall(r'<textarea name="(\w+)" hidden>\n(.*?)</textarea>', page)
    assert [(name, unescape(value)) for name, value in sent] == list(fields.items())
    (listed,) = re.findall(r"<dl class=\"pairs\">(.*?)</dl>", page, re.DOTALL)
    assert re.findall(r"<bdi[^>]*>(.*?)</bdi>", listed) == ["Question 2", "yes"]


def test_a_form_of_hidden_fields_alone_can_be_sent_again_and_lists_nothing(client):
    answer = client.post(
        reverse("submit_evaluation", args=[1]), {"nonce": "n1"}, headers={"Origin": "http://testserver"}
    )
    page = answer.content.decode()
    assert "Send it again" in page
    assert "What you had entered" not in page


def views(patterns):
    for pattern in patterns:
        yield from views(pattern.url_patterns) if hasattr(pattern, "url_patterns") else [pattern.callback]


def test_every_field_that_a_person_fills_in_has_a_label():
    modules = {sys.modules[view.__module__] for view in views(get_resolver().url_patterns)}
    forms = {
        each
        for module in modules
        for each in vars(module).values()
        if isinstance(each, type) and issubclass(each, Form)
    }
    without = {
        name
        for form in forms
        for name, field in form.base_fields.items()
        if field.label is None and not field.widget.is_hidden
    }
    assert len(forms) > 50
    assert without <= TECHNICAL | {"proof"}, "give the field a label, or name it here"
