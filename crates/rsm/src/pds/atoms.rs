//! The meaning of `ATOMS` lines, once it is known from the rules which names are control states and
//! which are symbols.
//!
//! The format puts the label first and then its carriers; files of the java-usedef benchmarks put a
//! control state or symbol first and then its labels. One reading holds for a whole file: the
//! format's own unless more of its names would be unknown in it.

use super::scan::Token;
use super::scan::unknown;
use super::{Control, HeadLabel, Pds, StackSymbol};
use crate::account::{ahead, names_ahead};
use loris_base::{Diagnostics, Idx, Names, Symbol};

/// Names that are mentioned outside of rules, before their kind is known.
#[derive(Default)]
pub(super) struct Mentions {
    pub(super) names: Names,
}

/// A name and where it is mentioned.
#[derive(Clone, Copy)]
pub(super) struct Mention {
    pub(super) name: Symbol,
    offset: u64,
}

impl Mentions {
    pub(super) fn add(&mut self, token: Token) -> Mention {
        Mention { name: self.names.intern(token.text), offset: token.offset as u64 }
    }

    /// A mention as the text has it.
    pub(super) fn token(&self, mention: Mention) -> Token<'_> {
        Token { text: &self.names[mention.name], offset: mention.offset as usize }
    }

    /// For every name, its number among others.
    pub(super) fn numbers(&self, others: &Names) -> Vec<Option<u32>> {
        self.names.iter().map(|name| others.find(name).map(|symbol| symbol.index() as u32)).collect()
    }

    /// Bytes that it may hold after some more text, and while the names are resolved.
    pub(super) fn bytes_ahead(&self, text: usize) -> usize {
        names_ahead(&self.names, text) + 16 * self.names.len()
    }
}

/// The elements of a line.
#[derive(Clone, Copy)]
pub(super) enum Element<T> {
    /// A bare name: a label, a control state or a symbol.
    Name(T),
    /// A symbol in brackets.
    Symbol(T),
    /// A control state with a symbol.
    Head(T, T),
}

impl<T> Element<T> {
    fn map<U>(self, mut of: impl FnMut(T) -> U) -> Element<U> {
        match self {
            Element::Name(name) => Element::Name(of(name)),
            Element::Symbol(name) => Element::Symbol(of(name)),
            Element::Head(control, symbol) => Element::Head(of(control), of(symbol)),
        }
    }
}

/// An element as it is kept: a line may list millions.
#[derive(Clone, Copy)]
struct Listed {
    /// the name, or the control state of a head
    first: Symbol,
    /// the symbol of a head, `NAME` or `SYMBOL`
    second: u32,
    offset: u64,
    /// how far the symbol of a head is from its control state
    distance: u32,
}

const NAME: u32 = u32::MAX;
const SYMBOL: u32 = u32::MAX - 1;

impl Listed {
    fn of(element: Element<Mention>) -> Self {
        match element {
            Element::Name(name) => Self { first: name.name, second: NAME, offset: name.offset, distance: 0 },
            Element::Symbol(name) => {
                Self { first: name.name, second: SYMBOL, offset: name.offset, distance: 0 }
            }
            Element::Head(control, symbol) => Self {
                first: control.name,
                second: symbol.name.index() as u32,
                offset: control.offset,
                distance: u32::try_from(symbol.offset - control.offset).unwrap_or(0),
            },
        }
    }

    fn element(self) -> Element<Mention> {
        let first = Mention { name: self.first, offset: self.offset };
        match self.second {
            NAME => Element::Name(first),
            SYMBOL => Element::Symbol(first),
            second => {
                let offset = self.offset + u64::from(self.distance);
                Element::Head(first, Mention { name: Symbol::new(second as usize), offset })
            }
        }
    }
}

/// All lines, one after the other.
#[derive(Default)]
pub(super) struct Atoms {
    pub(super) mentions: Mentions,
    elements: Vec<Listed>,
    /// where each line starts
    starts: Vec<usize>,
}

impl Atoms {
    /// Starts a line.
    pub(super) fn start(&mut self, first: Element<Token>) {
        self.starts.push(self.elements.len());
        self.push(first);
    }

    /// Adds to the line.
    pub(super) fn push(&mut self, next: Element<Token>) {
        self.elements.push(Listed::of(next.map(|token| self.mentions.add(token))));
    }

    /// Bytes that it may hold after some more elements, and while they are resolved.
    pub(super) fn bytes_ahead(&self, more: usize, text: usize) -> usize {
        // each is held once more when it is resolved
        ahead(&self.elements, more)
            + ahead(&self.starts, more)
            + 12 * self.elements.len()
            + self.mentions.bytes_ahead(text)
    }

    /// The first element of each line, and the others.
    fn lines(
        &self,
    ) -> impl Iterator<Item = (Element<Mention>, impl Iterator<Item = Element<Mention>> + Clone)> {
        let ends = self.starts.iter().skip(1).copied().chain([self.elements.len()]);
        let lines = self.starts.iter().zip(ends).map(|(&start, end)| &self.elements[start..end]);
        let lines = lines.filter_map(|line| line.split_first());
        lines.map(|(first, rest)| (first.element(), rest.iter().map(|listed| listed.element())))
    }
}

/// The meanings of the names that are mentioned.
struct Meanings {
    controls: Vec<Option<u32>>,
    symbols: Vec<Option<u32>>,
}

impl Meanings {
    fn control(&self, mention: Mention) -> Option<Control> {
        self.controls[mention.name.index()].map(|control| Control::new(control as usize))
    }

    fn symbol(&self, mention: Mention) -> Option<StackSymbol> {
        self.symbols[mention.name.index()].map(|symbol| StackSymbol::new(symbol as usize))
    }

    fn carrier(&self, element: Element<Mention>) -> Option<Carrier> {
        match element {
            Element::Name(name) => {
                let control = self.control(name).map(Carrier::Control);
                control.or_else(|| self.symbol(name).map(Carrier::Symbol))
            }
            Element::Symbol(name) => self.symbol(name).map(Carrier::Symbol),
            Element::Head(control, symbol) => {
                Some(Carrier::Head(self.control(control)?, self.symbol(symbol)?))
            }
        }
    }

    /// The meaning of an element, which may be new.
    fn made(&mut self, pds: &mut Pds, mentions: &Mentions, element: Element<Mention>) -> Carrier {
        let Self { controls, symbols } = self;
        let mut control = |mention: Mention| {
            let made = || pds.controls.intern(&mentions.names[mention.name]).index() as u32;
            Control::new(*controls[mention.name.index()].get_or_insert_with(made) as usize)
        };
        let mut symbol = |mention: Mention| {
            let made = || pds.symbols.intern(&mentions.names[mention.name]).index() as u32;
            StackSymbol::new(*symbols[mention.name.index()].get_or_insert_with(made) as usize)
        };
        match element {
            Element::Name(name) => Carrier::Control(control(name)),
            Element::Symbol(name) => Carrier::Symbol(symbol(name)),
            Element::Head(one, other) => Carrier::Head(control(one), symbol(other)),
        }
    }
}

/// The carrier of a label.
enum Carrier {
    Control(Control),
    Symbol(StackSymbol),
    Head(Control, StackSymbol),
}

/// Gives labels to their carriers, and reports unknown names. A file of `ours` may give labels to
/// names that occur in no rule: such a label is known, but nothing that occurs carries it. Of a
/// `broken` file some rules are not known.
pub(super) fn resolve(atoms: &Atoms, pds: &mut Pds, ours: bool, broken: bool, problems: &mut Diagnostics) {
    let mentions = &atoms.mentions;
    let mut meanings =
        Meanings { controls: mentions.numbers(&pds.controls), symbols: mentions.numbers(&pds.symbols) };
    let strange = |element: Element<Mention>| meanings.carrier(element).is_none();
    let label_first: usize =
        atoms.lines().map(|(_, rest)| rest.filter(|&element| strange(element)).count()).sum();
    // nor has a label brackets
    let bracket = |element: &Element<Mention>| !matches!(element, Element::Name(_));
    let label_last =
        atoms.lines().map(|(first, rest)| usize::from(strange(first)) + rest.filter(bracket).count());
    let label_last: usize = label_last.sum();
    let swapped = label_last < label_first && !ours;
    for (first, rest) in atoms.lines() {
        for other in rest {
            let (label, carried_by) = if swapped { (other, first) } else { (first, other) };
            let label = match label {
                Element::Name(name) => &mentions.names[name.name],
                Element::Symbol(name) | Element::Head(name, _) => {
                    problems.push(mentions.token(name).problem("a label has no brackets"));
                    continue;
                }
            };
            match meanings.carrier(carried_by) {
                Some(carrier) => add(pds, label, &carrier),
                None if ours => {
                    let carrier = meanings.made(pds, mentions, carried_by);
                    add(pds, label, &carrier);
                }
                // a line that could not be read may have been the one that names it
                None if broken => {}
                None => report(pds, mentions, carried_by, problems),
            }
            if swapped && meanings.carrier(carried_by).is_none() {
                break;
            }
        }
    }
}

fn add(pds: &mut Pds, label: &str, carrier: &Carrier) {
    let label = HeadLabel::new(pds.labels.intern(label).index());
    match *carrier {
        Carrier::Control(control) => pds.control_labels.push((control, label)),
        Carrier::Symbol(symbol) => pds.symbol_labels.push((symbol, label)),
        Carrier::Head(control, symbol) => pds.head_labels.push((control, symbol, label)),
    }
}

fn report(pds: &Pds, mentions: &Mentions, element: Element<Mention>, problems: &mut Diagnostics) {
    match element.map(|mention| mentions.token(mention)) {
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

/// Gives labels the texts that comments define for them.
pub(super) fn rename(
    pds: &mut Pds,
    renamed: &[(Mention, String)],
    mentions: &Mentions,
    problems: &mut Diagnostics,
) {
    let mut text_of: Vec<Option<&str>> = vec![None; pds.labels.len()];
    for (name, text) in renamed {
        let name = mentions.token(*name);
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
        && let Some(&(name, _)) = renamed.first()
    {
        problems.push(mentions.token(name).problem("two labels are given the same text"));
        return;
    }
    pds.labels = labels;
}
