"""What all tests share: the examples of the repository, and the command line."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any, Callable

import pytest

ROOT = Path(__file__).resolve().parents[3]

Cli = Callable[..., Any]


def program() -> Path:
    """The binary `loris`, from the environment or as the workspace builds it."""
    given = os.environ.get("LORIS")
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    return Path(given) if given else ROOT / target / "debug" / "loris"


@pytest.fixture
def cli() -> Cli:
    """Runs the command line in the root of the repository, and returns its JSON document."""
    if not program().exists():
        pytest.skip(f"{program()} is not there: cargo build -p loris-cli")

    def run(*arguments: str, json_output: bool = True) -> Any:
        done = subprocess.run(
            [str(program()), *arguments, *(["--format", "json"] if json_output else [])],
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert done.returncode in (0, 1, 3), done.stderr
        return json.loads(done.stdout) if json_output else (done.returncode, done.stdout)

    return run


@pytest.fixture(autouse=True)
def at_root(monkeypatch: pytest.MonkeyPatch) -> None:
    """Paths of examples are relative to the root of the repository, as in its documentation."""
    monkeypatch.chdir(ROOT)


SMALL = """{"initial_component": "main", "components": [{"name": "main",
 "nodes": [{"name": "a", "is_entry": true, "labels": ["p"]}, {"name": "b", "labels": ["q"]}],
 "transitions": [{"source": {"name": "a"}, "targets": [{"name": "a"}, {"name": "b"}]},
                 {"source": {"name": "b"}, "targets": [{"name": "b"}]}]}]}"""

LONG = "MODULE main VAR c : 0..999999999; ASSIGN init(c) := 0; next(c) := (c + 1) mod 1000000000;"
"""States enough for minutes, if they are listed."""
