"""Sending files through the real upload page."""

from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse


def send(client: Client, *files: bytes, name: str = "game.json", **given: Any) -> HttpResponse:
    """What the page of the project "ours" answers to these files."""
    posted = [SimpleUploadedFile(name, data, content_type="application/json") for data in files]
    return client.post(reverse("import_upload", args=["ours"]), {"transcripts": posted}, **given)
