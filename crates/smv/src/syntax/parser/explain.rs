//! Messages for a text that is not a model: the token found, those expected, and the likely
//! mistake.

use super::super::ast::{Binary, Span, Unary};
use super::super::lexer::Lexeme;
use super::super::tokens::{Token, instead_of};
use super::Parser;
use super::stacks::Frame;
use loris_base::Diagnostic;

/// Words longer than that are not repeated in full.
const SHOWN: usize = 40;

impl Parser<'_, '_> {
    pub(super) fn error_at(&self, (start, end): Span, message: impl Into<String>) -> Diagnostic {
        // the caret of a long expression underlines its first line
        let text = &self.text[start as usize..end as usize];
        let length = text.find('\n').unwrap_or(text.len());
        Diagnostic::error(u64::from(start), length, message)
    }

    /// About the token at hand.
    pub(super) fn error_here(&self, message: impl Into<String>) -> Diagnostic {
        self.error_at((self.now.start, self.now.end), message)
    }

    fn describe(&self, lexeme: Lexeme) -> String {
        let word = lexeme.text(self.text);
        match lexeme.token {
            Token::End => "the end".to_owned(),
            _ if word.len() > SHOWN => format!("`{}…`", &word[..word.floor_char_boundary(SHOWN)]),
            _ => format!("`{word}`"),
        }
    }

    /// Something else stands where a certain sign or word must.
    pub(super) fn expected(&self, what: &str) -> Diagnostic {
        self.error_here(format!("expected {what}, found {}", self.describe(self.now)))
    }

    /// Something else stands where a name must.
    pub(super) fn expected_name(&self, what: &str) -> Diagnostic {
        let word = self.word();
        if self.now.token != Token::Name
            && word.starts_with(|c: char| c.is_ascii_alphabetic())
            && !self.at_section()
        {
            return self.error_here(format!("`{word}` is a word of the language, not a name"));
        }
        self.expected(what)
    }

    /// The token at hand is known, and not supported.
    pub(super) fn unsupported(&self) -> Diagnostic {
        let word = self.word();
        let problem =
            self.error_here(format!("`{word}` is not supported")).not_supported(format!("`{word}`"));
        match instead_of(word) {
            Some(help) => problem.help(help),
            None => problem,
        }
    }

    /// A name in letters that names have not.
    pub(super) fn foreign(&self) -> Diagnostic {
        let name = self.describe(self.now);
        self.error_here(format!("{name} has letters that are not ASCII"))
            .help("names consist of ASCII letters, digits, `_`, `$`, `#` and `-`")
    }

    /// `F [0, 5] p`, `a U [0, 5] b`.
    pub(super) fn bounded(&self) -> Diagnostic {
        let operator = self.last.text(self.text);
        let what = format!("`{operator} [ … ]`");
        self.error_at((self.last.start, self.now.end), format!("{what} is not supported"))
            .not_supported(what)
            .help("write the operator without bounds, or count steps in a variable")
    }

    /// `E p`.
    pub(super) fn expected_path(&self, quantifier: Unary) -> Diagnostic {
        let sign = quantifier.sign().trim_end();
        let found = self.describe(self.now);
        let problem = self.error_here(format!("expected a path formula after `{sign}`, found {found}"));
        problem
            .help(format!("write `{sign} [ a U b ]`, `{sign}F a`, or `{sign} ( … )` around a path formula"))
    }

    /// `E [ a U b U c ]`.
    pub(super) fn second_until(&self, some: bool) -> Diagnostic {
        let sign = if some { "E" } else { "A" };
        self.error_here(format!("`{sign} [ … ]` takes one `U`, `V` or `BU` only"))
            .help("put brackets around the inner one")
    }

    /// Something other than an expression stands where one must begin.
    pub(super) fn expected_expression(&self) -> Diagnostic {
        let (last, found) = (self.last, self.now);
        let message = match last.token {
            Token::End => format!("expected an expression, found {}", self.describe(found)),
            _ => format!(
                "expected an expression after {}, found {}",
                self.describe(last),
                self.describe(found)
            ),
        };
        let problem = self.error_here(message);
        let not_a_name =
            |lexeme: Lexeme| format!("{} is a word of the language, not a name", self.describe(lexeme));
        match (last.token, found.token) {
            (Token::Prefix(unary), _) if unary != Unary::Not => problem.help(not_a_name(last)),
            (Token::Infix(infix), _) if infix.is_temporal() => problem.help(not_a_name(last)),
            (Token::Infix(Binary::And), Token::Infix(Binary::And)) => problem.help("one `&` is enough"),
            (Token::Infix(Binary::Or), Token::Infix(Binary::Or)) => problem.help("one `|` is enough"),
            (Token::Infix(Binary::Equal), Token::Infix(Binary::Equal)) => {
                problem.help("equality is written `=`")
            }
            (Token::Infix(Binary::Equal), Token::Infix(Binary::Greater)) => {
                problem.help("implication is written `->`, at least is `>=`")
            }
            (Token::Semicolon, Token::Section(_) | Token::End) if self.stacks.frame().is_some() => {
                self.unfinished()
            }
            _ if found.token != Token::Name
                && !self.at_section()
                && found.text(self.text).starts_with(|c: char| c.is_ascii_alphabetic()) =>
            {
                problem.help(not_a_name(found))
            }
            _ => problem,
        }
    }

    /// An expression ended, and the next token neither continues it nor may come after it.
    pub(super) fn expected_operator(&self, or: &str) -> Diagnostic {
        if let (Token::Close | Token::CloseSquare | Token::CloseCurly, "`;`" | "the end of the property") =
            (self.now.token, or)
        {
            let message = format!("this {} closes nothing", self.describe(self.now));
            return self.error_here(message).help("remove it, or open a bracket before it");
        }
        if self.now.token == Token::Unsupported {
            return self.unsupported();
        }
        let comma = if or.starts_with("`,` or") { ", " } else { " or " };
        let problem = self.expected(&format!("an operator{comma}{or}"));
        match (self.now.token, self.word()) {
            (Token::Name, "R" | "release" | "releases") => problem.help("release is written `V`"),
            (Token::Name, "W") => problem.help("there is no weak until: write `b V (a | b)` for `a W b`"),
            (Token::Name, "and" | "AND") => problem.help("and is written `&`"),
            (Token::Name, "or" | "OR") => problem.help("or is written `|`"),
            (Token::Becomes, _) => problem.help("equality is written `=`"),
            _ => problem,
        }
    }

    /// The present token does not continue the open frame.
    pub(super) fn unfinished(&self) -> Diagnostic {
        let Some(open) = self.stacks.frame() else { return self.expected_operator("`;`") };
        let start = open.start;
        let (sign, close) = match open.frame {
            Frame::Group | Frame::Steps(..) | Frame::Event { .. } | Frame::EventBody { .. } => ("(", "`)`"),
            Frame::Index | Frame::Bits | Frame::BracketsSecond(_) => ("[", "`]`"),
            Frame::Quantified(true) | Frame::Second(true, _) | Frame::BoundedSecond(true, _) => {
                ("E [", "`]`")
            }
            Frame::Quantified(false) | Frame::Second(false, _) | Frame::BoundedSecond(false, _) => {
                ("A [", "`]`")
            }
            Frame::Set => ("{", "`,` or `}`"),
            Frame::List => ("[", "`,` or `]`"),
            Frame::Brackets => ("[", "`U` or `W`"),
            Frame::Sequence => ("{", "`;` or `}`"),
            Frame::Next => ("next(", "`)`"),
            Frame::Apply(_) => ("(", "`,` or `)`"),
            Frame::Condition | Frame::Value => ("case", "`esac`"),
            Frame::Then => ("?", "`:`"),
        };
        let ends = self.at_section() || self.now.token == Token::Semicolon;
        match open.frame {
            Frame::Condition | Frame::Value if self.at_section() => {
                self.error_at((start, start + 4), "this `case` is not closed").help("add an `esac`")
            }
            Frame::Condition => self.expected_operator("`:`"),
            Frame::Value => self.expected_operator("`;`"),
            Frame::Then if ends => self
                .error_at((start, start + 1), "this `?` has no `:`")
                .help("a choice is written `c ? a : b`"),
            Frame::Index | Frame::Bits if ends => self.expected_operator("`]`"),
            Frame::Apply(function) if ends => {
                let length = function.name().len() as u32;
                let message = format!("the operands of this `{}` have no `)`", function.name());
                self.error_at((start, start + length), message).help("add a `)`")
            }
            _ if ends => {
                let message = format!("this `{sign}` is not closed");
                let close = close.rsplit(' ').next().unwrap_or(close);
                self.error_at((start, start + 1), message).help(format!("add a {close}"))
            }
            _ => self.expected_operator(close),
        }
    }

    /// Something new starts without a `;` before it.
    pub(super) fn missing_semicolon(&self) -> Diagnostic {
        let at = u64::from(self.last.end);
        Diagnostic::error(at, 0, format!("a `;` is missing before {}", self.describe(self.now)))
    }
}
