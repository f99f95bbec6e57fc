"""An app of the tests alone: lets Django empty tables whose rows the database refuses to delete."""
