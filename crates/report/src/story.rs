//! Drawings of traces through programs: the methods on the way, and the lines of each.
//!
//! There is no machine behind these traces that could be drawn as a whole; the drawings show what
//! the traces pass, so that loops and branches of several traces are seen.

use crate::runs::taken_edges;
use loris_findings::{Drawing, DrawingKind, DrawnEdge, DrawnKind, DrawnNode, Importance, Report, Spot};
use std::collections::{BTreeMap, BTreeSet};

/// Methods beyond this many are not drawn.
const METHODS: usize = 1000;

/// What a node of a method stands for.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Unit {
    /// A line, if it is known.
    Line(Option<u32>),
    /// A call of a method, at a line.
    Call(String, Option<u32>),
}

/// Methods as they are drawn, in the order in which traces get to them.
#[derive(Default)]
struct Methods {
    numbers: BTreeMap<String, usize>,
    drawings: Vec<Drawing>,
    units: Vec<BTreeMap<Unit, u32>>,
    /// the number of the first drawing
    first: usize,
}

impl Methods {
    /// The number of a method, unless there are too many.
    fn number(&mut self, name: &str) -> Option<usize> {
        if let Some(&number) = self.numbers.get(name) {
            return Some(number);
        }
        let number = self.drawings.len();
        if number == METHODS {
            return None;
        }
        self.numbers.insert(name.to_owned(), number);
        self.units.push(BTreeMap::new());
        self.drawings.push(Drawing {
            title: name.to_owned(),
            kind: DrawingKind::Component,
            nodes: Vec::new(),
            edges: Vec::new(),
            hidden: 0,
        });
        Some(number)
    }

    fn spot(&mut self, method: &str, unit: &Unit) -> Option<Spot> {
        let number = self.number(method)?;
        let nodes = &mut self.drawings[number].nodes;
        let node = *self.units[number].entry(unit.clone()).or_insert_with(|| {
            let line = |line: &Option<u32>| line.map_or("?".to_owned(), |line| format!("line {line}"));
            let (name, labels, kind) = match unit {
                Unit::Line(at) => (line(at), Vec::new(), DrawnKind::Inner),
                Unit::Call(callee, at) => (line(at), vec![callee.clone()], DrawnKind::Call),
            };
            let is_initial = false;
            nodes.push(DrawnNode { name, labels, kind, is_initial, opens: None, hidden: 0 });
            nodes.len() as u32 - 1
        });
        Some(Spot { drawing: (self.first + number) as u32, node })
    }

    fn node(&mut self, spot: Spot) -> &mut DrawnNode {
        &mut self.drawings[spot.drawing as usize - self.first].nodes[spot.node as usize]
    }
}

/// Draws the methods and lines that the traces of a report pass, and lets steps and calls refer to
/// them.
pub fn draw_traces(report: &mut Report) {
    let mut methods = Methods { first: report.drawings.len() + 1, ..Methods::default() };
    let (mut calls, mut bases) = (BTreeSet::new(), BTreeSet::new());
    let mut edges: Vec<BTreeSet<DrawnEdge>> = Vec::new();
    for trace in report.findings.iter_mut().flat_map(|finding| &mut finding.traces) {
        bases.extend(methods.number(&trace.base));
        for at in 0..trace.frames.len() {
            let parent = trace.frames[at].parent;
            let caller =
                parent.map_or(&trace.base, |parent| &trace.frames[parent as usize].call.callee).clone();
            let call = &mut trace.frames[at].call;
            let line = call.location.as_ref().and_then(|location| location.line);
            call.spot = methods.spot(&caller, &Unit::Call(call.callee.clone(), line));
            if let (Some(from), Some(to)) = (methods.number(&caller), methods.number(&call.callee)) {
                calls.insert(DrawnEdge { from: from as u32, to: to as u32 });
                let opens = methods.first + to;
                if let Some(spot) = call.spot {
                    methods.node(spot).opens = Some(opens);
                }
            }
        }
        let mut entered = BTreeSet::new();
        for step in &mut trace.steps {
            let frame = step.frame.and_then(|frame| trace.frames.get(frame as usize));
            let method = frame.map_or(&trace.base, |frame| &frame.call.callee);
            let line = step.location.as_ref().and_then(|location| location.line);
            step.spot = methods.spot(method, &Unit::Line(line));
            let Some(spot) = step.spot else { continue };
            let node = methods.node(spot);
            if entered.insert(step.frame) {
                node.kind = DrawnKind::Entry;
            }
            if step.importance == Importance::Essential && !node.labels.contains(&step.text) {
                node.labels.push(step.text.clone());
            }
        }
        edges.resize(methods.drawings.len(), BTreeSet::new());
        for (from, to) in taken_edges(trace) {
            if from.drawing == to.drawing && from.node != to.node {
                let edge = DrawnEdge { from: from.node, to: to.node };
                edges[from.drawing as usize - methods.first].insert(edge);
            }
        }
    }
    if methods.drawings.is_empty() {
        return;
    }
    for (drawing, edges) in methods.drawings.iter_mut().zip(edges) {
        drawing.edges = edges.into_iter().collect();
    }
    let nodes = methods.drawings.iter().enumerate().map(|(number, drawing)| DrawnNode {
        name: drawing.title.clone(),
        labels: Vec::new(),
        kind: DrawnKind::Component,
        is_initial: bases.contains(&number),
        opens: Some(methods.first + number),
        hidden: 0,
    });
    report.drawings.push(Drawing {
        title: "calls".to_owned(),
        kind: DrawingKind::Calls,
        nodes: nodes.collect(),
        edges: calls.into_iter().collect(),
        hidden: 0,
    });
    report.drawings.extend(methods.drawings);
}

#[cfg(test)]
mod tests {
    use super::*;
    use loris_findings::{Call, Finding, Level, Location, Outcome, RuleInfo, TraceBuilder, TraceStep};

    #[test]
    fn methods_and_lines_are_drawn() {
        let mut report = Report::new("java");
        report.add_rule(RuleInfo::new("r", Level::Error, "a rule"));
        let step = |line, text: &str| TraceStep::new(text).at(Location::line("A.java", line));
        let mut trace = TraceBuilder::new("", "A.main");
        trace.step(step(1, "opened"));
        trace.call(Call { location: Some(Location::line("A.java", 2)), ..Call::new("a call", "A.help") });
        trace.step(step(7, ""));
        trace.step(step(8, ""));
        trace.step(step(7, ""));
        trace.leave();
        trace.step(step(3, "left"));
        let mut finding = Finding::new("r", Level::Error, Outcome::Fails, "wrong");
        finding.traces = vec![trace.finish()];
        report.findings.push(finding);
        draw_traces(&mut report);
        let shown = |drawing: &Drawing| {
            let names: Vec<String> = drawing.nodes.iter().map(|node| node.name.clone()).collect();
            let edges: Vec<(u32, u32)> = drawing.edges.iter().map(|edge| (edge.from, edge.to)).collect();
            format!("{}: {} {edges:?}", drawing.title, names.join(", "))
        };
        let shown: Vec<String> = report.drawings.iter().map(shown).collect();
        let expected = [
            "calls: A.main, A.help [(0, 1)]",
            "A.main: line 2, line 1, line 3 [(0, 2), (1, 0)]",
            "A.help: line 7, line 8 [(0, 1), (1, 0)]",
        ];
        assert_eq!(shown, expected);
        assert_eq!(report.drawings[1].nodes[0].opens, Some(2));
        let spots: Vec<u32> = report.findings[0].traces[0]
            .steps
            .iter()
            .filter_map(|step| step.spot)
            .map(|spot| spot.drawing)
            .collect();
        assert_eq!(spots, [1, 2, 2, 2, 1]);
    }
}
