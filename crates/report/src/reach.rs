//! Reachability as text and as JSON.

use crate::evidence::{json_evidence, text_evidence};
use crate::json::{number, quoted, readings, rounded, write_head};
use crate::{Context, Detail, Subject, counted, style};
use loris_base::{visible, visible_name};
use loris_check::Reachable;
use loris_evidence::{SHOWN_STATES, Verdict};
use loris_rsm::{Rsm, Vertex};
use std::fmt::{self, Write};

/// The search, and its result.
#[derive(Clone, Copy, Debug)]
pub struct ReachReport<'a> {
    /// The label or node to get to, as it was given; nothing if all nodes were looked for.
    pub to: Option<&'a str>,
    /// The node to start from, as it was given.
    pub from: Option<&'a str>,
    /// The result of the search.
    pub found: &'a Reachable,
    /// All nodes that runs get to, if they were asked for.
    pub nodes: Option<&'a [Vertex]>,
}

/// The verdict, its cost, and the path beneath.
pub fn text_reach(
    out: &mut impl Write,
    context: &Context<'_>,
    reached: &ReachReport<'_>,
    detail: Detail,
) -> fmt::Result {
    let ReachReport { to, from, found, .. } = *reached;
    let (color, verdict) = match found.verdict {
        Verdict::Holds => (style::GREEN, "reachable"),
        Verdict::Fails => (style::RED, "unreachable"),
        Verdict::Unknown(_) => (style::YELLOW, "unknown"),
    };
    let (dim, reset) = (style::DIM, style::RESET);
    write!(out, "{color}{verdict}{reset}: {}", visible(to.unwrap_or("all nodes")))?;
    if let Some(from) = from {
        write!(out, " from {}", visible(from))?;
    }
    match (&found.verdict, found.steps()) {
        (Verdict::Holds, Some(steps)) => write!(out, " in {}", counted(steps, "step", "steps"))?,
        (Verdict::Holds, None) => match found.cut_off {
            Some(reason) => write!(out, " by a path that is not given: {reason}")?,
            None => out.write_str(" by a path that is too long to be shown")?,
        },
        _ => {}
    }
    if detail > Detail::Quiet {
        match &found.verdict {
            Verdict::Holds | Verdict::Fails if context.is_circuit() => write!(out, "  {dim}[")?,
            Verdict::Holds | Verdict::Fails => {
                let nodes = counted(found.nodes.len(), "node", "nodes");
                let tuples = counted(found.tuples as usize, "tuple", "tuples");
                write!(out, "  {dim}[{nodes} seen, {tuples}, ")?;
            }
            Verdict::Unknown(reason) => {
                write!(out, "  {dim}[{reason}")?;
                if let Some(states) = context.explored {
                    write!(out, ", {}", counted(states, "state explored", "states explored"))?;
                }
                out.write_str(", ")?;
            }
        }
        write!(out, "{:.3} s]{reset}", found.seconds)?;
    }
    out.write_char('\n')?;
    if detail == Detail::Quiet {
        return Ok(());
    }
    let most = if detail == Detail::Verbose { usize::MAX } else { SHOWN_STATES };
    let shown = found.evidence.as_ref().zip(context.model);
    let path =
        shown.and_then(|(evidence, model)| text_evidence(evidence, model, most, detail == Detail::Verbose));
    path.unwrap_or_default().lines().try_for_each(|line| writeln!(out, "  {line}"))
}

/// Nodes as `COMPONENT/NODE`, a line each.
pub fn text_nodes(out: &mut impl Write, context: &Context<'_>, nodes: &[Vertex]) -> fmt::Result {
    let Some(rsm) = context.rsm() else { return Ok(()) };
    nodes
        .iter()
        .try_for_each(|&node| writeln!(out, "{}", name(rsm, node, |name| visible_name(name).into_owned())))
}

/// One document, with the evidence as `loris replay` reads it.
pub fn json_reach(out: &mut impl Write, context: &Context<'_>, reached: &ReachReport<'_>) -> fmt::Result {
    let ReachReport { found, nodes, .. } = *reached;
    write_search(out, context, reached)?;
    if let Some(nodes) = nodes {
        out.write_str(",\n \"nodes\": [")?;
        let named = nodes.iter().filter_map(|&node| Some((context.rsm()?, node)));
        for (i, (rsm, node)) in named.enumerate() {
            let comma = if i > 0 { ",\n  " } else { "\n  " };
            write!(out, "{comma}{}", quoted(&name(rsm, node, str::to_owned)))?;
        }
        out.write_char(']')?;
    }
    if let (Some(evidence), Some(model)) = (&found.evidence, context.model) {
        json_evidence(evidence, model, ",\n \"evidence\": ", out)?;
    }
    out.write_str("}\n")
}

/// The document without nodes and evidence, up to its closing bracket.
pub(crate) fn write_search(
    out: &mut impl Write,
    context: &Context<'_>,
    reached: &ReachReport<'_>,
) -> fmt::Result {
    let ReachReport { to, from, found, nodes } = *reached;
    write_head(out, context)?;
    let text = |text: Option<&str>| text.map_or_else(|| "null".to_owned(), quoted);
    writeln!(out, "\n {},", readings(context))?;
    if let Some(Subject { module, .. }) = context.subject {
        writeln!(out, " \"module\": {},", quoted(module))?;
    }
    writeln!(out, " \"target\": {}, \"from\": {},", text(to), text(from))?;
    let (verdict, reason) = match &found.verdict {
        // the search for all nodes has come to its end
        verdict if to.is_none() && verdict.is_known() => (None, None),
        Verdict::Holds => (Some("reachable"), None),
        Verdict::Fails => (Some("unreachable"), None),
        Verdict::Unknown(reason) => (Some("unknown"), Some(reason)),
    };
    write!(out, " \"verdict\": {}, ", text(verdict))?;
    if let Some(reason) = reason {
        write!(out, "\"reason\": {}, ", quoted(&reason.to_string()))?;
    }
    write!(out, "\"steps\": {}, ", number(found.steps()))?;
    // circuits have no nodes
    if !context.is_circuit() {
        write!(out, "\"reached\": {}, \"tuples\": {}, ", nodes.unwrap_or(&found.nodes).len(), found.tuples)?;
    }
    write!(out, "\"seconds\": {}", rounded(found.seconds))
}

/// The document on a line of its own (`jsonl`).
pub fn json_reach_line(
    out: &mut impl Write,
    context: &Context<'_>,
    reached: &ReachReport<'_>,
) -> fmt::Result {
    let mut text = String::new();
    json_reach(&mut text, context, reached)?;
    // within strings, line breaks are escaped
    let mut lines = text.lines().map(str::trim_start);
    let mut line = lines.next().unwrap_or_default().to_owned();
    for next in lines {
        line += if line.ends_with('[') { "" } else { " " };
        line += next;
    }
    writeln!(out, "{line}")
}

fn name(rsm: &Rsm, node: Vertex, shown: impl Fn(&str) -> String) -> String {
    format!("{}/{}", shown(rsm.component_name(rsm.component_of(node))), shown(&rsm.vertex_name(node)))
}
