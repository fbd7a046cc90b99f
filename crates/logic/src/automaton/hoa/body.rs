//! The body of a HOA file: states with their edges, up to `--END--`.

use super::header::MAX_SETS;
use super::header::{Header, branching};
use super::label::{Label, Labels};
use super::lexer::{Kind, Tokens};
use crate::automaton::buchi::Edge;
use crate::automaton::buchi::MAX_STATES;
use crate::automaton::guard::Guard;
use loris_base::Diagnostic;
use std::collections::BTreeSet;

/// Bytes of a state beside its edges: two rows, its name, its place among others.
const STATE: usize = size_of::<State>() + 2 * size_of::<Vec<Edge>>() + size_of::<String>() + 80;

pub(super) struct State {
    pub(super) number: u64,
    pub(super) name: Option<String>,
    /// The acceptance sets it is in, as a mask.
    pub(super) marks: u64,
    /// With the sets of the edge alone.
    pub(super) edges: Vec<(Edge, u64)>,
}

#[derive(Default)]
pub(super) struct Body {
    pub(super) states: Vec<State>,
    /// One more than the largest number of a state.
    pub(super) mentioned: u64,
    /// Numbers of states that there are not, with their offsets and lengths.
    pub(super) unknown: Vec<(u64, u64, usize)>,
}

impl Body {
    /// Reads up to and with `--END--`.
    pub(super) fn parse(tokens: &mut Tokens<'_, '_>, header: &mut Header) -> Body {
        let mut body = Body::default();
        let mut seen = BTreeSet::new();
        loop {
            match tokens.kind().clone() {
                Kind::Item(name) if name == "State" => {
                    tokens.take();
                    match body.state(tokens, header, &mut seen) {
                        Ok(state) => body.states.push(state),
                        Err(problem) => {
                            tokens.problems.push(problem);
                            skip_state(tokens);
                        }
                    }
                }
                Kind::Mark(mark) if mark == "--END--" => {
                    tokens.take();
                    return body;
                }
                Kind::End | Kind::Mark(_) => {
                    let problem = tokens.unexpected("`State:` or `--END--`");
                    tokens.problems.push(problem.help("an automaton ends with `--END--`"));
                    while *tokens.kind() != Kind::End {
                        tokens.take();
                    }
                    return body;
                }
                _ => {
                    tokens.problems.push(tokens.unexpected("`State:` or `--END--`"));
                    tokens.take();
                    skip_state(tokens);
                }
            }
        }
    }

    /// Notes a number of a state, with its offset and length.
    fn mention(&mut self, header: &Header, place: (u64, u64, usize)) {
        if place.0 < header.states.unwrap_or(MAX_STATES) {
            self.mentioned = self.mentioned.max(place.0 + 1);
        } else {
            self.unknown.push(place);
        }
    }

    fn state(
        &mut self,
        tokens: &mut Tokens<'_, '_>,
        header: &mut Header,
        seen: &mut BTreeSet<u64>,
    ) -> Result<State, Diagnostic> {
        let shared = label(tokens, header)?;
        let place = tokens.take_int().ok_or_else(|| tokens.unexpected("a number of a state"))?;
        let (number, at, length) = place;
        self.mention(header, place);
        if !seen.insert(number) {
            return Err(Diagnostic::error(at, length, format!("state {number} stands here a second time")));
        }
        if number >= MAX_STATES {
            return Err(Diagnostic::error(at, length, format!("there are at most {MAX_STATES} states")));
        }
        let name = match tokens.kind().clone() {
            Kind::Text(name) => {
                tokens.take();
                Some(name)
            }
            _ => None,
        };
        let marks = marks(tokens, header.sets())?;
        tokens.charge(STATE + name.as_ref().map_or(0, String::len));
        let edges = self.edges(tokens, header, shared.as_ref(), (at, length))?;
        Ok(State { number, name, marks, edges })
    }

    fn edges(
        &mut self,
        tokens: &mut Tokens<'_, '_>,
        header: &mut Header,
        shared: Option<&Label>,
        (at, length): (u64, usize),
    ) -> Result<Vec<(Edge, u64)>, Diagnostic> {
        let mut edges = Vec::new();
        let mut implicit = None;
        while matches!(tokens.kind(), Kind::Sign('[') | Kind::Int(_)) {
            let place = tokens.unexpected("an edge");
            let own = label(tokens, header)?;
            let (to, to_at, to_length) =
                tokens.take_int().ok_or_else(|| tokens.unexpected("a number of a state"))?;
            if *tokens.kind() == Kind::Sign('&') {
                return Err(branching(tokens, "lead each edge to one state"));
            }
            self.mention(header, (to, to_at, to_length));
            let problem = |message: &str| Err(Diagnostic { message: message.to_owned(), ..place.clone() });
            let guard = match (own, shared) {
                (Some(_), Some(_)) => return problem("the state has a label, so that its edges have none"),
                (Some(own), None) if implicit != Some(true) => {
                    implicit = Some(false);
                    own.guard
                }
                (None, Some(shared)) => header.labels.copy(shared, to_at)?,
                (None, None) if implicit != Some(false) => {
                    implicit = Some(true);
                    implicit_guard(&mut header.labels, edges.len(), header.propositions.len(), to_at)?
                }
                _ => return problem("either all edges of a state have labels or none has"),
            };
            let marks = marks(tokens, header.sets())?;
            // rows double when they grow
            tokens.charge(guard.bytes() + 2 * size_of::<(Edge, u64)>());
            edges.push((Edge { guard, to: u32::try_from(to).unwrap_or(u32::MAX) }, marks));
        }
        let letters =
            u32::try_from(header.propositions.len()).ok().and_then(|count| 1usize.checked_shl(count));
        if implicit == Some(true) && letters != Some(edges.len()) {
            let letters = letters.map_or("too many".to_owned(), |letters| letters.to_string());
            let message =
                format!("without labels a state has an edge for each letter, {letters}, not {}", edges.len());
            return Err(Diagnostic::error(at, length, message).help("label the edges, as in `[0&!1] 2`"));
        }
        Ok(edges)
    }
}

/// Goes to the next state or the end.
fn skip_state(tokens: &mut Tokens<'_, '_>) {
    while !matches!(tokens.kind(), Kind::Item(_) | Kind::Mark(_) | Kind::End) {
        tokens.take();
    }
}

/// A label in its brackets, if one stands here.
fn label(tokens: &mut Tokens<'_, '_>, header: &mut Header) -> Result<Option<Label>, Diagnostic> {
    if !tokens.take_sign('[') {
        return Ok(None);
    }
    let label = header.labels.parse(tokens, Some(header.propositions.len()))?;
    if tokens.take_sign(']') { Ok(Some(label)) } else { Err(tokens.unexpected("`&`, `|` or `]`")) }
}

/// The acceptance sets in braces, if there are any.
fn marks(tokens: &mut Tokens<'_, '_>, sets: u64) -> Result<u64, Diagnostic> {
    let mut mask = 0;
    if tokens.take_sign('{') {
        while let Some((set, at, length)) = tokens.take_int() {
            if set >= sets {
                let message = format!("there is no set {set}: `Acceptance:` announces {sets}");
                return Err(Diagnostic::error(at, length, message).help("sets are numbered from 0"));
            }
            // further ones are in no condition that was taken
            mask |= if set < MAX_SETS as u64 { 1 << set } else { 0 };
        }
        if !tokens.take_sign('}') {
            return Err(tokens.unexpected("a number of a set or `}`"));
        }
    }
    Ok(mask)
}

/// The letter of an edge without label, by its place among the edges: bit `i` is proposition `i`.
fn implicit_guard(labels: &mut Labels, place: usize, atoms: usize, at: u64) -> Result<Guard, Diagnostic> {
    labels.grow(1 + atoms, at)?;
    let literal = |atom: usize| match Guard::Atom(atom as u32) {
        guard if atom < usize::BITS as usize && place >> atom & 1 == 1 => guard,
        guard => Guard::Not(Box::new(guard)),
    };
    Ok(match atoms {
        0 => Guard::True,
        1 => literal(0),
        _ => Guard::And((0..atoms).map(literal).collect()),
    })
}
