"""How much one request may carry, and from whom: asked before its body is read, so that nothing touches the disk."""

from typing import Any

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.core.files.uploadhandler import FileUploadHandler


class BoundedUpload(FileUploadHandler):
    """Refuses a body over settings.MOST_UPLOADED_AT_ONCE bytes, from strangers one over the size of a form.

    The files themselves are left to the handlers after it.
    """

    def handle_raw_input(
        self,
        input_data: Any,
        META: dict[str, str],  # noqa: N803  Django's name
        content_length: int,
        boundary: str,
        encoding: str | None = None,
    ) -> None:
        """Raises RequestDataTooBig, which is answered 413."""
        if content_length > self._most():
            raise RequestDataTooBig("the body is larger than this client may send")

    def _most(self) -> int:
        # The token of a form is looked for before anything else, so that strangers, too, get this far.
        user = getattr(self.request, "user", None)
        if user is None or not user.is_authenticated:
            return int(settings.DATA_UPLOAD_MAX_MEMORY_SIZE)
        return int(settings.MOST_UPLOADED_AT_ONCE)

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes:
        """Passes every piece on."""
        return raw_data

    def file_complete(self, file_size: int) -> None:
        """Makes no file of its own."""
