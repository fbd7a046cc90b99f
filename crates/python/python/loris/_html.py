"""Results and traces for notebooks: tables without scripts, in which every name is inert."""

from __future__ import annotations

import html
import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._result import Reachability, Result, Results
    from ._trace import Step, Trace

SHOWN = 200
"""Rows that are shown; of longer tables, those in the middle are left out."""

_COLORS = {"holds": "#1a7f37", "reachable": "#1a7f37", "unknown": "#9a6700"}
_CELL = "text-align:left"


def visible(text: str) -> str:
    """The text with characters that cannot be seen, or that move others, written as escapes."""
    return "".join(f"\\u{{{ord(c):x}}}" if _is_hidden(c) else c for c in text)


def _is_hidden(c: str) -> bool:
    return unicodedata.category(c) in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")


def escape(text: object) -> str:
    """The text as the content of an element or a quoted attribute."""
    return html.escape(visible(str(text)), quote=True)


def verdict(word: str) -> str:
    """A verdict in its colour."""
    return f'<b style="color:{_COLORS.get(word, "#cf222e")}">{escape(word)}</b>'


def _table(head: list[str], rows: list[list[str]], caption: str = "") -> str:
    cells = "".join(f'<th style="{_CELL}">{name}</th>' for name in head)
    body = "".join(
        "<tr>" + "".join(f'<td style="{_CELL}">{cell}</td>' for cell in row) + "</tr>" for row in rows
    )
    top = f'<caption style="text-align:left">{caption}</caption>' if caption else ""
    return f"<table>{top}<thead><tr>{cells}</tr></thead><tbody>{body}</tbody></table>"


def trace(of: Trace) -> str:
    """A trace as a table, a row per step."""
    has_nodes = any(step.node is not None for step in of)
    has_component = any(step.component for step in of)
    has_source = any(step.source for step in of)
    has_note = any(step.note for step in of)

    def row(step: Step) -> list[str]:
        mark = str(step.index)
        if of.loop and step.index == of.loop.start:
            mark += " ↻"
        elif of.loop and step.index == of.loop.end:
            mark += f" → {of.loop.start}"
        indent = "&emsp;" * min(step.depth, 20)
        cells = [mark]
        if has_component:
            cells.append(indent + escape(step.component))
        cells.append(escape(step.text) if has_nodes or not step.changes else _changes(step))
        cells.append(escape(", ".join(step.labels)))
        if has_source:
            cells.append(escape(step.source or ""))
        if has_note:
            cells.append(escape(step.note or ""))
        return cells

    head = ["step", *(["component"] if has_component else []), "node" if has_nodes else "changes", "labels"]
    head += (["source"] if has_source else []) + (["note"] if has_note else [])
    caption = f"<code>{escape(of.shows)}</code>"
    if of.loop:
        caption += f": steps {of.loop.start} to {of.loop.end} repeat"
    if len(of) <= SHOWN:
        rows = [row(step) for step in of]
    else:
        half = SHOWN // 2
        gap = [f"… {len(of) - 2 * half} steps left out"]
        rows = [*(row(step) for step in of[:half]), gap, *(row(step) for step in of[-half:])]
    return _table(head, rows, caption)


def _changes(step: Step) -> str:
    shown = [f"{escape(name)} = {escape('–' if value is None else value)}" for name, value in step.changes.items()]
    return "<br>".join(shown)


def result(of: Result) -> str:
    """A result: its verdict, and its traces beneath."""
    why = f" ({escape(of.reason)})" if of.reason else ""
    line = f"{verdict(of.verdict.value)}{why}: <code>{escape(of.property)}</code>"
    facts = f"{escape(of.engine)}, {of.seconds:.3f} s"
    shown = "".join(trace(one) for one in of.traces)
    return f"<div>{line} <small>[{facts}]</small>{shown}</div>"


def results(of: Results) -> str:
    """Results as a table, a row per property."""
    rows = [
        [
            verdict(one.verdict.value),
            f"<code>{escape(one.property)}</code>",
            escape(one.reason or ""),
            escape(one.engine),
            f"{one.seconds:.3f}",
        ]
        for one in of[:SHOWN]
    ]
    caption = ", ".join(f"{count} {word}" for word, count in of.counts.items())
    if len(of) > SHOWN:
        caption += f"; the first {SHOWN} are shown"
    return _table(["verdict", "property", "reason", "engine", "seconds"], rows, caption)


def reachability(of: Reachability) -> str:
    """The result of a search, and its trace beneath."""
    why = f" ({escape(of.reason)})" if of.reason else ""
    steps = f" in {of.steps} steps" if of.steps is not None else ""
    target = escape(of.target if of.target is not None else "all nodes")
    word = of.verdict.value if of.verdict is not None else "searched"
    shown = "".join(trace(one) for one in of.traces)
    return f"<div>{verdict(word)}{steps}{why}: <code>{target}</code>{shown}</div>"
