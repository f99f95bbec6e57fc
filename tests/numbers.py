"""Numbers that keep the names of a test's people, projects and games apart."""


class Numbers:
    """Counts up. Every test begins with the same number, so that equal builders make equal rows."""

    last = 0

    def __next__(self) -> int:
        self.last += 1
        return self.last


numbers = Numbers()
