"""Models, and questions about them."""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Optional, Protocol, Union

from . import _native
from ._errors import UsageError, fail, warn
from ._result import Reachability, Result, Results

if TYPE_CHECKING:
    import networkx

Path = Union[str, "os.PathLike[str]"]
Time = Union[int, float, timedelta]
Size = Union[int, str]

_SIZES = ["components", "nodes", "boxes", "edges", "theta", "local_states", "actions"]
_SIZES += ["inputs", "latches", "gates", "outputs"]


class Cancel(Protocol):
    """Anything that ends work when it is set, such as `threading.Event`."""

    def is_set(self) -> bool: ...


@dataclass(frozen=True)
class Engine:
    """An engine that decides properties."""

    name: str
    about: str
    logics: tuple[str, ...]
    is_random: bool


def engines() -> list[Engine]:
    """The engines that `engine=` takes, beside `auto`."""
    return [Engine(**{**row, "logics": tuple(row["logics"])}) for row in json.loads(_native.engines())]


class Model:
    """A model that was read. It does not change; `load`, `loads` and builders make one.

    Its methods release the interpreter's lock while they work, may be called from several threads,
    and end with `KeyboardInterrupt` on Ctrl-C.
    """

    def __init__(self, native: _native.NativeModel, path: str) -> None:
        self._native = native
        self._facts: dict[str, Any] = json.loads(native.facts())
        self.path = path
        """The path or name that it was read under; several are separated by blanks."""

    @property
    def format(self) -> str:
        """The format that it was read from: `rsm`, `smv`, …"""
        word: str = self._facts["format"]
        return word

    @property
    def sizes(self) -> dict[str, int]:
        """How large it is: `components`, `nodes`, `edges`, …; of a circuit `inputs`, `latches`, …"""
        return {key: self._facts[key] for key in _SIZES if key in self._facts}

    def check(
        self,
        property: str,
        *,
        logic: Optional[str] = None,
        engine: str = "auto",
        timeout: Optional[Time] = None,
        memory: Optional[Size] = None,
        evidence: bool = True,
        at_exit: Optional[str] = None,
        runs: Optional[str] = None,
        unknown_atoms: Optional[str] = None,
        jobs: Optional[int] = None,
        seed: int = 0,
        cancel: Optional[Cancel] = None,
    ) -> Result:
        """Checks one property.

        `timeout` is in seconds, `memory` in bytes or as in "2G"; past either, the verdict is
        unknown. The other arguments are those of `loris check`.
        """
        if not isinstance(property, str):
            raise TypeError(f"a property is a str, not {type(property).__name__}; see check_all")
        results = self._check(
            [property],
            logic=logic,
            engine=engine,
            timeout=timeout,
            memory=memory,
            evidence=evidence,
            at_exit=at_exit,
            runs=runs,
            unknown_atoms=unknown_atoms,
            jobs=jobs,
            seed=seed,
            cancel=cancel,
        )
        return results[0]

    def check_all(
        self,
        properties: Iterable[str] = (),
        *,
        files: Iterable[Path] = (),
        automata: Iterable[Path] = (),
        logic: Optional[str] = None,
        engine: str = "auto",
        timeout: Optional[Time] = None,
        memory: Optional[Size] = None,
        evidence: bool = True,
        at_exit: Optional[str] = None,
        runs: Optional[str] = None,
        unknown_atoms: Optional[str] = None,
        jobs: Optional[int] = None,
        seed: int = 0,
        cancel: Optional[Cancel] = None,
    ) -> Results:
        """Checks several properties, those of files, and automata; without any, the properties that
        the model carries.

        Properties of one shape are decided together, so this is faster than one by one. Limits are
        for each property.
        """
        if isinstance(properties, str):
            raise TypeError("check_all takes a list of properties; check takes one")
        return self._check(
            list(properties),
            files=[_path(file) for file in files],
            automata=[_path(file) for file in automata],
            logic=logic,
            engine=engine,
            timeout=timeout,
            memory=memory,
            evidence=evidence,
            at_exit=at_exit,
            runs=runs,
            unknown_atoms=unknown_atoms,
            jobs=jobs,
            seed=seed,
            cancel=cancel,
        )

    def _check(
        self,
        properties: list[str],
        *,
        timeout: Optional[Time],
        memory: Optional[Size],
        jobs: Optional[int],
        cancel: Optional[Cancel],
        files: Sequence[str] = (),
        automata: Sequence[str] = (),
        **options: Any,
    ) -> Results:
        request = {
            "properties": properties,
            "files": files,
            "automata": automata,
            "limits": _limits(timeout, memory, jobs),
            **options,
        }
        report, text = self._native.check(json.dumps(request), cancel)
        answer = json.loads(text)
        if report is None:
            fail(answer["error"], [*files, *automata])
        warn(answer["warnings"], stacklevel=3)
        return Results(answer["document"], report)

    def reach(
        self,
        to: Optional[str] = None,
        *,
        start: Optional[str] = None,
        all: bool = False,
        timeout: Optional[Time] = None,
        memory: Optional[Size] = None,
        cancel: Optional[Cancel] = None,
    ) -> Reachability:
        """Searches for a shortest path to a label or a node (`COMPONENT/NODE`), from the initial
        nodes or from `start`; of SMV models and circuits, to a condition on states.

        With `all`, the result has all nodes that can be reached.
        """
        request = {"to": to, "start": start, "all": all, "limits": _limits(timeout, memory, None)}
        report, text = self._native.reach(json.dumps(request), cancel)
        answer = json.loads(text)
        if report is None:
            fail(answer["error"], ["to", "start"])
        warn(answer["warnings"], stacklevel=2)
        return Reachability(answer["document"], report)

    def to_bytes(self, format: str) -> bytes:
        """The model in another format: `rsm`, `pds`, `smv`, `dot`, `aig` or `aag`."""
        data, text = self._native.convert(json.dumps({"format": format, "limits": {}}))
        answer = json.loads(text)
        if "error" in answer:
            fail(answer["error"])
        notes = [{"message": note, "severity": "warning"} for note in answer["notes"]]
        warn(notes, stacklevel=2)
        return data

    def to_text(self, format: str) -> str:
        """The model as text in another format: `rsm`, `pds`, `smv`, `dot` or `aag`."""
        if format == "aig":
            raise UsageError('format="aig" is not text; see to_bytes, or "aag"')
        return self.to_bytes(format).decode()

    def to_networkx(self) -> networkx.DiGraph[Any]:
        """The model as a graph; see `loris.to_networkx`."""
        from ._graph import to_networkx

        return to_networkx(self)

    def __repr__(self) -> str:
        sizes = ", ".join(f"{value} {key.replace('_', ' ')}" for key, value in self.sizes.items())
        return f"<Model {self.path!r} ({self.format}){': ' if sizes else ''}{sizes}>"


def load(
    path: Union[Path, Sequence[Path]],
    *,
    format: Optional[str] = None,
    peer: Optional[Path] = None,
    dead_ends: Optional[str] = None,
    empty_calls: Optional[str] = None,
    module: Optional[str] = None,
    max_states: Optional[int] = None,
    library: Sequence[Path] = (),
    entries: Sequence[str] = (),
    calls: Optional[str] = None,
    granularity: Optional[str] = None,
    runtime_exceptions: bool = False,
    timeout: Optional[Time] = None,
    memory: Optional[Size] = None,
    cancel: Optional[Cancel] = None,
) -> Model:
    """Reads a model from a file, or parallel processes from several.

    The format is known by the extension or the content of the file, unless it is given. `peer` is
    a file with an automaton or a transition system that is composed with the model. `dead_ends`
    ("error", "loop" or "stop") and `empty_calls` ("pass" or "stuck") determine how the model is
    read where its format leaves it open. `module` is where runs of an SMV model start, and
    `max_states` bounds its states. `library`, `entries`, `calls`, `granularity` and
    `runtime_exceptions` are for Java programs, whose files are read for each question.
    """
    paths = [_file(path)] if isinstance(path, (str, os.PathLike)) else [_file(one) for one in path]
    return _load(
        paths,
        None,
        cancel,
        format=format,
        peer=None if peer is None else _file(peer),
        dead_ends=dead_ends,
        empty_calls=empty_calls,
        module=module,
        max_states=max_states,
        library=[_file(file) for file in library],
        entries=list(entries),
        calls=calls,
        granularity=granularity,
        runtime_exceptions=runtime_exceptions,
        limits=_limits(timeout, memory, None),
    )


def loads(
    text: Union[str, bytes],
    *,
    format: Optional[str] = None,
    name: str = "<text>",
    peer: Optional[Path] = None,
    dead_ends: Optional[str] = None,
    empty_calls: Optional[str] = None,
    module: Optional[str] = None,
    max_states: Optional[int] = None,
    timeout: Optional[Time] = None,
    memory: Optional[Size] = None,
    cancel: Optional[Cancel] = None,
) -> Model:
    """Reads a model from a text. Messages and results call it `name`; see `load` for the rest."""
    data = text.encode() if isinstance(text, str) else bytes(text)
    return _load(
        [name],
        data,
        cancel,
        format=format,
        peer=None if peer is None else _file(peer),
        dead_ends=dead_ends,
        empty_calls=empty_calls,
        module=module,
        max_states=max_states,
        limits=_limits(timeout, memory, None),
    )


def _load(paths: list[str], data: Optional[bytes], cancel: Optional[Cancel], **options: Any) -> Model:
    native, text = _native.load(json.dumps({"paths": paths, **options}), data, cancel)
    answer = json.loads(text)
    if native is None:
        fail(answer["error"])
    warn(answer["warnings"], stacklevel=3)
    return Model(native, " ".join(paths))


def _path(path: Path) -> str:
    text = os.fspath(path)
    if not isinstance(text, str):
        raise TypeError(f"a path is a str or os.PathLike[str], not {type(text).__name__}")
    return text


def _file(path: Path) -> str:
    """The path of a file that exists; another raises the exception that `open` would raise."""
    text = _path(path)
    os.stat(text)
    # the name stands for standard input elsewhere
    return "./-" if text == "-" else text


_UNITS = {"": 0, "B": 0, "K": 10, "M": 20, "G": 30, "T": 40}
_SIZE = re.compile(r"(\d+(?:\.\d*)?|\.\d+)\s*([BKMGT]?)(?:I?B)?", re.IGNORECASE)


def _limits(timeout: Optional[Time], memory: Optional[Size], jobs: Optional[int]) -> dict[str, Any]:
    limits: dict[str, Any] = {}
    if timeout is not None:
        seconds = timeout.total_seconds() if isinstance(timeout, timedelta) else float(timeout)
        if math.isnan(seconds) or seconds < 0:
            raise UsageError(f"timeout={timeout!r}: expected a number of seconds, not below zero")
        # a limit that no clock reaches is none
        if seconds < 1e15:
            limits["timeout"] = seconds
    if memory is not None:
        limits["memory"] = min(_bytes(memory), 2**63)
    if jobs is not None:
        if jobs < 1:
            raise UsageError(f"jobs={jobs!r}: expected a number of threads, at least 1")
        limits["jobs"] = min(int(jobs), 1024)
    return limits


def _bytes(size: Size) -> int:
    if isinstance(size, str):
        match = _SIZE.fullmatch(size.strip())
        if match is None:
            raise UsageError(f'memory={size!r}: expected a number of bytes, or a size as in "500M" or "2G"')
        return int(float(match[1]) * (1 << _UNITS[match[2].upper()]))
    if size < 0:
        raise UsageError(f"memory={size!r}: expected a number of bytes, not below zero")
    return int(size)
