"""Where a person wanted to go before something came between: only pages of this very site."""

from urllib.parse import unquote, urlsplit

from django.http import HttpRequest
from django.urls import Resolver404, resolve, reverse
from django.utils.http import url_has_allowed_host_and_scheme


def is_page_of_ours(url: str) -> bool:
    """Whether the text is a path of this site that leads to a page, without host, scheme or hidden characters."""
    if not url.startswith("/") or not url_has_allowed_host_and_scheme(url, allowed_hosts=None):
        return False
    path = urlsplit(url).path
    if not unquote(path).isprintable() or "\\" in unquote(url):
        return False
    try:
        resolve(unquote(path))
    except Resolver404:
        return False
    return True


def next_page(request: HttpRequest, default: str = "home") -> str:
    """The `next` of the form or address when it is a page of ours, else the page of the name `default`."""
    wanted = request.POST.get("next") or request.GET.get("next") or ""
    return wanted if is_page_of_ours(wanted) else reverse(default)
