"""Traces: runs of a model, step by step."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Optional, Union, overload

from . import _html


class Source(NamedTuple):
    """A place in a source file."""

    file: str
    line: Optional[int]
    column: Optional[int]

    def __str__(self) -> str:
        return ":".join(str(part) for part in self if part is not None)


class Call(NamedTuple):
    """A call that is open."""

    site: str
    """The box, or the text of the call."""
    callee: str
    """The component or method that is called."""
    source: Optional[Source]
    """Where the call is."""


class Loop(NamedTuple):
    """The steps that repeat for ever: step `end` is like step `start` again."""

    start: int
    end: int


@dataclass(frozen=True)
class Step:
    """A state on a trace."""

    index: int
    """Its number, from 0."""
    component: str
    """The component, module or method that it is in."""
    node: Optional[str]
    """Its node, in models whose nodes have names."""
    text: str
    """The name of the state, or the values that changed."""
    labels: tuple[str, ...]
    """The labels that hold."""
    depth: int
    """How many calls are open."""
    changes: Mapping[str, Optional[str]]
    """Variables with other values than in the step before; `None` if one has no value any more."""
    source: Optional[Source]
    """Where it is in a source file."""
    note: Optional[str]
    """A remark."""
    _trace: Trace = field(repr=False, compare=False)
    _frame: Optional[int] = field(repr=False, compare=False)

    @property
    def stack(self) -> tuple[Call, ...]:
        """The open calls, outermost first."""
        return self._trace._stack(self._frame)

    @property
    def values(self) -> dict[str, str]:
        """The values of all variables."""
        return self._trace.values(self.index)

    def __str__(self) -> str:
        labels = f" {{{', '.join(self.labels)}}}" if self.labels else ""
        name = f"{self.component}/{self.text}" if self.node is not None else self.text
        return f"{name}{labels}"


class Trace(Sequence[Step]):
    """A run: a sequence of steps, perhaps with a loop at its end.

    In a notebook it is shown as a table.
    """

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.shows: str = data["shows"]
        """The claim that it shows."""
        self.variables: tuple[str, ...] = tuple(data["variables"])
        """The names of the variables."""
        self.loop: Optional[Loop] = Loop(*data["loop"]) if data["loop"] else None
        """The steps that repeat, if it is a lasso."""
        relied = data["relied_on_by"]
        self.relied_on_by: Optional[tuple[int, int]] = tuple(relied) if relied else None
        """The trace, and its step, that rely on what this one shows, by their numbers."""
        self._frames = data["frames"]
        depths: list[int] = []
        for frame in self._frames:
            parent = frame["parent"]
            depths.append(1 if parent is None else depths[parent] + 1)
        self._steps = tuple(
            Step(
                index=index,
                component=step["component"],
                node=step["node"],
                text=step["text"],
                labels=tuple(step["labels"]),
                depth=0 if step["frame"] is None else depths[step["frame"]],
                changes={self.variables[at]: value for at, value in step["changes"]},
                source=_source(step["source"]),
                note=step["note"],
                _trace=self,
                _frame=step["frame"],
            )
            for index, step in enumerate(data["steps"])
        )

    def _stack(self, frame: Optional[int]) -> tuple[Call, ...]:
        stack = []
        while frame is not None:
            data = self._frames[frame]
            stack.append(Call(data["site"], data["callee"], _source(data["source"])))
            frame = data["parent"]
        return tuple(reversed(stack))

    def values(self, index: int) -> dict[str, str]:
        """The values of all variables at a step."""
        values: dict[str, str] = {}
        for step in self._steps[: range(len(self))[index] + 1]:
            for name, value in step.changes.items():
                if value is None:
                    values.pop(name, None)
                else:
                    values[name] = value
        return values

    @property
    def nodes(self) -> list[Optional[str]]:
        """The node of each step."""
        return [step.node for step in self]

    @property
    def cycle(self) -> tuple[Step, ...]:
        """The steps that repeat, each once; none if it is not a lasso."""
        return () if self.loop is None else self._steps[self.loop.start : self.loop.end]

    @overload
    def __getitem__(self, index: int) -> Step: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Step, ...]: ...
    def __getitem__(self, index: Union[int, slice]) -> Union[Step, tuple[Step, ...]]:
        return self._steps[index]

    def __len__(self) -> int:
        return len(self._steps)

    def __iter__(self) -> Iterator[Step]:
        return iter(self._steps)

    def __repr__(self) -> str:
        lasso = f", loop {self.loop.start}..{self.loop.end}" if self.loop else ""
        return f"<Trace of {len(self)} steps{lasso}: {_html.visible(self.shows)}>"

    def __str__(self) -> str:
        lines = [f"{_html.visible(self.shows)}:"]
        for step in self:
            again = ""
            if self.loop and step.index == self.loop.start:
                again = "  (from here on it repeats)"
            elif self.loop and step.index == self.loop.end:
                again = f"  (and again from {self.loop.start})"
            lines.append(f"{step.index:>4}  {'  ' * min(step.depth, 20)}{_html.visible(str(step))}{again}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return _html.trace(self)


def _source(data: Optional[Mapping[str, Any]]) -> Optional[Source]:
    return None if data is None else Source(data["file"], data["line"], data["column"])
