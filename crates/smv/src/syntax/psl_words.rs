//! Which words are reserved in PSL.

use super::ast::{Bounded, Unary};
use super::psl::{Infix, Word};
use super::tokens::Token;

/// Whether `!` right after a word may belong to it.
pub(super) fn takes_bang(word: &str) -> bool {
    matches!(
        word,
        "X" | "next"
            | "next_a"
            | "next_e"
            | "next_event"
            | "next_event_a"
            | "next_event_e"
            | "eventually"
            | "until"
            | "before"
            | "within"
            | "whilenot"
    )
}

/// The token of a word in PSL, if it differs from the one elsewhere.
pub(super) fn token_of(word: &str) -> Option<Token> {
    let word = match word {
        "always" => return Some(Token::Prefix(Unary::G)),
        "X!" => return Some(Token::Prefix(Unary::X)),
        "abort" | "within" | "within!" | "within_" | "within!_" | "whilenot" | "whilenot!" | "whilenot_"
        | "whilenot!_" | "forany" => return Some(Token::Unsupported),
        // operators of the past and bounded ones are names here
        "Y" | "Z" | "H" | "O" | "S" | "T" | "V" | "BU" | "EBF" | "EBG" | "ABF" | "ABG" => {
            return Some(Token::Name);
        }
        "never" => Word::Never,
        "eventually!" => Word::Prefix(Unary::F),
        "next" | "next!" => Word::Prefix(Unary::X),
        "next_a" | "next_a!" => Word::Steps(Bounded::G),
        "next_e" | "next_e!" => Word::Steps(Bounded::F),
        "next_event" => Word::Event { strong: false, range: None },
        "next_event!" => Word::Event { strong: true, range: None },
        "next_event_a" => Word::Event { strong: false, range: Some(true) },
        "next_event_a!" => Word::Event { strong: true, range: Some(true) },
        "next_event_e" => Word::Event { strong: false, range: Some(false) },
        "next_event_e!" => Word::Event { strong: true, range: Some(false) },
        "until" => Word::Infix(Infix::Until { strong: false, together: false }),
        "until!" => Word::Infix(Infix::Until { strong: true, together: false }),
        "until_" => Word::Infix(Infix::Until { strong: false, together: true }),
        "until!_" => Word::Infix(Infix::Until { strong: true, together: true }),
        "before" => Word::Infix(Infix::Before { strong: false, together: false }),
        "before!" => Word::Infix(Infix::Before { strong: true, together: false }),
        "before_" => Word::Infix(Infix::Before { strong: false, together: true }),
        "before!_" => Word::Infix(Infix::Before { strong: true, together: true }),
        "W" => Word::Weak,
        "forall" => Word::Forall,
        _ => return None,
    };
    Some(Token::Psl(word))
}
