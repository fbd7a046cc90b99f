"""The annotations: complete, and true of the native half."""

from __future__ import annotations

import doctest
import importlib
import re
import subprocess
import sys
from pathlib import Path

import loris
import pytest
from conftest import ROOT

PACKAGE = Path(loris.__file__).parent


def run(*arguments: str) -> None:
    done = subprocess.run([sys.executable, "-m", *arguments], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr


def test_marker() -> None:
    assert (PACKAGE / "py.typed").exists() and (PACKAGE / "_native.pyi").exists()


def test_mypy() -> None:
    pytest.importorskip("mypy")
    run("mypy", "--strict", "--ignore-missing-imports", "--disable-error-code=type-arg", "-p", "loris")


def test_stubs() -> None:
    pytest.importorskip("mypy")
    run("mypy.stubtest", "loris._native", "--ignore-disjoint-bases")


def test_examples_in_documentation() -> None:
    for name in ("loris", "loris._build"):
        failed, tried = doctest.testmod(importlib.import_module(name))
        assert failed == 0 and tried > 0, name


def test_page() -> None:
    """What docs/python.md shows is what happens."""
    pytest.importorskip("networkx")
    text = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    test = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, "python.md", "docs/python.md", 0)
    assert len(test.examples) > 20
    assert doctest.DocTestRunner().run(test).failed == 0


def test_all_names_exist() -> None:
    assert sorted(loris.__all__, key=str.lower) and all(hasattr(loris, name) for name in loris.__all__)
