"""Other libraries asked the same: each in a process and a virtual environment of its own."""
