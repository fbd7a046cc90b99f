//! Table 1 of lazy-rsm: its verdicts and contexts under its reading of empty procedures, and the
//! true verdicts with counterexamples that replay.

use super::java::{PROGRAMS, Program, unpack};
use super::milliseconds;
use crate::lab::{Answer, Lab};
use crate::page::Findings;
use anyhow::bail;
use std::ffi::OsString;

const ENGINES: [&str; 5] = ["eager", "ternary", "lazy", "summary", "auto"];

pub(super) fn run(lab: &Lab) -> anyhow::Result<Option<Findings>> {
    if !unpack(lab)? {
        return Ok(None);
    }
    let mut table = Table::default();
    for program in &PROGRAMS {
        table.as_printed(lab, program)?;
        table.as_it_is(lab, program)?;
    }
    Ok(Some(table.findings()))
}

#[derive(Default)]
struct Table {
    data: Vec<String>,
    printed: Vec<Vec<String>>,
    real: Vec<Vec<String>>,
    /// what is not as it should be
    wrong: Vec<String>,
    above: Vec<String>,
    unproven: Vec<String>,
}

impl Table {
    /// All engines on one program under one reading and what they answer.
    fn answers(&mut self, lab: &Lab, program: &Program, reading: &str) -> anyhow::Result<Vec<Answer>> {
        let mut answers = Vec::new();
        for engine in ENGINES {
            let mut options = program.options(lab, "single_usedef");
            options.extend(["--engine", engine, "--empty-calls", reading].map(OsString::from));
            let answer = lab.check_one(&program.model(lab), &options, lab.unless_quick(5, 1))?;
            self.data.push(format!(
                "{},{reading},{engine},{},{},{}",
                program.name,
                answer.verdict,
                answer.contexts.unwrap_or(0),
                answer.seconds
            ));
            answers.push(answer);
        }
        Ok(answers)
    }

    fn as_printed(&mut self, lab: &Lab, program: &Program) -> anyhow::Result<()> {
        let answers = self.answers(lab, program, "stuck")?;
        let verdict = agreed(&answers);
        if verdict != program.paper {
            self.wrong.push(format!("{} (stuck)", program.name));
        }
        let mut row = vec![program.printed.to_owned(), program.paper.to_owned(), verdict];
        for ((answer, paper), engine) in answers.iter().zip(program.contexts).zip(ENGINES) {
            let above = answer.contexts.is_none_or(|contexts| contexts > paper);
            if above {
                self.above.push(format!("{engine} on {}: {} > {paper}", program.printed, answer.contexts()));
            }
            row.push(format!("{paper} / {}{}", answer.contexts(), if above { " **above**" } else { " ok" }));
        }
        row.extend(answers[3..].iter().map(Answer::contexts));
        self.printed.push(row);
        Ok(())
    }

    fn as_it_is(&mut self, lab: &Lab, program: &Program) -> anyhow::Result<()> {
        let answers = self.answers(lab, program, "pass")?;
        let verdict = agreed(&answers);
        if verdict != program.truth {
            self.wrong.push(program.name.to_owned());
        }
        let mut row = vec![program.name.to_owned(), program.truth.to_owned(), verdict];
        row.extend(
            answers.iter().map(|answer| format!("{}, {}", answer.contexts(), milliseconds(answer.seconds))),
        );
        let told = replayed(lab, program)?;
        if told.is_none() {
            self.unproven.push(program.name.to_owned());
        }
        row.push(told.unwrap_or_else(|| "**refused**".to_owned()));
        self.real.push(row);
        Ok(())
    }

    fn findings(self) -> Findings {
        let mut findings = Findings::default();
        findings.line(
            "With `--empty-calls stuck`; contexts as *paper / ours*, then ours alone for the engines that the \
             paper does not have:",
        );
        let head = ["program", "paper", "ours", "eager", "ternary", "lazy", "summary", "auto"];
        findings.table(&head, &self.printed);
        findings.line("As they are; *contexts, milliseconds of the check*, and what `loris replay` says:");
        let head = ["program", "true", "ours", "eager", "ternary", "lazy", "summary", "auto", "replayed"];
        findings.table(&head, &self.real);
        findings.data("table1", "program,empty_calls,engine,verdict,contexts,seconds", &self.data);
        let or = |list: &[String], good: &str| {
            if list.is_empty() { good.to_owned() } else { list.join("; ") }
        };
        findings.target(
            "Table 1: verdicts, the paper's with `stuck`, the true ones as they are",
            "all right, in all engines",
            or(&self.wrong, "all right"),
            self.wrong.is_empty(),
        );
        findings.target(
            "Table 1: contexts of eager, ternary, lazy with `stuck`",
            "not above the paper's",
            or(&self.above, "none above"),
            self.above.is_empty(),
        );
        findings.target(
            "Table 1 as it is: counterexamples",
            "each replays",
            or(&self.unproven, "each replays"),
            self.unproven.is_empty(),
        );
        findings
    }
}

/// The verdict of all engines, or all their verdicts.
fn agreed(answers: &[Answer]) -> String {
    let mut verdicts: Vec<&str> = answers.iter().map(|answer| answer.verdict.as_str()).collect();
    verdicts.dedup();
    verdicts.join("/")
}

/// What `loris replay` says of the evidence that the verdict of each engine comes with, if it takes
/// all of it.
fn replayed(lab: &Lab, program: &Program) -> anyhow::Result<Option<String>> {
    let evidence = lab.file("evidence.json");
    let mut told = None;
    for engine in ENGINES {
        let mut arguments = program.check(lab, "single_usedef");
        arguments.extend([
            "--engine".into(),
            engine.into(),
            "--evidence-file".into(),
            evidence.clone().into(),
        ]);
        lab.seconds(&arguments)?;
        let replay: [OsString; 3] = ["replay".into(), program.model(lab).into(), evidence.clone().into()];
        let (text, _) = lab.output(&replay)?;
        // "ok: shows FORMULA (12 steps; …)", and below it what was taken on trust
        let starting = |word: &str| text.lines().filter(|line| line.starts_with(word)).collect::<Vec<_>>();
        match (starting("ok: ").as_slice(), starting("refused").len()) {
            ([line], 0) => {
                let steps = line.rsplit_once('(').map_or(*line, |(_, steps)| steps.trim_end_matches(')'));
                told = Some(steps.to_owned());
            }
            (_, 1..) => return Ok(None),
            _ => bail!("loris replay says neither ok nor refused: {text}"),
        }
    }
    Ok(told)
}
