"""Files on disk: written whole or not at all, never over an input, and not trusted when read."""
