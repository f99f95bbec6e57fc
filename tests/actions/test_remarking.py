"""Flags and comments: rows with a target; a flag is taken back by resolving it."""

import pytest

from discussions.actions.remarking import remark, take_flag_back
from discussions.models import Remark
from tests.factories import NOW
from tests.rated import start, submitted
from workspace.core.refusals import NotAllowed, Unacceptable
from workspace.models import Event

pytestmark = pytest.mark.django_db


def note(evaluation, kind="comment", target="message:3", text="odd", key="k"):
    return remark(
        evaluation=evaluation, kind=kind, target=target, text=text, key=key, by=evaluation.evaluator, now=NOW
    )


def test_a_comment_is_a_row_once_per_key():
    evaluation = start()
    assert note(evaluation) == note(evaluation)
    note(evaluation, key="other", target="game")
    assert list(Remark.objects.order_by("pk").values_list("target", "text")) == [
        ("message:3", "odd"),
        ("game", "odd"),
    ]
    assert Event.objects.filter(verb="remark:made").count() == 2
    with pytest.raises(Unacceptable, match="another text"):
        note(evaluation, text="changed")


def test_a_flag_stands_once_and_is_taken_back_by_resolving_it():
    evaluation = start()
    assert note(evaluation, kind="flag", key="a") == note(evaluation, kind="flag", key="b")
    take_flag_back(evaluation=evaluation, target="message:3", by=evaluation.evaluator, now=NOW)
    take_flag_back(evaluation=evaluation, target="message:3", by=evaluation.evaluator, now=NOW)
    assert Remark.objects.get().resolved_by == evaluation.evaluator
    note(evaluation, kind="flag", key="c")
    assert Remark.objects.filter(resolved_at=None).count() == 1


@pytest.mark.parametrize(
    "given", [{"target": "message:999"}, {"target": "x"}, {"text": "  "}, {"text": "x" * 4001}, {"key": ""}]
)
def test_what_cannot_be_noted_is_refused(given):
    evaluation = start()
    with pytest.raises(Unacceptable):
        note(evaluation, **given)
    assert not Remark.objects.exists()


def test_not_after_handing_in():
    with pytest.raises(NotAllowed, match="was submitted"):
        note(submitted())
