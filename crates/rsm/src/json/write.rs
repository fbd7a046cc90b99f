//! Writes RSM JSON: one line per node, box and source, so that differences and error messages are
//! readable.
//!
//! A vertex that was given a loop because it had no successor is written as the dead end it was.
//! Reading the text with the same [`Semantics`](crate::Semantics) therefore gives the same machine,
//! and writing that the same text. Linear in the size of the machine.

use crate::ids::{BoxId, ComponentId, Vertex};

use crate::model::Rsm;
use crate::source_map::SourcePlace;
use loris_base::Idx;
use std::io::{self, BufWriter, Write};

/// Writes a machine in the format that [`read_rsm_json`](crate::read_rsm_json) reads.
///
/// # Errors
/// If `out` fails.
pub fn write_rsm_json(rsm: &Rsm, out: &mut impl Write) -> io::Result<()> {
    let mut dead = vec![false; rsm.vertex_count()];
    for &vertex in rsm.looped_dead_ends() {
        dead[vertex.index()] = true;
    }
    let mut writer = Writer { rsm, dead, out: BufWriter::with_capacity(1 << 16, out) };
    writer.model()?;
    writer.out.flush()
}

struct Writer<'a, W: Write> {
    rsm: &'a Rsm,
    dead: Vec<bool>,
    out: BufWriter<W>,
}

impl<W: Write> Writer<'_, W> {
    fn model(&mut self) -> io::Result<()> {
        let rsm = self.rsm;
        self.out.write_all(b"{\"initial_component\": ")?;
        self.string(rsm.component_name(rsm.initial_component()))?;
        self.out.write_all(b",\n \"initial_nodes\": ")?;
        self.strings(rsm.initial().iter().map(|&node| rsm.vertex_name(node)))?;
        self.out.write_all(b",\n \"components\": ")?;
        self.lines(" ", rsm.components(), Self::component)?;
        self.out.write_all(b"}\n")
    }

    fn component(&mut self, component: ComponentId) -> io::Result<()> {
        let rsm = self.rsm;
        self.out.write_all(b"{\"name\": ")?;
        self.string(rsm.component_name(component))?;
        self.out.write_all(b",\n   \"nodes\": ")?;
        self.lines("   ", rsm.nodes(component), Self::node)?;
        self.out.write_all(b",\n   \"boxes\": ")?;
        self.lines("   ", rsm.boxes(component), Self::site)?;
        self.out.write_all(b",\n   \"transitions\": ")?;
        let sources = rsm.vertices(component).filter(|&vertex| rsm.successors(vertex).len() > 0);
        let sources: Vec<Vertex> = sources.filter(|vertex| !self.dead[vertex.index()]).collect();
        self.lines("   ", sources.into_iter(), Self::transition)?;
        self.out.write_all(b"}")
    }

    fn node(&mut self, node: Vertex) -> io::Result<()> {
        let rsm = self.rsm;
        self.out.write_all(b"{\"name\": ")?;
        self.string(&rsm.vertex_name(node))?;
        let (entry, exit) = (rsm.is_entry(node), rsm.is_exit(node));
        write!(self.out, ", \"is_entry\": {entry}, \"is_exit\": {exit}, \"labels\": ")?;
        self.strings(rsm.labels_of(node).map(|label| rsm.label_name(label)))?;
        self.place(rsm.place(node))?;
        self.out.write_all(b"}")
    }

    fn site(&mut self, site: BoxId) -> io::Result<()> {
        let rsm = self.rsm;
        self.out.write_all(b"{\"name\": ")?;
        self.string(rsm.box_name(site))?;
        self.out.write_all(b", \"component\": ")?;
        self.string(rsm.component_name(rsm.callee(site)))?;
        self.out.write_all(b", \"call_nodes\": ")?;
        // a port that lost its edges (`EmptyCalls::Stuck`) would not be one when it is read again
        let used = |port: &Vertex| rsm.successors(*port).len() + rsm.predecessors(*port).len() > 0;
        let called = rsm.ports(site).filter(used).filter(|&port| rsm.entry_index(port).is_some());
        self.strings(called.map(|port| rsm.vertex_name(port)))?;
        self.out.write_all(b", \"return_nodes\": ")?;
        let returned = rsm.ports(site).filter(used).filter(|&port| rsm.exit_index(port).is_some());
        self.strings(returned.map(|port| rsm.vertex_name(port)))?;
        self.place(rsm.box_place(site))?;
        self.out.write_all(b"}")
    }

    /// The place of a node or a box, as its last key.
    fn place(&mut self, place: Option<SourcePlace<'_>>) -> io::Result<()> {
        let Some(SourcePlace { file, line, column }) = place else { return Ok(()) };
        self.out.write_all(b", \"source\": {\"file\": ")?;
        self.string(file)?;
        write!(self.out, ", \"line\": {line}")?;
        if let Some(column) = column {
            write!(self.out, ", \"column\": {column}")?;
        }
        self.out.write_all(b"}")
    }

    fn transition(&mut self, source: Vertex) -> io::Result<()> {
        self.out.write_all(b"{\"source\": ")?;
        self.reference(source)?;
        self.out.write_all(b", \"targets\": [")?;
        for (i, target) in self.rsm.successors(source).enumerate() {
            self.out.write_all(if i == 0 { b"" } else { b", " })?;
            self.reference(target)?;
        }
        self.out.write_all(b"]}")
    }

    fn reference(&mut self, vertex: Vertex) -> io::Result<()> {
        let rsm = self.rsm;
        if let Some(site) = rsm.box_of(vertex) {
            self.out.write_all(b"{\"type\": \"box_node\", \"box_name\": ")?;
            self.string(rsm.box_name(site))?;
            self.out.write_all(b", \"node_name\": ")?;
        } else {
            self.out.write_all(b"{\"type\": \"node\", \"name\": ")?;
        }
        self.string(&rsm.vertex_name(vertex))?;
        self.out.write_all(b"}")
    }

    /// An array with a line for each element, indented one further than its key.
    fn lines<T>(
        &mut self,
        indent: &str,
        elements: impl Iterator<Item = T>,
        mut write: impl FnMut(&mut Self, T) -> io::Result<()>,
    ) -> io::Result<()> {
        self.out.write_all(b"[")?;
        for (i, element) in elements.enumerate() {
            self.out.write_all(if i == 0 { b"\n" } else { b",\n" })?;
            self.out.write_all(indent.as_bytes())?;
            self.out.write_all(b" ")?;
            write(self, element)?;
        }
        self.out.write_all(b"]")
    }

    fn strings(&mut self, strings: impl Iterator<Item = impl AsRef<str>>) -> io::Result<()> {
        self.out.write_all(b"[")?;
        for (i, string) in strings.enumerate() {
            self.out.write_all(if i == 0 { b"" } else { b", " })?;
            self.string(string.as_ref())?;
        }
        self.out.write_all(b"]")
    }

    fn string(&mut self, string: &str) -> io::Result<()> {
        self.out.write_all(b"\"")?;
        let mut rest = string.as_bytes();
        while let Some(plain) = rest.iter().position(|byte| matches!(byte, b'"' | b'\\' | 0..0x20)) {
            self.out.write_all(&rest[..plain])?;
            match rest[plain] {
                byte @ (b'"' | b'\\') => self.out.write_all(&[b'\\', byte])?,
                byte => write!(self.out, "\\u{byte:04x}")?,
            }
            rest = &rest[plain + 1..];
        }
        self.out.write_all(rest)?;
        self.out.write_all(b"\"")
    }
}
