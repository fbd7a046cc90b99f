//! The header of a HOA file: everything up to `--BODY--`.

use super::label::Labels;
use super::lexer::{Kind, Token, Tokens};
use crate::automaton::buchi::MAX_STATES;
use loris_base::Diagnostic;

/// Counters are masks.
pub(super) const MAX_SETS: usize = 64;

/// When a run is accepting.
pub(super) enum Acceptance {
    /// When it meets each of these sets infinitely often.
    All(Vec<u64>),
    /// Never.
    Nothing,
}

#[derive(Default)]
pub(super) struct Header {
    pub(super) states: Option<u64>,
    /// Number, offset and length in the text.
    pub(super) start: Vec<(u64, u64, usize)>,
    pub(super) propositions: Vec<String>,
    pub(super) name: Option<String>,
    /// Nothing is known of it if it is missing or was refused.
    pub(super) acceptance: Option<(u64, Acceptance)>,
    pub(super) labels: Labels,
    /// The items that may stand only once.
    seen: Vec<String>,
}

impl Header {
    /// Reads up to and with `--BODY--`; nothing if there is no such thing.
    pub(super) fn parse(tokens: &mut Tokens<'_, '_>) -> Option<Header> {
        let mut header = Header::default();
        if *tokens.kind() != Kind::Item("HOA".to_owned()) {
            let problem = tokens.unexpected("`HOA: v1`").help("a HOA file begins with its version");
            tokens.problems.push(problem);
            return None;
        }
        tokens.take();
        match tokens.kind() {
            Kind::Word(version) if version == "v1" || version.starts_with("v1-") => _ = tokens.take(),
            _ => tokens.problems.push(tokens.unexpected("version `v1`")),
        }
        loop {
            let unexpected = tokens.unexpected("a header item or `--BODY--`");
            match tokens.kind().clone() {
                Kind::Item(name) => {
                    let token = tokens.take();
                    if let Err(problem) = header.item(tokens, &name, &token) {
                        tokens.problems.push(problem);
                        skip_item(tokens);
                    }
                }
                Kind::Mark(mark) if mark == "--BODY--" => break,
                Kind::End | Kind::Mark(_) => {
                    tokens.problems.push(unexpected);
                    return None;
                }
                _ => {
                    tokens.problems.push(unexpected);
                    skip_item(tokens);
                }
            }
        }
        if !header.seen.iter().any(|name| name == "Acceptance") {
            let problem = tokens.unexpected("`Acceptance:` before the body");
            tokens.problems.push(problem.help("for Büchi, write `Acceptance: 1 Inf(0)`"));
        }
        tokens.take();
        Some(header)
    }

    /// How many acceptance sets states and edges may name.
    pub(super) fn sets(&self) -> u64 {
        self.acceptance.as_ref().map_or(u64::MAX, |&(sets, _)| sets)
    }

    fn item(&mut self, tokens: &mut Tokens<'_, '_>, name: &str, token: &Token) -> Result<(), Diagnostic> {
        let problem = |message: String| Diagnostic::error(token.start as u64, token.length, message);
        if matches!(name, "HOA" | "States" | "AP" | "Acceptance" | "name") {
            if name == "HOA" || self.seen.iter().any(|seen| seen == name) {
                return Err(problem(format!("`{name}:` stands here a second time")));
            }
            self.seen.push(name.to_owned());
        }
        match name {
            "States" => {
                let (count, at, length) =
                    tokens.take_int().ok_or_else(|| tokens.unexpected("a number of states"))?;
                if count > MAX_STATES {
                    return Err(Diagnostic::error(at, length, format!("more than {MAX_STATES} states")));
                }
                self.states = Some(count);
            }
            "Start" => {
                let state = tokens.take_int().ok_or_else(|| tokens.unexpected("a number of a state"))?;
                if *tokens.kind() == Kind::Sign('&') {
                    return Err(branching(tokens, "start in one state; several `Start:` mean one of them"));
                }
                self.start.push(state);
            }
            "AP" => self.propositions(tokens)?,
            "Alias" => {
                let Kind::Alias(alias) = tokens.kind().clone() else {
                    return Err(tokens.unexpected("an alias, such as `@a`"));
                };
                tokens.take();
                // propositions may be announced later
                let announced = self.seen.iter().any(|seen| seen == "AP").then_some(self.propositions.len());
                let label = self.labels.parse(tokens, announced)?;
                self.labels.define(alias, label);
            }
            "Acceptance" => self.acceptance = Some(acceptance(tokens)?),
            "name" => match tokens.kind().clone() {
                Kind::Text(name) => {
                    tokens.take();
                    self.name = Some(name);
                }
                _ => return Err(tokens.unexpected("a name in quotes")),
            },
            _ if name.starts_with(|c: char| c.is_ascii_uppercase()) => {
                let problem = problem(format!("the header item `{name}:` is not known"));
                return Err(problem.help("it begins with a capital, so that it may not be ignored"));
            }
            _ => skip_item(tokens),
        }
        Ok(())
    }

    fn propositions(&mut self, tokens: &mut Tokens<'_, '_>) -> Result<(), Diagnostic> {
        let (count, at, length) =
            tokens.take_int().ok_or_else(|| tokens.unexpected("a number of propositions"))?;
        while let Kind::Text(name) = tokens.kind().clone() {
            tokens.take();
            tokens.charge(size_of::<String>() + 16 + name.len());
            self.propositions.push(name);
        }
        let found = self.propositions.len();
        if count != found as u64 {
            let message = format!("{count} propositions are announced, but {found} are named");
            return Err(Diagnostic::error(at, length, message));
        }
        Ok(())
    }
}

/// Goes to the next header item or to the body.
fn skip_item(tokens: &mut Tokens<'_, '_>) {
    while !matches!(tokens.kind(), Kind::Item(_) | Kind::Mark(_) | Kind::End) {
        tokens.take();
    }
}

/// A conjunction of states, which makes runs trees.
pub(super) fn branching(tokens: &Tokens<'_, '_>, help: &str) -> Diagnostic {
    let mut problem = tokens.unexpected("one state");
    "alternating automata, with conjunctions of states, are not supported".clone_into(&mut problem.message);
    problem.help(help)
}

/// A number of sets and a conjunction of `Inf`; brackets are of no consequence in it.
fn acceptance(tokens: &mut Tokens<'_, '_>) -> Result<(u64, Acceptance), Diagnostic> {
    const HELP: &str = "Büchi is `Acceptance: 1 Inf(0)`, generalized Büchi a conjunction of `Inf`; \
                        `autfilt --gba` rewrites other conditions";
    let (sets, ..) = tokens.take_int().ok_or_else(|| tokens.unexpected("a number of acceptance sets"))?;
    let (mut all, mut nothing, mut open) = (Vec::new(), false, 0usize);
    loop {
        while tokens.take_sign('(') {
            open += 1;
        }
        match tokens.kind().clone() {
            Kind::Word(word) if word == "t" || word == "f" => {
                tokens.take();
                nothing |= word == "f";
            }
            Kind::Word(word) if word == "Inf" => {
                tokens.take();
                all.push(inf(tokens, sets)?);
            }
            Kind::Word(word) if word == "Fin" => {
                let token = tokens.take();
                let problem = Diagnostic::error(token.start as u64, token.length, "`Fin` is not supported");
                return Err(problem.help(HELP));
            }
            _ => return Err(tokens.unexpected("`Inf`, `t` or `f`")),
        }
        while open > 0 && tokens.take_sign(')') {
            open -= 1;
        }
        if *tokens.kind() == Kind::Sign('|') {
            let token = tokens.take();
            let message = "acceptance with `|` is not supported";
            return Err(Diagnostic::error(token.start as u64, token.length, message).help(HELP));
        }
        if !tokens.take_sign('&') {
            break;
        }
    }
    if open > 0 {
        return Err(tokens.unexpected("`&` or `)`"));
    }
    Ok((sets, if nothing { Acceptance::Nothing } else { Acceptance::All(all) }))
}

/// The set in brackets after `Inf`.
fn inf(tokens: &mut Tokens<'_, '_>, sets: u64) -> Result<u64, Diagnostic> {
    if !tokens.take_sign('(') {
        return Err(tokens.unexpected("`(`"));
    }
    if *tokens.kind() == Kind::Sign('!') {
        let problem = tokens.unexpected("a number of a set");
        return Err(problem.help("the complement of a set is not supported: mark the other states or edges"));
    }
    let (set, at, length) = tokens.take_int().ok_or_else(|| tokens.unexpected("a number of a set"))?;
    if set >= sets {
        let message = format!("there is no set {set}: `Acceptance:` announces {sets}");
        return Err(Diagnostic::error(at, length, message).help("sets are numbered from 0"));
    }
    if set >= MAX_SETS as u64 {
        return Err(Diagnostic::error(at, length, format!("more than {MAX_SETS} acceptance sets")));
    }
    if !tokens.take_sign(')') {
        return Err(tokens.unexpected("`)`"));
    }
    Ok(set)
}
