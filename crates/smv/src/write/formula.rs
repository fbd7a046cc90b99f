//! Formulas in the syntax of SMV: `AG (p -> EF q)`, `E [ p U q ]`, `G (p -> (p U q))`.
//!
//! Operators that SMV lacks are expressed by others. With the operand `b` twice in `a W b`, nested
//! ones would be exponentially long, so there is a limit. Operands that are binary operators are in
//! brackets: tools disagree about `->` and `<->`.

use super::label_names::LabelNames;
use loris_base::Idx;
use loris_logic::{Formula, FormulaId, Node};

/// Why a formula is not in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unprintable {
    /// Neither CTL nor LTL.
    #[error("SMV has no CTL*: a property must be CTL or LTL")]
    Star,
    /// It would be too long.
    #[error("without `W`, which SMV does not have, the formula would be longer than 1 MiB")]
    Long,
}

/// A formula as a keyword, `SPEC` for CTL or `LTLSPEC` for LTL, and text over the labels of a file.
/// Atoms that no node carries are `FALSE`.
///
/// ```
/// use loris_smv::write::{LabelNames, smv_property};
/// let rsm = loris_rsm::generate::RandomRsm::paper(3).to_rsm(&mut loris_base::Rng::new(1));
/// let labels = LabelNames::of(&rsm);
/// let check = |formula: &str, keyword, text: &str| {
///     let formula = loris_logic::parse(formula).expect("well-formed");
///     assert_eq!(smv_property(&formula, &labels), Ok((keyword, text.to_owned())));
/// };
/// check("A G (a -> E F b)", "SPEC", "AG (a -> EF b)");
/// check("E [a W !b]", "SPEC", "!A [ !!b U !(a | !b) ]");
/// check("G (a -> X (b W c))", "LTLSPEC", "G (a -> X (c V (b | c)))");
/// check("A G F a", "LTLSPEC", "G F a");
/// ```
///
/// # Errors
/// If the formula is neither CTL nor LTL, or too long.
pub fn smv_property(formula: &Formula, labels: &LabelNames) -> Result<(&'static str, String), Unprintable> {
    property(formula, Some(labels))
}

/// The same; without labels, atoms have the names that they have.
pub(crate) fn property(
    formula: &Formula,
    labels: Option<&LabelNames>,
) -> Result<(&'static str, String), Unprintable> {
    let mut printer = Printer { formula, labels, linear: false, text: String::new(), tasks: Vec::new() };
    let root = formula.root();
    match printer.print(root) {
        Err(Unprintable::Star) => {}
        done => return done.map(|()| ("SPEC", printer.text)),
    }
    // a quantifier over all of an LTL formula is implicit in LTL
    let root = if let Node::A(path) = formula.node(root) { path } else { root };
    let mut inside = vec![false; root.index() + 1];
    inside[root.index()] = true;
    for (id, node) in formula.nodes().take(root.index() + 1).collect::<Vec<_>>().into_iter().rev() {
        if inside[id.index()] {
            if node.is_quantifier() {
                return Err(Unprintable::Star);
            }
            node.children().for_each(|child| inside[child.index()] = true);
        }
    }
    (printer.linear, printer.text) = (true, String::new());
    printer.print(root).map(|()| ("LTLSPEC", printer.text))
}

const LONGEST: usize = 1 << 20;

/// Work left for the printer; the next item on top.
enum Task {
    Text(&'static str),
    Formula(FormulaId),
    /// in brackets if it is a binary operator
    Operand(FormulaId),
    /// in brackets unless it is an atom
    Tight(FormulaId),
}

struct Printer<'f> {
    formula: &'f Formula,
    labels: Option<&'f LabelNames>,
    linear: bool,
    text: String,
    tasks: Vec<Task>,
}

use Task::{Operand, Text, Tight};

impl Printer<'_> {
    fn print(&mut self, root: FormulaId) -> Result<(), Unprintable> {
        self.tasks = vec![Task::Formula(root)];
        while let Some(task) = self.tasks.pop() {
            match task {
                Text(text) => self.text.push_str(text),
                Operand(id) => {
                    let binary = self.is_binary(id);
                    self.bracketed(id, binary);
                }
                Tight(id) => {
                    let atom = matches!(self.formula.node(id), Node::True | Node::False | Node::Atom(_));
                    self.bracketed(id, !atom);
                }
                Task::Formula(id) => self.formula(self.formula.node(id))?,
            }
            if self.text.len() > LONGEST {
                return Err(Unprintable::Long);
            }
        }
        Ok(())
    }

    fn formula(&mut self, node: Node) -> Result<(), Unprintable> {
        match node {
            Node::True => self.text.push_str("TRUE"),
            Node::False => self.text.push_str("FALSE"),
            Node::Atom(atom) => {
                let atom = &self.formula.atoms()[atom];
                let name = self.labels.map_or(Some(atom), |labels| labels.name(atom));
                self.text.push_str(name.unwrap_or("FALSE"));
            }
            Node::Not(a) => self.add([Text("!"), Operand(a)]),
            Node::And(a, b) => self.add([Operand(a), Text(" & "), Operand(b)]),
            Node::Or(a, b) => self.add([Operand(a), Text(" | "), Operand(b)]),
            Node::Implies(a, b) => self.add([Operand(a), Text(" -> "), Operand(b)]),
            Node::Iff(a, b) => self.add([Operand(a), Text(" <-> "), Operand(b)]),
            Node::E(a) => self.quantified(true, a),
            Node::A(a) => self.quantified(false, a),
            _ if !self.linear => return Err(Unprintable::Star),
            Node::X(a) => self.add([Text("X "), Operand(a)]),
            Node::F(a) => self.add([Text("F "), Operand(a)]),
            Node::G(a) => self.add([Text("G "), Operand(a)]),
            Node::U(a, b) => self.add([Tight(a), Text(" U "), Tight(b)]),
            Node::R(a, b) => self.add([Tight(a), Text(" V "), Tight(b)]),
            Node::W(a, b) => {
                self.add([Tight(b), Text(" V ("), Operand(a), Text(" | "), Operand(b), Text(")")]);
            }
        }
        Ok(())
    }

    /// `E` or `A` of a path formula; of a state formula, it is that.
    fn quantified(&mut self, some: bool, path: FormulaId) {
        let word = |e: &'static str, a: &'static str| Text(if some { e } else { a });
        match self.formula.node(path) {
            Node::X(a) => self.add([word("EX ", "AX "), Operand(a)]),
            Node::F(a) => self.add([word("EF ", "AF "), Operand(a)]),
            Node::G(a) => self.add([word("EG ", "AG "), Operand(a)]),
            Node::U(a, b) => {
                self.add([word("E [ ", "A [ "), Operand(a), Text(" U "), Operand(b), Text(" ]")]);
            }
            Node::R(a, b) => {
                self.add([word("!A [ !", "!E [ !"), Operand(a), Text(" U !"), Operand(b), Text(" ]")]);
            }
            Node::W(a, b) => self.add([
                word("!A [ !", "!E [ !"),
                Operand(b),
                Text(" U !("),
                Operand(a),
                Text(" | "),
                Operand(b),
                Text(") ]"),
            ]),
            _ => self.tasks.push(Task::Formula(path)),
        }
    }

    fn is_binary(&self, mut id: FormulaId) -> bool {
        // a quantifier of a state formula is not written
        while let Node::E(a) | Node::A(a) = self.formula.node(id) {
            if self.formula.node(a).is_temporal() {
                return false;
            }
            id = a;
        }
        self.formula.node(id).children().count() == 2
    }

    fn bracketed(&mut self, id: FormulaId, brackets: bool) {
        if brackets {
            self.add([Text("("), Task::Formula(id), Text(")")]);
        } else {
            self.tasks.push(Task::Formula(id));
        }
    }

    /// The next tasks, in order.
    fn add<const N: usize>(&mut self, tasks: [Task; N]) {
        self.tasks.extend(tasks.into_iter().rev());
    }
}
