//! Reachability against explicit search: which nodes, the fewest steps, from either direction.

use loris_base::{Budget, Idx};
use loris_evidence::{AtExit, State};
use loris_recursive::{ExploreDirection, PATIENCE, Prepared, ReachAnswer, Reachability};
use loris_rsm::{Rsm, Vertex};
use loris_testing::recursion::model::{Model, chains, crowds, models};
use loris_testing::recursion::oracle::{Unfolding, step};
use proptest::prelude::*;

const DIRECTIONS: [ExploreDirection; 3] =
    [ExploreDirection::Fewer, ExploreDirection::Entries, ExploreDirection::Exits];

fn search(rsm: &Rsm, targets: Option<&[bool]>, direction: ExploreDirection, patience: usize) -> ReachAnswer {
    let search = Reachability { from: rsm.initial(), targets, direction, patience };
    Prepared::new(rsm).reach(&search, &mut Budget::unlimited()).expect("no limit")
}

/// Every step of a run is a step of the semantics.
fn is_run(rsm: &Rsm, states: &[State]) -> bool {
    let starts = states[0].stack.is_empty() && rsm.initial().contains(&states[0].node.expect("no sink"));
    starts
        && states.windows(2).all(|pair| {
            let next = step(rsm, &pair[0].stack, pair[0].node, AtExit::Stop);
            next.contains(&(pair[1].stack.clone(), pair[1].node))
        })
}

fn nodes(rsm: &Rsm) -> impl Iterator<Item = Vertex> + '_ {
    rsm.components().flat_map(|component| rsm.nodes(component))
}

fn check(model: &Model) -> Result<(), TestCaseError> {
    const HEIGHT: usize = 4;
    let rsm = model.build();
    let unfolding = if model.recursive {
        Unfolding::bounded(&rsm, AtExit::Stop, HEIGHT, 3000)
    } else {
        Unfolding::new(&rsm, AtExit::Stop, 3000)
    };
    let expected = unfolding.map(|unfolding| unfolding.distances());
    let all = search(&rsm, None, ExploreDirection::Fewer, PATIENCE);
    prop_assert!(all.target.is_none());
    for node in nodes(&rsm) {
        let mut targets = vec![false; rsm.vertex_count()];
        targets[node.index()] = true;
        let mut lengths = Vec::new();
        for (direction, patience) in
            DIRECTIONS.into_iter().flat_map(|direction| [(direction, PATIENCE), (direction, 2)])
        {
            let found = search(&rsm, Some(&targets), direction, patience);
            prop_assert_eq!(found.target.is_some(), all.vertices[node.index()], "{:?}", direction);
            if let Some(run) = &found.run {
                prop_assert!(is_run(&rsm, run), "{:?}: {:?}", direction, run);
                prop_assert_eq!(run.last().expect("a run has a state").node, Some(node));
            }
            prop_assert_eq!(found.run.is_some(), found.target.is_some());
            let height = found.run.iter().flatten().map(|state| state.stack.len()).max().unwrap_or(0);
            let length = found.run.map(|run| run.len() - 1);
            if let Some(expected) = &expected {
                let expected = expected[node.index()];
                if model.recursive && (height > HEIGHT || length.is_none()) {
                    // the bounded unfolding knows less
                    prop_assert!(expected.is_none() || length.is_some() && expected >= length);
                } else {
                    prop_assert_eq!(length, expected, "{:?}", direction);
                }
            }
            lengths.push(length);
        }
        prop_assert!(lengths.iter().all(|length| *length == lengths[0]), "{:?}", lengths);
    }
    Ok(())
}

/// Rules R from entries and from exits derive no more than their bound.
#[test]
fn facts_are_bounded_by_theta() {
    let mut rng = loris_base::Rng::new(3);
    for _ in 0..200 {
        let machine = loris_rsm::generate::RandomRsm {
            entries: 0.3,
            exits: 0.2,
            ..loris_rsm::generate::RandomRsm::paper(6)
        };
        let rsm = machine.to_rsm(&mut rng);
        let found = search(&rsm, None, ExploreDirection::Fewer, PATIENCE);
        // an exit-bound component has its vertices besides
        let bound = rsm.vertex_count() * (rsm.theta() + 1) + rsm.vertex_count();
        assert!(found.tuples as usize <= bound, "{} > {bound}", found.tuples);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn agrees_with_the_unfolding(model in models(false)) {
        check(&model)?;
    }

    #[test]
    fn agrees_with_bounded_unfoldings(model in models(true)) {
        check(&model)?;
    }

    #[test]
    fn agrees_on_chains(model in chains(true)) {
        check(&model)?;
    }

    #[test]
    fn agrees_on_crowds(model in crowds(false)) {
        check(&model)?;
    }

    #[test]
    fn agrees_on_recursive_crowds(model in crowds(true)) {
        check(&model)?;
    }
}
