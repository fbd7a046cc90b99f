//! The meaning of a name as target or start of a path: a label, or a node as `COMPONENT/NODE` or,
//! where only one has it, by its name alone.
//!
//! Names may hold slashes, so that every slash may be the one between component and node. The nodes
//! of a composition are named `node@state`; without the state, all of them are meant.

use crate::suggestions::nearest_label;
use loris_base::{Diagnostic, Idx, nearest};
use loris_rsm::{ComponentId, LabelId, Rsm, Vertex};
use std::borrow::Cow;

/// The target to be reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Goal {
    /// Any node with this label.
    Label(LabelId),
    /// Any of these nodes.
    Nodes(Vec<Vertex>),
}

/// The names of a machine.
#[derive(Clone, Debug)]
pub struct GoalNames<'a> {
    rsm: &'a Rsm,
    /// whether a label is a state of the peer
    is_state: Vec<bool>,
}

/// Candidates that an error lists; more are counted.
const LISTED: usize = 6;

/// Of this many nodes the one nearest to an unknown name is suggested; among more, the search takes
/// long.
const SUGGESTED: usize = 10_000;

impl<'a> GoalNames<'a> {
    /// Those of a machine that was composed with a peer of these states, if there are any.
    pub fn new(rsm: &'a Rsm, states: &[String]) -> Self {
        let mut is_state = vec![false; rsm.labels().count()];
        for label in states.iter().filter_map(|state| rsm.label(state)) {
            is_state[label.index()] = true;
        }
        Self { rsm, is_state }
    }

    /// The label of this name or, if there is none, the node.
    ///
    /// # Errors
    /// There is neither, or several nodes could be meant.
    pub fn goal(&self, text: &str) -> Result<Goal, Diagnostic> {
        match self.rsm.label(text) {
            Some(label) => Ok(Goal::Label(label)),
            None => self.find(text, "neither a label nor a node").map(Goal::Nodes),
        }
    }

    /// The node of this name: one, or its copies for the states of the peer, all in one component.
    ///
    /// # Errors
    /// There is none, several could be meant, or a name alone is that of a label, too.
    pub fn nodes(&self, text: &str) -> Result<Vec<Vertex>, Diagnostic> {
        let is_label = self.rsm.label(text).is_some() && self.by_slashes(text).is_empty();
        if !is_label {
            return self.find(text, "not a node");
        }
        let found = self.by_name(text);
        if found.is_empty() {
            let problem = at(text, format!("\"{text}\" is a label, not a node"));
            return Err(problem.help(self.example(self.rsm.initial_component())));
        }
        let problem = at(text, format!("\"{text}\" is a label as well as a node"));
        Err(problem.help(self.candidates(text, &found)))
    }

    fn find(&self, text: &str, nothing: &str) -> Result<Vec<Vertex>, Diagnostic> {
        let mut found = self.by_slashes(text);
        if found.is_empty() {
            found = self.by_name(text);
            match &found[..] {
                // the full name has to be that of one node, too, so that evidence can name it
                [nodes] => return self.find(&self.full(text, nodes), nothing),
                [] => return Err(self.unknown(text, nothing)),
                _ => {}
            }
            let problem = at(text, format!("\"{text}\" is the name of {} nodes", found.len()));
            return Err(problem.help(self.candidates(text, &found)));
        }
        if found.len() > 1 {
            let ways = found.len();
            return Err(at(text, format!("\"{text}\" can be read as {ways} nodes, by each of its slashes")));
        }
        Ok(found.swap_remove(0))
    }

    /// The nodes that `COMPONENT/NODE` means, for each slash that may be the one.
    fn by_slashes(&self, text: &str) -> Vec<Vec<Vertex>> {
        let within = |(component, name): (&str, &str)| {
            let component = self.rsm.find_component(component)?;
            Some(self.within(component, name)).filter(|nodes| !nodes.is_empty())
        };
        slashes(text).filter_map(within).collect()
    }

    /// The nodes of this name, for each component that has some.
    fn by_name(&self, name: &str) -> Vec<Vec<Vertex>> {
        let nodes = self.rsm.components().map(|component| self.within(component, name));
        nodes.filter(|nodes| !nodes.is_empty()).collect()
    }

    fn within(&self, component: ComponentId, name: &str) -> Vec<Vertex> {
        match self.rsm.find_node(component, name) {
            Some(node) => vec![node],
            // without a peer, no node has another name
            None if !self.is_state.contains(&true) => Vec::new(),
            None => self.rsm.nodes(component).filter(|&node| self.plain(node) == name).collect(),
        }
    }

    /// The name of a node without the state of the peer.
    fn plain(&self, node: Vertex) -> Cow<'a, str> {
        let name = self.rsm.vertex_name(node);
        let mut states = self.rsm.labels_of(node).filter(|label| self.is_state[label.index()]);
        let without =
            |label| name.strip_suffix(self.rsm.label_name(label)).and_then(|name| name.strip_suffix('@'));
        let without = states.find_map(without).map(str::len);
        match (name, without) {
            (name, None) => name,
            (Cow::Borrowed(name), Some(length)) => name[..length].into(),
            (Cow::Owned(name), Some(length)) => name[..length].to_owned().into(),
        }
    }

    fn unknown(&self, text: &str, nothing: &str) -> Diagnostic {
        let rsm = self.rsm;
        let known = slashes(text).find_map(|(component, node)| Some((rsm.find_component(component)?, node)));
        if let Some((component, node)) = known {
            let name = rsm.component_name(component);
            let problem = at(text, format!("component \"{name}\" has no node \"{node}\""));
            let nodes = rsm.nodes(component).take(SUGGESTED);
            let names: Vec<Cow<'_, str>> = nodes.map(|node| self.plain(node)).collect();
            let near = nearest(node, names.iter().map(|name| &**name));
            return match near {
                Some(near) => problem.help(format!("did you mean \"{name}/{near}\"?")),
                None => problem.help(self.example(component)),
            };
        }
        if let Some((component, node)) = slashes(text).next() {
            let problem = at(text, format!("there is no component \"{component}\""));
            let names = rsm.components().map(|component| rsm.component_name(component));
            return match nearest(component, names) {
                Some(near) => problem.help(format!("did you mean \"{near}/{node}\"?")),
                None => problem.help(self.example(rsm.initial_component())),
            };
        }
        let problem = at(text, format!("\"{text}\" is {nothing}"));
        if let Some(component) = rsm.find_component(text) {
            return problem.help(format!("\"{text}\" is a component; {}", self.example(component)));
        }
        let labels = || rsm.labels().filter(|_| nothing.contains("label"));
        if let Some(near) = nearest_label(text, labels) {
            return problem.help(format!("did you mean \"{near}\"?"));
        }
        let all = rsm.components().flat_map(|component| rsm.nodes(component)).take(SUGGESTED);
        let all: Vec<Cow<'_, str>> = all.map(|node| self.plain(node)).collect();
        match nearest(text, all.iter().map(|name| &**name)) {
            Some(near) => problem.help(self.candidates(near, &self.by_name(near))),
            None => problem.help(self.example(rsm.initial_component())),
        }
    }

    /// What to write instead of a name.
    fn candidates(&self, name: &str, found: &[Vec<Vertex>]) -> String {
        let list = found.iter().take(LISTED).map(|nodes| format!("\"{}\"", self.full(name, nodes)));
        let list = list.collect::<Vec<_>>().join(", ");
        match found.len().saturating_sub(LISTED) {
            0 => format!("did you mean {list}?"),
            more => format!("did you mean one of {list}, ... and {more} more?"),
        }
    }

    /// `COMPONENT/NODE` for nodes that `name` means.
    fn full(&self, name: &str, nodes: &[Vertex]) -> String {
        format!("{}/{name}", self.rsm.component_name(self.rsm.component_of(nodes[0])))
    }

    /// How a node of a component is written.
    fn example(&self, component: ComponentId) -> String {
        match self.rsm.nodes(component).next() {
            Some(node) => {
                let node = self.full(&self.plain(node), &[node]);
                format!("a node is written COMPONENT/NODE, as in \"{node}\"")
            }
            None => "a node is written COMPONENT/NODE".to_owned(),
        }
    }
}

/// All ways to read `COMPONENT/NODE`.
fn slashes(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.match_indices('/').map(|(slash, _)| (&text[..slash], &text[slash + 1..]))
}

fn at(text: &str, message: String) -> Diagnostic {
    Diagnostic::error(0, text.len(), message)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::{Goal, GoalNames};
    use loris_base::Budget;
    use loris_base::Diagnostic;
    use loris_recursive::{Peer, compose};
    use loris_rsm::{Rsm, Semantics, Vertex, read_rsm_json};

    fn machine() -> Rsm {
        let model = r#"{"initial_component": "main", "components": [{"name": "main", "boxes": [],
            "nodes": [{"name": "start", "is_entry": true, "is_exit": true, "labels": ["use_i", "main/end"]},
                      {"name": "a/b", "is_exit": true}, {"name": "end", "is_exit": true},
                      {"name": "use_i", "is_exit": true}, {"name": "c/d", "is_exit": true}],
            "transitions": []}, {"name": "main/a", "boxes": [], "transitions": [],
            "nodes": [{"name": "b", "is_entry": true, "is_exit": true}, {"name": "end", "is_exit": true}]}]}"#;
        read_rsm_json(model.as_bytes(), &Semantics::default()).unwrap().0
    }

    /// With a peer that stays with the first label it reads.
    fn composed() -> (Rsm, Peer) {
        let model = r#"{"initial_component": "main", "components": [{"name": "main",
            "nodes": [{"name": "start", "is_entry": true, "labels": ["p"]}, {"name": "line", "is_exit": true}],
            "boxes": [{"name": "f", "component": "f"}],
            "transitions": [{"source": {"name": "start"}, "targets": [{"name": "start"}, {"name": "line"},
                                                               {"box_name": "f", "node_name": "in"}]},
                            {"source": {"box_name": "f", "node_name": "in"}, "targets": [{"name": "line"}]}]},
            {"name": "f", "nodes": [{"name": "in", "is_entry": true, "is_exit": true}]}]}"#;
        let (rsm, _) = read_rsm_json(model.as_bytes(), &Semantics::default()).unwrap();
        let peer = Peer::from_lts(0, 3, &[(0, "p".to_owned(), 1), (1, "p".to_owned(), 2)]);
        (compose(&rsm, &peer, &Semantics::default(), &mut Budget::unlimited()).unwrap().0, peer)
    }

    fn told(rsm: &Rsm, found: Result<&[Vertex], &Diagnostic>) -> String {
        let full = |&node: &Vertex| {
            format!("{}/{}", rsm.component_name(rsm.component_of(node)), rsm.vertex_name(node))
        };
        match found {
            Ok(nodes) => nodes.iter().map(full).collect::<Vec<_>>().join(" "),
            Err(problem) => {
                let help = problem.help.as_ref().map(|help| format!("; {help}")).unwrap_or_default();
                format!("error: {}{help}", problem.message)
            }
        }
    }

    fn check(text: &str, expected: &str) {
        let rsm = machine();
        let found = match GoalNames::new(&rsm, &[]).goal(text) {
            Ok(Goal::Label(label)) => format!("label {}", rsm.label_name(label)),
            Ok(Goal::Nodes(nodes)) => told(&rsm, Ok(&nodes)),
            Err(problem) => told(&rsm, Err(&problem)),
        };
        assert_eq!(found, expected);
    }

    fn check_start(text: &str, expected: &str) {
        let rsm = machine();
        let found = GoalNames::new(&rsm, &[]).nodes(text);
        assert_eq!(told(&rsm, found.as_deref()), expected);
    }

    fn check_composed(text: &str, expected: &str) {
        let (rsm, peer) = composed();
        let found = GoalNames::new(&rsm, peer.states()).nodes(text);
        assert_eq!(told(&rsm, found.as_deref()), expected);
    }

    #[test]
    fn labels_first_then_nodes() {
        check("use_i", "label use_i");
        check("main/end", "label main/end");
        check("main/start", "main/start");
        check("main/a/b", "error: \"main/a/b\" can be read as 2 nodes, by each of its slashes");
    }

    #[test]
    fn a_name_alone_where_one_node_has_it() {
        check("start", "main/start");
        check("c/d", "main/c/d");
        check("b", "error: \"main/a/b\" can be read as 2 nodes, by each of its slashes");
        check("end", "error: \"end\" is the name of 2 nodes; did you mean \"main/end\", \"main/a/end\"?");
    }

    #[test]
    fn runs_start_in_nodes() {
        check_start("start", "main/start");
        check_start("main/end", "main/end");
        check_start("main/use_i", "main/use_i");
        check_start("use_i", "error: \"use_i\" is a label as well as a node; did you mean \"main/use_i\"?");
        check_start("strat", "error: \"strat\" is not a node; did you mean \"main/start\"?");
    }

    #[test]
    fn what_may_have_been_meant() {
        check("use_j", "error: \"use_j\" is neither a label nor a node; did you mean \"use_i\"?");
        check(
            "main",
            "error: \"main\" is neither a label nor a node; \"main\" is a component; \
             a node is written COMPONENT/NODE, as in \"main/start\"",
        );
        check("main/stort", "error: component \"main\" has no node \"stort\"; did you mean \"main/start\"?");
        check("mian/start", "error: there is no component \"mian\"; did you mean \"main/start\"?");
        check(
            "elsewhere",
            "error: \"elsewhere\" is neither a label nor a node; \
             a node is written COMPONENT/NODE, as in \"main/start\"",
        );
    }

    #[test]
    fn a_node_in_any_state_of_the_peer() {
        check_composed("main/start", "main/start@peer_0 main/start@peer_1 main/start@peer_2");
        check_composed("line", "main/line@peer_1 main/line@peer_2");
        check_composed("main/line@peer_2", "main/line@peer_2");
        check_composed("line@peer_1", "main/line@peer_1");
        check_composed("f/in", "f/in@peer_1 f/in@peer_2");
        check_composed(
            "main/lime",
            "error: component \"main\" has no node \"lime\"; did you mean \"main/line\"?",
        );
    }
}
