//! Rules of synchronisation as names: a part takes the action of each rule instead of its own, so
//! that all parts of a rule, and no others, know that action.

use super::{Description, LocatedWord};
use crate::{Process, TAU};
use loris_base::{Diagnostic, Diagnostics, Idx, nearest, visible_name};
use rustc_hash::FxHashMap;

/// What rules make of the actions of all parts.
pub(super) struct Applied {
    /// by part and action: the names that it is taken under
    pub(super) actions: Vec<Vec<Vec<String>>>,
    /// actions of rules that are silent
    pub(super) silent: Vec<String>,
}

/// Applies the rules to parts whose actions are renamed already.
pub(super) fn apply(description: &Description, parts: &[Process], problems: &mut Diagnostics) -> Applied {
    let numbers: FxHashMap<&str, usize> =
        description.parts.iter().enumerate().map(|(i, part)| (&*part.name.text, i)).collect();
    let mut replaced: Vec<Vec<Vec<String>>> =
        parts.iter().map(|part| vec![Vec::new(); part.actions().len()]).collect();
    let mut results: FxHashMap<String, usize> = FxHashMap::default();
    let mut silent = Vec::new();
    for (number, rule) in description.rules.iter().enumerate() {
        let mut members: Vec<(usize, usize)> = Vec::new();
        for (part, action) in &rule.members {
            let Some(&i) = numbers.get(&*part.text) else {
                let names = description.parts.iter().map(|part| &*part.name.text);
                problems.push(unknown(part, "there is no part", names));
                continue;
            };
            if members.iter().any(|&(other, _)| other == i) {
                let name = visible_name(&part.text).into_owned();
                problems.push(part.error(format!("the part {name} takes part twice in one rule")));
                continue;
            }
            match parts[i].find_action(&action.text) {
                Some(TAU) => problems.push(action.error("silent steps do not synchronise")),
                Some(found) => members.push((i, found.index())),
                None => {
                    let name = visible_name(&part.text).into_owned();
                    let names = parts[i].actions().iter().skip(1);
                    problems.push(unknown(action, &format!("part {name} has no action"), names));
                }
            }
        }
        // a silent action still has a name, by which parts take it together
        let result = if rule.result.text == "tau" {
            let members = rule.members.iter().map(|(part, action)| format!("{}.{}", part.text, action.text));
            let name = members.collect::<Vec<_>>().join("|");
            silent.push(name.clone());
            name
        } else {
            rule.result.text.clone()
        };
        if results.insert(result.clone(), number).is_some() {
            let name = visible_name(&result).into_owned();
            problems.push(rule.result.error(format!("two rules make the action {name}")));
        }
        for (i, action) in members {
            replaced[i][action].push(result.clone());
        }
    }
    for (i, part) in parts.iter().enumerate() {
        for action in part.action_ids() {
            let name = part.action_name(action);
            let names = &mut replaced[i][action.index()];
            if !names.is_empty() {
                continue;
            }
            if let Some(&rule) = results.get(name) {
                let (owner, name) = (&description.parts[i].name.text, visible_name(name));
                let problem = description.rules[rule]
                    .result
                    .error(format!("part {} knows the action {name} without this rule", visible_name(owner)));
                problems.push(problem.help("choose another name, or rename the action of the part"));
            }
            names.push(name.to_owned());
        }
    }
    Applied { actions: replaced, silent }
}

/// A name that nobody has.
pub(super) fn unknown<'n>(
    word: &LocatedWord,
    what: &str,
    names: impl Iterator<Item = &'n str>,
) -> Diagnostic {
    let problem = word.error(format!("{what} {}", visible_name(&word.text)));
    match nearest(&word.text, names) {
        Some(near) => problem.help(format!("did you mean {}?", visible_name(near))),
        None => problem,
    }
}
