"""Findings about Java programs, against the command line."""

from __future__ import annotations

from pathlib import Path

import loris
import pytest
from conftest import Cli

CLASSES = "crates/rules/tests/programs/classes"
SUPPRESSED = "crates/cli/tests/models/java/suppressed"


def test_findings_are_those_of_the_command_line(cli: Cli) -> None:
    document = cli("java", CLASSES)
    found = loris.java(CLASSES)
    assert len(found) == document["summary"]["findings"] > 0
    assert list(found.rules) == document["rules"]
    for one, row in zip(found, document["findings"]):
        shown = (one.rule, one.level, one.message, one.class_name, one.method, one.file, one.line)
        assert shown == tuple(row[key] for key in ("rule", "level", "message", "class", "method", "file", "line"))
        assert len(one.trace or ()) == len(row["steps"])
        for step, stated in zip(one.trace or (), row["steps"]):
            assert (step.depth, step.source and step.source.line) == (stated["depth"], stated["line"])


def test_rules_and_libraries(tmp_path: Path) -> None:
    found = loris.java(f"{CLASSES}/Leaks.class", library=CLASSES, rules=["leak"])
    assert {one.rule for one in found} == {"leak"} and found.rules == ("leak",)
    assert str(found[0]).endswith(f"[leak] in {found[0].class_name}.{found[0].method}")
    assert {one.confidence for one in found} <= {"certain", "likely"}
    own = tmp_path / "own.toml"
    own.write_text('[[rule]]\nid = "own"\nmessage = "never used"\ncheck = "dead-store"\n')
    classes = "crates/rules/tests/programs/javac"
    assert {one.rule for one in loris.java(classes, rules_files=own, rules=["own"])} == {"own"}


def test_suppression_and_baselines(tmp_path: Path, cli: Cli) -> None:
    found = loris.java(SUPPRESSED, sources=SUPPRESSED)
    assert {one.suppressed.kind for one in found.suppressed if one.suppressed} == {"annotation"}
    assert all(one.source and one.source.file.startswith(SUPPRESSED) for one in found.suppressed)
    known = tmp_path / "known"
    cli("java", CLASSES, "--write-baseline", str(known))
    again = loris.java(CLASSES, baseline=known)
    assert again == [] and len(again.suppressed) > 0


def test_filter_files(tmp_path: Path, cli: Cli) -> None:
    known = tmp_path / "filter.xml"
    known.write_text('<FindBugsFilter><Match><Method name="~bad__leak.*"/></Match></FindBugsFilter>')
    found = loris.java(CLASSES, suppress=known)
    document = cli("java", CLASSES, "--suppress", str(known))
    assert 0 < len(found) == document["summary"]["findings"] < len(loris.java(CLASSES))
    assert not any(one.method.startswith("bad__leak") for one in found)
    hidden = [one for one in found.suppressed if one.suppressed and one.suppressed.kind == "configuration"]
    assert hidden and all(one.method.startswith("bad__leak") for one in hidden)
    known.write_text("<FindBugsFilter><Match></FindBugsFilter>")
    with pytest.raises(loris.ModelError):
        loris.java(CLASSES, suppress=[known])


def test_changed_files(cli: Cli) -> None:
    everything = loris.java(CLASSES)
    found = loris.java(CLASSES, changed=["src/Leaks.java", "src/gone/Other.java"])
    document = cli("java", CLASSES, "--changed", "src/Leaks.java")
    assert [str(one) for one in found] == [str(one) for one in everything if one.file == "Leaks.java"]
    assert len(found) == document["summary"]["findings"] > 0
    assert found.elsewhere == document["program"]["elsewhere"] == len(everything) - len(found) > 0
    nothing = loris.java(CLASSES, changed=[])
    assert nothing == [] and nothing.elsewhere == len(everything) and everything.elsewhere == 0


def test_properties() -> None:
    program = f"{CLASSES}/Dataflow.class"
    assert [one.rule for one in loris.java(program, properties=["A G !\"def Dataflow.j\""])] == ["property"]
    with pytest.raises(loris.PropertyError, match="did you mean"):
        loris.java(program, properties=["A G !\"def Dataflow.jj\""])


def test_what_is_wrong() -> None:
    with pytest.raises(loris.UsageError, match="did you mean leak?"):
        loris.java(CLASSES, rules=["leek"])
    with pytest.raises(FileNotFoundError):
        loris.java("missing.jar")
    with pytest.raises(loris.ModelError, match="no class files"):
        loris.java("examples/smv")
    with pytest.raises(TypeError, match="takes a list"):
        loris.java(CLASSES, rules="leak")


def test_limits() -> None:
    with pytest.raises(loris.LimitError, match="memory"):
        loris.java(CLASSES, memory="200K")
