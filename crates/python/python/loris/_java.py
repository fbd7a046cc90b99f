"""Findings of rules over Java programs."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Optional, Union

from . import _native
from ._errors import fail, warn
from ._html import visible
from ._model import Cancel, Path, Size, Time, _file, _limits, _path
from ._trace import Source, Trace


@dataclass(frozen=True)
class Suppression:
    """Why a finding does not count."""

    kind: str
    """`annotation`, `configuration` or `baseline`."""
    place: str
    """Where that is, such as a file and a line."""


@dataclass(frozen=True)
class Undecided:
    """A rule that was not decided, or not everywhere."""

    rule: str
    """Its identifier."""
    reason: str
    """Why."""
    methods: tuple[str, ...]
    """The first of the methods that it is not decided for; none if that is the whole program."""
    more_methods: int
    """How many more there are."""


@dataclass(frozen=True)
class Finding:
    """A place in a program that breaks a rule."""

    rule: str
    """The identifier of the rule."""
    level: str
    """`error`, `warning` or `note`."""
    message: str
    """What was found."""
    class_name: str
    """The class, with dots between packages."""
    method: str
    """The method; empty if the finding is about a field or the class."""
    descriptor: str
    """The descriptor of the method or field."""
    field_name: Optional[str]
    """The field that the finding is about."""
    ordinal: int
    """Which of the findings of the rule in the method it is, from 0."""
    file: Optional[str]
    """The source file with the path of its package, such as `com/acme/Main.java`."""
    line: Optional[int]
    """The line in it, from 1."""
    source: Optional[Source]
    """The same place, in the file of `sources=` if it is there."""
    assumptions: tuple[str, ...]
    """What was assumed on the way."""
    confidence: Optional[str]
    """`certain`, `likely` or `possible`."""
    doubts: tuple[str, ...]
    """Why it is not certain."""
    suppressed: Optional[Suppression]
    """Why it does not count, if it does not."""
    trace: Optional[Trace] = field(repr=False, compare=False)
    """How the program gets there, if that takes several steps."""

    def __str__(self) -> str:
        place = self.class_name if self.file is None else self.file
        line = "" if self.file is None or self.line is None else f":{self.line}"
        method = ".".join(part for part in (self.class_name, self.method) if part)
        within = f" in {visible(method)}" if method else ""
        return f"{visible(place)}{line}: {self.level}: {visible(self.message)} [{self.rule}]{within}"


class Findings(list[Finding]):
    """The findings that count, in the order of files and lines."""

    def __init__(self, answer: Mapping[str, Any]) -> None:
        document = answer["document"]
        rows = zip(document["findings"], answer["shown"], answer["paths"])
        found = [_finding(*row) for row in rows]
        super().__init__(one for one in found if one.suppressed is None)
        self.suppressed = [one for one in found if one.suppressed is not None]
        """Findings that do not count."""
        self.undecided = [Undecided(**{**one, "methods": tuple(one["methods"])}) for one in document["undecided"]]
        """Rules that were not decided, or not everywhere."""
        self.rules: tuple[str, ...] = tuple(document["rules"])
        """The rules that were asked."""
        self.escaped: int = document["summary"]["escaped"]
        """How many resources went where they cannot be followed."""
        self.below_bar: int = document["summary"]["below_bar"]
        """How many findings are less certain than what is reported; `strict=True` reports them, too."""
        self.elsewhere: int = document["program"].get("elsewhere", 0)
        """How many findings count that have nothing to do with the files of `changed=`."""


def java(
    program: Union[Path, Sequence[Path]],
    *,
    library: Union[Path, Sequence[Path]] = (),
    sources: Union[Path, Sequence[Path]] = (),
    rules: Iterable[str] = (),
    rules_files: Union[Path, Sequence[Path]] = (),
    properties: Iterable[str] = (),
    logic: Optional[str] = None,
    configuration: Optional[Path] = None,
    suppress: Union[Path, Sequence[Path]] = (),
    baseline: Optional[Path] = None,
    changed: Optional[Union[Path, Sequence[Path]]] = None,
    entries: Iterable[str] = (),
    strict: bool = False,
    runtime_exceptions: bool = False,
    timeout: Optional[Time] = None,
    memory: Optional[Size] = None,
    jobs: Optional[int] = None,
    cancel: Optional[Cancel] = None,
) -> Findings:
    """Finds defects in a Java program: jars, class files, and folders with these.

    The arguments are those of `loris java`. `rules` are identifiers of rules, by default those that
    are on by default; `properties` are formulas about the whole program that are checked in their
    place. A configuration file is read only if it is named. `suppress` names filter files of
    SpotBugs, and `changed` source files: only findings that are in, or lead through, what was
    compiled from these are in the list; with an empty one there are none.
    """
    for name, given in [("rules", rules), ("properties", properties), ("entries", entries)]:
        if isinstance(given, str):
            raise TypeError(f"{name}= takes a list of texts")
    request = {
        "program": _files(program),
        "library": _files(library),
        "sources": _files(sources),
        "rules": list(rules),
        "rules_files": _files(rules_files),
        "properties": list(properties),
        "logic": logic,
        "configuration": None if configuration is None else _file(configuration),
        "suppress": _files(suppress),
        "baseline": None if baseline is None else _file(baseline),
        "changed": None if changed is None else _named(changed),
        "entries": list(entries),
        "strict": strict,
        "runtime_exceptions": runtime_exceptions,
        "limits": _limits(timeout, memory, jobs),
    }
    answer = json.loads(_native.java(json.dumps(request), cancel))
    if "error" in answer:
        fail(answer["error"])
    warn(answer["warnings"], stacklevel=2)
    return Findings(answer)


def _files(paths: Union[Path, Sequence[Path]]) -> list[str]:
    return [_file(paths)] if isinstance(paths, (str, os.PathLike)) else [_file(one) for one in paths]


def _named(paths: Union[Path, Sequence[Path]]) -> list[str]:
    """Paths of files that may be gone."""
    return [_path(paths)] if isinstance(paths, (str, os.PathLike)) else [_path(one) for one in paths]


def _finding(row: Mapping[str, Any], shown: Mapping[str, Any], path: Optional[str]) -> Finding:
    by = row["suppressed"]
    return Finding(
        rule=row["rule"],
        level=row["level"],
        message=row["message"],
        class_name=row["class"],
        method=row["method"],
        descriptor=row["descriptor"],
        field_name=row["field"],
        ordinal=row["ordinal"],
        file=row["file"],
        line=row["line"],
        source=None if path is None else Source(path, row["line"], None),
        assumptions=tuple(row["assumptions"]),
        confidence=row["confidence"],
        doubts=tuple(row["doubts"]),
        suppressed=None if by is None else Suppression(**by),
        trace=Trace(shown["traces"][0]) if shown["traces"] else None,
    )
