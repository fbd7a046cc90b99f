//! κ as tables, as in section 3.6 of recursive-kripke: which contexts `rks-eager` visits, the
//! values it finds there, and in which round.

use super::annotations::Annotations;
use super::eager::{Labelled, holds, label_all};
use super::fixpoint::Pair;
use super::kappa::Kappa;
use super::local::{LEFT_OVER, Row};
use super::structure::Structure;
use loris_base::{Budget, Exhausted, Idx, Truth, visible_name};
use loris_logic::{CoreId, CoreNode, CtlCore};
use loris_recursive::{CtlProperty, EngineSettings};
use loris_rsm::{ComponentId, Rsm, Vertex, VertexKind};
use rustc_hash::FxHashMap;
use std::fmt::{self, Write};

/// The values that `rks-eager` computed for a property, in a table for each temporal subformula.
pub struct Knowledge<'a> {
    rsm: &'a Rsm,
    /// Whether the property holds in all initial states.
    pub holds: bool,
    tables: Vec<Table>,
}

/// A subformula in all contexts it was asked in.
struct Table {
    formula: String,
    /// the formulas that contexts annotate, outer to inner
    annotated: Vec<String>,
    /// context pairs in the order they were visited, the first with its top, others with m
    visits: Vec<(ComponentId, String)>,
    /// the contexts that occur anywhere
    contexts: Vec<String>,
    /// per sub-structure, a row for each of its contexts, with the place of that among all
    groups: Vec<(ComponentId, Vec<(usize, Row)>)>,
    /// local checks, round by round
    rounds: Vec<usize>,
}

/// Longer formulas are not written out.
const LONGEST: usize = 400;

/// Tables are cut into blocks of columns that are no wider.
const WIDTH: usize = 80;

impl<'a> Knowledge<'a> {
    /// Decides a property as `rks-eager` does, which must not refuse the machine, and keeps the
    /// values it computed. With contexts that annotate all subformulas, there are tables also for
    /// those that are boolean.
    pub fn new(
        rsm: &'a Rsm,
        property: &CtlProperty<'_>,
        settings: &EngineSettings,
        annotations: Annotations,
        budget: &mut Budget,
    ) -> Result<Self, Exhausted> {
        let mut kappa = Kappa::new(rsm, property, settings, annotations, true, budget)?;
        let labelled = label_all(&mut kappa, budget)?;
        let holds = holds(&mut kappa, budget)?;
        let is_shown = |node: CoreId| match annotations {
            Annotations::Needed => property.formula.node(node).is_existential(),
            Annotations::All => !matches!(property.formula.node(node), CoreNode::Atom(_)),
        };
        let shown = labelled.iter().filter(|labelled| is_shown(labelled.node));
        let tables =
            shown.map(|labelled| Table::new(&mut kappa, labelled, budget)).collect::<Result<_, _>>()?;
        Ok(Self { rsm, holds, tables })
    }

    /// How many context pairs the tables have.
    pub fn pairs(&self) -> usize {
        self.tables.iter().flat_map(|table| &table.groups).map(|(_, rows)| rows.len()).sum()
    }

    /// How many local checks each round took, for each table.
    pub fn rounds(&self) -> impl Iterator<Item = &[usize]> {
        self.tables.iter().map(|table| &table.rounds[..])
    }
}

impl Table {
    fn new(kappa: &mut Kappa<'_>, labelled: &Labelled, budget: &mut Budget) -> Result<Self, Exhausted> {
        let &Labelled { node, ref classes, ref rounds } = labelled;
        let formula = kappa.formula;
        let print =
            |node: CoreId| formula.print_within(node, LONGEST).unwrap_or_else(|| "a long formula".into());
        let order = outer_to_inner(kappa, node);
        budget.charge(classes.len() * (order.len() + 1) * 4)?;
        let has_top = kappa.annotated.has_top(node);
        let context = |kappa: &Kappa<'_>, class: u32, top: char| -> String {
            let below = kappa.context(class);
            let value = |&inner: &CoreId| {
                if inner == node && has_top { top } else { letter(kappa.annotated.contains(below, inner)) }
            };
            order.iter().map(value).collect()
        };
        let tops: &[bool] = if has_top { &[false, true] } else { &[false] };
        let mut contexts: Vec<String> = classes
            .iter()
            .flat_map(|&class| tops.iter().map(move |&top| (class, top)))
            .map(|(class, top)| context(kappa, class, letter(top)))
            .collect();
        contexts.sort_unstable();
        contexts.dedup();
        let mut visits = Vec::with_capacity(classes.len());
        let mut groups: Vec<(ComponentId, Vec<(usize, Row)>)> = Vec::new();
        let mut group_of: FxHashMap<ComponentId, usize> = FxHashMap::default();
        for (number, &class) in classes.iter().enumerate() {
            let component = kappa.classes[class as usize].component;
            let top = if number == 0 { letter(kappa.at_end[node.index()]) } else { 'm' };
            visits.push((component, context(kappa, class, top)));
            let group = *group_of.entry(component).or_insert_with(|| {
                groups.push((component, Vec::new()));
                groups.len() - 1
            });
            budget.spend(order.len())?;
            for &top in tops {
                let column = contexts.binary_search(&context(kappa, class, letter(top)));
                let column = column.expect("all contexts are there");
                groups[group].1.extend(kappa.take(Pair { class, top }).map(|row| (column, row)));
            }
        }
        for (_, rows) in &mut groups {
            rows.sort_unstable_by_key(|&(column, _)| column);
        }
        let annotated = order.into_iter().map(print).collect();
        Ok(Self { formula: print(node), annotated, visits, contexts, groups, rounds: rounds.clone() })
    }
}

fn letter(value: bool) -> char {
    if value { 't' } else { 'f' }
}

/// The subformulas that contexts of a formula annotate, each where it first occurs.
fn outer_to_inner(kappa: &Kappa<'_>, node: CoreId) -> Vec<CoreId> {
    let formula: &CtlCore = kappa.formula;
    let below = kappa.annotated.below(node);
    let mut order = Vec::new();
    let mut is_seen = vec![false; node.index() + 1];
    let mut left = vec![node];
    while let Some(inner) = left.pop() {
        if std::mem::replace(&mut is_seen[inner.index()], true) {
            continue;
        }
        let is_top = inner == node && kappa.annotated.has_top(node);
        if is_top || inner != node && kappa.annotated.contains(below, inner) {
            order.push(inner);
        }
        left.extend(formula.children(inner).rev());
    }
    order
}

/// The tables, each with the formulas that its contexts annotate and the way they were computed.
impl fmt::Display for Knowledge<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, table) in self.tables.iter().enumerate() {
            if number > 0 {
                writeln!(f)?;
            }
            table.write(self.rsm, f)?;
        }
        Ok(())
    }
}

impl Table {
    fn write(&self, rsm: &Rsm, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.formula)?;
        writeln!(f, "  contexts tell, in this order, of")?;
        for annotated in &self.annotated {
            writeln!(f, "    {annotated}")?;
        }
        let visits = self.visits.iter().map(|(component, context)| {
            format!("({},{context})", visible_name(rsm.component_name(*component)))
        });
        wrapped(f, "  visits:", visits)?;
        writeln!(f)?;
        let mut is_marked = false;
        let names: Vec<Vec<(usize, String)>> = self
            .groups
            .iter()
            .map(|&(component, _)| {
                let structure = Structure::new(rsm, component);
                structure.locations().map(|cell| (cell, name(rsm, structure.vertex(cell)))).collect()
            })
            .collect();
        let components =
            self.groups.iter().map(|&(component, _)| rsm.component_name(component).chars().count());
        let locations = names.iter().flatten().map(|(_, name)| 2 + name.chars().count());
        let width = components.chain(locations).chain(["Context".len()]).max().unwrap_or(0);
        let widest = self.widest();
        let mut columns = 0..0;
        while columns.end < self.contexts.len() {
            columns.start = columns.end;
            let mut total = 2 + width;
            let widths: Vec<usize> = self.contexts[columns.start..]
                .iter()
                .enumerate()
                .map(|(i, context)| context.len().max(widest[columns.start + i]))
                .enumerate()
                .take_while(|&(i, column)| {
                    total += 2 + column;
                    i == 0 || total <= WIDTH
                })
                .map(|(_, column)| column)
                .collect();
            columns.end = columns.start + widths.len();
            let mut line = format!("  {:width$}", "Context");
            for (context, column) in self.contexts[columns.clone()].iter().zip(&widths) {
                write!(line, "  {context:column$}")?;
            }
            writeln!(f, "{}", line.trim_end())?;
            for ((component, rows), names) in self.groups.iter().zip(&names) {
                writeln!(f, "  {}", visible_name(rsm.component_name(*component)))?;
                for (cell, name) in names {
                    let mut line = format!("    {name:0$}", width - 2);
                    for (context, column) in columns.clone().zip(&widths) {
                        let row = rows.binary_search_by_key(&context, |&(context, _)| context).ok();
                        let text = text(row.map(|row| &rows[row].1), *cell);
                        is_marked |= text.ends_with('*');
                        write!(line, "  {text:column$}")?;
                    }
                    writeln!(f, "{}", line.trim_end())?;
                }
            }
            writeln!(f)?;
        }
        if is_marked {
            writeln!(f, "  * decided by no round: on an infinite path of such locations")?;
        }
        let rounds: Vec<String> = self.rounds.iter().map(ToString::to_string).collect();
        let total: usize = self.rounds.iter().sum();
        writeln!(f, "  local checks: {total} (rounds {})", rounds.join(", "))
    }

    /// The width of the widest cell of each column.
    fn widest(&self) -> Vec<usize> {
        let mut widest = vec![1; self.contexts.len()];
        for &(column, ref row) in self.groups.iter().flat_map(|(_, rows)| rows) {
            let last = row.rounds.iter().filter(|&&round| round != LEFT_OVER).max();
            let digits = last.map_or(0, |last| last.to_string().len());
            widest[column] = widest[column].max("t()".len() + digits);
        }
        widest
    }
}

/// A value and the round that found it.
fn text(row: Option<&Row>, cell: usize) -> String {
    let Some(row) = row else { return "-".into() };
    let value = letter(row.values[cell] == Truth::True);
    match row.rounds[cell] {
        LEFT_OVER => format!("{value}*"),
        round => format!("{value}({round})"),
    }
}

/// The name of a location; that of an empty procedure with the box that calls it.
fn name(rsm: &Rsm, vertex: Vertex) -> String {
    let node = rsm.vertex_name(vertex);
    let node = visible_name(&node);
    match rsm.kind(vertex) {
        VertexKind::Node => node.to_string(),
        VertexKind::Call(site) | VertexKind::Return(site) => {
            format!("{}.{node}", visible_name(rsm.box_name(site)))
        }
    }
}

/// Words after a heading, as many to a line as fit.
fn wrapped(f: &mut fmt::Formatter<'_>, heading: &str, words: impl Iterator<Item = String>) -> fmt::Result {
    f.write_str(heading)?;
    let mut column = heading.len();
    for word in words {
        let length = 1 + word.chars().count();
        if column + length > WIDTH && column > heading.len() {
            write!(f, "\n{:1$}", "", heading.len())?;
            column = heading.len();
        }
        write!(f, " {word}")?;
        column += length;
    }
    writeln!(f)
}
