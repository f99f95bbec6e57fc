"""Every route of the site, those of the API included, which is loaded when it is asked for."""

from collections.abc import Iterable, Iterator
from functools import cache

from django.urls import URLPattern, URLResolver, get_resolver


@cache
def named_routes() -> dict[str, URLPattern]:
    """Each route by the name that `reverse` takes."""
    return dict(_routes(get_resolver().url_patterns))


def _routes(
    patterns: Iterable[URLPattern | URLResolver], namespace: str = ""
) -> Iterator[tuple[str, URLPattern]]:
    for entry in patterns:
        if isinstance(entry, URLResolver):
            yield from _routes(entry.url_patterns, f"{entry.namespace}:" if entry.namespace else namespace)
        else:
            yield f"{namespace}{entry.name}", entry
