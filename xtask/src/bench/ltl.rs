//! Linear time on the Java programs: what a check costs against plain reachability on the same
//! machine times the states of the automaton.
//!
//! Each measurement is a process of its own with one property, and one of reachability stands
//! beside it; both are a matter of microseconds to milliseconds, so that the fastest runs of each
//! are compared.

use super::java::{PROGRAMS, Program, unpack};
use super::milliseconds;
use crate::lab::Lab;
use crate::page::Findings;
use crate::stats::{least, median, most};
use serde_json::Value;
use std::collections::BTreeSet;

const LIMIT: f64 = 3.0;
const VARIABLES: usize = 20;
/// Patterns for a variable `x`, and whether there is a target for them.
const PATTERNS: [(&str, &str, bool); 3] = [
    ("response", "G (def_x -> F use_x)", true),
    ("persistence", "F G !use_x", true),
    ("recurrence", "G F use_x", false),
];

/// A pattern on one program.
struct Cost {
    program: &'static str,
    pattern: usize,
    states: BTreeSet<u64>,
    holds: usize,
    /// variable by variable: reachability, the check, and their ratio a state
    reach: Vec<f64>,
    check: Vec<f64>,
    ratios: Vec<f64>,
}

pub(super) fn run(lab: &Lab) -> anyhow::Result<Option<Findings>> {
    if !unpack(lab)? {
        return Ok(None);
    }
    let (mut data, mut costs) = (Vec::new(), Vec::new());
    for program in &PROGRAMS {
        costs.extend(measure(lab, program, &mut data)?);
        println!("   {}", program.name);
    }
    let mut findings = Findings::default();
    let head = [
        "program",
        "pattern",
        "variables",
        "hold",
        "states",
        "reachability, ms",
        "check, ms",
        "check / (reachability x states), median",
        "worst",
    ];
    let rows: Vec<Vec<String>> = costs.iter().map(Cost::row).collect();
    findings.table(&head, &rows);
    findings.data("ltl", "program,pattern,variable,run,verdict,states,check_seconds,reach_seconds", &data);
    for (k, (name, text, aimed)) in PATTERNS.into_iter().enumerate() {
        let of = || costs.iter().filter(move |cost| cost.pattern == k);
        let ratios: Vec<f64> = of().flat_map(|cost| cost.ratios.iter().copied()).collect();
        let worst = most(ratios.iter().copied());
        let told = format!("{worst:.2} at most, {:.2} in the median", median(&ratios));
        if aimed {
            let what =
                format!("LTL {name}, `{text}`, Java programs / (reachability x states of the automaton)");
            findings.target(&what, "under 3", told, worst < LIMIT);
        } else {
            findings.line(&format!("For information, {name}, `{text}`: {told}."));
        }
    }
    Ok(Some(findings))
}

fn measure(lab: &Lab, program: &Program, data: &mut Vec<String>) -> anyhow::Result<Vec<Cost>> {
    let model = program.model(lab);
    let variables = variables(&lab.info(&model)?, lab.unless_quick(VARIABLES, 3));
    let runs = lab.unless_quick(11, 3);
    let mut costs: Vec<Cost> = (0..PATTERNS.len()).map(|pattern| Cost::new(program.name, pattern)).collect();
    for variable in &variables {
        for cost in &mut costs {
            let (name, text, _) = PATTERNS[cost.pattern];
            let property = text.replace("_x", &format!("_{variable}"));
            let options = ["-p", &property, "--logic", "ltl", "--dead-ends", "loop", "--jobs", "1"];
            let (mut reach, mut check) = (Vec::new(), Vec::new());
            let (mut states, mut holds) = (0, false);
            for run in 0..runs {
                let reached = lab.reach(&model, &["--all", "--dead-ends", "loop"])?.seconds;
                reach.push(reached);
                for answer in lab.check(&model, &options)?.answers {
                    states = answer.states.unwrap_or(1);
                    holds = answer.verdict == "holds";
                    check.push(answer.seconds);
                    data.push(format!(
                        "{},{name},{variable},{run},{},{states},{},{reached}",
                        program.name, answer.verdict, answer.seconds
                    ));
                }
            }
            let (reach, check) = (least(reach), least(check));
            cost.states.insert(states);
            cost.holds += usize::from(holds);
            cost.reach.push(reach);
            cost.check.push(check);
            cost.ratios.push(check / (reach * states as f64));
        }
    }
    Ok(costs)
}

/// Variables that are both written and read, spread evenly over all that are.
fn variables(info: &Value, count: usize) -> Vec<String> {
    let labels: BTreeSet<&str> =
        info["labels"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let both: Vec<&str> = labels
        .iter()
        .filter_map(|label| label.strip_prefix("def_"))
        .filter(|variable| labels.contains(format!("use_{variable}").as_str()))
        .collect();
    let chosen = both.iter().step_by(both.len().div_ceil(count).max(1));
    chosen.map(|&variable| variable.to_owned()).collect()
}

impl Cost {
    fn new(program: &'static str, pattern: usize) -> Self {
        Self {
            program,
            pattern,
            states: BTreeSet::new(),
            holds: 0,
            reach: Vec::new(),
            check: Vec::new(),
            ratios: Vec::new(),
        }
    }

    fn row(&self) -> Vec<String> {
        let states: Vec<String> = self.states.iter().map(u64::to_string).collect();
        vec![
            self.program.to_owned(),
            format!("`{}`", PATTERNS[self.pattern].1),
            self.ratios.len().to_string(),
            self.holds.to_string(),
            states.join(", "),
            milliseconds(median(&self.reach)),
            milliseconds(median(&self.check)),
            format!("{:.2}", median(&self.ratios)),
            format!("{:.2}", most(self.ratios.iter().copied())),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::variables;
    use serde_json::json;

    #[test]
    fn variables_have_both_labels() {
        let info =
            json!({"labels": ["use_b", "def_a", "def_b", "use_c", "def_c", "def_d", "use_d", "usedef_a"]});
        assert_eq!(variables(&info, 20), ["b", "c", "d"]);
        assert_eq!(variables(&info, 2), ["b", "d"]);
        assert!(variables(&json!({}), 2).is_empty());
    }
}
