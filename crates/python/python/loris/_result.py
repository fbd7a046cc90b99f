"""Verdicts and their evidence."""

from __future__ import annotations

import enum
import functools
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Optional, Union, overload

from . import _html
from ._errors import UndecidedError
from ._native import NativeReport
from ._trace import Trace


class Verdict(str, enum.Enum):
    """The answer to a property. It equals its word: `result.verdict == "fails"`."""

    HOLDS = "holds"
    FAILS = "fails"
    UNKNOWN = "unknown"

    def __str__(self) -> str:
        return self.value


class ReachVerdict(str, enum.Enum):
    """The answer to a search. It equals its word."""

    REACHABLE = "reachable"
    UNREACHABLE = "unreachable"
    UNKNOWN = "unknown"

    def __str__(self) -> str:
        return self.value


class _Rendered:
    """Results that have a report, in the formats of the command line."""

    _report: NativeReport
    _index: Optional[int] = None

    def _rendered(self, format: str) -> str:
        return self._report.render(format, self._index)

    def to_html(self) -> str:
        """A page with verdicts, traces and drawings that needs no network, as `--report` writes it."""
        return self._rendered("html")

    def to_sarif(self) -> str:
        """SARIF 2.1.0, as `--sarif` writes it."""
        return self._rendered("sarif")

    def to_dot(self) -> str:
        """A drawing of the runs for Graphviz, as `--dot` writes it."""
        return self._rendered("dot")

    def to_vcd(self) -> str:
        """The waveforms of runs of circuits and SMV models, as `--vcd` writes them."""
        return self._rendered("vcd")


class _Shown:
    """What shows a verdict, which is made when somebody asks: traces may be long."""

    def __init__(self, report: NativeReport, index: Optional[int]) -> None:
        text = report.shown(index or 0)
        data = json.loads(text) if text is not None else {"traces": [], "proof": None}
        self.traces: tuple[Trace, ...] = tuple(map(Trace, data["traces"]))
        self.proof: Optional[dict[str, Any]] = data["proof"]


_NO_COUNTERS = {"line", "value", "seconds"}


class Result(_Rendered):
    """The verdict on one property.

    `bool(result)` is whether the property holds; an unknown verdict raises `UndecidedError`.
    """

    def __init__(
        self,
        data: Mapping[str, Any],
        report: NativeReport,
        index: int,
    ) -> None:
        self._data = data
        self._report = report
        self._index = index
        self.property: str = data["property"]
        """The property, as it was written."""
        self.name: Optional[str] = data.get("name")
        """Its name, if it has one."""
        self.file: Optional[str] = data["file"]
        """The file that it is from."""
        self.line: Optional[int] = data["line"]
        """The line of that file."""
        self.module: Optional[str] = data.get("module")
        """The module of an SMV model that it is about."""
        self.instance: Optional[str] = data.get("instance")
        """The instance in that module that it was written for."""
        self.logic: str = data["logic"]
        """Its logic: `ctl`, `ltl`, `ctl*` or `mu`."""
        self.verdict: Verdict = Verdict(data["verdict"])
        """Whether it holds."""
        self.reason: Optional[str] = data.get("reason")
        """Why the verdict is unknown."""
        self.value: Union[int, str, None] = data.get("value")
        """The number of steps that was asked for, `infinite` or `undefined`."""
        self.note: Optional[str] = data.get("note")
        """A remark on the verdict."""
        self.engine: str = data["engine"]
        """The engine that decided it."""
        self.seconds: float = data["seconds"]
        """How long that took."""
        self.counters: dict[str, int] = {
            key: value
            for key, value in data.items()
            if key not in _NO_COUNTERS and isinstance(value, int) and not isinstance(value, bool)
        }
        """What the engine counted."""
        self.evidence: Optional[dict[str, Any]] = data.get("evidence")
        """The evidence, as JSON output has it."""
        self.evidence_note: Optional[str] = data.get("evidence_note")
        """Why there is no evidence, or what is missing in it."""

    @functools.cached_property
    def _shown(self) -> _Shown:
        return _Shown(self._report, self._index)

    @property
    def traces(self) -> tuple[Trace, ...]:
        """The runs of the evidence; later ones show claims that earlier ones rely on."""
        return self._shown.traces

    @property
    def proof(self) -> Optional[dict[str, Any]]:
        """Evidence that is not a run: an invariant or a strategy."""
        return self._shown.proof

    @property
    def trace(self) -> Optional[Trace]:
        """The run that shows the verdict, if there is one."""
        return self.traces[0] if self.traces else None

    @property
    def holds(self) -> bool:
        """Whether the verdict is that the property holds."""
        return self.verdict is Verdict.HOLDS

    @property
    def fails(self) -> bool:
        """Whether the verdict is that the property fails."""
        return self.verdict is Verdict.FAILS

    @property
    def is_known(self) -> bool:
        """Whether the property is decided."""
        return self.verdict is not Verdict.UNKNOWN

    def to_dict(self) -> dict[str, Any]:
        """The result as `loris check --format json` has it."""
        return dict(self._data)

    def to_json(self, indent: Optional[int] = None) -> str:
        """The result as `loris check --format json` writes it."""
        return json.dumps(self._data, indent=indent, ensure_ascii=False)

    def __bool__(self) -> bool:
        if self.verdict is Verdict.UNKNOWN:
            raise UndecidedError(self.property, self.reason)
        return self.verdict is Verdict.HOLDS

    def __repr__(self) -> str:
        why = f" ({self.reason})" if self.reason else ""
        return f"<Result {self.verdict}{why}: {_html.visible(self.property)}>"

    def _repr_html_(self) -> str:
        return _html.result(self)


class Results(_Rendered, Sequence[Result]):
    """The verdicts on several properties, in the order they were asked."""

    def __init__(
        self,
        document: Mapping[str, Any],
        report: NativeReport,
    ) -> None:
        self._document = document
        self._report = report
        self._results = tuple(
            Result(data, report, index) for index, data in enumerate(document["results"])
        )

    @property
    def model(self) -> dict[str, Any]:
        """The model with its sizes."""
        return dict(self._document["model"])

    @property
    def seconds(self) -> float:
        """How long all of it took."""
        seconds: float = self._document["summary"]["seconds"]
        return seconds

    @property
    def counts(self) -> dict[str, int]:
        """How many properties hold, fail and stay unknown."""
        summary = self._document["summary"]
        return {verdict.value: summary[verdict.value] for verdict in Verdict}

    @property
    def verdict(self) -> Verdict:
        """`fails` if a property fails, else `unknown` if one is unknown, else `holds`."""
        counts = self.counts
        worst = (verdict for verdict in (Verdict.FAILS, Verdict.UNKNOWN) if counts[verdict.value])
        return next(worst, Verdict.HOLDS)

    def to_dict(self) -> dict[str, Any]:
        """The document of `loris check --format json`."""
        return dict(self._document)

    def to_json(self, indent: Optional[int] = None) -> str:
        """The document of `loris check --format json`, which `loris replay` reads."""
        return json.dumps(self._document, indent=indent, ensure_ascii=False)

    @overload
    def __getitem__(self, index: int) -> Result: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Result, ...]: ...
    def __getitem__(self, index: Union[int, slice]) -> Union[Result, tuple[Result, ...]]:
        return self._results[index]

    def __len__(self) -> int:
        return len(self._results)

    def __iter__(self) -> Iterator[Result]:
        return iter(self._results)

    def __repr__(self) -> str:
        counts = ", ".join(f"{count} {word}" for word, count in self.counts.items())
        return f"<Results: {counts}>"

    def _repr_html_(self) -> str:
        return _html.results(self)


class Reachability(_Rendered):
    """The result of a search for a path.

    `bool(result)` is whether the target is reachable; an unknown verdict raises `UndecidedError`.
    """

    def __init__(
        self,
        document: Mapping[str, Any],
        report: NativeReport,
    ) -> None:
        self._document = document
        self._report = report
        self.target: Optional[str] = document["target"]
        """The label, node or condition to get to."""
        self.start: Optional[str] = document["from"]
        """The node to start from, if it was given."""
        word = document["verdict"]
        self.verdict: Optional[ReachVerdict] = None if word is None else ReachVerdict(word)
        """Whether it is reachable; nothing if all nodes were searched for."""
        self.reason: Optional[str] = document.get("reason")
        """Why the verdict is unknown."""
        self.steps: Optional[int] = document["steps"]
        """The length of the path."""
        self.nodes: Optional[list[str]] = document.get("nodes")
        """All nodes that can be reached, as `COMPONENT/NODE`, if they were asked for."""
        self.seconds: float = document["seconds"]
        """How long the search took."""
        self.evidence: Optional[dict[str, Any]] = document.get("evidence")
        """The evidence, as JSON output has it."""

    @functools.cached_property
    def _shown(self) -> _Shown:
        return _Shown(self._report, 0)

    @property
    def traces(self) -> tuple[Trace, ...]:
        """The path, if there is one."""
        return self._shown.traces

    @property
    def trace(self) -> Optional[Trace]:
        """The path, if there is one."""
        return self.traces[0] if self.traces else None

    def to_dict(self) -> dict[str, Any]:
        """The document of `loris reach --format json`."""
        return dict(self._document)

    def to_json(self, indent: Optional[int] = None) -> str:
        """The document of `loris reach --format json`, which `loris replay` reads."""
        return json.dumps(self._document, indent=indent, ensure_ascii=False)

    def __bool__(self) -> bool:
        if self.verdict is ReachVerdict.UNKNOWN:
            raise UndecidedError(self.target or "all nodes", self.reason)
        return self.verdict is not ReachVerdict.UNREACHABLE

    def __repr__(self) -> str:
        target = "all nodes" if self.target is None else _html.visible(self.target)
        return f"<Reachability {self.verdict or 'searched'}: {target}>"

    def _repr_html_(self) -> str:
        return _html.reachability(self)
