//! What a name on the command line means in a machine: a label, or a node as `COMPONENT/NODE`.
//!
//! Names may hold slashes, so that every slash may be the one between them.

use loris_base::{Diagnostic, Idx, nearest};
use loris_evidence::Target;
use loris_rsm::{ComponentId, Rsm, Vertex};

/// The label of this name or, if there is none, the node.
///
/// # Errors
/// There is neither, or several nodes could be meant.
pub fn target(rsm: &Rsm, text: &str) -> Result<Target, Diagnostic> {
    if let Some(label) = rsm.label(text) {
        return Ok(Target::Label(label));
    }
    if text.contains('/') {
        return node(rsm, text).map(Target::Node);
    }
    let problem = at(text, format!("\"{text}\" is no label and no COMPONENT/NODE"));
    if let Some(component) = rsm.find_component(text) {
        return Err(problem.help(format!("\"{text}\" is a component; {}", example(rsm, component))));
    }
    if let Some(near) = nearest(text, rsm.labels()) {
        return Err(problem.help(format!("did you mean \"{near}\"?")));
    }
    let named = rsm.components().find_map(|component| rsm.find_node(component, text));
    Err(match named {
        Some(node) => problem.help(format!("did you mean \"{}\"?", written(rsm, node))),
        None => problem.help(example(rsm, rsm.initial_component())),
    })
}

/// The node that `COMPONENT/NODE` means.
///
/// # Errors
/// There is none, or several could be meant.
pub fn node(rsm: &Rsm, text: &str) -> Result<Vertex, Diagnostic> {
    let ways: Vec<(&str, &str)> =
        text.match_indices('/').map(|(slash, _)| (&text[..slash], &text[slash + 1..])).collect();
    let within = |(component, node): &(&str, &str)| rsm.find_node(rsm.find_component(component)?, node);
    let found: Vec<Vertex> = ways.iter().filter_map(within).collect();
    match found[..] {
        [node] => Ok(node),
        [] => Err(unknown(rsm, text, &ways)),
        _ => {
            Err(at(text, format!("\"{text}\" can be read as {} nodes, by each of its slashes", found.len())))
        }
    }
}

fn unknown(rsm: &Rsm, text: &str, ways: &[(&str, &str)]) -> Diagnostic {
    let known = ways.iter().find_map(|&(component, node)| Some((rsm.find_component(component)?, node)));
    if let Some((component, node)) = known {
        let name = rsm.component_name(component);
        let problem = at(text, format!("component \"{name}\" has no node \"{node}\""));
        let near = nearest(node, rsm.nodes(component).map(|node| rsm.vertex_name(node)));
        return match near {
            Some(near) => problem.help(format!("did you mean \"{name}/{near}\"?")),
            None => problem.help(example(rsm, component)),
        };
    }
    let Some(&(component, node)) = ways.first() else {
        let problem = at(text, format!("\"{text}\" is no COMPONENT/NODE"));
        return problem.help(example(rsm, rsm.initial_component()));
    };
    let problem = at(text, format!("there is no component \"{component}\""));
    let names = rsm.components().map(|component| rsm.component_name(component));
    match nearest(component, names) {
        Some(near) => problem.help(format!("did you mean \"{near}/{node}\"?")),
        None => problem.help(example(rsm, rsm.initial_component())),
    }
}

fn at(text: &str, message: String) -> Diagnostic {
    Diagnostic::error(0, text.len(), message)
}

/// How a node of a component is written.
fn example(rsm: &Rsm, component: ComponentId) -> String {
    let node = rsm.nodes(component).next().map(|node| written(rsm, node));
    match node {
        Some(node) => format!("a node is written COMPONENT/NODE, as in \"{node}\""),
        None => "a node is written COMPONENT/NODE".to_owned(),
    }
}

fn written(rsm: &Rsm, node: Vertex) -> String {
    debug_assert!(node.index() < rsm.vertex_count());
    format!("{}/{}", rsm.component_name(rsm.component_of(node)), rsm.vertex_name(node))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::{target, written};
    use loris_evidence::Target;
    use loris_rsm::{Semantics, read_rsm_json};

    fn check(text: &str, expected: Result<&str, &str>) {
        let model = r#"{"initial_component": "main", "components": [{"name": "main", "boxes": [],
            "nodes": [{"name": "start", "is_entry": true, "is_exit": true, "labels": ["use_i", "main/end"]},
                      {"name": "a/b", "is_exit": true}, {"name": "end", "is_exit": true}],
            "transitions": []}, {"name": "main/a", "boxes": [], "transitions": [],
            "nodes": [{"name": "b", "is_entry": true, "is_exit": true}]}]}"#;
        let (rsm, _) = read_rsm_json(model.as_bytes(), &Semantics::default()).unwrap();
        let found = match target(&rsm, text) {
            Ok(Target::Label(label)) => Ok(rsm.label_name(label).to_owned()),
            Ok(Target::Node(node)) => Ok(written(&rsm, node)),
            Err(problem) => Err(format!("{}; {}", problem.message, problem.help.unwrap_or_default())),
        };
        assert_eq!(found.as_deref().map_err(String::as_str), expected);
    }

    #[test]
    fn labels_first_then_nodes() {
        check("use_i", Ok("use_i"));
        check("main/end", Ok("main/end"));
        check("main/start", Ok("main/start"));
        check("main/a/b", Err("\"main/a/b\" can be read as 2 nodes, by each of its slashes; "));
    }

    #[test]
    fn what_may_have_been_meant() {
        check("use_j", Err("\"use_j\" is no label and no COMPONENT/NODE; did you mean \"use_i\"?"));
        check("start", Err("\"start\" is no label and no COMPONENT/NODE; did you mean \"main/start\"?"));
        check(
            "main",
            Err("\"main\" is no label and no COMPONENT/NODE; \"main\" is a component; \
                 a node is written COMPONENT/NODE, as in \"main/start\""),
        );
        check("main/stort", Err("component \"main\" has no node \"stort\"; did you mean \"main/start\"?"));
        check("mian/start", Err("there is no component \"mian\"; did you mean \"main/start\"?"));
    }
}
