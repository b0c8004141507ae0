"""Releases: what is published, what re-links it, and the card that tells a recipient about it."""
