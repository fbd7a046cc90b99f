//! Drawings of a model as data: nodes and edges, for the page and for Graphviz.

/// A graph to be drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drawing {
    /// Its subject: the name of a component, or of the model.
    pub title: String,
    /// What it draws.
    pub kind: DrawingKind,
    /// The nodes.
    pub nodes: Vec<DrawnNode>,
    /// The edges.
    pub edges: Vec<DrawnEdge>,
    /// How many nodes are left out, because the graph is large and they are far from all paths.
    pub hidden: usize,
}

/// What a drawing draws.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DrawingKind {
    /// Components and their calls.
    Calls,
    /// The nodes of one component.
    Component,
}

/// A node of a drawing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DrawnNode {
    /// Its name.
    pub name: String,
    /// Its labels.
    pub labels: Vec<String>,
    /// Its kind.
    pub kind: DrawnKind,
    /// Whether runs start there.
    pub is_initial: bool,
    /// The drawing of what it stands for: of the component that a call goes to, for example.
    pub opens: Option<usize>,
    /// How many of its neighbours are left out.
    pub hidden: usize,
}

/// The kind of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DrawnKind {
    /// A component.
    Component,
    /// Where a component is entered.
    Entry,
    /// Where it is left.
    Exit,
    /// Both.
    EntryAndExit,
    /// Neither.
    Inner,
    /// A call.
    Call,
}

/// An edge between nodes of one drawing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DrawnEdge {
    /// The number of the node it leaves.
    pub from: u32,
    /// The number of the node it goes to.
    pub to: u32,
}

/// A node in one of the drawings of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Spot {
    /// The number of the drawing.
    pub drawing: u32,
    /// The number of the node.
    pub node: u32,
}
