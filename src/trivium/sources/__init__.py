"""Places -> Documents."""
