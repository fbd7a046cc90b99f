"""Models as graphs of networkx, and back."""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterable
from typing import TYPE_CHECKING, Any, Optional

from ._build import End, Machine, Port
from ._errors import UsageError
from ._model import Model, loads

if TYPE_CHECKING:
    import networkx


def from_networkx(
    graph: networkx.Graph[Any],
    initial: Optional[Iterable[Hashable]] = None,
    *,
    labels: str = "labels",
    actions: Optional[str] = None,
    name: str = "<graph>",
    dead_ends: Optional[str] = None,
    empty_calls: Optional[str] = None,
) -> Model:
    """Makes a model of a directed graph: a state for each node, a step for each edge.

    The attribute `labels` of a node lists the labels that hold there. Runs start in the nodes of
    `initial`, or else in those that have a true attribute `initial`. States are called by the `str`
    of their nodes. A node without successors is an error unless `dead_ends` is "loop" or "stop".

    `actions` names an attribute of edges: with it, the graph is a labelled transition system with
    one initial node, whose edges have that action, for properties like `[true*]<send>tt` in the
    mu-calculus.

    A graph as `to_networkx` makes it, whose nodes have an attribute `component`, becomes the
    recursive state machine that it was made of.
    """
    if not graph.is_directed():
        raise UsageError("the graph is not directed; graph.to_directed() makes each edge two")
    starts = None if initial is None else list(initial)
    if starts is not None:
        unknown = [node for node in starts if node not in graph]
        if unknown:
            raise UsageError(f"initial: {unknown[0]!r} is not a node of the graph")
    if actions is not None:
        text = json.dumps(_transition_system(graph, starts, labels, actions))
        return loads(text, format="kmts", name=name, dead_ends=dead_ends)
    if any("component" in data for _, data in graph.nodes(data=True)):
        machine = _machine(graph, starts, labels)
    else:
        machine = _structure(graph, starts, labels)
    return machine.build(name=name, dead_ends=dead_ends, empty_calls=empty_calls)


def to_networkx(model: Model) -> networkx.DiGraph[Any]:
    """Makes a directed graph of a model that has nodes.

    A node of the model is the pair of its component and its name, with the attributes `component`,
    `name`, `labels`, `entry`, `exit` and `initial`. The port of a box is the triple of its component,
    the box and a node of the callee, with the attributes `component`, `box`, `callee` and `port`.
    Edges have an attribute `kind`: "step" inside a component, "call" from a port to the entry it
    stands for, "return" from an exit to the ports that stand for it.

    A path in this graph may return elsewhere than it was called; runs of the model do not.
    """
    import networkx

    data = json.loads(model.to_text("rsm"))
    graph: networkx.DiGraph[Any] = networkx.DiGraph(initial_component=data["initial_component"])
    components = {component["name"]: component for component in data["components"]}
    first = components[data["initial_component"]]
    starts = data.get("initial_nodes")
    if starts is None and "initial_node" in data:
        starts = [data["initial_node"]]
    if starts is None:
        starts = [node["name"] for node in first["nodes"] if node.get("is_entry")]
    initial = {(first["name"], start) for start in starts}
    for component in components.values():
        for node in component["nodes"]:
            place = (component["name"], node["name"])
            attributes = {
                "component": component["name"],
                "name": node["name"],
                "labels": list(node.get("labels", ())),
                "entry": bool(node.get("is_entry")),
                "exit": bool(node.get("is_exit")),
                "initial": place in initial,
            }
            if "source" in node:
                attributes["source"] = node["source"]
            graph.add_node(place, **attributes)
    for component in components.values():
        boxes = {box["name"]: box for box in component.get("boxes", ())}

        def key_of(end: dict[str, str], name: str = component["name"]) -> tuple[str, ...]:
            if "box_name" in end:
                return name, end["box_name"], end["node_name"]
            return name, end["name"]

        for box in boxes.values():
            callee = components[box["component"]]
            for port in [*box.get("call_nodes", ()), *box.get("return_nodes", ())]:
                key = (component["name"], box["name"], port)
                if key in graph:
                    continue
                graph.add_node(
                    key, component=component["name"], box=box["name"], callee=callee["name"], port=port
                )
                if graph.nodes[callee["name"], port]["entry"]:
                    graph.add_edge(key, (callee["name"], port), kind="call")
                if graph.nodes[callee["name"], port]["exit"]:
                    graph.add_edge((callee["name"], port), key, kind="return")
        for transition in component.get("transitions", ()):
            for target in transition["targets"]:
                graph.add_edge(key_of(transition["source"]), key_of(target), kind="step")
    return graph


def _starts(graph: networkx.Graph[Any], starts: Optional[list[Hashable]]) -> list[Hashable]:
    """The nodes where runs start, each once."""
    if starts is None:
        starts = [node for node, data in graph.nodes(data=True) if data.get("initial")]
    if not starts:
        raise UsageError("no node is initial: name some with initial=, or give them the attribute initial=True")
    return list(dict.fromkeys(starts))


def _names(graph: networkx.Graph[Any]) -> dict[Hashable, str]:
    """The names of all nodes, which must differ."""
    seen: dict[str, Hashable] = {}
    for node in graph:
        text = str(node)
        if text in seen:
            raise UsageError(f"the nodes {seen[text]!r} and {node!r} have the same name {text!r}")
        seen[text] = node
    return {node: text for text, node in seen.items()}


def _transition_system(
    graph: networkx.Graph[Any], starts: Optional[list[Hashable]], labels: str, actions: str
) -> dict[str, Any]:
    """The labelled transition system of a graph, in the format KMTS."""
    starts, names = _starts(graph, starts), _names(graph)
    if len(starts) > 1:
        raise UsageError(f"a transition system has one initial node, and these are {len(starts)}")
    steps = []
    for source, target, data in graph.edges(data=True):
        action = data.get(actions)
        if not isinstance(action, str):
            edge = f"the edge from {source!r} to {target!r}"
            raise UsageError(f"{edge}: the attribute {actions} is a str, not {action!r}")
        steps.append([names[source], action, names[target]])
    return {
        "kind": "lts",
        "initial": names[starts[0]],
        "states": [
            {"name": names[node], "labels": {label: True for label in _labels(node, data, labels)}}
            for node, data in graph.nodes(data=True)
        ],
        "steps": steps,
    }


def _structure(graph: networkx.Graph[Any], starts: Optional[list[Hashable]], labels: str) -> Machine:
    """The machine of a graph without calls."""
    machine = Machine()
    main = machine.component("main")
    starts, names = _starts(graph, starts), _names(graph)
    first = set(starts)
    for node, data in graph.nodes(data=True):
        main.node(names[node], _labels(node, data, labels), entry=node in first)
    for source, target in graph.edges():
        main.edge(names[source], names[target])
    machine.initial_nodes = [names[start] for start in starts]
    return machine


def _machine(graph: networkx.Graph[Any], starts: Optional[list[Hashable]], labels: str) -> Machine:
    """The machine that a graph was made of."""
    machine = Machine()
    components: dict[str, Any] = {}
    ends: dict[Hashable, tuple[str, End]] = {}
    initial: list[tuple[str, str]] = []
    for key, data in graph.nodes(data=True):
        name = data.get("component")
        if not isinstance(name, str):
            raise UsageError(f"node {key!r} has no attribute component, and others have one")
        component = components.get(name)
        if component is None:
            component = components[name] = machine.component(name)
        if "box" in data:
            box, callee, port = (_text(key, data, attribute) for attribute in ("box", "callee", "port"))
            if box not in component._boxes:
                component.box(box, callee)
            elif component._boxes[box]["component"] != callee:
                raise UsageError(f"box {box!r} of component {name!r} calls two components")
            known = component._boxes[box]
            # ports without edges belong to the machine, too
            side = "call_nodes" if _is_entry(graph, callee, port) else "return_nodes"
            known.setdefault(side, []).append(port)
            ends[key] = name, Port(box, port)
        else:
            text = _text(key, data, "name")
            component.node(
                text, _labels(key, data, labels), entry=bool(data.get("entry")), exit=bool(data.get("exit"))
            )
            if "source" in data:
                component._nodes[text]["source"] = data["source"]
            ends[key] = name, text
            if (starts is None and data.get("initial")) or (starts is not None and key in starts):
                initial.append((name, text))
    for source, target, data in graph.edges(data=True):
        if data.get("kind", "step") != "step":
            continue
        (owner, start), (other, end) = ends[source], ends[target]
        if owner != other:
            raise UsageError(f"the edge from {source!r} to {target!r} leads to another component")
        components[owner].edge(start, end)
    if not initial:
        raise UsageError("no node is initial: name some with initial=, or give them the attribute initial=True")
    if len({component for component, _ in initial}) > 1:
        raise UsageError("runs start in nodes of one component, and these are of several")
    machine.initial_component = initial[0][0]
    machine.initial_nodes = [name for _, name in initial]
    return machine


def _is_entry(graph: networkx.Graph[Any], component: str, node: str) -> bool:
    data = graph.nodes.get((component, node))
    return bool(data and data.get("entry"))


def _text(key: Hashable, data: dict[str, Any], attribute: str) -> str:
    value = data.get(attribute)
    if not isinstance(value, str):
        raise UsageError(f"node {key!r}: the attribute {attribute} is a str, not {value!r}")
    return value


def _labels(node: Hashable, data: dict[str, Any], attribute: str) -> list[str]:
    value = data.get(attribute, ())
    if isinstance(value, str) or not all(isinstance(label, str) for label in value):
        raise UsageError(f"node {node!r}: the attribute {attribute} is a list of str, not {value!r}")
    # sets have no order of their own, and the model should not depend on that of a hash
    return sorted(value) if isinstance(value, (set, frozenset)) else list(value)
