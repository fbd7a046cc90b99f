//! What `ATOMS` lines say, once the rules have told which names are control states and which are symbols.
//!
//! The format puts the label first and then what carries it; files of the java-usedef benchmarks put a
//! control state or symbol first and then its labels. One reading holds for a whole file: the format's own
//! unless more of its names would be unknown in it.

use super::read::unknown;
use super::scan::Token;
use super::{Control, HeadLabel, Pds, StackSymbol};
use crate::account::ahead;
use loris_base::{Diagnostics, Idx, Names, Symbol};

/// What a line lists.
#[derive(Clone, Copy)]
pub(super) enum Element<'t> {
    /// A bare name: a label, a control state or a symbol.
    Name(Token<'t>),
    /// A symbol in brackets.
    Symbol(Token<'t>),
    /// A control state with a symbol.
    Head(Token<'t>, Token<'t>),
}

/// All lines, one after the other.
#[derive(Default)]
pub(super) struct Atoms<'t> {
    elements: Vec<Element<'t>>,
    /// where each line starts
    starts: Vec<usize>,
}

impl<'t> Atoms<'t> {
    /// Starts a line.
    pub(super) fn start(&mut self, first: Element<'t>) {
        self.starts.push(self.elements.len());
        self.elements.push(first);
    }

    /// Adds to the line.
    pub(super) fn push(&mut self, next: Element<'t>) {
        self.elements.push(next);
    }

    /// Bytes that it may hold after some more elements, and while they are resolved.
    pub(super) fn bytes_ahead(&self, more: usize) -> usize {
        // each is held once more as what it means
        ahead(&self.elements, more) + ahead(&self.starts, more) + 12 * self.elements.len()
    }

    /// The first element of each line, and the others.
    fn lines(&self) -> impl Iterator<Item = (Element<'t>, &[Element<'t>])> {
        let ends = self.starts.iter().skip(1).copied().chain([self.elements.len()]);
        let lines = self.starts.iter().zip(ends).map(|(&start, end)| &self.elements[start..end]);
        lines.filter_map(|line| line.split_first()).map(|(&first, rest)| (first, rest))
    }
}

/// What carries a label.
enum Carrier {
    Control(Control),
    Symbol(StackSymbol),
    Head(Control, StackSymbol),
}

fn find<I: Idx>(names: &Names, token: Token) -> Option<I> {
    names.find(token.text).map(|symbol: Symbol| I::new(symbol.index()))
}

fn carrier(pds: &Pds, element: Element) -> Option<Carrier> {
    match element {
        Element::Name(token) => find(&pds.controls, token)
            .map(Carrier::Control)
            .or_else(|| find(&pds.symbols, token).map(Carrier::Symbol)),
        Element::Symbol(token) => find(&pds.symbols, token).map(Carrier::Symbol),
        Element::Head(control, symbol) => {
            Some(Carrier::Head(find(&pds.controls, control)?, find(&pds.symbols, symbol)?))
        }
    }
}

/// What an element names, which may be new.
fn made(pds: &mut Pds, element: Element) -> Carrier {
    let mut control = |token: Token| Control::new(pds.controls.intern(token.text).index());
    let mut symbol = |token: Token| StackSymbol::new(pds.symbols.intern(token.text).index());
    match element {
        Element::Name(token) => Carrier::Control(control(token)),
        Element::Symbol(token) => Carrier::Symbol(symbol(token)),
        Element::Head(one, other) => Carrier::Head(control(one), symbol(other)),
    }
}

/// Gives labels to what carries them, and reports names that nothing has. A file of `ours` may give labels
/// to what no rule has: such a label is known, but nothing that occurs carries it. Of a `broken` file some rules are not known.
pub(super) fn resolve(atoms: &Atoms, pds: &mut Pds, ours: bool, broken: bool, problems: &mut Diagnostics) {
    let strange = |element: Element| carrier(pds, element).is_none();
    let label_first = atoms.lines().flat_map(|(_, rest)| rest).filter(|&&element| strange(element)).count();
    // nor has a label brackets
    let bracket = |element: &Element| !matches!(element, Element::Name(_));
    let label_last = atoms.lines().map(|(first, rest)| {
        usize::from(strange(first)) + rest.iter().filter(|other| bracket(other)).count()
    });
    let label_last: usize = label_last.sum();
    let swapped = label_last < label_first && !ours;
    for (first, rest) in atoms.lines() {
        for &other in rest {
            let (label, carried_by) = if swapped { (other, first) } else { (first, other) };
            let token = match label {
                Element::Name(token) => token,
                Element::Symbol(token) | Element::Head(token, _) => {
                    problems.push(token.problem("a label has no brackets"));
                    continue;
                }
            };
            match carrier(pds, carried_by) {
                Some(carrier) => add(pds, token, &carrier),
                None if ours => {
                    let carrier = made(pds, carried_by);
                    add(pds, token, &carrier);
                }
                // a line that could not be read may have been the one that names it
                None if broken => {}
                None => report(pds, carried_by, problems),
            }
            if swapped && carrier(pds, carried_by).is_none() {
                break;
            }
        }
    }
}

fn add(pds: &mut Pds, label: Token, carrier: &Carrier) {
    let label = HeadLabel::new(pds.labels.intern(label.text).index());
    match *carrier {
        Carrier::Control(control) => pds.control_labels.push((control, label)),
        Carrier::Symbol(symbol) => pds.symbol_labels.push((symbol, label)),
        Carrier::Head(control, symbol) => pds.head_labels.push((control, symbol, label)),
    }
}

fn report(pds: &Pds, element: Element, problems: &mut Diagnostics) {
    match element {
        Element::Name(token) => {
            let both = pds.controls.iter().chain(pds.symbols.iter());
            let near = loris_base::nearest(token.text, both.filter(|_| problems.len() < 100));
            let message =
                format!("\"{}\" is neither a control state nor a stack symbol of a rule", token.text);
            let problem = token.problem(message);
            problems.push(match near {
                Some(near) => problem.help(format!("did you mean \"{near}\"?")),
                None => problem,
            });
        }
        Element::Symbol(token) => unknown(&pds.symbols, token, "stack symbol", problems),
        Element::Head(control, symbol) => {
            unknown(&pds.controls, control, "control state", problems);
            unknown(&pds.symbols, symbol, "stack symbol", problems);
        }
    }
}

/// Gives labels the texts that comments say they stand for.
pub(super) fn rename(pds: &mut Pds, renamed: &[(Token, String)], problems: &mut Diagnostics) {
    let mut text_of: Vec<Option<&str>> = vec![None; pds.labels.len()];
    for (name, text) in renamed {
        match pds.labels.find(name.text) {
            Some(label) => text_of[label.index()] = Some(text),
            None => problems.push(name.problem(format!("no head has the label \"{}\"", name.text))),
        }
    }
    let mut labels = Names::default();
    for (i, text) in text_of.iter().enumerate() {
        labels.intern(text.unwrap_or(&pds.labels[Symbol::new(i)]));
    }
    if labels.len() < pds.labels.len()
        && let Some((name, _)) = renamed.first()
    {
        problems.push(name.problem("two labels are given the same text"));
        return;
    }
    pds.labels = labels;
}
