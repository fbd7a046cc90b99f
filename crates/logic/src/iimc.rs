//! Property files of circuits, in the grammar of the model checker `IImc`: CTL formulas one after
//! another, over several lines, with the expected answers in comments.
//!
//! From loose to tight: `^`, `==` and `->` on one level, then `|`, `&`, `~` and `!`, and the
//! temporal operators; infix operators group to the left. So `AG a -> b` is `(AG a) -> b`, and
//! `E a U b & c` is `(E a U b) & c`. A formula ends where the next token cannot continue it, or at
//! `;`. A bit may be compared with a constant, `valid=1` or `valid = 0`. A comment runs from `#` to
//! the end of its line; of the form `#PASS: (3)` or `#FAIL: (4-7)` it states which formulas of the
//! file, counted from zero, hold or fail.
//!
//! Linear in the text, with a stack of its own.

use crate::formula::{Formula, FormulaBuilder, FormulaId, Node};
use loris_base::{Diagnostic, Diagnostics};

/// A formula of a property file.
#[derive(Clone, Debug)]
pub struct IimcProperty<'t> {
    /// As it is written.
    pub text: &'t str,
    /// Where it starts, in bytes.
    pub offset: u64,
    /// The formula.
    pub formula: Formula,
    /// The verdict that the file expects.
    pub expected: Option<bool>,
}

/// Reads a property file. A formula that cannot be read is left out, and the reading goes on after
/// the next `;`, comment or empty line.
///
/// ```
/// let (properties, problems) = loris_logic::parse_iimc("#PASS: (0)\nAG a -> b\nE a\n U b<0> & c");
/// let printed: Vec<String> = properties.iter().map(|property| property.formula.to_string()).collect();
/// assert!(problems.is_empty());
/// assert_eq!(printed, ["A G a -> b", "E [ a U \"b<0>\" ] & c"]);
/// assert_eq!((properties[0].expected, properties[1].expected), (Some(true), None));
/// ```
pub fn parse_iimc(text: &str) -> (Vec<IimcProperty<'_>>, Diagnostics) {
    let mut lexer = Lexer { text, at: 0, expected: Vec::new(), blank: true };
    let (mut properties, mut problems) = (Vec::new(), Diagnostics::default());
    let mut next = lexer.next();
    // formulas that were not read count, so that the expectations still fit
    let mut read = Vec::new();
    while next.token != Token::End {
        if next.token == Token::Semicolon {
            next = lexer.next();
            continue;
        }
        let start = next.start;
        let mut parser =
            Parser { pending: Vec::new(), operands: Vec::new(), build: FormulaBuilder::default() };
        match parser.formula(&mut next, &mut lexer) {
            Ok((root, end)) => {
                read.push(properties.len());
                let text = &text[start..end];
                properties.push(IimcProperty {
                    text,
                    offset: start as u64,
                    formula: parser.build.finish(root),
                    expected: None,
                });
            }
            Err(problem) => {
                problems.push(problem);
                read.push(usize::MAX);
                lexer.blank = false;
                while next.token != Token::End && next.token != Token::Semicolon && !lexer.blank {
                    next = lexer.next();
                }
            }
        }
    }
    for &(holds, first, last) in &lexer.expected {
        let covered = read.iter().take(last.saturating_add(1)).skip(first);
        for &at in covered {
            if let Some(property) = properties.get_mut(at) {
                property.expected = Some(holds);
            }
        }
    }
    (properties, problems)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token<'t> {
    Name(&'t str),
    /// a name that is compared with 0 or 1
    Compared(&'t str, bool),
    Constant(bool),
    Open,
    Close,
    Semicolon,
    Prefix(Prefix),
    /// whether it is `A`, not `E`
    Quantifier(bool),
    Until(Until),
    Infix(Infix),
    Wrong,
    End,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Prefix {
    Not,
    /// whether it is `A`, not `E`; with `X`, `F` or `G`
    Temporal(bool, char),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Until {
    U,
    R,
    W,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Infix {
    Xor,
    Equal,
    Implies,
    Or,
    And,
}

impl Infix {
    fn level(self) -> u8 {
        match self {
            Infix::Xor | Infix::Equal | Infix::Implies => 0,
            Infix::Or => 1,
            Infix::And => 2,
        }
    }
}

#[derive(Clone, Copy)]
struct Lexeme<'t> {
    token: Token<'t>,
    start: usize,
    end: usize,
}

struct Lexer<'t> {
    text: &'t str,
    at: usize,
    expected: Vec<(bool, usize, usize)>,
    /// a comment or an empty line came before the last token
    blank: bool,
}

impl<'t> Lexer<'t> {
    fn next(&mut self) -> Lexeme<'t> {
        self.skip();
        let start = self.at;
        let rest = &self.text[start..];
        let Some(first) = rest.chars().next() else {
            return Lexeme { token: Token::End, start, end: start };
        };
        let (token, length) = if first.is_ascii_alphabetic() || first == '_' {
            let is_part = |c: char| c.is_ascii_alphanumeric() || "_.*<>".contains(c);
            let word = &rest[..rest.find(|c| !is_part(c)).unwrap_or(rest.len())];
            compared(word, &rest[word.len()..])
                .map_or((keyword(word), word.len()), |(token, length)| (token, word.len() + length))
        } else {
            let symbols = [
                ("->", Token::Infix(Infix::Implies)),
                ("==", Token::Infix(Infix::Equal)),
                ("^", Token::Infix(Infix::Xor)),
                ("|", Token::Infix(Infix::Or)),
                ("&", Token::Infix(Infix::And)),
                ("~", Token::Prefix(Prefix::Not)),
                ("!", Token::Prefix(Prefix::Not)),
                ("(", Token::Open),
                (")", Token::Close),
                (";", Token::Semicolon),
            ];
            let symbol = symbols.iter().find(|(symbol, _)| rest.starts_with(symbol));
            symbol.map_or((Token::Wrong, first.len_utf8()), |&(symbol, token)| (token, symbol.len()))
        };
        self.at += length;
        Lexeme { token, start, end: self.at }
    }

    /// Blanks and comments.
    fn skip(&mut self) {
        self.blank = false;
        let mut lines = 0;
        while let Some(first) = self.text[self.at..].chars().next() {
            if first == '#' {
                let rest = &self.text[self.at..];
                let line = &rest[..rest.find('\n').unwrap_or(rest.len())];
                self.expected.extend(expectation(line));
                self.at += line.len();
                self.blank = true;
            } else if first.is_whitespace() {
                lines += usize::from(first == '\n');
                self.blank |= lines > 1;
                self.at += first.len_utf8();
            } else {
                return;
            }
        }
    }
}

/// `= 0` or `= 1` after a name, and how long it is.
fn compared<'t>(word: &'t str, rest: &str) -> Option<(Token<'t>, usize)> {
    let Token::Name(name) = keyword(word) else { return None };
    let blank = |c: char| c == ' ' || c == '\t';
    let value = rest.trim_start_matches(blank).strip_prefix('=')?.trim_start_matches(blank);
    let is_one = value.starts_with('1');
    let after = value.strip_prefix(['0', '1'])?;
    let ends = !after.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
    ends.then(|| (Token::Compared(name, is_one), rest.len() - after.len()))
}

fn keyword(word: &str) -> Token<'_> {
    let temporal = |universal, operator| Token::Prefix(Prefix::Temporal(universal, operator));
    match word {
        "true" => Token::Constant(true),
        "false" => Token::Constant(false),
        "EX" => temporal(false, 'X'),
        "EF" => temporal(false, 'F'),
        "EG" => temporal(false, 'G'),
        "AX" => temporal(true, 'X'),
        "AF" => temporal(true, 'F'),
        "AG" => temporal(true, 'G'),
        "E" => Token::Quantifier(false),
        "A" => Token::Quantifier(true),
        "U" => Token::Until(Until::U),
        "R" => Token::Until(Until::R),
        "W" => Token::Until(Until::W),
        name => Token::Name(name),
    }
}

/// The verdict a comment expects, and of which formulas.
fn expectation(comment: &str) -> Option<(bool, usize, usize)> {
    let rest = comment.trim_start_matches('#').trim_start();
    let (holds, rest) = match (rest.strip_prefix("PASS:"), rest.strip_prefix("FAIL:")) {
        (Some(rest), _) => (true, rest),
        (_, Some(rest)) => (false, rest),
        _ => return None,
    };
    let (range, _) = rest.trim_start().strip_prefix('(')?.split_once(')')?;
    let (first, last) = range.split_once('-').unwrap_or((range, range));
    Some((holds, first.trim().parse().ok()?, last.trim().parse().ok()?))
}

enum Pending {
    Open,
    Prefix(Prefix),
    /// waits for its first operand and `U`, `R` or `W`
    Quantifier(bool, usize),
    /// waits for its second operand
    Until(bool, Until),
    Infix(Infix),
}

struct Parser {
    pending: Vec<Pending>,
    operands: Vec<FormulaId>,
    build: FormulaBuilder,
}

impl Parser {
    /// Reads a formula that starts with `next`; then `next` is the token after it. Returns its end,
    /// too.
    fn formula<'t>(
        &mut self,
        next: &mut Lexeme<'t>,
        lexer: &mut Lexer<'t>,
    ) -> Result<(FormulaId, usize), Diagnostic> {
        let mut end = next.end;
        loop {
            // an operand
            let Lexeme { token, start, .. } = *next;
            let operand = match token {
                Token::Open => Err(Pending::Open),
                Token::Prefix(prefix) => Err(Pending::Prefix(prefix)),
                Token::Quantifier(universal) => Err(Pending::Quantifier(universal, start)),
                Token::Name(name) | Token::Compared(name, true) => Ok(self.atom(name, start)),
                Token::Compared(name, false) => {
                    let atom = self.atom(name, start);
                    Ok(self.build.add(Node::Not(atom)))
                }
                Token::Constant(true) => Ok(self.build.add(Node::True)),
                Token::Constant(false) => Ok(self.build.add(Node::False)),
                _ => return Err(unexpected(next, lexer, "a formula")),
            };
            end = end.max(next.end);
            *next = lexer.next();
            match operand {
                Err(pending) => {
                    self.pending.push(pending);
                    continue;
                }
                Ok(operand) => self.operands.push(operand),
            }
            // tokens that come after operands
            loop {
                self.apply_prefixes();
                match next.token {
                    Token::Close => {
                        self.apply_infixes(0);
                        match self.pending.pop() {
                            Some(Pending::Open) => {}
                            Some(Pending::Quantifier(_, at)) => return Err(incomplete(at)),
                            _ => return Err(unexpected(next, lexer, "an operator, or the next formula")),
                        }
                        end = next.end;
                        *next = lexer.next();
                    }
                    Token::Infix(infix) => {
                        self.apply_infixes(infix.level());
                        self.pending.push(Pending::Infix(infix));
                        *next = lexer.next();
                        break;
                    }
                    Token::Until(until) => {
                        self.apply_infixes(0);
                        let Some(Pending::Quantifier(universal, _)) = self.pending.pop() else {
                            let message = "there is no `E` or `A` that this belongs to";
                            return Err(Diagnostic::error(next.start as u64, next.end - next.start, message));
                        };
                        self.pending.push(Pending::Until(universal, until));
                        *next = lexer.next();
                        break;
                    }
                    _ => {
                        self.apply_infixes(0);
                        return match self.pending.pop() {
                            Some(Pending::Open) => Err(unexpected(next, lexer, "`)`")),
                            Some(Pending::Quantifier(_, at)) => Err(incomplete(at)),
                            _ if next.token == Token::Wrong => {
                                Err(unexpected(next, lexer, "an operator, or the next formula"))
                            }
                            _ => Ok((self.operands.pop().expect("one is left"), end)),
                        };
                    }
                }
            }
        }
    }

    /// An atom that is written at this place.
    fn atom(&mut self, name: &str, start: usize) -> FormulaId {
        let place = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        self.build.atom_at(name, (place(start), place(start + name.len())))
    }

    /// Applies the operators that bind tighter than any infix operator.
    fn apply_prefixes(&mut self) {
        while let Some(Pending::Prefix(_) | Pending::Until(..)) = self.pending.last() {
            let operand = self.operands.pop().expect("an operand was read");
            let applied = match self.pending.pop() {
                Some(Pending::Prefix(Prefix::Not)) => Node::Not(operand),
                Some(Pending::Prefix(Prefix::Temporal(universal, operator))) => {
                    let path = self.build.add(match operator {
                        'X' => Node::X(operand),
                        'F' => Node::F(operand),
                        _ => Node::G(operand),
                    });
                    quantified(universal, path)
                }
                Some(Pending::Until(universal, until)) => {
                    let left = self.operands.pop().expect("the first operand of an until");
                    let path = self.build.add(match until {
                        Until::U => Node::U(left, operand),
                        Until::R => Node::R(left, operand),
                        Until::W => Node::W(left, operand),
                    });
                    quantified(universal, path)
                }
                _ => return,
            };
            let applied = self.build.add(applied);
            self.operands.push(applied);
        }
    }

    /// Applies the infix operators of this level and tighter ones.
    fn apply_infixes(&mut self, level: u8) {
        while let Some(&Pending::Infix(infix)) = self.pending.last()
            && infix.level() >= level
        {
            self.pending.pop();
            let right = self.operands.pop().expect("an operand was read");
            let left = self.operands.pop().expect("an operand was read");
            let applied = match infix {
                Infix::And => Node::And(left, right),
                Infix::Or => Node::Or(left, right),
                Infix::Implies => Node::Implies(left, right),
                Infix::Equal => Node::Iff(left, right),
                Infix::Xor => {
                    let equal = self.build.add(Node::Iff(left, right));
                    Node::Not(equal)
                }
            };
            let applied = self.build.add(applied);
            self.operands.push(applied);
        }
    }
}

fn quantified(universal: bool, path: FormulaId) -> Node {
    if universal { Node::A(path) } else { Node::E(path) }
}

fn unexpected(next: &Lexeme<'_>, lexer: &Lexer<'_>, expected: &str) -> Diagnostic {
    let found = match next.token {
        Token::End => "the end".to_owned(),
        _ => format!("`{}`", &lexer.text[next.start..next.end]),
    };
    let length = (next.end - next.start).max(1);
    Diagnostic::error(next.start as u64, length, format!("expected {expected}, found {found}"))
}

fn incomplete(quantifier: usize) -> Diagnostic {
    Diagnostic::error(quantifier as u64, 1, "this quantifier needs `U`, `R` or `W` after a formula")
}

#[cfg(test)]
mod tests {
    use super::parse_iimc;
    use crate::formula::Node;

    #[test]
    fn atoms_have_their_places_in_the_file() {
        let text = "a\n\nAG (b -> c=0)";
        let (properties, _) = parse_iimc(text);
        let formula = &properties[1].formula;
        let atoms = formula.nodes().filter(|(_, node)| matches!(node, Node::Atom(_)));
        let written: Vec<&str> = atoms
            .map(|(id, _)| {
                let (start, end) = formula.span(id);
                &text[start as usize..end as usize]
            })
            .collect();
        assert_eq!(written, ["b", "c"]);
    }

    fn check(text: &str, expected: &[&str]) {
        let (properties, problems) = parse_iimc(text);
        let mut found: Vec<String> = properties.iter().map(|property| property.formula.to_string()).collect();
        found.extend(
            problems.sorted().iter().map(|problem| format!("{:?}: {}", problem.offset, problem.message)),
        );
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn operators_bind_as_in_iimc() {
        check("a -> b -> c", &["(a -> b) -> c"]);
        check("a -> b == c ^ d", &["!(a -> b <-> c <-> d)"]);
        check("a | b & ~c | d", &["a | b & !c | d"]);
        check("~EX a & b", &["!E X a & b"]);
        check("E a & b U c & d", &["E [ (a & b) U c ] & d"]);
        check("AG EF v=1; a = 0 -> b<0>=1\nc", &["A G E F v", "!a -> \"b<0>\"", "c"]);
        check("a == b=0", &["a <-> !b"]);
        check("a=2", &["Some(1): expected an operator, or the next formula, found `=`"]);
        check("EF=1", &["Some(2): expected a formula, found `=`"]);
        check("A (a) W E b R !c", &["A [ a W E [ b R !c ] ]"]);
        check("AG(a -> AX A ~b W (c))", &["A G (a -> A X A [ !b W c ])"]);
    }

    #[test]
    fn formulas_stand_side_by_side() {
        check("a b; (c) ~d\n# no\nAG\n e", &["a", "b", "c", "!d", "A G e"]);
        check("", &[]);
    }

    #[test]
    fn reading_goes_on_after_a_problem() {
        check("a & & b\n\nc", &["c", "Some(4): expected a formula, found `&`"]);
        check("E a & b; c", &["c", "Some(0): this quantifier needs `U`, `R` or `W` after a formula"]);
        check(
            "a U b; (c; d)",
            &[
                "Some(2): there is no `E` or `A` that this belongs to",
                "Some(9): expected `)`, found `;`",
                "Some(12): expected an operator, or the next formula, found `)`",
            ],
        );
        check("a $ b; c", &["c", "Some(2): expected an operator, or the next formula, found `$`"]);
    }

    #[test]
    fn expectations_count_formulas_from_zero() {
        let (properties, _) = parse_iimc("#PASS: (0)\na\n#FAIL: (1-2) for some reason\nb\nc\nd");
        let expected: Vec<_> = properties.iter().map(|property| property.expected).collect();
        assert_eq!(expected, [Some(true), Some(false), Some(false), None]);
    }
}
