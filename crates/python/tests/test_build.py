"""Machines and graphs that are built in Python."""

from __future__ import annotations

import json
import random
from typing import Any

import loris
import pytest


def recursive() -> loris.Machine:
    """A procedure that either returns or calls itself, and a main that calls it."""
    machine = loris.Machine()
    main = machine.component("main")
    f = machine.component("f")
    main.node("start", entry=True)
    main.node("end", ["done"], exit=True)
    b = main.box("b", f)
    main.edges("start", b["in"])
    main.edge(b["out"], "end")
    f.node("in", entry=True)
    f.node("out", exit=True)
    again = f.box("again", "f")
    f.edge("in", "out")
    f.edge("in", again["in"])
    f.edge(again["out"], "out")
    return machine


def test_machine() -> None:
    model = recursive().build()
    assert model.sizes["components"] == 2 and model.sizes["boxes"] == 2
    assert model.check("E F done").holds
    assert model.check("A F done").fails
    path = model.reach("done")
    assert path and path.trace is not None and path.trace.nodes == ["start", "in", "out", "end"]
    assert json.loads(recursive().to_json()) == recursive().to_dict()
    assert [component.name for component in recursive().components] == ["main", "f"]


def test_mistakes() -> None:
    machine = loris.Machine()
    with pytest.raises(loris.UsageError, match="no component"):
        machine.build()
    main = machine.component("main")
    main.node("a", entry=True)
    with pytest.raises(loris.UsageError, match="already"):
        main.node("a")
    with pytest.raises(loris.UsageError, match="already"):
        machine.component("main")
    with pytest.raises(TypeError):
        main.node("b", "label")
    main.edge("a", "nowhere")
    with pytest.raises(loris.ModelError, match="nowhere"):
        machine.build()


networkx = pytest.importorskip("networkx")


def test_graph() -> None:
    graph = networkx.DiGraph()
    graph.add_node(1, labels=["p"], initial=True)
    graph.add_node(2, labels={"q", "p"})
    graph.add_edges_from([(1, 2), (2, 1), (2, 2)])
    model = loris.from_networkx(graph)
    assert model.check("A G p").holds and model.check("A G A F q").holds
    assert loris.from_networkx(graph, initial=[2]).check("q").holds
    trace = model.check("A G !q").trace
    assert trace is not None and trace.nodes == ["1", "2"]


def test_graphs_that_are_wrong() -> None:
    graph = networkx.DiGraph([(1, 2)])
    cases: list[tuple[Any, dict[str, Any], str]] = [
        (networkx.Graph([(1, 2)]), {"initial": [1]}, "not directed"),
        (graph, {}, "no node is initial"),
        (graph, {"initial": [3]}, "is not a node of the graph"),
        (networkx.DiGraph([(1, "1")]), {"initial": [1]}, "same name"),
    ]
    for wrong, options, message in cases:
        with pytest.raises(loris.UsageError, match=message):
            loris.from_networkx(wrong, **options)
    with pytest.raises(loris.ModelError, match="successor"):
        loris.from_networkx(graph, initial=[1])
    assert loris.from_networkx(graph, initial=[1], dead_ends="loop").sizes["nodes"] == 2
    graph.nodes[1]["labels"] = "p"
    with pytest.raises(loris.UsageError, match="list of str"):
        loris.from_networkx(graph, initial=[1])


@pytest.mark.parametrize("path", ["examples/dataflow.rsm", "examples/fig3.rsm", "examples/file.rsm"])
def test_round_trip(path: str) -> None:
    model = loris.load(path)
    graph = loris.to_networkx(model)
    assert graph.number_of_nodes() >= model.sizes["nodes"]
    assert loris.from_networkx(graph).to_text("rsm") == model.to_text("rsm")


def test_calls_are_edges() -> None:
    graph = recursive().build().to_networkx()
    assert graph.edges[("main", "b", "in"), ("f", "in")]["kind"] == "call"
    assert graph.edges[("f", "out"), ("main", "b", "out")]["kind"] == "return"
    assert networkx.has_path(graph, ("main", "start"), ("main", "end"))
    assert graph.nodes["main", "start"]["initial"] and not graph.nodes["f", "in"]["initial"]


def random_graph(seed: int) -> Any:
    """A graph in which every node has a successor, with the labels p and q here and there."""
    rng = random.Random(seed)
    count = rng.randint(1, 12)
    graph = networkx.gnp_random_graph(count, rng.uniform(0.05, 0.4), seed=seed, directed=True)
    for node in graph:
        graph.nodes[node]["labels"] = [label for label in "pq" if rng.random() < 0.3]
        if not graph.out_degree(node):
            graph.add_edge(node, rng.randrange(count))
    for start in rng.sample(range(count), rng.randint(1, min(3, count))):
        graph.nodes[start]["initial"] = True
    return graph


def least(graph: Any, step: Any) -> set[Any]:
    """The least fixpoint of a monotone function on sets of nodes."""
    found: set[Any] = set()
    while True:
        more = step(found)
        if more == found:
            return found
        found = more


def oracle(graph: Any) -> dict[str, set[Any]]:
    """The nodes where some formulas are true, from the definition."""
    nodes = set(graph)
    p = {node for node in graph if "p" in graph.nodes[node]["labels"]}
    q = {node for node in graph if "q" in graph.nodes[node]["labels"]}

    def some(of: set[Any]) -> set[Any]:
        return {node for node in graph if any(next in of for next in graph.successors(node))}

    def each(of: set[Any]) -> set[Any]:
        return {node for node in graph if all(next in of for next in graph.successors(node))}

    ef_q = least(graph, lambda found: q | some(found))
    af_q = least(graph, lambda found: q | each(found))
    eu = least(graph, lambda found: q | (p & some(found)))
    return {
        "E F q": ef_q,
        "A F q": af_q,
        "E X p": some(p),
        "A X p": each(p),
        "E [p U q]": eu,
        "A G p": nodes - least(graph, lambda found: (nodes - p) | some(found)),
        "E G p": nodes - least(graph, lambda found: (nodes - p) | each(found)),
        "A G E F q": nodes - least(graph, lambda found: (nodes - ef_q) | some(found)),
    }


@pytest.mark.parametrize("seed", range(60))
def test_random_graphs(seed: int) -> None:
    graph = random_graph(seed)
    model = loris.from_networkx(graph)
    starts = [node for node, data in graph.nodes(data=True) if data.get("initial")]
    expected = oracle(graph)
    # a label that no node has is a mistake unless it may be false everywhere
    results = model.check_all(expected, unknown_atoms="false")
    for result, (formula, true) in zip(results, expected.items()):
        assert result.property == formula
        assert result.holds == all(start in true for start in starts), formula
    for result in results:
        for trace in result.traces:
            nodes = [int(node) for node in trace.nodes if node is not None]
            assert all(graph.has_edge(*pair) for pair in zip(nodes, nodes[1:]))
            if trace is result.trace:
                assert nodes[0] in starts
    for label in "pq":
        targets = [node for node, data in graph.nodes(data=True) if label in data["labels"]]
        if not targets:
            continue
        lengths = [
            networkx.shortest_path_length(graph, start, target)
            for start in starts
            for target in targets
            if networkx.has_path(graph, start, target)
        ]
        found = model.reach(label)
        assert bool(found) == bool(lengths)
        assert found.steps == (min(lengths) if lengths else None)
    again = loris.from_networkx(loris.to_networkx(model))
    assert again.to_text("rsm") == model.to_text("rsm")
    assert [one.verdict for one in again.check_all(expected, unknown_atoms="false")] == [
        one.verdict for one in results
    ]


def test_transition_systems() -> None:
    graph = networkx.MultiDiGraph()
    graph.add_node("idle", initial=True)
    graph.add_node("busy", labels=["work"])
    graph.add_edge("idle", "busy", action="send")
    graph.add_edge("busy", "idle", action="ok")
    graph.add_edge("busy", "idle", action="fail")
    model = loris.from_networkx(graph, actions="action")
    assert model.format == "kmts" and model.sizes["actions"] == 3
    assert model.check("[true*]<true*.send>tt", logic="mu").holds
    assert model.check("[send]<ok>tt & [send]<fail>tt", logic="mu").holds
    assert model.check("[send][fail]<ok>tt", logic="mu").fails
    assert model.check("A G E F work").holds
    with pytest.raises(loris.UsageError, match="one initial node"):
        loris.from_networkx(graph, initial=["idle", "busy"], actions="action")
    graph.add_edge("idle", "idle")
    with pytest.raises(loris.UsageError, match="attribute action"):
        loris.from_networkx(graph, actions="action")


@pytest.mark.parametrize("seed", range(30))
def test_random_transition_systems(seed: int) -> None:
    rng = random.Random(seed)
    graph = networkx.MultiDiGraph()
    graph.add_nodes_from(range(rng.randint(1, 8)))
    for _ in range(rng.randint(1, 16)):
        graph.add_edge(rng.choice(list(graph)), rng.choice(list(graph)), action=rng.choice("ab"))
    model = loris.from_networkx(graph, initial=[0], actions="action", labels="labels")
    reached = {0} | networkx.descendants(graph, 0)

    def enabled(action: str) -> set[Any]:
        return {source for source, _, data in graph.edges(data=True) if data["action"] == action}

    ends = {node for node in graph if not graph.out_degree(node)}
    expected = {"[true*]<true>tt": not reached & ends, "<true*>[true]ff": bool(reached & ends)}
    for action in sorted({data["action"] for _, _, data in graph.edges(data=True)}):
        expected[f"<true*.{action}>tt"] = bool(reached & enabled(action))
        expected[f"[true*]<{action}>tt"] = reached <= enabled(action)
    for result, (formula, holds) in zip(model.check_all(expected, logic="mu"), expected.items()):
        assert result.is_known and result.holds == holds, formula


@pytest.mark.parametrize("seed", range(30))
def test_random_machines(seed: int) -> None:
    """Machines with calls go through a graph and come back; labels of odd names survive."""
    rng = random.Random(seed)
    machine = loris.Machine()
    names = ["main", "f", "g <>", "\u00e4 \"h\""][: rng.randint(1, 4)]
    for name in names:
        component = machine.component(name)
        component.node("in", [rng.choice(["p", "q r", "\n"])], entry=True)
        component.node("out", exit=True)
        count = rng.randint(0, 3)
        inner = [component.node(f"n{i}", ["p"] if rng.random() < 0.5 else []) for i in range(count)]
        boxes = [component.box(f"b{i}", rng.choice(names)) for i in range(rng.randint(0, 2))]
        for node in ["in", *inner]:
            component.edge(node, rng.choice(["out", *inner, *(box["in"] for box in boxes)]))
            component.edge(node, "out")
        for box in boxes:
            component.edge(box["out"], rng.choice(["out", *inner]))
    model = machine.build(dead_ends="loop")
    graph = model.to_networkx()
    again = loris.from_networkx(graph, dead_ends="loop")
    assert again.to_text("rsm") == model.to_text("rsm")
    formulas = ["A G p", "E F (p & E X p)", "A F p", 'E F "q r"', "E G !p"]
    verdicts = [result.verdict for result in model.check_all(formulas, unknown_atoms="false")]
    assert [result.verdict for result in again.check_all(formulas, unknown_atoms="false")] == verdicts
    engine = [result.verdict for result in model.check_all(formulas, engine="eager", unknown_atoms="false")]
    assert engine == verdicts
    nodes = model.reach(all=True).nodes
    assert nodes is not None
    # paths of the graph are more than the runs of the model
    flat = set()
    for start in [key for key, data in graph.nodes(data=True) if data.get("initial")]:
        flat |= {start} | networkx.descendants(graph, start)
    assert set(nodes) <= {"/".join(key) for key in flat if len(key) == 2}
