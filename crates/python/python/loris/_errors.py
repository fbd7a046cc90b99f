"""What is wrong with an input or a call, as exceptions."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn, Optional

from ._html import visible


@dataclass(frozen=True)
class Problem:
    """One problem of a model, a property or another input."""

    message: str
    """What is wrong."""
    severity: str
    """`error` or `warning`."""
    source: Optional[str] = None
    """The file, or the argument, that it is in."""
    line: Optional[int] = None
    """The line, from 1."""
    column: Optional[int] = None
    """The character in the line, from 1."""
    help: Optional[str] = None
    """How to fix it, where that is known."""
    text: Optional[str] = None
    """The line itself, or the part of it around the problem."""

    def __str__(self) -> str:
        place = [visible(self.source)] if self.source else []
        if self.line is not None:
            place += [str(self.line), str(self.column)]
        lines = [": ".join([*([":".join(place)] if place else []), self.severity, visible(self.message)])]
        if self.text is not None and self.column is not None and not self.text.startswith("…"):
            blanks = "".join("\t" if c == "\t" else " " for c in self.text[: self.column - 1])
            lines += [f"  {self.text}", f"  {blanks}^"]
        if self.help:
            lines.append(f"  help: {visible(self.help)}")
        return "\n".join(lines)


class LorisError(Exception):
    """Any error of this module."""


class UsageError(LorisError, ValueError):
    """An argument makes no sense, or not for this model."""


class InputError(LorisError, ValueError):
    """A model or a property is wrong. All problems that were found are in `problems`."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems: tuple[Problem, ...] = tuple(problems)
        super().__init__("\n".join(map(str, self.problems)))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.problems,)

    @property
    def problem(self) -> Problem:
        """The first error."""
        return next((one for one in self.problems if one.severity == "error"), self.problems[0])

    @property
    def message(self) -> str:
        """The message of the first error."""
        return self.problem.message

    @property
    def source(self) -> Optional[str]:
        """The file, or the argument, that the first error is in."""
        return self.problem.source

    @property
    def line(self) -> Optional[int]:
        """The line of the first error, from 1."""
        return self.problem.line

    @property
    def column(self) -> Optional[int]:
        """The column of the first error, from 1."""
        return self.problem.column

    @property
    def help(self) -> Optional[str]:
        """How to fix the first error, where that is known."""
        return self.problem.help


class ModelError(InputError):
    """A model is wrong."""


class PropertyError(InputError):
    """A property is wrong, or is not a question about this model."""


class LimitError(LorisError):
    """A limit was reached before the model was read. `reason` names the limit."""

    def __init__(self, reason: str, source: Optional[str] = None) -> None:
        self.reason = reason
        self.source = source
        super().__init__(f"{source}: {reason}" if source else reason)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.reason, self.source)


class UndecidedError(LorisError):
    """A verdict that is unknown was used as a truth value. `reason` says why it is unknown."""

    def __init__(self, question: str, reason: Optional[str]) -> None:
        self.question = question
        self.reason = reason
        super().__init__(f"the verdict is unknown ({reason}): {question}")

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.question, self.reason)


class InternalError(LorisError, RuntimeError):
    """A defect of Loris."""


class LorisWarning(UserWarning):
    """A remark on a model or a property."""


def fail(error: Mapping[str, Any], asked: Sequence[str] = ()) -> NoReturn:
    """Raises the exception for an error of the native half. `asked` are files of properties."""
    kind = error["kind"]
    if kind == "input":
        problems = [problem(one) for one in error["problems"]]
        errors = [one for one in error["problems"] if one["severity"] == "error"]
        is_property = errors and all(
            one.get("is_property") or one["source"] is None or one["source"] in asked for one in errors
        )
        raise (PropertyError if is_property else ModelError)(problems)
    if kind == "limit":
        raise LimitError(error["message"], error["path"])
    if kind == "usage":
        raise UsageError(error["message"])
    raise InternalError(f"{error['message']}; this is a defect of Loris")


def problem(data: Mapping[str, Any]) -> Problem:
    """A problem of the native half."""
    return Problem(
        message=data["message"],
        severity=data["severity"],
        source=data.get("source"),
        line=data.get("line"),
        column=data.get("column"),
        help=data.get("help"),
        text=data.get("text"),
    )


def warn(found: Sequence[Mapping[str, Any]], stacklevel: int) -> None:
    """Issues a warning for each remark."""
    for one in found:
        warnings.warn(str(problem(one)), LorisWarning, stacklevel=stacklevel + 1)
