"""A lazy, three-valued model checker for systems that call.

    >>> import loris
    >>> model = loris.loads("MODULE main VAR on : boolean; ASSIGN next(on) := !on;")
    >>> model.check("AG EF on").verdict
    <Verdict.HOLDS: 'holds'>

`load` and `loads` read a model in any format of the command line; `Machine` and `from_networkx`
build one. `Model.check` returns a `Result` with a verdict and a trace, `Model.reach` a
`Reachability`. `java` finds defects in Java programs. What is wrong with a model or a property is an `InputError` with line and column.
"""

from __future__ import annotations

from ._build import Box, Component, Machine, Port
from ._errors import (
    InputError,
    InternalError,
    LimitError,
    LorisError,
    LorisWarning,
    ModelError,
    Problem,
    PropertyError,
    UndecidedError,
    UsageError,
)
from ._graph import from_networkx, to_networkx
from ._java import Finding, Findings, Suppression, Undecided, java
from ._model import Cancel, Engine, Model, engines, load, loads
from ._native import VERSION as __version__
from ._result import Reachability, ReachVerdict, Result, Results, Verdict
from ._trace import Call, Loop, Source, Step, Trace

__all__ = [
    "Box",
    "Call",
    "Cancel",
    "Component",
    "Engine",
    "Finding",
    "Findings",
    "InputError",
    "InternalError",
    "LimitError",
    "Loop",
    "LorisError",
    "LorisWarning",
    "Machine",
    "Model",
    "ModelError",
    "Port",
    "Problem",
    "PropertyError",
    "ReachVerdict",
    "Reachability",
    "Result",
    "Results",
    "Source",
    "Step",
    "Suppression",
    "Trace",
    "Undecided",
    "UndecidedError",
    "UsageError",
    "Verdict",
    "__version__",
    "engines",
    "from_networkx",
    "java",
    "load",
    "loads",
    "to_networkx",
]
