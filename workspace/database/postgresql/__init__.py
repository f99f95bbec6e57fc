"""Django's backend for PostgreSQL, with a limit on the wait for an answer, and LZ4 for long texts."""
