//! The families as mCRL2 specifications, for a comparison where mCRL2 is installed: `mcrl22lps`,
//! `lps2lts`, `lts2pbes` and `pbessolve`, as its users call them.

use crate::lab::{Lab, processor_seconds};
use anyhow::Context;
use loris_base::Idx;
use loris_lts::{Process, families};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::process::{Command, Stdio};

/// Whether it is installed.
pub(super) fn is_there() -> bool {
    let mut version = Command::new("lps2lts");
    version.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
    version.status().is_ok_and(|status| status.success())
}

/// The processor seconds of all tools for a property; nothing if one of them does not end well
/// within two minutes.
pub(super) fn seconds(lab: &Lab, family: &str, size: usize, property: &str) -> anyhow::Result<Option<f64>> {
    let parts = match family {
        "counters" => families::counters(size),
        "token-ring" => families::token_ring(size),
        "chain" => families::chain(size),
        "philosophers" => families::philosophers(size),
        "star" => families::star(size),
        "milner" => families::milner(size),
        other => anyhow::bail!("{other} is not a family"),
    };
    let path = |name: &str| -> anyhow::Result<String> {
        lab.file(name).into_os_string().into_string().ok().context("a path that is not UTF-8")
    };
    let (model, steps, states, formula, equations) =
        (path("m.mcrl2")?, path("m.lps")?, path("m.lts")?, path("m.mcf")?, path("m.pbes")?);
    fs::write(&model, specification(&parts.processes))?;
    fs::write(&formula, foreign(property))?;
    let before = processor_seconds();
    let tools: [(&str, Vec<&str>); 4] = [
        ("mcrl22lps", vec![&model, &steps]),
        ("lps2lts", vec!["--cached", &steps, &states]),
        ("lts2pbes", vec!["--formula", &formula, &states, &equations]),
        ("pbessolve", vec![&equations]),
    ];
    for (tool, arguments) in tools {
        let mut command = Command::new("timeout");
        command.arg("120").arg(tool).args(arguments);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        if !command.status()?.success() {
            println!("!!! {tool} did not end well on {size} parts of {family}");
            return Ok(None);
        }
    }
    Ok(Some(processor_seconds() - before))
}

/// The parts as processes with a number each; an action of several parts is communicated.
fn specification(parts: &[Process]) -> String {
    let mut owners: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, part) in parts.iter().enumerate() {
        for action in part.action_ids() {
            owners.entry(part.action_name(action)).or_default().push(at);
        }
    }
    owners.remove("tau");
    let own = |action: &str, part: usize| match owners[action].len() {
        1 => action.to_owned(),
        _ => format!("{action}_of_{part}"),
    };
    let (mut processes, mut instances) = (String::new(), Vec::new());
    let mut names: BTreeSet<String> = owners.keys().map(|&action| action.to_owned()).collect();
    for (at, part) in parts.iter().enumerate() {
        let mut summands = Vec::new();
        for state in part.states() {
            for step in part.steps(state) {
                let name = own(part.action_name(step.action), at);
                let (source, target) = (state.index(), step.target.index());
                summands.push(format!("(s == {source}) -> {name} . P{at}({target})"));
                names.insert(name);
            }
        }
        let _ = writeln!(processes, "proc P{at}(s: Nat) =\n  {};", summands.join("\n  + "));
        instances.push(format!("P{at}({})", part.initial().index()));
    }
    let together: Vec<String> = owners
        .iter()
        .filter(|(_, parts)| parts.len() > 1)
        .map(|(action, parts)| {
            let all: Vec<String> = parts.iter().map(|part| format!("{action}_of_{part}")).collect();
            format!("{} -> {action}", all.join("|"))
        })
        .collect();
    let allowed: Vec<&str> = owners.keys().copied().collect();
    let names: Vec<String> = names.into_iter().collect();
    format!(
        "act {};\n{processes}init allow({{{}}}, comm({{{}}}, {}));\n",
        names.join(", "),
        allowed.join(", "),
        together.join(", "),
        instances.join(" || ")
    )
}

/// A property of a family as mCRL2 writes it.
fn foreign(property: &str) -> String {
    property.replace("tt", "true").replace("ff", "false").replace('&', "&&")
}

#[cfg(test)]
mod tests {
    use super::{foreign, specification};
    use loris_lts::families;

    #[test]
    fn shared_actions_are_communicated() {
        let text = specification(&families::chain(2).processes);
        assert!(text.contains("hand1_of_0|hand1_of_1 -> hand1"), "{text}");
        assert!(text.contains("proc P1(s: Nat) =\n  (s == 0) -> hand1_of_1 . P1(1)"), "{text}");
        assert!(text.ends_with(", P0(0) || P1(0)));\n"), "{text}");
    }

    #[test]
    fn properties_of_mcrl2() {
        assert_eq!(foreign("[true*](!(<a1>tt & <b>tt))"), "[true*](!(<a1>true && <b>true))");
    }
}
