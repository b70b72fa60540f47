"""Search a folder by words, meaning and structure."""
