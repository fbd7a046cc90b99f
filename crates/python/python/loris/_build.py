"""Recursive state machines that are built in Python."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, NamedTuple, Optional, Union

from ._errors import UsageError
from ._model import Model, Path, loads
from ._trace import Source


class Port(NamedTuple):
    """A node of a called component, as an end of edges of the caller."""

    box: str
    node: str


End = Union[str, Port]


class Box:
    """A call of a component. `box["name"]` is its port for a node of the callee."""

    def __init__(self, name: str, callee: str) -> None:
        self.name = name
        self.callee = callee

    def __getitem__(self, node: str) -> Port:
        return Port(self.name, node)

    def __repr__(self) -> str:
        return f"<Box {self.name!r} calls {self.callee!r}>"


class Component:
    """A component: nodes, boxes and edges between nodes and ports of boxes."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._nodes: dict[str, dict[str, Any]] = {}
        self._boxes: dict[str, dict[str, Any]] = {}
        self._edges: dict[End, dict[End, None]] = {}

    def node(
        self,
        name: str,
        labels: Iterable[str] = (),
        *,
        entry: bool = False,
        exit: bool = False,
        source: Optional[Source] = None,
    ) -> str:
        """Adds a node, and returns its name."""
        if name in self._nodes:
            raise UsageError(f"component {self.name!r} has a node {name!r} already")
        if isinstance(labels, str):
            raise TypeError(f"labels is a list of str, not the str {labels!r}")
        node: dict[str, Any] = {"name": name}
        if entry:
            node["is_entry"] = True
        if exit:
            node["is_exit"] = True
        listed = list(labels)
        if listed:
            node["labels"] = listed
        if source is not None:
            node["source"] = {key: value for key, value in source._asdict().items() if value is not None}
        self._nodes[name] = node
        return name

    def box(self, name: str, callee: Union[str, Component], *, source: Optional[Source] = None) -> Box:
        """Adds a call of a component."""
        if name in self._boxes:
            raise UsageError(f"component {self.name!r} has a box {name!r} already")
        called = callee.name if isinstance(callee, Component) else callee
        box: dict[str, Any] = {"name": name, "component": called}
        if source is not None:
            box["source"] = {key: value for key, value in source._asdict().items() if value is not None}
        self._boxes[name] = box
        return Box(name, called)

    def edge(self, source: End, target: End) -> None:
        """Adds an edge between nodes of the component and ports of its boxes."""
        self._edges.setdefault(source, {})[target] = None

    def edges(self, *path: End) -> None:
        """Adds an edge from each of these to the next one."""
        for source, target in zip(path, path[1:]):
            self.edge(source, target)

    def to_dict(self) -> dict[str, Any]:
        """The component in the format RSM JSON."""
        return {
            "name": self.name,
            "nodes": list(self._nodes.values()),
            "boxes": list(self._boxes.values()),
            "transitions": [
                {"source": _end(source), "targets": [_end(target) for target in targets]}
                for source, targets in self._edges.items()
            ],
        }

    def __repr__(self) -> str:
        return f"<Component {self.name!r}: {len(self._nodes)} nodes, {len(self._boxes)} boxes>"


class Machine:
    """A recursive state machine that is being built.

    >>> import loris
    >>> machine = loris.Machine()
    >>> main = machine.component("main")
    >>> _ = main.node("start", entry=True), main.node("end", ["done"], exit=True)
    >>> main.edge("start", "end")
    >>> machine.build().check("A F done").verdict
    <Verdict.HOLDS: 'holds'>
    """

    def __init__(self) -> None:
        self._components: dict[str, Component] = {}
        self.initial_component: Optional[str] = None
        """The component where runs start; by default the first one."""
        self.initial_nodes: Optional[list[str]] = None
        """Its nodes where runs start; by default its entries."""

    def component(self, name: str) -> Component:
        """Adds a component."""
        if name in self._components:
            raise UsageError(f"there is a component {name!r} already")
        self._components[name] = Component(name)
        return self._components[name]

    def __getitem__(self, name: str) -> Component:
        return self._components[name]

    @property
    def components(self) -> tuple[Component, ...]:
        """The components, in the order in which they were added."""
        return tuple(self._components.values())

    def to_dict(self) -> dict[str, Any]:
        """The machine in the format RSM JSON."""
        initial = self.initial_component
        if initial is None:
            initial = next(iter(self._components), None)
        data: dict[str, Any] = {"initial_component": initial}
        if self.initial_nodes is not None:
            data["initial_nodes"] = list(self.initial_nodes)
        data["components"] = [component.to_dict() for component in self._components.values()]
        return data

    def to_json(self, indent: Optional[int] = None) -> str:
        """The machine in the format RSM JSON, as text."""
        return json.dumps(self.to_dict(), indent=indent, ensure_ascii=False)

    def build(
        self,
        *,
        name: str = "<machine>",
        peer: Optional[Path] = None,
        dead_ends: Optional[str] = None,
        empty_calls: Optional[str] = None,
    ) -> Model:
        """Makes the model; see `loris.load` for the arguments."""
        if not self._components:
            raise UsageError("the machine has no component")
        return loads(
            self.to_json(),
            format="rsm",
            name=name,
            peer=peer,
            dead_ends=dead_ends,
            empty_calls=empty_calls,
        )

    def __repr__(self) -> str:
        return f"<Machine: {len(self._components)} components>"


def _end(end: End) -> dict[str, str]:
    if isinstance(end, Port):
        return {"type": "box_node", "box_name": end.box, "node_name": end.node}
    return {"type": "node", "name": end}
