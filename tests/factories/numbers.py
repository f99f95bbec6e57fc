"""Numbers that keep the names of a test's people, projects and games apart."""


class Numbers:
    """Counts up, through all tests of a process."""

    last = 0

    def __next__(self) -> int:
        self.last += 1
        return self.last


numbers = Numbers()
