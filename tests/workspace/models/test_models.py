"""The cache behind the rate limits: rows that all processes share, and an `add` that lets one through."""

import threading

import pytest
from django.core.cache import cache
from django.db import connection
from django.utils import timezone

from workspace.models import Counter


@pytest.mark.django_db
def test_values_are_plain_json_and_run_out():
    cache.set("a", [1.5, 2.5], 60)
    assert cache.get("a") == [1.5, 2.5]
    assert Counter.objects.get().value == "[1.5,2.5]"
    assert cache.get("b", "none") == "none"
    assert cache.touch("a", 60)
    Counter.objects.update(expires_at=timezone.now())
    assert cache.get("a") is None
    assert not cache.touch("a", 60)
    assert cache.add("a", 1, 60)
    assert not cache.add("a", 2, 60)
    assert cache.get("a") == 1
    assert cache.delete("a")
    assert not cache.delete("a")
    cache.set("c", True, None)
    cache.clear()
    assert cache.get("c") is None


@pytest.mark.services
@pytest.mark.django_db(transaction=True)
def test_of_many_who_add_at_once_one_gets_through():
    won = []

    def add() -> None:
        won.append(cache.add("lock", True, 10))
        connection.close()

    threads = [threading.Thread(target=add) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(won) == [False] * 7 + [True]
