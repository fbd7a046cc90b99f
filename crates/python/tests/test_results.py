"""Verdicts, traces and their renderings."""

from __future__ import annotations

import json
import pickle

import loris
import pytest
from conftest import LONG, SMALL


def test_verdicts_are_words() -> None:
    model = loris.loads(SMALL)
    holds, fails = model.check("E F q"), model.check("A G p")
    assert holds.verdict is loris.Verdict.HOLDS and holds.verdict == "holds" and str(holds.verdict) == "holds"
    assert fails.verdict is loris.Verdict.FAILS and fails.verdict != "holds"
    assert holds and not fails
    assert (holds.holds, holds.fails, holds.is_known) == (True, False, True)
    assert (fails.holds, fails.fails, fails.is_known) == (False, True, True)
    counters = model.check("E F q", engine="summary").counters
    assert counters["contexts"] == 1 and "seconds" not in counters and "line" not in counters


def test_unknown_is_not_a_truth_value() -> None:
    result = loris.loads(SMALL).check("E F q", timeout=0)
    assert result.verdict == "unknown" and result.reason == "the time limit was reached"
    assert not result.is_known and not result.holds and not result.fails
    with pytest.raises(loris.UndecidedError, match="time limit") as caught:
        bool(result)
    assert caught.value.reason == result.reason
    search = loris.loads(LONG).reach("c = 5000000", timeout=0)
    assert search.verdict == "unknown"
    with pytest.raises(loris.UndecidedError):
        bool(search)


def test_steps() -> None:
    result = loris.load("examples/dataflow.rsm").check("A G (def_i -> E F use_i)")
    trace = result.trace
    assert trace is not None
    assert trace.shows == "E F (def_i & !E F use_i)"
    assert [(step.component, step.node, step.depth) for step in trace] == [
        ("main", "main_11_0", 0),
        ("main", "main_12_1", 0),
        ("a", "a_19_4", 1),
        ("main", "main_13_2", 0),
        ("b", "b_23_5", 1),
        ("b", "b_23_6", 1),
    ]
    assert trace[-1].labels == ("def_i",)
    assert trace[2].stack == (loris.Call("call_a", "a", None),)
    assert trace.loop is None and trace.cycle == ()
    assert [step.index for step in trace[1:3]] == [1, 2]
    assert "main/main_11_0 {def_i}" in str(trace)


def test_lasso() -> None:
    trace = loris.loads(SMALL).check("A F q").trace
    assert trace is not None and trace.loop is not None
    start, end = trace.loop
    assert trace[start].node == trace[end].node == "a"
    assert [step.node for step in trace.cycle] == ["a"] * (end - start)
    assert "repeats" in str(trace) and "again from" in str(trace)


def test_values() -> None:
    text = "MODULE main VAR x : 0..3; y : boolean; ASSIGN init(x) := 0; next(x) := (x + 1) mod 4; next(y) := y;"
    trace = loris.loads(text).check("AG !(x = 3 & y)").trace
    assert trace is not None
    assert [step.values["x"] for step in trace] == ["0", "1", "2", "3"]
    assert [dict(step.changes) for step in trace][1:] == [{"x": "1"}, {"x": "2"}, {"x": "3"}]
    assert trace.values(-1) == {"x": "3", "y": "TRUE"}
    assert all(step.node is None for step in trace)


def test_sources() -> None:
    machine = loris.Machine()
    main = machine.component("main")
    main.node("a", entry=True, source=loris.Source("A.java", 3, 7))
    main.node("b", ["bad"], exit=True, source=loris.Source("A.java", 4, None))
    main.edge("a", "b")
    trace = machine.build().check("A G !bad").trace
    assert trace is not None
    assert [step.source for step in trace] == [("A.java", 3, 7), ("A.java", 4, None)]
    assert [str(step.source) for step in trace] == ["A.java:3:7", "A.java:4"]


def test_invariants() -> None:
    result = loris.load("examples/arbiter.aag").check("A G !(grant0 & grant1)", engine="pdr")
    assert result.holds and result.proof is not None
    assert result.proof["kind"] == "invariant"


def test_json() -> None:
    results = loris.loads(SMALL).check_all(["E F q", "A G p"])
    assert json.loads(results.to_json()) == results.to_dict()
    assert json.loads(results[0].to_json(indent=2)) == results[0].to_dict()
    assert results.counts == {"holds": 1, "fails": 1, "unknown": 0}
    assert results.verdict == "fails"
    assert len(results) == 2 and [result.property for result in results] == ["E F q", "A G p"]
    assert results.model["nodes"] == 2


def test_errors_survive_pickling() -> None:
    with pytest.raises(loris.PropertyError) as caught:
        loris.loads(SMALL).check("A G (")
    again = pickle.loads(pickle.dumps(caught.value))
    assert type(again) is loris.PropertyError and again.problems == caught.value.problems
    for error in (loris.LimitError("r", "s"), loris.UndecidedError("q", "r")):
        assert str(pickle.loads(pickle.dumps(error))) == str(error)


HOSTILE = [
    "<script>alert(1)</script>",
    "\"><img src=x onerror=alert(1)>",
    "a\u202eb\u2066c",
    "line\nbreak\x1b[31m",
    "&lt;b&gt;",
    "'; -- \\",
]


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names(name: str) -> None:
    machine = loris.Machine()
    main = machine.component(name)
    inner = machine.component("f")
    inner.node("in", [name], entry=True, exit=True, source=loris.Source(name, 1, None))
    main.node(name, [name], entry=True, source=loris.Source(name, 1, None))
    main.node("bad", ["bad"], exit=True)
    box = main.box(name, inner)
    main.edges(name, box["in"])
    main.edge(box["in"], "bad")
    model = machine.build(name=name)
    result = model.check("A G !bad")
    assert result.fails and result.trace is not None
    assert [step.node for step in result.trace] == [name, "in", "bad"]
    assert result.trace[0].labels == (name,) and result.trace[1].stack[0].site == name
    shown = [
        result.trace._repr_html_(),
        result._repr_html_(),
        model.check_all(["A G !bad"])._repr_html_(),
        model.reach("bad")._repr_html_(),
    ]
    for page in shown:
        assert "<script" not in page and "<img" not in page and "\x1b" not in page
        assert not any(c in page for c in "\u202e\u2066")
    for text in (repr(result), repr(result.trace), str(result.trace), repr(model.reach("bad"))):
        assert "\x1b" not in text and "\u202e" not in text
    with pytest.raises(loris.ModelError) as caught:
        main.edge("bad", name + "?")
        machine.build(name=name)
    assert "\x1b" not in str(caught.value) and "\u202e" not in str(caught.value)
    # the property itself is a name, too
    if '"' not in name and "\n" not in name and "\\" not in name:
        page = model.check(f'E F "{name}"')._repr_html_()
        assert "<script" not in page and "<img" not in page and "\u202e" not in page


def test_long_traces_are_cut() -> None:
    text = "MODULE main VAR x : 0..2000; ASSIGN init(x) := 0; next(x) := (x + 1) mod 2001;"
    trace = loris.loads(text).check("AG x < 1999").trace
    assert trace is not None and len(trace) == 2000
    page = trace._repr_html_()
    assert page.count("<tr>") == 1 + 200 + 1
    assert "1800 steps left out" in page
    assert "x = 0" in page and "x = 1999" in page and "x = 1000" not in page
