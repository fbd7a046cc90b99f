"""What is wrong, and where."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import loris
import pytest
from conftest import SMALL


def check(call: Any, kind: type, line: Any, column: Any, message: str) -> None:
    with pytest.raises(kind, match=message) as caught:
        call()
    error = caught.value
    assert isinstance(error, loris.InputError) and isinstance(error, ValueError)
    assert (error.line, error.column) == (line, column), str(error)
    assert type(error) is kind


def test_properties() -> None:
    model = loris.loads(SMALL)
    check(lambda: model.check("A G ("), loris.PropertyError, 1, 6, "expected a formula")
    check(lambda: model.check("A G pp"), loris.PropertyError, 1, 5, "no node is labelled")
    check(lambda: model.check("G p"), loris.PropertyError, 1, 1, "quantifier")
    check(lambda: model.check_all(), loris.PropertyError, None, None, "no property")
    check(lambda: model.check("A G p", engine="pdr"), loris.PropertyError, 1, 1, "pdr")
    with pytest.raises(loris.PropertyError) as caught:
        model.check("G p")
    assert 'logic="ltl"' in str(caught.value)
    with pytest.raises(loris.PropertyError) as caught:
        model.check_all(["A G pp", "A G p", "A (", "E F qq"])
    assert [problem.line for problem in caught.value.problems] == [1, 1, 1]


def test_files(tmp_path: Path) -> None:
    file = tmp_path / "p.ctl"
    file.write_text("A G p\n\n  A G (p\n")
    model = loris.loads(SMALL)
    check(lambda: model.check_all(files=[file]), loris.PropertyError, 3, 7, "not closed")
    with pytest.raises(loris.PropertyError, match="cannot be read"):
        model.check_all(files=[tmp_path / "none.ctl"])


MODELS = [
    ("rsm", '{"initial_component": "m",\n "components": 7}', 2, 16),
    ("rsm", "{", 1, 2),
    ("smv", "MODULE main\nVAR x : boolean;\nASSIGN next(y) := x;", 3, 13),
    ("smv", "MODULE main\nVAR x boolean;", 2, 7),
    ("pds", "(q <a>)\nq <a> -> q <>\n", 2, 7),
    ("aiger", "aag 1 1\n", 1, None),
    ("aut", "des (0, 1, 1)\n(0, a, 9)\n", 2, None),
]


@pytest.mark.parametrize("format, text, line, column", MODELS)
def test_models(format: str, text: str, line: int, column: Any) -> None:
    with pytest.raises(loris.ModelError) as caught:
        loris.loads(text, format=format, name="a name")
    error = caught.value
    assert error.line == line, str(error)
    assert column is None or error.column == column, str(error)
    assert error.source == "a name" and "a name" in str(error)
    assert all(problem.message for problem in error.problems)


def test_all_problems_at_once() -> None:
    text = SMALL.replace('"targets": [{"name": "a"}', '"targets": [{"name": "x"}').replace('[{"name": "b"}]', '[{"name": "y"}]')
    with pytest.raises(loris.ModelError) as caught:
        loris.loads(text)
    assert len([problem for problem in caught.value.problems if problem.severity == "error"]) >= 2


def test_missing_files() -> None:
    with pytest.raises(FileNotFoundError):
        loris.load("no such file.rsm")
    with pytest.raises(FileNotFoundError):
        loris.load("examples/file.rsm", peer="none.aut")
    with pytest.raises(FileNotFoundError):
        loris.load("-")
    with pytest.raises(loris.LorisError):
        loris.load([])


def test_unrecognised() -> None:
    check(lambda: loris.loads("what is this"), loris.ModelError, None, None, "does not look like a model")
    check(lambda: loris.loads(""), loris.ModelError, None, None, "empty")
    check(lambda: loris.loads(b"\xff\xfe\x00"), loris.ModelError, None, None, "does not look like")


USAGE: list[dict[str, Any]] = [
    {"engine": "no such engine"},
    {"logic": "tctl"},
    {"at_exit": "explode"},
    {"runs": "some"},
    {"unknown_atoms": "true"},
    {"timeout": -1},
    {"timeout": float("nan")},
    {"memory": "much"},
    {"memory": -5},
    {"jobs": 0},
    {"at_exit": "stop"},
    {"runs": "bounded"},
]


@pytest.mark.parametrize("options", USAGE)
def test_usage(options: dict[str, Any]) -> None:
    model = loris.loads(SMALL)
    with pytest.raises(loris.UsageError) as caught:
        model.check("A G p", **options)
    assert str(caught.value)
    # nothing of it stays
    assert model.check("A G p").fails


def test_types() -> None:
    model = loris.loads(SMALL)
    for call in (
        lambda: model.check(7),  # type: ignore[arg-type]
        lambda: model.check_all("A G p"),
        lambda: model.check("A G p", seed="x"),  # type: ignore[arg-type]
        lambda: loris.load(7),  # type: ignore[arg-type]
        lambda: loris.load(b"x"),  # type: ignore[arg-type]
        lambda: loris.loads(SMALL, max_states="x"),  # type: ignore[arg-type]
    ):
        with pytest.raises((TypeError, loris.UsageError)):
            call()


def test_engines_suggest() -> None:
    with pytest.raises(loris.UsageError, match="summary"):
        loris.loads(SMALL).check("A G p", engine="sumary")


def test_surrogates() -> None:
    model = loris.loads(SMALL)
    for text in ("\ud800", "A G \udfff"):
        with pytest.raises((UnicodeError, loris.LorisError)):
            model.check(text)
    with pytest.raises((UnicodeError, loris.LorisError, OSError)):
        loris.load("\udcff")
