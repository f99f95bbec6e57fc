"""Independent acts one after the other: one that fails does not keep the others from being done."""

import logging
from collections.abc import Callable, Iterable
from typing import Concatenate, ParamSpec, TypeVar

from celery.exceptions import SoftTimeLimitExceeded
from django.db import Error, connection

logger = logging.getLogger("evalsite.acts")
Item = TypeVar("Item")
Given = ParamSpec("Given")


def do_each(
    act: Callable[Concatenate[Item, Given], int],
    items: Iterable[Item],
    *given: Given.args,
    **named: Given.kwargs,
) -> int:
    """Do the act for each of the items, with what else is given; return the sum of what it returns.

    An item that fails is logged with its traceback, and the others are done; after the last one, the first failure is
    raised. If the database is away or the time is over, no further item is tried.
    """
    total, failures = 0, []
    for item in items:
        try:
            total += act(item, *given, **named)
        except SoftTimeLimitExceeded:
            raise
        except Exception as fault:
            if isinstance(fault, Error) and (connection.connection is None or not connection.is_usable()):
                raise
            logger.exception("%s failed for %r; the others are done", act.__name__, item)
            failures.append(fault)
    if failures:
        raise failures[0]
    return total
