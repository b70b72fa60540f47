"""Files that were read -> what is written of them, in worker processes.

A worker that takes too long over a file, or dies of it, is replaced, and the file is read as
plain text: no file can stop the others. Workers are programs of their own, spoken to over pipes;
multiprocessing would run the caller's own program again. Called by the indexer.
"""

from __future__ import annotations

import logging
import os
import pickle
import queue
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from typing import Self

from trivium.backends.base import FileContent
from trivium.sources.base import Raw
from trivium.writing.digest import Cutting, digest
from trivium.writing.worker import READY, Failure, Task, receive, send, work

log = logging.getLogger(__name__)

LIMIT_S = 20.0
MOST_WORKERS = 8
# A worker takes 0.35 s to start and 1.7 ms of this process for each file, a source file of
# 15 kB 9 ms: with two workers 110 such files take as long either way, 300 a quarter less.
PAYS_FROM = 300
RISKY_CHARACTERS = 200_000
# What is not closed again keeps grammars guessing: 30 kB of it have kept one for minutes.
_GUESSING_CHARACTERS = 8_000
_MOST_UNCLOSED = 1 / 40
TOOK_TOO_LONG = "parser took too long; read as plain text"
DIED = "parser died; read as plain text"
LEFT_EMPTY = "not even plain text in time; left empty"

_START_S = 30.0
_TICK_S = 0.1


class _NoWorker(Exception):
    """A worker process cannot be had."""


def default_size() -> int:
    """Return how many workers to have: one for each core this process may use, at most eight."""
    cores = len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1
    return min(cores, MOST_WORKERS)


def is_risky(raw: Raw) -> bool:
    """Whether a file is better digested where it can be stopped: a large or a broken one."""
    if raw.data is not None:
        return True
    text = raw.text
    if not _GUESSING_CHARACTERS <= len(text) < RISKY_CHARACTERS:
        return len(text) >= RISKY_CHARACTERS
    unclosed = sum(abs(text.count(a) - text.count(b)) for a, b in ("()", "[]", "{}"))
    return unclosed > len(text) * _MOST_UNCLOSED


def digested(
    raws: Iterable[Raw], cutting: Cutting, *, expected: int, crew: Crew
) -> Iterator[tuple[Raw, FileContent]]:
    """Digest files in their order, by the crew where there are many, else one at a time.

    Few files are digested in this process, save those that could keep it for long.
    """
    if expected < PAYS_FROM or crew.size == 1:
        for raw in raws:
            yield raw, crew.digest(raw, cutting) if is_risky(raw) else digest(raw, cutting)
        return
    ahead: deque[Raw] = deque()
    for content in crew.digest_all(_noted(raws, ahead), cutting):
        yield ahead.popleft(), content


def _noted(raws: Iterable[Raw], ahead: deque[Raw]) -> Iterator[Raw]:
    for raw in raws:
        ahead.append(raw)
        yield raw


class Crew:
    """Workers that digest files side by side; none is started before it is needed.

    `limit_s` is how long one file may take. Where there can be no workers, the calling process
    does the work.
    """

    def __init__(
        self,
        *,
        size: int | None = None,
        limit_s: float = LIMIT_S,
        command: Sequence[str] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.size = default_size() if size is None else max(1, size)
        self._limit_s = limit_s
        command = _command() if command is None else command
        self._workers = [_Worker(command, clock=clock) for _ in range(self.size)]
        self._idle: queue.SimpleQueue[_Worker] = queue.SimpleQueue()
        for worker in self._workers:
            self._idle.put(worker)
        self._threads: ThreadPoolExecutor | None = None
        self._has_workers = True

    def digest(self, raw: Raw, cutting: Cutting) -> FileContent:
        """Digest one file, whatever it holds, in twice the limit at most."""
        return next(self.digest_all([raw], cutting))

    def digest_all(self, raws: Iterable[Raw], cutting: Cutting) -> Iterator[FileContent]:
        """Digest files in their order, at most two for each worker ahead of the one asked for."""
        begun: deque[tuple[Raw, Future[FileContent]]] = deque()
        try:
            for raw in raws:
                begun.append((raw, self._begin(raw, cutting)))
                if len(begun) >= 2 * self.size:
                    yield self._finish(*begun.popleft(), cutting)
            while begun:
                yield self._finish(*begun.popleft(), cutting)
        finally:
            for _, future in begun:
                future.cancel()

    def close(self) -> None:
        """End every worker, in the middle of a file if need be."""
        self._has_workers = False
        for worker in self._workers:
            worker.close()
        if self._threads is not None:
            self._threads.shutdown(cancel_futures=True)
            self._threads = None

    def __enter__(self) -> Self:
        """Use as a context manager that ends the workers."""
        return self

    def __exit__(self, *_: object) -> None:
        """End the workers."""
        self.close()

    def _begin(self, raw: Raw, cutting: Cutting) -> Future[FileContent]:
        if self._threads is None:
            # A thread for each worker: it sends, waits and reads.
            self._threads = ThreadPoolExecutor(self.size, thread_name_prefix="trivium crew")
        return self._threads.submit(self._by_worker, raw, cutting)

    def _finish(self, raw: Raw, begun: Future[FileContent], cutting: Cutting) -> FileContent:
        while True:
            try:
                return begun.result(timeout=_TICK_S)
            except TimeoutError:
                for worker in self._workers:
                    worker.end_if_overdue()
            except _NoWorker as error:
                if self._has_workers:
                    log.warning("files are parsed in this process: %s", error)
                self._has_workers = False
                return digest(raw, cutting)

    def _by_worker(self, raw: Raw, cutting: Cutting) -> FileContent:
        if not self._has_workers:
            raise _NoWorker("there were none before")
        worker = self._idle.get()
        try:
            task = Task(raw, cutting, self._limit_s)
            content = worker.do(task)
            if isinstance(content, Failure):
                log.info("%s: %s", raw.entry.path, content.reason)
                # By a worker again: perhaps it was not the structure that took so long.
                content = _anew(worker, replace(task, gave_up=content.reason))
        finally:
            self._idle.put(worker)
        return content


def _anew(worker: _Worker, task: Task) -> FileContent:
    """Read a file without its structure, or, if even that cannot be done, without its text."""
    with suppress(_NoWorker):
        content = worker.do(task)
        if isinstance(content, FileContent):
            return content
    return digest(replace(task.raw, text=""), task.cutting, gave_up=LEFT_EMPTY)


class _Worker:
    """One process, started when it is first needed and again after its end.

    One thread at a time has it work; any other may end it.
    """

    def __init__(self, command: Sequence[str], *, clock: Callable[[], float]) -> None:
        self._command = command
        self._clock = clock
        self._guard = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._deadline: float | None = None
        self._is_overdue = False
        self._is_closed = False

    def do(self, task: Task) -> FileContent | Failure:
        """Have one file digested. Raises _NoWorker."""
        if self._process is None or self._is_overdue:
            self._start()
        answer = self._answer(task, limit_s=task.limit_s)
        if isinstance(answer, FileContent | Failure):
            return answer
        reason = TOOK_TOO_LONG if self._is_overdue else DIED
        self._bury()
        return Failure(reason)

    def end_if_overdue(self) -> None:
        """End the process if its file takes too long."""
        with self._guard:
            if self._deadline is not None and self._clock() > self._deadline:
                self._is_overdue = True
                self._kill()

    def close(self) -> None:
        """End the process for good."""
        with self._guard:
            self._is_closed = True
            self._kill()
        self._bury()

    def _start(self) -> None:
        self._bury()
        if not self._command:
            raise _NoWorker("this Python cannot be started as a program")
        with self._guard:
            if self._is_closed:
                raise _NoWorker("the crew is closed")
            self._is_overdue = False
            self._process = _spawn(self._command)
        if self._answer(None, limit_s=_START_S) != READY:
            self._bury()
            raise _NoWorker("a worker process does not start")

    def _answer(self, task: Task | None, *, limit_s: float) -> object:
        """Send a task, if there is one, and return what comes back; None if nothing does."""
        process = self._process
        if process is None or process.stdin is None or process.stdout is None:
            return None
        with self._guard:
            self._deadline = self._clock() + limit_s
        try:
            if task is not None:
                send(process.stdin, task)
            return receive(process.stdout)
        except (OSError, EOFError, ValueError, pickle.UnpicklingError):
            return None
        finally:
            with self._guard:
                self._deadline = None

    def _kill(self) -> None:
        if self._process is not None:
            self._process.kill()

    def _bury(self) -> None:
        """Let go of a process, and of its pipes, so that nothing of it is left."""
        with self._guard:
            process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        for pipe in (process.stdin, process.stdout):
            # Closing sends what is left, to nobody.
            with suppress(OSError):
                if pipe is not None:
                    pipe.close()
        process.wait()


def _command() -> tuple[str, ...]:
    """Return how to start a worker; empty in a program that Python is built into."""
    if not sys.executable or getattr(sys, "frozen", False):
        return ()
    # -P: the folder that is indexed may be the working one, and hold modules of its own.
    return (sys.executable, "-P", "-m", "trivium.crew")


def _spawn(command: Sequence[str]) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(  # noqa: S603 - our own module
            [*command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            # Ctrl-C is for the parent, which ends its workers.
            process_group=0 if os.name == "posix" else None,
            creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
        )
    except OSError as error:
        raise _NoWorker(str(error)) from error


if __name__ == "__main__":
    work()
