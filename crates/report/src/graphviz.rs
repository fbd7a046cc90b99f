//! Reports as Graphviz graphs, with the traces of findings in colour.
//!
//! Drawings of components are clusters, with boxes as rectangles; a call is a dashed edge. Traces
//! of models whose states are not listed are drawn by themselves, a lasso as a lasso. The colours
//! of findings repeat after eight.

use crate::runs::taken_edges;
use loris_base::visible;
use loris_findings::{Drawing, DrawingKind, DrawnKind, Report, Spot, Trace};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, Write};

/// Colours that differ for people with any vision of colours (Okabe and Ito).
const COLOURS: [&str; 8] =
    ["#d55e00", "#0072b2", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#b8a800", "#555555"];
/// This many states of a run are drawn.
const MOST_STATES: usize = 1000;

const HEAD: &str = r##"digraph loris {
  rankdir=TB; fontname="Helvetica"; compound=true
  node [fontname="Helvetica", fontsize=11, style="filled", fillcolor=white, color="#888888", margin="0.10,0.05"]
  edge [color="#aaaaaa", arrowsize=0.7, fontname="Helvetica", fontsize=10]
"##;

/// Writes the drawings of a report with its traces in colour, and returns how many traces there
/// are.
///
/// # Errors
/// Those of the writer.
pub fn write_report_dot(report: &Report, out: &mut impl Write) -> io::Result<usize> {
    let mut text = String::from(HEAD);
    let traces = render(report, &mut text);
    text.push_str("}\n");
    out.write_all(text.as_bytes())?;
    Ok(traces)
}

/// Which findings take an edge or pass a node, by the numbers of their colours.
#[derive(Default)]
struct Taken {
    nodes: BTreeMap<Spot, Vec<usize>>,
    edges: BTreeMap<(Spot, Spot), Vec<usize>>,
}

fn render(report: &Report, out: &mut String) -> usize {
    let mut taken = Taken::default();
    let mut traces = 0;
    for (at, finding) in report.findings.iter().filter(|finding| !finding.traces.is_empty()).enumerate() {
        let colour = at % COLOURS.len();
        let text = finding.property.as_ref().map_or(&finding.message, |property| &property.text);
        line(out, &format!("  // {}: {}: {}", COLOURS[colour], finding.outcome.word(), visible(text)));
        for (number, trace) in finding.traces.iter().enumerate() {
            traces += 1;
            if trace.steps.iter().any(|step| step.spot.is_some()) {
                taken.add(trace, colour);
            } else {
                run(&format!("t{at}_{number}"), trace, colour, out);
            }
        }
    }
    for (number, drawing) in report.drawings.iter().enumerate() {
        if drawing.kind == DrawingKind::Component {
            component(number as u32, drawing, &taken, out);
        }
    }
    // calls and returns
    for (&(from, to), colours) in taken.edges.iter().filter(|((from, to), _)| from.drawing != to.drawing) {
        let (from, to) = (id(from), id(to));
        line(out, &format!("  {from} -> {to} [style=dashed, constraint=false, {}]", coloured(colours)));
    }
    traces
}

impl Taken {
    fn add(&mut self, trace: &Trace, colour: usize) {
        let sites = trace.frames.iter().filter_map(|frame| frame.call.spot);
        for spot in trace.steps.iter().filter_map(|step| step.spot).chain(sites) {
            add(self.nodes.entry(spot).or_default(), colour);
        }
        for edge in taken_edges(trace) {
            add(self.edges.entry(edge).or_default(), colour);
        }
    }
}

fn add(colours: &mut Vec<usize>, colour: usize) {
    if !colours.contains(&colour) {
        colours.push(colour);
    }
}

fn component(number: u32, drawing: &Drawing, taken: &Taken, out: &mut String) {
    let title = quoted(&drawing.title);
    line(out, &format!("  subgraph cluster{number} {{"));
    line(out, &format!("    label=\"{title}\"; labeljust=l; style=rounded; color=\"#bbbbbb\""));
    for (at, node) in (0..).zip(&drawing.nodes) {
        let spot = Spot { drawing: number, node: at };
        let (shape, fill) = match node.kind {
            DrawnKind::Component | DrawnKind::Inner => ("ellipse", "white"),
            DrawnKind::Entry => ("invhouse", "#d8ead3"),
            DrawnKind::Exit => ("house", "#f6d9d5"),
            DrawnKind::EntryAndExit => ("hexagon", "#fdf0cc"),
            DrawnKind::Call => ("box", "#dbe7f5"),
        };
        let labels = node.labels.iter().map(|label| quoted(label)).collect::<Vec<_>>().join(", ");
        let labels = match node.kind {
            _ if labels.is_empty() => String::new(),
            DrawnKind::Call => format!(" : {labels}"),
            _ => format!("\\n{{{labels}}}"),
        };
        let colour = taken.nodes.get(&spot).map(|colours| format!(", {}", coloured(&colours[..1])));
        line(
            out,
            &format!(
                "    {} [label=\"{}{labels}\", shape={shape}, fillcolor=\"{fill}\"{}]",
                id(spot),
                quoted(&node.name),
                colour.unwrap_or_default()
            ),
        );
        if node.is_initial {
            line(out, &format!("    i{} [shape=point, width=0.08]\n    i{0} -> {}", id(spot), id(spot)));
        }
        if node.hidden > 0 {
            let (id, hidden) = (id(spot), node.hidden);
            line(out, &format!("    h{id} [label=\"{hidden} more\", shape=plaintext, fillcolor=none]"));
            line(out, &format!("    {id} -> h{id} [style=dotted, arrowhead=none]"));
        }
    }
    let ends = |from, to| (Spot { drawing: number, node: from }, Spot { drawing: number, node: to });
    for edge in &drawing.edges {
        let (from, to) = ends(edge.from, edge.to);
        let colour = taken.edges.get(&(from, to)).map(|colours| format!(" [{}]", coloured(colours)));
        line(out, &format!("    {} -> {}{}", id(from), id(to), colour.unwrap_or_default()));
    }
    if drawing.hidden > 0 {
        line(out, &format!("    // {} nodes far from the traces are left out", drawing.hidden));
    }
    line(out, "  }");
}

/// A run by itself, its states named by what changes.
fn run(name: &str, trace: &Trace, colour: usize, out: &mut String) {
    let gap = trace.gap(MOST_STATES);
    // the state that closes the loop is the first one of it again, and is drawn once
    let closing = trace.repeats.filter(|repeats| repeats.from < repeats.to).map(|repeats| repeats.to);
    let is_hidden = |step: usize| {
        closing == Some(step) || gap.is_some_and(|gap| (gap.from..gap.from + gap.count).contains(&step))
    };
    let colour = coloured(&[colour]);
    line(out, &format!("  subgraph cluster_{name} {{"));
    line(
        out,
        &format!("    label=\"{}\"; labeljust=l; style=rounded; color=\"#bbbbbb\"", quoted(&trace.shows)),
    );
    for (at, step) in trace.steps.iter().enumerate().filter(|(at, _)| !is_hidden(*at)) {
        let text = quoted(&step.text).replace(", ", "\\n");
        line(
            out,
            &format!(
                "    {name}_{at} [label=\"{}: {text}\", shape=box, style=\"rounded,filled\", {colour}]",
                at + 1
            ),
        );
    }
    let shown: Vec<usize> = (0..trace.steps.len()).filter(|&at| !is_hidden(at)).collect();
    for pair in shown.windows(2) {
        let (from, to) = (pair[0], pair[1]);
        let left = to - from - 1;
        let gap = if left > 0 { format!(", style=dashed, label=\"{left} more\"") } else { String::new() };
        line(out, &format!("    {name}_{from} -> {name}_{to} [{colour}{gap}]"));
    }
    if let (Some(repeats), Some(&last)) = (trace.repeats, shown.last()) {
        let from = repeats.from;
        line(
            out,
            &format!("    {name}_{last} -> {name}_{from} [{colour}, constraint=false, label=\"repeats\"]"),
        );
    }
    line(out, "  }");
}

fn id(spot: Spot) -> String {
    format!("n{}_{}", spot.drawing, spot.node)
}

fn coloured(colours: &[usize]) -> String {
    let list: Vec<&str> = colours.iter().map(|&colour| COLOURS[colour]).collect();
    format!("color=\"{}\", penwidth=2.2", list.join(":"))
}

fn line(out: &mut String, text: &str) {
    // writing to a string does not fail
    _ = writeln!(out, "{text}");
}

/// The inside of a quoted string: nothing ends it early, and nothing is an escape of Graphviz.
fn quoted(text: &str) -> String {
    visible(text).replace('\\', "\\\\").replace('"', "\\\"")
}
