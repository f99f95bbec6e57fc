"""Limits that several modules of the discussions app share."""

# How much is read into memory at once; a game above this limit is a batch of its own.
BATCH_GAMES = 250
BATCH_MESSAGES = 25_000
# Longer games are not measured while their file is read: measuring has a lease for each of them.
ONE_PASS_MESSAGES = 2_000
