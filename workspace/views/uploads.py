"""How much one request may carry: asked before its body is read, so that nothing of it touches the disk."""

from typing import Any

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.core.files.uploadhandler import FileUploadHandler


class BoundedUpload(FileUploadHandler):
    """Refuses a body over settings.MOST_UPLOADED_AT_ONCE bytes; leaves the files to the handlers after it."""

    def handle_raw_input(
        self,
        input_data: Any,
        META: dict[str, str],  # noqa: N803  Django's name
        content_length: int,
        boundary: str,
        encoding: str | None = None,
    ) -> None:
        """Raises RequestDataTooBig, which is answered 413."""
        if content_length > settings.MOST_UPLOADED_AT_ONCE:
            raise RequestDataTooBig("the body is larger than MOST_UPLOADED_AT_ONCE")

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes:
        """Passes every piece on."""
        return raw_data

    def file_complete(self, file_size: int) -> None:
        """Makes no file of its own."""
