//! The canonical form: `A G (p -> E F q)`, `E [ p U q ]`, as few brackets as the parser needs.

use crate::formula::{Formula, FormulaId, Node};
use crate::lexer::is_plain_atom;
use loris_base::Idx;
use std::fmt::{self, Write};

impl fmt::Display for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        print(self, self.root(), f)
    }
}

impl Formula {
    /// A subformula in at most `limit` bytes; `…` stands for the part that was cut off.
    ///
    /// ```
    /// let formula = loris_logic::parse("E F (p & q)").expect("well-formed");
    /// assert_eq!(formula.print(formula.root(), 100), "E F (p & q)");
    /// assert_eq!(formula.print(formula.root(), 5), "E F (…");
    /// ```
    pub fn print(&self, id: FormulaId, limit: usize) -> String {
        let mut out = Limited { text: String::new(), limit };
        if print(self, id, &mut out).is_err() {
            out.text.push('…');
        }
        out.text
    }

    /// A subformula, if it takes at most `limit` bytes.
    pub fn print_within(&self, id: FormulaId, limit: usize) -> Option<String> {
        let mut out = Limited { text: String::new(), limit };
        print(self, id, &mut out).ok().map(|()| out.text)
    }
}

/// Refuses to grow past its limit, which stops the printer: a shared formula can be exponentially
/// longer on paper than in memory.
struct Limited {
    text: String,
    limit: usize,
}

impl Write for Limited {
    fn write_str(&mut self, s: &str) -> fmt::Result {
        let room = self.limit - self.text.len();
        if s.len() <= room {
            self.text.push_str(s);
            return Ok(());
        }
        self.text.push_str(&s[..s.floor_char_boundary(room)]);
        Err(fmt::Error)
    }
}

/// How tightly an operator holds its operands together, as in the parser.
fn level(node: Node) -> u8 {
    match node {
        Node::Iff(..) => 1,
        Node::Implies(..) => 2,
        Node::Or(..) => 3,
        Node::And(..) => 4,
        Node::U(..) | Node::W(..) | Node::R(..) => UNTIL,
        Node::Not(_) | Node::E(_) | Node::A(_) | Node::X(_) | Node::F(_) | Node::G(_) => PREFIX,
        Node::True | Node::False | Node::Atom(_) => 7,
    }
}

const UNTIL: u8 = 5;
const PREFIX: u8 = 6;

/// Work left for the printer; the next item on top.
enum Task {
    Text(&'static str),
    Formula(FormulaId),
}

struct Printer<'f> {
    formula: &'f Formula,
    /// Subformulas that would swallow an `U`, `W` or `R` written after them: their last operator is
    /// a quantifier over a state formula, as in `E p` and `!A (p & q)`.
    open: Vec<bool>,
    tasks: Vec<Task>,
}

fn print(formula: &Formula, root: FormulaId, out: &mut dyn Write) -> fmt::Result {
    let mut printer = Printer { formula, open: open(formula, root), tasks: vec![Task::Formula(root)] };
    while let Some(task) = printer.tasks.pop() {
        match task {
            Task::Text(text) => out.write_str(text)?,
            Task::Formula(id) => match formula.node(id) {
                Node::True => out.write_str("true")?,
                Node::False => out.write_str("false")?,
                Node::Atom(atom) => print_atom(&formula.atoms()[atom], out)?,
                Node::Not(a) => printer.prefix("!", a),
                Node::X(a) => printer.prefix("X ", a),
                Node::F(a) => printer.prefix("F ", a),
                Node::G(a) => printer.prefix("G ", a),
                Node::E(a) => printer.quantifier("E ", a),
                Node::A(a) => printer.quantifier("A ", a),
                Node::And(a, b) => printer.infix(id, a, " & ", b),
                Node::Or(a, b) => printer.infix(id, a, " | ", b),
                Node::Implies(a, b) => printer.infix(id, a, " -> ", b),
                Node::Iff(a, b) => printer.infix(id, a, " <-> ", b),
                Node::U(a, b) => printer.infix(id, a, " U ", b),
                Node::W(a, b) => printer.infix(id, a, " W ", b),
                Node::R(a, b) => printer.infix(id, a, " R ", b),
            },
        }
    }
    Ok(())
}

fn open(formula: &Formula, root: FormulaId) -> Vec<bool> {
    let mut path: Vec<bool> = Vec::with_capacity(root.index() + 1);
    let mut open: Vec<bool> = Vec::with_capacity(root.index() + 1);
    for (_, node) in formula.nodes().take(root.index() + 1) {
        let ends_open = |child: FormulaId| level(formula.node(child)) == PREFIX && open[child.index()];
        let is_open = match node {
            Node::E(a) | Node::A(a) => !path[a.index()] || ends_open(a),
            Node::Not(a) | Node::X(a) | Node::F(a) | Node::G(a) => ends_open(a),
            _ => false,
        };
        open.push(is_open);
        path.push(node.is_path(|child| path[child.index()]));
    }
    open
}

impl Printer<'_> {
    fn level(&self, id: FormulaId) -> u8 {
        level(self.formula.node(id))
    }

    /// Tasks are pushed in reverse, so that they come out in order.
    fn wrapped(&mut self, id: FormulaId, brackets: bool) {
        if brackets {
            self.tasks.extend([Task::Text(")"), Task::Formula(id), Task::Text("(")]);
        } else {
            self.tasks.push(Task::Formula(id));
        }
    }

    fn prefix(&mut self, operator: &'static str, operand: FormulaId) {
        self.wrapped(operand, self.level(operand) < PREFIX);
        self.tasks.push(Task::Text(operator));
    }

    fn quantifier(&mut self, operator: &'static str, operand: FormulaId) {
        if self.level(operand) == UNTIL {
            self.tasks.extend([Task::Text(" ]"), Task::Formula(operand), Task::Text("[ ")]);
            self.tasks.push(Task::Text(operator));
        } else {
            self.prefix(operator, operand);
        }
    }

    fn infix(&mut self, id: FormulaId, left: FormulaId, operator: &'static str, right: FormulaId) {
        let level = self.level(id);
        let groups_right = matches!(level, 2 | UNTIL);
        let loose_left = if groups_right { self.level(left) <= level } else { self.level(left) < level };
        let loose_right = if groups_right { self.level(right) < level } else { self.level(right) <= level };
        self.wrapped(right, loose_right);
        self.tasks.push(Task::Text(operator));
        self.wrapped(left, loose_left || (level == UNTIL && self.open[left.index()]));
    }
}

fn print_atom(name: &str, out: &mut dyn Write) -> fmt::Result {
    if is_plain_atom(name) {
        return out.write_str(name);
    }
    out.write_char('"')?;
    for piece in name.split_inclusive(['"', '\\']) {
        match piece.strip_suffix(['"', '\\']) {
            Some(plain) => {
                out.write_str(plain)?;
                out.write_char('\\')?;
                out.write_str(&piece[plain.len()..])?;
            }
            None => out.write_str(piece)?,
        }
    }
    out.write_char('"')
}
