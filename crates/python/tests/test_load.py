"""All kinds of inputs, and what is known of a model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import loris
import pytest
from conftest import SMALL

KINDS: list[tuple[Any, str, str, dict[str, Any], str]] = [
    ("examples/fig3.rsm", "rsm", "E G gray", {}, "holds"),
    ("examples/lock.pds", "pds", "G F acquire", {"logic": "ltl"}, "holds"),
    ("examples/smv/counter.smv", "smv", "EF TRUE", {}, "holds"),
    ("examples/arbiter.aag", "aiger", "A G !(grant0 & grant1)", {}, "holds"),
    ("examples/channel.aut", "aut", "[true*]<true>tt", {"logic": "mu"}, "holds"),
    ("examples/processes/door.kmts", "kmts", "E F open", {}, ""),
    ("examples/processes/clients.par", "par", "A G E F <true>tt", {}, "holds"),
    ("examples/processes/gate.pnml", "pnml", "E F <true>tt", {}, "holds"),
    (["examples/processes/client.aut", "examples/processes/lock.aut"], "aut", "E F <true>tt", {}, "holds"),
]


@pytest.mark.parametrize("path, format, question, options, verdict", KINDS)
def test_kinds(path: Any, format: str, question: str, options: dict[str, Any], verdict: str) -> None:
    model = loris.load(path)
    assert model.format == format
    result = model.check(question, **options)
    assert result.property == question
    assert not verdict or result.verdict == verdict


@pytest.mark.parametrize("path", ["examples/fig3.rsm", "examples/lock.pds", "examples/arbiter.aag"])
def test_texts_and_bytes(path: str) -> None:
    data = Path(path).read_bytes()
    sizes = loris.load(path).sizes
    assert loris.loads(data).sizes == sizes
    assert loris.loads(data.decode()).sizes == sizes
    assert loris.loads(data, name="some name").path == "some name"


def test_pathlib() -> None:
    assert loris.load(Path("examples/fig3.rsm")).path == "examples/fig3.rsm"


def test_sizes() -> None:
    model = loris.loads(SMALL)
    assert model.sizes == {"components": 1, "nodes": 2, "boxes": 0, "edges": 3, "theta": 0}
    assert list(model.sizes) == ["components", "nodes", "boxes", "edges", "theta"]
    assert repr(model) == "<Model '<text>' (rsm): 1 components, 2 nodes, 0 boxes, 3 edges, 0 theta>"
    assert list(loris.load("examples/arbiter.aag").sizes) == ["inputs", "latches", "gates", "outputs"]


def test_a_model_does_not_change(tmp_path: Path) -> None:
    for name in ("counter.smv", "twin.smv"):
        file = tmp_path / name
        file.write_text(Path("examples/smv", name).read_text())
        model = loris.load(file)
        before = [result.verdict for result in model.check_all()]
        file.write_text("MODULE main VAR other : boolean;")
        assert [result.verdict for result in model.check_all()] == before
        file.unlink()
        assert [result.verdict for result in model.check_all()] == before


def test_peer() -> None:
    model = loris.load("examples/file.rsm", peer="examples/file.aut")
    assert model.check("A G !peer_2").fails


def test_modules() -> None:
    model = loris.load("examples/smv/fig2_2.smv")
    assert len(model.check_all()) > 0
    with pytest.raises(loris.ModelError, match="no module"):
        loris.load("examples/smv/fig2_2.smv", module="nowhere")


def test_dead_ends() -> None:
    text = SMALL.replace('{"source": {"name": "b"}, "targets": [{"name": "b"}]}', "").replace(",\n                 ]", "]")
    with pytest.raises(loris.ModelError) as caught:
        loris.loads(text)
    assert "dead_ends=" in str(caught.value)
    assert loris.loads(text, dead_ends="loop").check("A G (q -> E X q)").holds
    assert loris.loads(text, dead_ends="stop").check("A G (q -> E X q)").fails


def test_formats() -> None:
    model = loris.load("examples/fig3.rsm")
    with pytest.raises(loris.UsageError, match="exits"):
        model.to_text("smv")
    assert "MODULE main" in loris.load("examples/dataflow.rsm").to_text("smv")
    for format in ("rsm", "pds", "dot"):
        assert model.to_text(format)
    again = loris.loads(model.to_text("pds"), format="pds")
    assert again.check("E G gray").holds
    circuit = loris.load("examples/arbiter.aag")
    assert circuit.to_bytes("aig").startswith(b"aig ")
    assert loris.loads(circuit.to_bytes("aig")).sizes == circuit.sizes
    with pytest.raises(loris.UsageError, match="expected one of"):
        model.to_text("docx")
    with pytest.raises(loris.LorisError, match="circuit"):
        model.to_bytes("aig")


def test_remarks_are_warnings() -> None:
    model = loris.load("examples/lock.pds")
    with pytest.warns(loris.LorisWarning, match="left out"):
        model.to_text("rsm")


def test_engines() -> None:
    names = [engine.name for engine in loris.engines()]
    assert "summary" in names and "bdd" in names
    model = loris.load("examples/fig3.rsm")
    for engine in loris.engines():
        if "ctl" in engine.logics and engine.name in ("eager", "lazy", "summary", "random", "ternary"):
            result = model.check("E G gray", engine=engine.name)
            assert (result.engine, result.verdict) == (engine.name, "holds")
