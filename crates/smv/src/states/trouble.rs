//! Messages for problems of a model that only its states show.

use super::layout::{Bits, Layout, print};
use super::naming::name;
use super::step::Trouble;
use super::vm::Fault;
use crate::ir::{Call, Domain, ExprId, Label, Program, Span, Structure};
use loris_base::{Diagnostic, Exhausted, Severity, Stopped};
use loris_rsm::DEAD_ENDS;
use std::fmt::Write;

/// Words for the troubles of a structure.
pub(super) struct Reporter<'a> {
    pub(super) structure: &'a Structure,
    pub(super) symbols: &'a [String],
    pub(super) layout: &'a Layout,
}

fn at((start, end): Span, message: String) -> Diagnostic {
    Diagnostic::error(start.into(), end.saturating_sub(start) as usize, message)
}

impl Reporter<'_> {
    fn state<B: Bits>(&self, state: &B) -> String {
        let fields = self.layout.fields.iter();
        let values: Vec<(&str, String)> = fields
            .map(|field| {
                let variable = &self.structure.variables[field.variable];
                (&*variable.name, print(self.symbols, &variable.domain, field.value(state)))
            })
            .collect();
        name(&values)
    }

    fn place<B: Bits>(&self, state: Option<&B>) -> String {
        match state {
            Some(state) => format!("in state \"{}\"", self.state(state)),
            None => "in an initial state".to_owned(),
        }
    }

    fn span(&self, expr: ExprId) -> Span {
        self.structure.exprs.span(expr)
    }

    pub(super) fn trouble<B: Bits>(&self, trouble: Trouble, state: Option<&B>) -> Stopped {
        match self.problem(trouble, &self.place(state)) {
            Ok(problem) => Stopped::Wrong(problem.into()),
            Err(exhausted) => Stopped::Exhausted(exhausted),
        }
    }

    /// The problem of a condition that has no value in a state.
    pub(super) fn absent<B: Bits>(&self, trouble: Trouble, state: &B) -> Result<Diagnostic, Exhausted> {
        self.problem(trouble, &self.place(Some(state)))
    }

    /// A warning about a definition that has no value in a state.
    pub(super) fn absent_label<B: Bits>(&self, label: &str, trouble: Trouble, state: &B) -> Diagnostic {
        let span = self.structure.labels.iter().find(|other| other.name == label).map(|label| label.span);
        let mut problem = self.problem(trouble, &self.place(Some(state))).unwrap_or_else(|exhausted| {
            at(span.unwrap_or(self.structure.span), format!("{exhausted} {}", self.place(Some(state))))
        });
        problem.severity = Severity::Warning;
        let _ = write!(problem.message, ", so that the label \"{label}\" is absent there");
        problem.help = None;
        problem
    }

    /// A problem at some place, in words.
    pub(super) fn problem(&self, trouble: Trouble, place: &str) -> Result<Diagnostic, Exhausted> {
        Ok(match trouble {
            Trouble::Outside(variable, value, expr) => {
                let variable = &self.structure.variables[variable];
                let value = print(self.symbols, &Domain::Range(0, 0), value);
                let domain = self.domain(&variable.domain);
                let message =
                    format!("\"{}\" gets {value} {place}, which is none of {domain}", variable.name);
                let written = variable.assigned.iter().find(|(assigned, _)| *assigned == expr);
                at(written.map_or(self.span(expr), |(_, span)| *span), message)
            }
            Trouble::Exhausted(exhausted) => return Err(exhausted),
            Trouble::Fault(fault, expr) => match fault {
                Fault::Exhausted(exhausted) => return Err(exhausted),
                Fault::Exit => at(self.span(expr), format!("this reads a variable that is EXIT {place}"))
                    .help("compare with EXIT first: `x = EXIT : …`"),
                Fault::NoBranch(case) => {
                    at(self.span(case), format!("no branch of this case applies {place}"))
                        .help("a last branch `TRUE : …` applies to all that is left")
                }
                Fault::Index(array, index) => at(
                    self.span(array),
                    format!("the array has no element {index}, which is asked for {place}"),
                ),
                Fault::DivisionByZero => at(self.span(expr), format!("a number is divided by zero {place}")),
                Fault::Overflow => at(self.span(expr), format!("a number passes 2^62 {place}")),
            },
        })
    }

    fn domain(&self, domain: &Domain) -> String {
        match domain {
            Domain::Boolean => "FALSE and TRUE".to_owned(),
            Domain::Range(low, high) => format!("{low}..{high}"),
            Domain::Word { signed, width } => {
                format!("{} word[{width}]", if *signed { "signed" } else { "unsigned" })
            }
            Domain::Enumeration(values) => {
                let some: Vec<String> =
                    values.iter().take(8).map(|&value| print(self.symbols, domain, value)).collect();
                format!("{{{}{}}}", some.join(", "), if values.len() > 8 { ", …" } else { "" })
            }
        }
    }

    pub(super) fn dead_end<B: Bits>(&self, state: &B, count: Option<usize>) -> Stopped {
        Stopped::Wrong(self.no_successor(&self.state(state), count).into())
    }

    /// That a state, given by its name, has no successor, and how many have none.
    pub(super) fn no_successor(&self, state: &str, count: Option<usize>) -> Diagnostic {
        let message = match count {
            None | Some(1) => format!("state \"{state}\" has no successor"),
            Some(count) => format!("{count} states have no successor, \"{state}\" among them"),
        };
        at(self.structure.span, message).remedy(DEAD_ENDS)
    }

    /// That no state is initial.
    pub(super) fn no_start(&self) -> Diagnostic {
        let message = format!("no state of module \"{}\" is initial", self.structure.name);
        at(self.structure.span, message).help("what INIT, INVAR and init() ask for contradicts itself")
    }

    pub(super) fn two_calls<B: Bits>(
        &self,
        state: &B,
        one: &Call,
        two: &Call,
        program: &Program,
    ) -> Diagnostic {
        let (one, other) = (&program.structures[one.target].name, &program.structures[two.target].name);
        at(two.span, format!("state \"{}\" calls \"{other}\" and \"{one}\"", self.state(state)))
    }

    pub(super) fn labelled_call<B: Bits>(&self, state: &B, label: &Label) -> Diagnostic {
        at(label.span, format!("state \"{}\" is a call and has label \"{}\"", self.state(state), label.name))
            .help("a call is not a state of a run; label the state before it, or the one after")
    }

    pub(super) fn several_initial<B: Bits>(&self, count: usize, one: &B, two: &B) -> Diagnostic {
        let message = format!(
            "module \"{}\" has {count} initial states, \"{}\" and \"{}\" among them",
            self.structure.name,
            self.state(one),
            self.state(two)
        );
        at(self.structure.span, message).help("a module that calls or is called starts in one state")
    }

    pub(super) fn entry_is_call<B: Bits>(&self, state: &B, call: &Call) -> Diagnostic {
        at(call.span, format!("the initial state \"{}\" is a call", self.state(state)))
            .help("let the module start in a state of its own, and call in the next")
    }

    pub(super) fn exit_is_call<B: Bits>(&self, state: &B, call: &Call) -> Diagnostic {
        at(call.span, format!("the exit \"{}\" is a call", self.state(state)))
    }

    pub(super) fn call_after_call<B: Bits>(&self, first: &B, second: &B, call: &Call) -> Diagnostic {
        let message = format!("call \"{}\" follows call \"{}\"", self.state(second), self.state(first));
        at(call.span, message).help("put a state between them")
    }
}
