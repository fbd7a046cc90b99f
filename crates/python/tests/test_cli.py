"""What this module returns is what the command line prints."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import loris
import pytest
from conftest import ROOT, Cli


def masked(data: Any) -> Any:
    """A document without times and without what depends on the number of threads."""
    if isinstance(data, dict):
        return {key: masked(value) for key, value in data.items() if key != "seconds"}
    return [masked(one) for one in data] if isinstance(data, list) else data


SMV = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "examples" / "smv").glob("*.smv"))

CHECKS: list[tuple[list[str], list[str], dict[str, Any]]] = [
    (["examples/dataflow.rsm"], ["-f", "examples/dataflow.ctl"], {"files": ["examples/dataflow.ctl"]}),
    (["examples/fig3.rsm"], ["-f", "examples/fig3.ctl"], {"files": ["examples/fig3.ctl"]}),
    (["examples/fig3.rsm"], ["-p", "E G gray", "--at-exit", "sink"], {"properties": ["E G gray"], "at_exit": "sink"}),
    (["examples/fig3.rsm"], ["-p", "E G gray", "-p", "A F black", "--engine", "lazy"],
     {"properties": ["E G gray", "A F black"], "engine": "lazy"}),
    (["examples/fig3.rsm"], ["-p", "G gray", "--logic", "ltl", "--runs", "unbounded"],
     {"properties": ["G gray"], "logic": "ltl", "runs": "unbounded"}),
    (["examples/fig3.rsm"], ["-p", "A G none", "--unknown-atoms", "false"],
     {"properties": ["A G none"], "unknown_atoms": "false"}),
    (["examples/lock.pds"], [], {}),
    (["examples/lock.pds"], ["--logic", "ltl", "-f", "examples/lock.ltl"],
     {"logic": "ltl", "files": ["examples/lock.ltl"]}),
    (["examples/lock.pds"], ["--automaton", "examples/hoard.hoa"], {"automata": ["examples/hoard.hoa"]}),
    (["examples/arbiter.aag"], ["-f", "examples/arbiter.ctl"], {"files": ["examples/arbiter.ctl"]}),
    (["examples/arbiter.aag"], [], {}),
    (["examples/arbiter.aag"], ["-p", "E F grant0", "--logic", "mu"], {"properties": ["E F grant0"], "logic": "mu"}),
    (["examples/processes/clients.par"], ["-f", "examples/processes/clients.mu", "--logic", "mu"],
     {"files": ["examples/processes/clients.mu"], "logic": "mu"}),
    (["examples/processes/door.kmts"], ["-p", "E F open"], {"properties": ["E F open"]}),
    (["examples/processes/gate.pnml"], ["-p", "A G E F <true>tt"], {"properties": ["A G E F <true>tt"]}),
    (["examples/processes/client.aut", "examples/processes/lock.aut"], ["-p", "A G E F <true>tt"],
     {"properties": ["A G E F <true>tt"]}),
    (["examples/processes/walker.smv", "examples/processes/signal.smv"], ["-p", "E F <true>tt"],
     {"properties": ["E F <true>tt"]}),
    *[([path], [], {}) for path in SMV],
]  # fmt: skip


@pytest.mark.parametrize("evidence", [True, False])
@pytest.mark.parametrize("paths, flags, options", CHECKS)
def test_check(cli: Cli, paths: list[str], flags: list[str], options: dict[str, Any], evidence: bool) -> None:
    expected = cli("check", *paths, *flags, "--jobs", "1", *(["--evidence"] if evidence else []))
    found = loris.load(paths if len(paths) > 1 else paths[0]).check_all(jobs=1, evidence=evidence, **options)
    assert masked(found.to_dict()) == masked(expected)
    assert [masked(result.to_dict()) for result in found] == masked(expected["results"])
    for result, one in zip(found, expected["results"]):
        assert result.verdict == one["verdict"]
        assert result.evidence == one.get("evidence")
        if result.trace is not None and result.evidence is not None:
            states = result.evidence["states"]
            assert len(result.trace) == len(states)
            for step, state in zip(result.trace, states):
                if "stack" in state:
                    assert [call.site for call in step.stack] == state["stack"]
                    assert step.depth == len(state["stack"])
                if "stack" in state and step.node is not None:
                    assert step.node == state["node"]
            loop = result.evidence["loop"]
            assert result.trace.loop == (None if loop is None else (loop["from"], loop["to"]))


REACHES: list[tuple[str, list[str], dict[str, Any]]] = [
    ("examples/dataflow.rsm", ["--to", "use_i"], {"to": "use_i"}),
    ("examples/dataflow.rsm", ["--to", "b/b_24_7", "--from", "main/main_12_1"],
     {"to": "b/b_24_7", "start": "main/main_12_1"}),
    ("examples/dataflow.rsm", ["--all"], {"all": True}),
    ("examples/dataflow.rsm", ["--all", "--to", "use_i"], {"all": True, "to": "use_i"}),
    ("examples/lock.pds", ["--to", "acquire"], {"to": "acquire"}),
    ("examples/smv/counter.smv", ["--to", "TRUE"], {"to": "TRUE"}),
    ("examples/arbiter.aag", ["--to", "grant0 & grant1"], {"to": "grant0 & grant1"}),
    ("examples/arbiter.aag", ["--to", "grant1"], {"to": "grant1"}),
]  # fmt: skip


@pytest.mark.parametrize("path, flags, options", REACHES)
def test_reach(cli: Cli, path: str, flags: list[str], options: dict[str, Any]) -> None:
    expected = cli("reach", path, *flags)
    found = loris.load(path).reach(**options)
    assert masked(found.to_dict()) == masked(expected)
    if found.verdict == "reachable":
        assert found and found.trace is not None
        assert found.steps == len(found.trace) - 1


JAVA = "crates/java/tests/programs/classes"


@pytest.mark.parametrize(
    "flags, options",
    [
        ([], {}),
        (["--calls", "cha", "--granularity", "instruction"], {"calls": "cha", "granularity": "instruction"}),
        (["--entry", "p.Exceptions.*", "--runtime-exceptions"],
         {"entries": ["p.Exceptions.*"], "runtime_exceptions": True}),
    ],
)  # fmt: skip
def test_java(cli: Cli, flags: list[str], options: dict[str, Any]) -> None:
    question = "A G !exceptional"
    model = loris.load(JAVA, **options)
    assert model.format == "java"
    expected = cli("check", JAVA, *flags, "-p", question, "--evidence", "--jobs", "1")
    found = model.check_all([question], jobs=1)
    assert masked(found.to_dict()) == masked(expected)
    assert found[0].fails and found[0].trace is not None
    assert any(step.source and step.source.file.endswith(".java") for step in found[0].trace)
    assert masked(model.reach("exceptional").to_dict()) == masked(cli("reach", JAVA, *flags, "--to", "exceptional"))


REPORTS: list[tuple[str, list[str], dict[str, Any], list[str]]] = [
    ("examples/dataflow.rsm", ["-f", "examples/dataflow.ctl"], {"files": ["examples/dataflow.ctl"]}, ["sarif", "dot"]),
    ("examples/smv/peterson.smv", [], {}, ["sarif", "dot", "vcd"]),
    ("examples/arbiter.aag", ["-f", "examples/arbiter.ctl"], {"files": ["examples/arbiter.ctl"]}, ["sarif", "vcd"]),
]


@pytest.mark.parametrize("path, flags, options, formats", REPORTS)
def test_reports(
    cli: Cli, tmp_path: Path, path: str, flags: list[str], options: dict[str, Any], formats: list[str]
) -> None:
    files = {format: tmp_path / f"report.{format}" for format in formats}
    named = [argument for format, file in files.items() for argument in (f"--{format}", str(file))]
    cli("check", path, *flags, *named, "--jobs", "1")
    results = loris.load(path).check_all(jobs=1, **options)
    rendered = {"sarif": results.to_sarif, "dot": results.to_dot, "vcd": results.to_vcd}
    for format, file in files.items():
        found, expected = rendered[format](), file.read_text(encoding="utf-8")
        if format == "sarif":
            assert masked(json.loads(found)) == masked(json.loads(expected))
        else:
            assert found == expected
    page = results.to_html()
    assert page.startswith("<!DOCTYPE html>") and results[0].property.split()[0] in page


def test_report_of_one_result() -> None:
    results = loris.load("examples/dataflow.rsm").check_all(files=["examples/dataflow.ctl"])
    for result in results:
        [run] = json.loads(result.to_sarif())["runs"]
        texts = [one["message"]["text"] for one in run["results"]]
        # those that hold are not results of SARIF
        assert len(texts) == result.fails and all(result.property in text for text in texts)
    found = loris.load("examples/dataflow.rsm").reach("use_i")
    assert "use_i" in found.to_sarif() and found.to_html() and found.to_dot().startswith("digraph")


def test_replay(cli: Cli, tmp_path: Path) -> None:
    model = loris.load("examples/dataflow.rsm")
    file = tmp_path / "evidence.json"
    file.write_text(model.check_all(files=["examples/dataflow.ctl"]).to_json())
    status, text = cli("replay", "examples/dataflow.rsm", str(file), json_output=False)
    assert status == 0 and text.count("ok: ") == 2
    file.write_text(model.reach("use_i").to_json())
    assert cli("replay", "examples/dataflow.rsm", str(file), json_output=False)[0] == 0
