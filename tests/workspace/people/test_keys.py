"""Everybody chooses the keys of the pages where they rate; what cannot work is refused in a sentence."""

import pytest
from django.urls import reverse

from tests.factories.people import make_person
from workspace.core.refusals import Unacceptable
from workspace.models import Event
from workspace.people.actions.people import change_keys
from workspace.people.labels import ACTS, DEFAULTS, find_key_faults, keys_of

pytestmark = pytest.mark.django_db


def faults(**chosen):
    assert set(chosen) <= set(ACTS)
    return find_key_faults(DEFAULTS | chosen)


def test_the_defaults_can_all_be_pressed():
    assert len(DEFAULTS) == len(ACTS) > 30
    assert not faults()


@pytest.mark.parametrize(
    ("act", "key", "says"),
    [
        ("yes", "n", "“n” is used twice: also for “no, not strategic”."),
        ("next", "y", "“y” is used twice: also for “yes, strategic, acceptable”."),
        ("yes", "7", "Digits rate and name agents."),
        ("yes", "ja", "“ja” is no single character."),
        ("yes", "", "This act needs a key."),
        ("yes", "\u200b", "is no single character."),
        ("phase", "c", "“c” is used twice: also for “consistent”."),
        ("undo", "0", "“0” has another meaning in reviews."),
    ],
)
def test_a_key_that_cannot_work_is_refused(act, key, says):
    assert says in faults(**{act: key})[act]


def test_keys_of_acts_that_never_meet_may_be_the_same():
    assert DEFAULTS["half"] == DEFAULTS["honest"]
    assert not faults(consistent="a", bluff="ö", submit=";")
    assert set(faults(bluff="ö", flag="ö")) == {"bluff", "flag"}


def test_what_differs_is_stored_and_what_is_unknown_left_out():
    person = make_person()
    swapped = {"yes": "k", "last_message": "y"}
    change_keys(keys=swapped | {"no": "n"}, by=person, now=person.created_at)
    person.refresh_from_db()
    assert person.keys == swapped
    assert keys_of(person.keys) == DEFAULTS | swapped
    assert keys_of({"gone": "x"}) == DEFAULTS
    with pytest.raises(Unacceptable) as refused:
        change_keys(keys={"yes": "n"}, by=person, now=person.created_at)
    assert refused.value.field == "yes"
    assert Event.objects.latest("pk").verb == "settings:changed"


def test_the_page_shows_keys_and_faults_and_resets(client):
    person = make_person()
    client.force_login(person)
    address = reverse("own_keys")
    page = client.get(address).content.decode()
    assert page.count("<kbd>") == sum(bool(key) for key in DEFAULTS.values())
    assert f'href="{address}"' in client.get(reverse("settings")).content.decode()
    refused = client.post(address, DEFAULTS | {"yes": "N"})
    assert refused.status_code == 422
    said = refused.content.decode()
    assert "used twice: also for “no, not strategic”" in said
    assert 'aria-describedby="id_yes_error"' in said and 'id="id_yes_error"' in said
    assert client.post(address, {"yes": "K", "last_message": "Y"}).status_code == 303
    person.refresh_from_db()
    assert person.keys == {"yes": "k", "last_message": "y"}
    assert 'value="k"' in client.get(address).content.decode()
    assert client.post(address, DEFAULTS | {"yes": "k", "defaults": "on"}).status_code == 303
    person.refresh_from_db()
    assert person.keys is None
