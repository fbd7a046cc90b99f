//! The labels of a Java program that questions are about.

use crate::asked::{Asked, Meaning, What, seen_by};
use loris_check::{Peer, Shard};
use loris_java::extract::{Choice, Granularity, Pattern, is_pattern};
use loris_load::{JavaOptions, Origin};
use std::collections::BTreeMap;

/// Words that are labels without quotes.
const BARE: [&str; 5] = ["exceptional", "monitorenter", "monitorexit", "deprecated", "unresolved"];

/// Whether a name may be a label of a Java program, or a pattern of labels.
pub(super) fn may_be_label(name: &str) -> bool {
    name.contains(' ') || BARE.contains(&name) || is_pattern(name)
}

/// Questions that are asked of one machine, and the labels of its nodes.
pub(crate) struct Group {
    pub(crate) labels: Vec<String>,
    pub(crate) asked: Vec<Asked>,
}

/// Puts questions together that can be asked of one machine, so that what each of them sees depends
/// on itself alone.
///
/// Where instructions share a node, labels cut nodes apart. Questions that do not count steps
/// cannot tell, and share a machine with the labels of all of them. Each of the others is asked of
/// a machine with its own labels. With a peer, which takes its steps along with the program, all
/// count steps. Questions that are only looked at, as they belong to another shard, go where no
/// machine is made for them alone.
pub(crate) fn grouped(
    asked: Vec<Asked>,
    granularity: Granularity,
    peer: Option<&Peer>,
    shard: Option<Shard>,
) -> Vec<Group> {
    let is_one = granularity == Granularity::Instruction;
    let mut shared =
        Group { labels: peer.map_or_else(Vec::new, |peer| peer.atoms().to_vec()), asked: Vec::new() };
    let mut own: BTreeMap<Vec<String>, Vec<Asked>> = BTreeMap::new();
    for one in asked {
        let is_taken = shard.is_none_or(|shard| shard.takes(one.at.place));
        let (names, counts_steps) = seen(&one.what);
        let is_of_peer = |name: &String| peer.is_some_and(|peer| peer.states().contains(name));
        let names = names.into_iter().filter(|name| !is_of_peer(name));
        if is_one || !is_taken || !(counts_steps || peer.is_some()) {
            shared.labels.extend(names);
            shared.asked.push(one);
        } else {
            let heard = peer.iter().flat_map(|peer| peer.atoms().iter().cloned());
            own.entry(sorted(names.chain(heard).collect())).or_default().push(one);
        }
    }
    shared.labels = sorted(shared.labels);
    shared.asked.extend(own.remove(&shared.labels).unwrap_or_default());
    let own = own.into_iter().map(|(labels, asked)| Group { labels, asked });
    std::iter::once(shared).filter(|group| !group.asked.is_empty()).chain(own).collect()
}

fn sorted(mut names: Vec<String>) -> Vec<String> {
    names.sort_unstable();
    names.dedup();
    names
}

/// The labels that a question names, and whether it counts steps. Formulas without `X` do not; of
/// the mu-calculus and automata nobody looks closer.
fn seen(what: &What) -> (Vec<String>, bool) {
    let meant = |meaning: &Meaning| match meaning {
        Meaning::Labels(formula) | Meaning::Wanted(_, formula) => seen_by(formula).0,
    };
    match what {
        What::Formula(_, Meaning::Labels(formula) | Meaning::Wanted(_, formula)) => seen_by(formula),
        What::Mu(_, formula) => (formula.atoms().iter().map(str::to_owned).collect(), true),
        What::Distance(_, sides) => (sides.iter().flat_map(meant).collect(), true),
        What::Automaton { hoa, .. } => (hoa.propositions.clone(), true),
        What::Unsupported(..) => (Vec::new(), false),
    }
}

/// The origin of a Java program with the labels that a search for a path needs. Nodes are named
/// after the first of the instructions that they stand for, so that a search that names nodes needs
/// those of `loris extract`.
pub(crate) fn sought(origin: &Origin, to: Option<&str>, from: Option<&str>) -> Origin {
    let labels = match to.filter(|to| may_be_label(to)) {
        None => Choice::Most,
        Some(to) if from.is_none() => Choice::Matching(vec![Pattern::new(to)]),
        Some(to) => Choice::Matching(vec![Pattern::new(to), Pattern::new("*")]),
    };
    Origin { java: JavaOptions { labels, suggest: true, ..origin.java.clone() }, ..origin.clone() }
}

#[cfg(test)]
mod tests {
    use super::grouped;
    use crate::Request;
    use crate::asked::{Asking, Language};
    use loris_base::Budget;
    use loris_check::{Logic, Options, Shard};
    use loris_java::extract::Granularity;
    use loris_load::{Reading, Words};

    /// The places of the questions in each group, and its labels.
    fn check(
        (logic, formulas): (Logic, &[&str]),
        granularity: Granularity,
        shard: Option<&str>,
        expected: &[(&[usize], &str)],
    ) {
        let formulas: Vec<String> = formulas.iter().map(|&text| text.to_owned()).collect();
        let options = Options::default();
        let shard: Option<Shard> = shard.map(|text| text.parse().expect("a shard"));
        let request = Request { formulas: &formulas, logic: Some(logic), shard, ..Request::new(&options) };
        let mut reading = Reading::new(Budget::unlimited(), Words::default());
        let asked = Asking::new(&request, Language::Program, &mut reading).all();
        assert!(reading.found().is_empty(), "{formulas:?}");
        let groups = grouped(asked, granularity, None, shard);
        let places = |asked: &[crate::asked::Asked]| asked.iter().map(|one| one.at.place).collect::<Vec<_>>();
        let found: Vec<(Vec<usize>, String)> =
            groups.iter().map(|group| (places(&group.asked), group.labels.join(", "))).collect();
        let expected: Vec<(Vec<usize>, String)> =
            expected.iter().map(|(places, labels)| (places.to_vec(), (*labels).to_owned())).collect();
        assert_eq!(found, expected, "{formulas:?}");
    }

    #[test]
    fn questions_that_count_steps_have_labels_of_their_own() {
        let (block, instruction) = (Granularity::Block, Granularity::Instruction);
        let ctl = ["E F \"def a\"", "E X \"def b\"", "E F exceptional", "A X E F \"def b\"", "E X \"def c\""];
        check(
            (Logic::Ctl, &ctl),
            block,
            None,
            &[(&[0, 2], "def a, exceptional"), (&[1, 3], "def b"), (&[4], "def c")],
        );
        check(
            (Logic::Ctl, &ctl),
            instruction,
            None,
            &[(&[0, 1, 2, 3, 4], "def a, def b, def c, exceptional")],
        );
        // those of other shards are only looked at
        check(
            (Logic::Ctl, &ctl),
            block,
            Some("1/4"),
            &[(&[0, 1, 2, 3], "def a, def b, exceptional"), (&[4], "def c")],
        );
        check((Logic::Ltl, &["F \"def a\"", "F X \"def a\""]), block, None, &[(&[0, 1], "def a")]);
        check((Logic::Star, &["E (F \"def a\" & G F X \"def b\")"]), block, None, &[(&[0], "def a, def b")]);
        check((Logic::Mu, &["<>\"def a\"", "\"def b\""]), block, None, &[(&[0], "def a"), (&[1], "def b")]);
    }
}
