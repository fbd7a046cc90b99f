//! A machine as a Graphviz graph, with a cluster for each component.
//!
//! Entries point down, exits point up, and a node that is both is a hexagon; an initial node has an
//! incoming arrow without a source. A box is a record: call ports above, its name and callee,
//! return ports below.

use crate::ids::{BoxId, ComponentId, Vertex};

use crate::model::Rsm;
use loris_base::Idx;
use std::io::{self, BufWriter, Write};

/// Writes a machine for `dot`.
///
/// # Errors
/// If `out` fails.
pub fn write_dot(rsm: &Rsm, out: &mut impl Write) -> io::Result<()> {
    let mut out = BufWriter::new(out);
    out.write_all(HEAD.as_bytes())?;
    for component in rsm.components() {
        write_component(rsm, component, &mut out)?;
    }
    for &node in rsm.initial() {
        let number = node.index();
        writeln!(
            out,
            "  i{number} [shape=point, width=0.08, fillcolor=\"#444444\"]\n  i{number} -> v{number} [penwidth=1.6]"
        )?;
    }
    out.write_all(b"}\n")?;
    out.flush()
}

const HEAD: &str = r##"digraph rsm {
  fontname="Helvetica"
  node [fontname="Helvetica", fontsize=11, style=filled, fillcolor=white, color="#444444", margin="0.08,0.04"]
  edge [color="#444444", arrowsize=0.7]
"##;

fn write_component(rsm: &Rsm, component: ComponentId, out: &mut impl Write) -> io::Result<()> {
    let (number, name) = (component.index(), quoted(rsm.component_name(component)));
    writeln!(out, "  subgraph cluster{number} {{")?;
    writeln!(
        out,
        "    label=\"{name}\"; labeljust=l; style=\"rounded,filled\"; color=\"#aaaaaa\"; fillcolor=\"#f4f4f4\""
    )?;
    for node in rsm.nodes(component) {
        write_node(rsm, node, out)?;
    }
    for site in rsm.boxes(component) {
        write_box(rsm, site, out)?;
    }
    for source in rsm.vertices(component) {
        for target in rsm.successors(source) {
            writeln!(out, "    {} -> {}", place(rsm, source, "s"), place(rsm, target, "n"))?;
        }
    }
    out.write_all(b"  }\n")
}

fn write_node(rsm: &Rsm, node: Vertex, out: &mut impl Write) -> io::Result<()> {
    let (shape, color) = match (rsm.is_entry(node), rsm.is_exit(node)) {
        (false, false) => ("ellipse", "white"),
        (true, false) => ("invhouse", "#d8ead3"),
        (false, true) => ("house", "#f6d9d5"),
        (true, true) => ("hexagon", "#fdf0cc"),
    };
    let labels: Vec<String> = rsm.labels_of(node).map(|label| quoted(rsm.label_name(label))).collect();
    let (number, name) = (node.index(), quoted(&rsm.vertex_name(node)));
    let labels = if labels.is_empty() { String::new() } else { format!("\\n{{{}}}", labels.join(", ")) };
    writeln!(out, "    v{number} [label=\"{name}{labels}\", shape={shape}, fillcolor=\"{color}\"]")
}

fn write_box(rsm: &Rsm, site: BoxId, out: &mut impl Write) -> io::Result<()> {
    let row = |returns: bool| {
        let ports = rsm.ports(site).filter(|&port| rsm.entry_index(port).is_none() == returns);
        let ports: Vec<String> =
            ports.map(|port| format!("<p{}> {}", port.index(), field(&rsm.vertex_name(port)))).collect();
        (!ports.is_empty()).then(|| format!("{{{}}}", ports.join("|")))
    };
    let title = format!("{} : {}", field(rsm.box_name(site)), field(rsm.component_name(rsm.callee(site))));
    let rows: Vec<String> = [row(false), Some(title), row(true)].into_iter().flatten().collect();
    let number = site.index();
    writeln!(out, "    b{number} [shape=record, fillcolor=\"#dbe7f5\", label=\"{{{}}}\"]", rows.join("|"))
}

/// Where an edge is attached; `side` is the side of a port.
fn place(rsm: &Rsm, vertex: Vertex, side: &str) -> String {
    match rsm.box_of(vertex) {
        None => format!("v{}", vertex.index()),
        Some(site) => {
            // the port of an empty procedure stands in the upper row and is left there, too
            let side = if rsm.entry_index(vertex).is_some() { "n" } else { side };
            format!("b{}:p{}:{side}", site.index(), vertex.index())
        }
    }
}

/// The inside of a quoted string.
fn quoted(text: &str) -> String {
    escaped(text, "\"\\")
}

/// The inside of a field of a record.
fn field(text: &str) -> String {
    escaped(text, "\"\\{}|<> ")
}

fn escaped(text: &str, special: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if special.contains(c) {
            escaped.push('\\');
        }
        escaped.push(if c.is_control() { '\u{fffd}' } else { c });
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::write_dot;
    use crate::{Draft, Reference, RsmBuilder, Semantics};

    #[test]
    fn names_are_escaped_and_ports_are_places() {
        let mut builder = RsmBuilder::default();
        let [main, start, end, site] =
            ["a \"b\"", "<init>", "x|y", "call {1}"].map(|name| builder.symbol(name));
        let mut draft = Draft::new(main, 0);
        draft.node(start, 0).entry = true;
        draft.label(end);
        draft.node(end, 0).exit = true;
        draft.site(site, 0, main, 0);
        draft.edge(Reference::node(start, 0), Reference::port(site, start, 0));
        draft.edge(Reference::port(site, end, 0), Reference::node(end, 0));
        builder.component(draft);
        let (rsm, _) = builder.finish(&Semantics::default()).expect("a valid machine");
        let mut text = Vec::new();
        write_dot(&rsm, &mut text).expect("memory takes all");
        let text = String::from_utf8(text).expect("names are text");
        let expected = [
            r#"label="a \"b\"";"#,
            r##"v0 [label="<init>\n{x|y}", shape=invhouse, fillcolor="#d8ead3"]"##,
            r#"label="{{<p2> \<init\>}|call\ \{1\} : a\ \"b\"|{<p3> x\|y}}"]"#,
            "v0 -> b0:p2:n\n",
            "b0:p3:s -> v1\n",
            "i0 -> v0",
        ];
        for part in expected {
            assert!(text.contains(part), "{part} in\n{text}");
        }
    }
}
