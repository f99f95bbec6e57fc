"""Django's backend for PostgreSQL, with a longest wait for an answer and LZ4 for long texts."""
