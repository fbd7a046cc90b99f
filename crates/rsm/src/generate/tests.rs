//! Tests of the generators: their promises, and that a seed determines a machine.

#![allow(clippy::unwrap_used, reason = "a test that panics has failed")]

use super::{
    Choices, ContextChain, Ladder, LargePds, LargeRsm, RandomRsm, Sequence, StaggeredExits, exponential,
};
use crate::{Recovery, Rsm, Semantics, Stats, read_pds, write_rsm_json};
use loris_base::{Idx, Rng};
use std::collections::BTreeSet;

fn text(rsm: &Rsm) -> Vec<u8> {
    let mut text = Vec::new();
    write_rsm_json(rsm, &mut text).unwrap();
    text
}

#[test]
fn the_same_seed_gives_the_same_machine() {
    let makers: [&dyn Fn(&mut Rng) -> Rsm; 3] =
        [&|rng| RandomRsm::paper(7).to_rsm(rng), &|rng| LargeRsm::with_edges(5000).to_rsm(rng), &|rng| {
            ContextChain { depth: 5, exits: 4, recursive: true }.to_rsm(rng)
        }];
    for make in makers {
        let of = |seed| text(&make(&mut Rng::new(seed)));
        assert_eq!(of(1), of(1));
        assert_ne!(of(1), of(2));
    }
}

#[test]
fn random_machines_have_the_size_of_the_paper() {
    for i in [1, 2, 3, 10, 20] {
        let rsm = RandomRsm::paper(i).to_rsm(&mut Rng::new(i as u64));
        let stats = Stats::of(&rsm);
        let expected = (i, 3 * i * i, i * (i / 3));
        assert_eq!((stats.components, stats.nodes, stats.boxes), expected);
        let share = (3 * i).div_ceil(20);
        assert_eq!((stats.entries, stats.exits), (i * share, i * share));
    }
    let stats = Stats::of(&RandomRsm::paper(20).to_rsm(&mut Rng::new(5)));
    let pairs: usize = 20 * (60 - 3 + 6 * 3) * (60 - 3 + 6 * 3);
    let density = stats.edges as f64 / pairs as f64;
    assert!((0.19..0.21).contains(&density), "{density}");
}

#[test]
fn large_machines_have_the_edges_asked_for() {
    for edges in [10_000, 123_456] {
        let rsm = LargeRsm::with_edges(edges).to_rsm(&mut Rng::new(3));
        let stats = Stats::of(&rsm);
        assert_eq!((stats.edges, stats.most_exits, stats.labels), (edges, 10, 4));
        assert!(rsm.label("goal").is_some());
    }
    let tiny = LargeRsm { edges: 1, nodes_per_component: 1, ..LargeRsm::default() };
    assert_eq!(Stats::of(&tiny.to_rsm(&mut Rng::new(1))).components, 1);
}

#[test]
fn chains_have_their_shape() {
    let chain = |recursive| ContextChain { depth: 4, exits: 3, recursive }.to_rsm(&mut Rng::new(1));
    let (line, ring) = (Stats::of(&chain(false)), Stats::of(&chain(true)));
    assert_eq!((line.components, line.boxes, line.exits, line.recursive_groups), (5, 8, 15, 0));
    assert_eq!((ring.boxes, ring.recursive_groups, ring.largest_recursive_group), (9, 1, 5));
    let tower = exponential(30);
    let order: Vec<&str> =
        tower.call_order().iter().map(|&component| tower.component_name(component)).collect();
    assert_eq!((order[0], order[30], tower.edge_count()), ("c30", "c0", 91));
}

#[test]
fn scaling_families_have_their_shape() {
    let long = Stats::of(&StaggeredExits { exits: 7, entries: false }.to_rsm());
    assert_eq!((long.components, long.entries, long.exits, long.recursive_groups), (2, 2, 7, 0));
    let turned = Stats::of(&StaggeredExits { exits: 7, entries: true }.to_rsm());
    assert_eq!((turned.components, turned.entries, turned.exits), (2, 8, 1));
    let ladder = Stats::of(&Ladder { components: 6 }.to_rsm());
    assert_eq!((ladder.components, ladder.boxes, ladder.largest_recursive_group), (7, 11, 6));
    let choices = Stats::of(&Choices { depth: 5 }.to_rsm());
    assert_eq!((choices.components, choices.boxes, choices.labels), (6, 10, 6));
    let sequence = Stats::of(&Sequence { calls: 9, callees: 4 }.to_rsm());
    assert_eq!((sequence.components, sequence.boxes, sequence.recursive_groups), (5, 9, 0));
    for size in [0, 1] {
        Sequence { calls: size, callees: size }.to_rsm();
        StaggeredExits { exits: size, entries: false }.to_rsm();
        StaggeredExits { exits: size, entries: true }.to_rsm();
        Ladder { components: size }.to_rsm();
        Choices { depth: size }.to_rsm();
    }
}

/// The sets of exits after whose return `x0` is reached, at the end of a chain: read off the edges.
#[test]
fn chains_reach_all_contexts() {
    let contexts = |depth, exits| {
        let rsm = ContextChain { depth, exits, recursive: false }.to_rsm(&mut Rng::new(1));
        let mut level: BTreeSet<Vec<bool>> = BTreeSet::from([(0..exits).map(|k| k == 0).collect()]);
        for component in rsm.components().take(depth) {
            let mut next = BTreeSet::new();
            for site in rsm.boxes(component) {
                assert_eq!(rsm.callee(site).index(), component.index() + 1);
                let exit_after = |k| {
                    let after = rsm.successors(rsm.return_port(site, k).unwrap()).next().unwrap();
                    rsm.exit_index(rsm.successors(after).next().unwrap()).unwrap()
                };
                let exit_after: Vec<usize> = (0..exits).map(exit_after).collect();
                next.extend(level.iter().map(|set| exit_after.iter().map(|&exit| set[exit]).collect()));
            }
            level = next;
        }
        level.len()
    };
    assert_eq!([contexts(1, 6), contexts(40, 3), contexts(40, 6), contexts(80, 8)], [2, 8, 64, 256]);
}

#[test]
fn large_systems_have_the_rules_asked_for_and_most_symbols_occur() {
    for exits in [1, 3] {
        let system = |seed: u64| {
            let mut text = Vec::new();
            LargePds { exits, ..LargePds::with_rules(20_000) }.write(&mut Rng::new(seed), &mut text).unwrap();
            String::from_utf8(text).unwrap()
        };
        assert_eq!(system(3), system(3));
        assert_ne!(system(3), system(4));
        let pds = read_pds(&system(3)).unwrap();
        assert_eq!((pds.rules.len(), pds.controls.len()), (20_000, exits));
        let (rsm, _) = pds.to_rsm(&Semantics::default(), &Recovery::Procedures).unwrap();
        let stats = Stats::of(&rsm);
        assert!(stats.nodes > pds.symbols.len() * 9 / 10 && stats.components > 100, "{stats:?}");
        assert_eq!(stats.most_exits, exits);
        // a machine is small: the bytes of a rule, its names included
        assert!(rsm.bytes() < 40 * pds.rules.len(), "{} bytes", rsm.bytes());
    }
}
