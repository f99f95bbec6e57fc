"""What a later version could bring."""
