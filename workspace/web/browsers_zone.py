"""The time zone of the browser that asks, which static/js/frame.js keeps in a cookie; "" without one that exists."""

from django.http import HttpRequest

from workspace.models.people import time_zones

COOKIE = "zone"


def browsers_zone(request: HttpRequest) -> str:
    zone = request.COOKIES.get(COOKIE, "")
    return zone if zone and zone in time_zones() else ""
