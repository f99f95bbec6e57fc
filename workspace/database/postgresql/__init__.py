"""Django's backend for PostgreSQL, with a longest time that a process waits for an answer."""
