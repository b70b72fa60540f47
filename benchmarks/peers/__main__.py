"""Run: python -m benchmarks.peers."""

from benchmarks.peers.beside import main

if __name__ == "__main__":
    main()
