"""Limits, threads, and ways to end work early."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from datetime import timedelta
from typing import Any

import loris
import pytest
from conftest import LONG, SMALL

QUESTION = "AG c < 1000000001"


def test_time() -> None:
    model = loris.loads(LONG)
    for timeout in (0.2, timedelta(milliseconds=200)):
        result = model.check(QUESTION, engine="fixpoint", timeout=timeout)
        assert (result.verdict, result.reason) == ("unknown", "the time limit was reached")
    assert loris.loads(SMALL).check("E F q", timeout=float("inf")).holds
    assert loris.loads(SMALL).check("E F q", timeout=1e300).holds


@pytest.mark.parametrize("memory", ["20M", "20MiB", "20971520B", 20 << 20, ".02G", "20 m"])
def test_memory(memory: Any) -> None:
    result = loris.loads(LONG).check(QUESTION, engine="fixpoint", memory=memory)
    assert (result.verdict, result.reason) == ("unknown", "the memory limit was reached")


def test_enough_memory() -> None:
    for memory in ("1G", 2**70, "9T"):
        assert loris.loads(SMALL).check("E F q", memory=memory).holds


@pytest.mark.skipif(sys.platform != "linux", reason="the bounds are read from /proc")
def test_the_memory_of_the_system_is_a_limit() -> None:
    """Without memory=, work ends in time where address space is short, and not with a crash."""
    program = f"""
import resource
import loris
model = loris.loads({LONG!r})
resource.setrlimit(resource.RLIMIT_AS, (500 << 20, 500 << 20))
result = model.check({QUESTION!r}, engine="fixpoint", jobs=1)
print(result.verdict, result.reason)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert done.stdout == "unknown the memory limit was reached\n", done.stderr


def test_limits_while_reading() -> None:
    text = SMALL.replace('{"name": "b", "labels": ["q"]}', ",".join(
        f'{{"name": "n{i}", "is_exit": true}}' for i in range(100000)
    ) + ', {"name": "b", "labels": ["q"]}')  # fmt: skip
    with pytest.raises(loris.LimitError, match="memory") as caught:
        loris.loads(text, memory="100K")
    assert "memory" in caught.value.reason
    with pytest.raises(loris.LimitError, match="time"):
        loris.loads(text, timeout=0)


def test_states() -> None:
    model = loris.loads(LONG, max_states=100)
    result = model.check("AG c < 5000", engine="fixpoint")
    assert result.verdict == "unknown" and result.reason and "state" in result.reason


def test_states_are_counted_by_call() -> None:
    model = loris.loads(LONG)
    first = model.check(QUESTION, engine="fixpoint", timeout=0.2).to_dict()
    second = model.check(QUESTION, engine="fixpoint", timeout=0).to_dict()
    assert first["explored_states"] > 1000
    assert second.get("explored_states", 0) <= 1000


def test_cancel() -> None:
    model = loris.loads(LONG)
    event = threading.Event()
    timer = threading.Timer(0.2, event.set)
    timer.start()
    result = model.check(QUESTION, engine="fixpoint", cancel=event)
    assert (result.verdict, result.reason) == ("unknown", "interrupted")
    timer.join()

    class Broken:
        def is_set(self) -> bool:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        model.check(QUESTION, engine="fixpoint", cancel=Broken())


def test_other_threads_go_on() -> None:
    """A thread counts while a check works; with the lock held, it would not get a turn."""
    model = loris.loads(LONG)
    event = threading.Event()

    def count() -> None:
        for _ in range(200_000):
            pass
        event.set()

    thread = threading.Thread(target=count)
    thread.start()
    # ends when the other thread is done: without a turn for it, never
    result = model.check(QUESTION, engine="fixpoint", cancel=event)
    thread.join()
    assert result.reason == "interrupted"


def test_many_threads() -> None:
    model = loris.load("examples/dataflow.rsm")
    expected = model.check_all(files=["examples/dataflow.ctl"]).counts
    found: list[Any] = []

    def ask() -> None:
        for _ in range(20):
            found.append(model.check_all(files=["examples/dataflow.ctl"]).counts)

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 160


CALLS = {
    "check": f"model.check({QUESTION!r}, engine='fixpoint')",
    "check_all": f"model.check_all([{QUESTION!r}] * 3, engine='fixpoint')",
    "reach": "model.reach('c = 1000000001')",
    "convert": "model.to_text('rsm')",
}


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent as on Unix")
@pytest.mark.parametrize("call", CALLS)
def test_interrupt(call: str) -> None:
    """Ctrl-C ends a call that would go on for minutes."""
    program = f"""
import loris
model = loris.loads({LONG!r})
print("ready", flush=True)
try:
    {CALLS[call]}
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""
    child = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    try:
        assert child.stdout is not None and child.stdout.readline() == "ready\n"
        threading.Timer(0.3, child.send_signal, [signal.SIGINT]).start()
        out, _ = child.communicate(timeout=20)
    finally:
        child.kill()
    assert (out, child.returncode) == ("interrupted\n", 0)


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent as on Unix")
def test_handlers_run_during_checks() -> None:
    """A handler that raises nothing runs in time and does not disturb the work."""
    seen = []
    event = threading.Event()

    def handler(*_: Any) -> None:
        seen.append(1)
        event.set()

    before = signal.signal(signal.SIGUSR1, handler)
    try:
        threading.Timer(0.2, signal.raise_signal, [signal.SIGUSR1]).start()
        result = loris.loads(LONG).check(QUESTION, engine="fixpoint", cancel=event)
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert seen == [1] and result.reason == "interrupted"
