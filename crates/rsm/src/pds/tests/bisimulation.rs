//! Random systems and machines keep their behaviour on every way between the formats.

use super::oracle::{Graph, same};
use crate::generate::RandomRsm;
use crate::pds::{Configuration, Control, HeadLabel, Pds, PdsRule, StackSymbol, StackWord};
use crate::{
    DeadEnds, Draft, EmptyCalls, Recovery, Reference, Rsm, RsmBuilder, Semantics, read_pds, write_pds,
};
use loris_base::{Idx, Names, Rng};
use loris_testing::cases;
use std::collections::BTreeSet;
use std::fmt::Write;

const LOOP: Semantics = Semantics { dead_ends: DeadEnds::Loop, empty_calls: EmptyCalls::Pass };
const DEPTH: usize = 9;

/// A system of a few control states and symbols, in which many heads have several rules.
fn random(rng: &mut Rng) -> Pds {
    let mut pds = Pds::default();
    let (controls, symbols, labels) = (1 + rng.below(4), 1 + rng.below(4), rng.below(3));
    for (names, prefix, count) in
        [(&mut pds.controls, "q", controls), (&mut pds.symbols, "s", symbols), (&mut pds.labels, "p", labels)]
    {
        for i in 0..count {
            names.intern(&format!("{prefix}{i}"));
        }
    }
    if rng.chance(0.2) {
        // names that others could be made up as
        pds.symbols = Names::default();
        for name in &["return", "return@q0", "return~2", "return@q1"][..symbols] {
            pds.symbols.intern(name);
        }
    }
    let rich = 0.3 + 0.1 * rng.below(7) as f64;
    for control in (0..controls).map(Control::new) {
        for symbol in (0..symbols).map(StackSymbol::new) {
            for round in 0..3 {
                if !rng.chance(if round == 0 { 0.9 } else { rich / 2.0 }) {
                    continue;
                }
                let mut any = || StackSymbol::new(rng.below(symbols));
                let (one, other) = (any(), any());
                let word = [StackWord::Pop, StackWord::Swap(one), StackWord::Push(one, other)][rng.below(3)];
                let to = Control::new(rng.below(controls));
                pds.rules.push(PdsRule { control, symbol, to, word, offset: 0 });
            }
            for label in (0..labels).map(HeadLabel::new).filter(|_| rng.chance(0.15)) {
                pds.head_labels.push((control, symbol, label));
            }
        }
    }
    for label in (0..labels).map(HeadLabel::new) {
        if rng.chance(0.4) {
            pds.control_labels.push((Control::new(rng.below(controls)), label));
        }
        if rng.chance(0.6) {
            pds.symbol_labels.push((StackSymbol::new(rng.below(symbols)), label));
        }
    }
    for _ in 0..=rng.below(5) / 4 {
        let depth = 1 + rng.below(5).saturating_sub(2);
        let stack = (0..depth).map(|_| StackSymbol::new(rng.below(symbols))).collect();
        pds.initial.push(Configuration { control: Control::new(rng.below(controls)), stack, offset: 0 });
    }
    pds
}

fn text_of(pds: &Pds) -> String {
    let mut text = Vec::new();
    write_pds(pds, &mut text).unwrap();
    String::from_utf8(text).unwrap()
}

fn machine(pds: &Pds, recovery: Recovery) -> Rsm {
    pds.to_rsm(&LOOP, &recovery).unwrap_or_else(|problems| panic!("{problems:?}\n{}", text_of(pds))).0
}

#[test]
fn systems_become_machines_that_do_the_same() {
    let mut rng = Rng::new(11);
    let (mut components, mut total) = (0, 0);
    for round in 0..cases(2500) {
        let pds = random(&mut rng);
        let text = text_of(&pds);
        assert!(same(&pds, &read_pds(&text).unwrap(), DEPTH), "{round}: text\n{text}");
        for recovery in [Recovery::Procedures, Recovery::Single] {
            let rsm = machine(&pds, recovery);
            components += rsm.component_count();
            assert!(same(&pds, &rsm, DEPTH), "{round}: {recovery:?}\n{text}");
            let mut labels: Vec<&str> = rsm.labels().collect();
            labels.sort_unstable();
            assert_eq!(labels, pds.labels.iter().collect::<Vec<_>>(), "{text}");
            // the JSON that is written is a valid machine as well, with the same behaviour
            let mut json = Vec::new();
            crate::write_rsm_json(&rsm, &mut json).unwrap();
            let (again, _) = crate::read_rsm_json(json.as_slice(), &LOOP).unwrap();
            assert!(same(&pds, &again, DEPTH), "{round}: {recovery:?}, as JSON\n{text}");
            if let Ok((strict, _)) = pds.to_rsm(&Semantics::default(), &recovery) {
                json.clear();
                crate::write_rsm_json(&strict, &mut json).unwrap();
                assert!(crate::read_rsm_json(json.as_slice(), &Semantics::default()).is_ok(), "{text}");
                total += 1;
            }
            let back = Pds::from_rsm(&rsm);
            assert!(same(&pds, &back, DEPTH), "{round}: {recovery:?} and back\n{text}");
        }
    }
    assert!(components > 9_000, "few procedures were found: {components}");
    assert!(total > 1_000, "few systems are total: {total}");
}

/// A random machine with empty procedures, dead ends, and several initial nodes, exits among them.
fn wild_machine(rng: &mut Rng) -> Rsm {
    let mut builder = RsmBuilder::default();
    let components = 1 + rng.below(3);
    let names: Vec<_> = (0..components).map(|c| builder.symbol(&format!("c{c}"))).collect();
    let nodes: Vec<_> = (0..4).map(|n| builder.symbol(&format!("n {n}"))).collect();
    let label = builder.symbol("p, <q>");
    let sites: Vec<_> = (0..2).map(|b| builder.symbol(&format!("b{b}"))).collect();
    // node 0 is entry, node 1 entry and exit, node 2 exit
    for &name in &names {
        let mut draft = Draft::new(name, 0);
        for (i, &node) in nodes.iter().enumerate() {
            let data = draft.node(node, 0);
            (data.entry, data.exit) = (i < 2, i == 1 || i == 2);
            if rng.chance(0.5) {
                draft.label(label);
            }
        }
        for &site in &sites {
            draft.site(site, 0, names[rng.below(components)], 0);
        }
        let mut targets: Vec<Reference> = nodes.iter().map(|&node| Reference::node(node, 0)).collect();
        targets.extend(
            sites.iter().flat_map(|&site| nodes[..2].iter().map(move |&node| Reference::port(site, node, 0))),
        );
        let mut sources = vec![Reference::node(nodes[0], 0), Reference::node(nodes[3], 0)];
        sources.extend(
            sites
                .iter()
                .flat_map(|&site| nodes[1..3].iter().map(move |&node| Reference::port(site, node, 0))),
        );
        for source in sources {
            for &target in &targets {
                if rng.chance(0.25) {
                    draft.edge(source, target);
                }
            }
        }
        builder.component(draft);
    }
    for _ in 0..=rng.below(2) {
        builder.initial_node(nodes[rng.below(4)], 0);
    }
    builder.finish(&LOOP).unwrap().0
}

#[test]
fn machines_survive_the_way_there_and_back() {
    let mut rng = Rng::new(12);
    for round in 0..cases(3000) {
        let rsm = if round % 4 == 0 {
            RandomRsm::paper(1 + round % 3).to_rsm(&mut rng)
        } else {
            wild_machine(&mut rng)
        };
        let depth = if round % 4 == 0 { 3 } else { 6 };
        let pds = Pds::from_rsm(&rsm);
        assert_eq!(pds.rules.len() + rsm.looped_dead_ends().len(), rsm.successor_rows().len(), "linear");
        let text = text_of(&pds);
        assert!(same(&rsm, &pds, depth), "{round}: there\n{text}");
        let read = read_pds(&text).unwrap_or_else(|problems| panic!("{problems:?}\n{text}"));
        let back = machine(&read, Recovery::Procedures);
        assert!(same(&rsm, &back, depth), "{round}: back\n{text}");
        assert_eq!(rsm.label_count(), back.label_count());
    }
}

/// A system whose rules push any number of symbols, as it is written.
struct Long {
    rules: Vec<(usize, usize, Vec<usize>)>,
    controls: usize,
    symbols: usize,
}

impl Long {
    fn random(rng: &mut Rng) -> Self {
        let (controls, symbols) = (1 + rng.below(2), 1 + rng.below(3));
        let heads = controls * symbols;
        let rules = (0..heads + rng.below(heads + 1)).map(|i| {
            let word = (0..rng.below(5)).map(|_| rng.below(symbols)).collect();
            (i % heads, rng.below(controls), word)
        });
        Self { rules: rules.collect(), controls, symbols }
    }

    fn text(&self) -> String {
        let mut text = "(q0 <s0>)\nATOMS p s0\nATOMS r (q0 <s0>)\n".to_owned();
        for (head, to, word) in &self.rules {
            let word: Vec<String> = word.iter().map(|symbol| format!("s{symbol}")).collect();
            let (control, symbol) = (head % self.controls, head / self.controls);
            writeln!(text, "q{control} <s{symbol}> --> q{to} <{}>", word.join(" ")).unwrap();
        }
        text
    }
}

impl Graph for Long {
    type State = (usize, Vec<usize>);

    fn initial(&self) -> Vec<Self::State> {
        vec![(0, vec![0])]
    }

    fn labels(&self, (control, stack): &Self::State) -> BTreeSet<String> {
        let at_start = stack.last() == Some(&0);
        let labels = [("p", at_start), ("r", at_start && *control == 0)];
        labels.iter().filter(|(_, holds)| *holds).map(|(label, _)| (*label).to_owned()).collect()
    }

    fn steps(&self, (control, stack): &Self::State) -> Vec<Self::State> {
        let Some((&top, rest)) = stack.split_last() else { return Vec::new() };
        let rules = self.rules.iter().filter(|rule| rule.0 == top * self.controls + control);
        let steps = rules.map(|(_, to, word)| (*to, rest.iter().chain(word.iter().rev()).copied().collect()));
        steps.collect()
    }
}

#[test]
fn long_words_take_one_step() {
    let mut rng = Rng::new(13);
    for round in 0..cases(1500) {
        let long = Long::random(&mut rng);
        assert!(long.symbols > 0);
        let text = long.text();
        let pds = read_pds(&text).unwrap_or_else(|problems| panic!("{problems:?}\n{text}"));
        assert!(same(&long, &pds, 7), "{round}\n{text}");
        assert!(same(&long, &machine(&pds, Recovery::Procedures), 7), "{round}: machine\n{text}");
    }
}

#[test]
fn the_oracle_tells_systems_apart() {
    let pds = |rules: &str| read_pds(&format!("(q <a>)\nATOMS p b\n{rules}q <b> --> q <>\n")).unwrap();
    let once = pds("q <a> --> q <b>\n");
    assert!(same(&once, &once, 5));
    assert!(!same(&once, &pds("q <a> --> q <c>\nq <c> --> q <b>\n"), 5));
    assert!(!same(&once, &pds("q <a> --> q <b b>\n"), 5));
    // a choice that is made one step earlier
    let late = pds("q <a> --> q <c>\nq <c> --> q <b>\nq <c> --> q <c>\n");
    let early = pds("q <a> --> q <c>\nq <a> --> q <d>\nq <c> --> q <b>\nq <d> --> q <c>\nq <d> --> q <d>\n");
    assert!(!same(&late, &early, 5));
}
