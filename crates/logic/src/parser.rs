//! From text to [`Formula`]: precedence climbing with a stack of its own.
//!
//! Invariant of the loop: `pending` holds the operators and open brackets that wait for their right
//! end, `operands` the formulas between them, each already complete. An operator is applied as soon
//! as the next token cannot belong to its operand. Linear in the text; the stack of the machine is
//! not used.

use crate::explain;
use crate::formula::{Formula, FormulaBuilder, FormulaId, Node};
use crate::lexer::{Infix, Lexeme, Lexer, Prefix, Token, atom_name, infix_word, prefix_word};
use loris_base::{Diagnostic, Diagnostics};

/// How many brackets and prefix operators may be open at one place. A bracket right after a
/// quantifier belongs to it and is not counted, so that printed formulas can be read again.
pub const MAX_NESTING: u32 = 4096;

/// How long a formula may be, in bytes: in memory it takes some six times as much.
pub const MAX_LENGTH: usize = 16 << 20;

/// Reads one formula; offsets in problems and spans are bytes of `text`.
///
/// ```
/// use loris_logic::parse;
/// assert_eq!(parse("A p U q /\\ ~r").expect("well-formed").to_string(), "A [ p U q ] & !r");
///
/// let problems = parse("E F (p & )").expect_err("an operand is missing");
/// assert_eq!(problems.sorted()[0].offset, Some(9));
/// assert_eq!(problems.sorted()[0].message, "expected a formula after `&`, found `)`");
/// ```
pub fn parse(text: &str) -> Result<Formula, Diagnostics> {
    parse_one(text).map_err(Diagnostics::from)
}

/// Reads one formula of any nesting, as the printer writes it, where a chain such as `p -> q -> r`
/// has become `!p | (!q | r)`.
///
/// ```
/// let deep = format!("{}p{}", "(".repeat(5000), ")".repeat(5000));
/// assert!(loris_logic::parse(&deep).is_err());
/// assert_eq!(loris_logic::parse_printed(&deep).expect("well-formed").to_string(), "p");
/// ```
pub fn parse_printed(text: &str) -> Result<Formula, Diagnostics> {
    parse_nested(text, u32::MAX).map_err(Diagnostics::from)
}

/// Reads one formula and stops at the first problem: reading on would be guesswork.
pub(crate) fn parse_one(text: &str) -> Result<Formula, Diagnostic> {
    parse_nested(text, MAX_NESTING)
}

fn parse_nested(text: &str, deepest: u32) -> Result<Formula, Diagnostic> {
    if text.len() > MAX_LENGTH {
        let message = format!("the formula is longer than {} MiB", MAX_LENGTH >> 20);
        return Err(Diagnostic::error(0, 1, message));
    }
    let mut parser = Parser {
        text,
        lexer: Lexer::new(text),
        last: None,
        build: FormulaBuilder::default(),
        operands: Vec::new(),
        pending: Vec::new(),
        nesting: 0,
        deepest,
        exclusive: None,
    };
    loop {
        parser.operand()?;
        if !parser.operator()? {
            break;
        }
    }
    let exclusive = parser.exclusive;
    let formula = parser.finish();
    // `xor` is printed with brackets that were not written, at most two for each operator
    if let Some(lexeme) = exclusive
        && 2 * formula.len() as u64 > u64::from(deepest)
    {
        parse_nested(&formula.to_string(), deepest).map_err(|_| explain::too_deep(lexeme, MAX_NESTING))?;
    }
    Ok(formula)
}

#[derive(Clone, Copy)]
enum Op {
    /// An open bracket, with the token that closes it.
    Open(char),
    Prefix(Prefix),
    Infix(Infix),
}

#[derive(Clone, Copy)]
struct Pending {
    op: Op,
    start: u32,
    /// The depth it adds to the nesting.
    depth: u32,
}

#[derive(Clone, Copy)]
struct Operand {
    id: FormulaId,
    /// Whether it is about a path, not only about its first state.
    path: bool,
    /// With the brackets around it, which its span leaves out.
    start: u32,
    end: u32,
}

struct Parser<'t> {
    text: &'t str,
    lexer: Lexer<'t>,
    last: Option<Lexeme>,
    build: FormulaBuilder,
    operands: Vec<Operand>,
    pending: Vec<Pending>,
    nesting: u32,
    deepest: u32,
    /// the first `xor` or `xnor`
    exclusive: Option<Lexeme>,
}

impl Parser<'_> {
    /// Reads prefix operators and opening brackets up to and with an atom or a constant.
    fn operand(&mut self) -> Result<(), Diagnostic> {
        loop {
            let mut lexeme = self.lexer.next()?;
            lexeme.token = self.operator_before_formula(lexeme).unwrap_or(lexeme.token);
            match lexeme.token {
                Token::Prefix(prefix) => self.open(Op::Prefix(prefix), lexeme)?,
                Token::Fused(quantifier, temporal) => {
                    self.open(Op::Prefix(quantifier), lexeme)?;
                    self.open(Op::Prefix(temporal), lexeme)?;
                }
                Token::Open(close) => self.open(Op::Open(close), lexeme)?,
                Token::Atom | Token::True | Token::False => {
                    let span = (lexeme.start, lexeme.end);
                    let id = match lexeme.token {
                        Token::True => self.build.add_at(Node::True, span),
                        Token::False => self.build.add_at(Node::False, span),
                        _ => self.build.atom_at(&atom_name(lexeme.text(self.text)), span),
                    };
                    self.operands.push(Operand { id, path: false, start: lexeme.start, end: lexeme.end });
                    self.last = Some(lexeme);
                    return Ok(());
                }
                Token::Infix(_) | Token::Close(_) | Token::End => {
                    return Err(explain::expected_formula(self.text, self.last, lexeme));
                }
            }
            self.last = Some(lexeme);
        }
    }

    /// Reads closing brackets up to and with an infix operator; false at the end of the text.
    fn operator(&mut self) -> Result<bool, Diagnostic> {
        loop {
            let mut lexeme = self.lexer.next()?;
            if let (Token::Atom, Some(infix)) = (lexeme.token, infix_word(lexeme.text(self.text))) {
                lexeme.token = Token::Infix(infix);
            }
            match lexeme.token {
                Token::Infix(infix) => {
                    if matches!(infix, Infix::Xor | Infix::Xnor) {
                        self.exclusive = self.exclusive.or(Some(lexeme));
                    }
                    self.apply_before(Some(infix));
                    self.pending.push(Pending { op: Op::Infix(infix), start: lexeme.start, depth: 0 });
                    self.last = Some(lexeme);
                    return Ok(true);
                }
                Token::Close(close) => {
                    self.apply_before(None);
                    self.close(close, lexeme)?;
                }
                Token::End => {
                    self.apply_before(None);
                    return match self.pending.last() {
                        Some(&Pending { op: Op::Open(close), start, .. }) => {
                            Err(explain::unclosed(self.text, start, close))
                        }
                        _ => Ok(false),
                    };
                }
                _ => {
                    let open = self.pending.iter().rev().find_map(|pending| match pending.op {
                        Op::Open(close) => Some(close),
                        _ => None,
                    });
                    return Err(explain::expected_operator(self.text, self.last, lexeme, open));
                }
            }
            self.last = Some(lexeme);
        }
    }

    /// The operator that a word such as `ag` is, if it cannot be an atom because a formula follows.
    /// A word between two formulas is an operator itself, so that `ag` is an atom in `ag until p`.
    fn operator_before_formula(&self, lexeme: Lexeme) -> Option<Token> {
        let operator = prefix_word(lexeme.text(self.text)).filter(|_| lexeme.token == Token::Atom)?;
        let mut ahead = self.lexer.clone();
        let next = ahead.next().ok()?;
        let is_infix = next.token == Token::Atom
            && infix_word(next.text(self.text)).is_some()
            && ahead.next().is_ok_and(|after| after.token.starts_formula());
        (next.token.starts_formula() && !is_infix).then_some(operator)
    }

    fn open(&mut self, op: Op, lexeme: Lexeme) -> Result<(), Diagnostic> {
        let after_quantifier =
            matches!(self.pending.last(), Some(Pending { op: Op::Prefix(Prefix::E | Prefix::A), .. }));
        let depth = u32::from(!(after_quantifier && matches!(op, Op::Open(_))));
        self.nesting += depth;
        if self.nesting > self.deepest {
            return Err(explain::too_deep(lexeme, MAX_NESTING));
        }
        self.pending.push(Pending { op, start: lexeme.start, depth });
        Ok(())
    }

    fn close(&mut self, close: char, lexeme: Lexeme) -> Result<(), Diagnostic> {
        match self.pending.pop() {
            Some(Pending { op: Op::Open(expected), start, depth }) if expected == close => {
                self.nesting -= depth;
                if let Some(operand) = self.operands.last_mut() {
                    (operand.start, operand.end) = (start, lexeme.end);
                }
                Ok(())
            }
            Some(Pending { op: Op::Open(expected), start, .. }) => {
                Err(explain::mismatched(self.text, start, expected, lexeme))
            }
            _ => Err(explain::closes_nothing(lexeme, close)),
        }
    }

    /// Applies the operators whose operands end here: before an infix operator, or before a closing
    /// bracket or the end.
    fn apply_before(&mut self, next: Option<Infix>) {
        while let Some(&pending) = self.pending.last() {
            let complete = match (pending.op, next) {
                (Op::Open(_), _) => false,
                // a quantifier over a state formula waits for an until to make it a path formula
                (Op::Prefix(Prefix::E | Prefix::A), Some(Infix::U | Infix::W | Infix::R)) => {
                    self.operands.last().is_some_and(|operand| operand.path)
                }
                (_, None) | (Op::Prefix(_), Some(_)) => true,
                (Op::Infix(left), Some(right)) => {
                    left.level() > right.level() || (left.level() == right.level() && !left.groups_right())
                }
            };
            if !complete {
                return;
            }
            self.pending.pop();
            self.apply(pending);
        }
    }

    fn apply(&mut self, pending: Pending) {
        const FULL: &str = "every pending operator has its operands before it";
        let last = self.operands.pop().expect(FULL);
        let (start, node, paths) = match pending.op {
            Op::Open(_) => unreachable!("brackets are closed, not applied"),
            Op::Prefix(prefix) => (pending.start, prefix.node(last.id), last.path),
            Op::Infix(infix) => {
                let first = self.operands.pop().expect(FULL);
                // `p xor q` is `p <-> !q`, and not `!(p <-> q)`: so that a long chain is printed
                // without brackets
                let second = match infix {
                    Infix::Xor => self.build.add_at(Node::Not(last.id), (last.start, last.end)),
                    _ => last.id,
                };
                (first.start, infix.node(first.id, second), first.path || last.path)
            }
        };
        let id = self.build.add_at(node, (start, last.end));
        let path = node.is_path(|_| paths);
        self.operands.push(Operand { id, path, start, end: last.end });
        self.nesting -= pending.depth;
    }

    fn finish(mut self) -> Formula {
        let root = self.operands.pop().expect("a complete formula is one operand").id;
        self.build.finish(root)
    }
}

impl Infix {
    fn level(self) -> u8 {
        match self {
            Infix::Iff => 1,
            Infix::Implies => 2,
            Infix::Or | Infix::Xor | Infix::Xnor => 3,
            Infix::And => 4,
            Infix::U | Infix::W | Infix::R => 5,
        }
    }

    fn groups_right(self) -> bool {
        matches!(self, Infix::Implies | Infix::U | Infix::W | Infix::R)
    }

    fn node(self, left: FormulaId, right: FormulaId) -> Node {
        match self {
            // the right operand of `Xor` comes negated
            Infix::Iff | Infix::Xor | Infix::Xnor => Node::Iff(left, right),
            Infix::Implies => Node::Implies(left, right),
            Infix::Or => Node::Or(left, right),
            Infix::And => Node::And(left, right),
            Infix::U => Node::U(left, right),
            Infix::W => Node::W(left, right),
            Infix::R => Node::R(left, right),
        }
    }
}

impl Prefix {
    fn node(self, operand: FormulaId) -> Node {
        match self {
            Prefix::Not => Node::Not(operand),
            Prefix::E => Node::E(operand),
            Prefix::A => Node::A(operand),
            Prefix::X => Node::X(operand),
            Prefix::F => Node::F(operand),
            Prefix::G => Node::G(operand),
        }
    }
}
