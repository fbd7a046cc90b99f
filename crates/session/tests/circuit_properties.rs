//! Random circuits with properties of their own: engines against an oracle that lists states with
//! inputs, alone and in company; runs, simulated and replayed.
//!
//! `LORIS_CASES=5000 cargo test -p loris-session --test circuit_properties` tries more.

#![allow(clippy::unwrap_used)] // helpers of tests

use loris_base::{Budget, Rng};
use loris_check::{Choice, EngineName, Options};
use loris_circuit::{
    Aig, Circuit, Latch, Lit, Port, Reset, Valuation, write_aiger_ascii, write_aiger_binary,
};
use loris_evidence::Verdict;
use loris_load::{Format, Origin, Reading, Words};
use loris_session::replay::{EvidenceFile, ReplayRequest};
use loris_session::{Request, Setting, inquire};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

fn random(rng: &mut Rng) -> Circuit {
    let mut circuit = Circuit::default();
    let mut lits = vec![Lit::FALSE];
    for _ in 0..rng.below(3) {
        let lit = circuit.aig.variable();
        lits.push(lit);
        circuit.inputs.push(Port { lit, name: None });
    }
    let latches: Vec<Lit> = (0..=rng.below(3)).map(|_| circuit.aig.variable()).collect();
    lits.extend(&latches);
    for _ in 0..rng.below(10) {
        let mut pick = || lits[rng.below(lits.len())].negated_if(rng.chance(0.5));
        let gate = circuit.aig.and(pick(), pick());
        lits.push(gate);
    }
    // late gates are the interesting ones
    let pick = |rng: &mut Rng| {
        let at = rng.below(lits.len()).max(rng.below(lits.len()));
        lits[at].negated_if(rng.chance(0.5))
    };
    for state in latches {
        let reset = match rng.below(4) {
            0 => Reset::Free,
            value => Reset::To(value == 1),
        };
        circuit.latches.push(Latch { state, next: pick(rng), reset, name: None });
    }
    let mut ports =
        |most: usize| (0..rng.below(most)).map(|_| Port { lit: pick(rng), name: None }).collect::<Vec<_>>();
    circuit.outputs = ports(3);
    circuit.bad = ports(3);
    circuit.constraints = ports(2);
    circuit.fairness = ports(2);
    let functions = |ports: Vec<Port>| (ports.into_iter().map(|port| port.lit).collect(), None);
    circuit.justice = (0..ports(3).len()).map(|_| functions(ports(4))).collect();
    circuit
}

/// The steps of a circuit that are reached: a valuation of latches and inputs in which constraints
/// hold. A run is a path of these.
struct Steps {
    values: Vec<Vec<u64>>,
    /// for each, those that may come next
    next: Vec<Vec<usize>>,
}

impl Steps {
    fn new(circuit: &Circuit) -> Self {
        let (latches, inputs) = (circuit.latches.len(), circuit.inputs.len());
        let valuation = |bits: usize| Valuation {
            latches: (0..latches).map(|at| bits >> at & 1 == 1).collect(),
            inputs: (0..inputs).map(|at| bits >> (latches + at) & 1 == 1).collect(),
            part: Arc::default(),
        };
        let all = 1 << (latches + inputs);
        let values: Vec<Vec<u64>> = (0..all).map(|bits| circuit.values(&valuation(bits))).collect();
        let allowed =
            |bits: usize| circuit.constraints.iter().all(|port| Aig::value(&values[bits], port.lit) & 1 == 1);
        let starts = |bits: usize| {
            circuit.latches.iter().enumerate().all(|(at, latch)| match latch.reset {
                Reset::Free => true,
                Reset::To(value) => (bits >> at & 1 == 1) == value,
            })
        };
        let after = |bits: usize| -> Vec<usize> {
            let next = circuit.latches.iter().enumerate();
            let next: usize =
                next.map(|(at, latch)| ((Aig::value(&values[bits], latch.next) & 1) as usize) << at).sum();
            (0..1 << inputs).map(|chosen| next | chosen << latches).filter(|&bits| allowed(bits)).collect()
        };
        let mut number = vec![None; all];
        let mut order: Vec<usize> = (0..all).filter(|&bits| starts(bits) && allowed(bits)).collect();
        order.iter().enumerate().for_each(|(at, &bits)| number[bits] = Some(at));
        let mut next = Vec::new();
        while next.len() < order.len() {
            let mut own = Vec::new();
            for bits in after(order[next.len()]) {
                own.push(*number[bits].get_or_insert_with(|| {
                    order.push(bits);
                    order.len() - 1
                }));
            }
            next.push(own);
        }
        Self { values: order.iter().map(|&bits| values[bits].clone()).collect(), next }
    }

    fn holds(&self, at: usize, lit: Lit) -> bool {
        Aig::value(&self.values[at], lit) & 1 == 1
    }

    /// Whether no run has a step in which a function holds.
    fn never(&self, bad: Lit) -> bool {
        !(0..self.next.len()).any(|at| self.holds(at, bad))
    }

    /// Whether no run without end has each of these again and again: the greatest set of steps from
    /// which each function can be reached in it, after a step, is empty.
    fn never_again_and_again(&self, often: &[Lit]) -> bool {
        let mut kept = vec![true; self.next.len()];
        let goals: Vec<Lit> = if often.is_empty() { vec![Lit::TRUE] } else { often.to_vec() };
        loop {
            let before = kept.clone();
            for &goal in &goals {
                // those that get, in one step or more, to a step of the set in which it holds
                let mut gets = vec![false; kept.len()];
                loop {
                    let grown: Vec<bool> = (0..kept.len())
                        .map(|at| {
                            self.next[at].iter().any(|&to| kept[to] && (self.holds(to, goal) || gets[to]))
                        })
                        .collect();
                    if grown == gets {
                        break;
                    }
                    gets = grown;
                }
                kept.iter_mut().zip(gets).for_each(|(kept, gets)| *kept &= gets);
            }
            if kept == before {
                return !kept.contains(&true);
            }
        }
    }
}

/// Whether each property that a circuit carries holds, in their order.
fn expected(circuit: &Circuit) -> Vec<bool> {
    let steps = Steps::new(circuit);
    let is_old = circuit.bad.is_empty() && circuit.justice.is_empty();
    let bad = if is_old { &circuit.outputs } else { &circuit.bad };
    let fair = circuit.fairness.iter().map(|port| port.lit);
    let justice = circuit.justice.iter().map(|(functions, _)| {
        steps.never_again_and_again(&functions.iter().copied().chain(fair.clone()).collect::<Vec<_>>())
    });
    bad.iter().map(|port| steps.never(port.lit)).chain(justice).collect()
}

/// What came of the answers to all properties.
#[derive(Default)]
struct Tally {
    holds: usize,
    fails: usize,
    simulated: usize,
    replayed: usize,
}

fn check(file: &[u8], circuit: &Circuit, engine: Choice, tally: &mut Tally) {
    let path = PathBuf::from("no such folder/c.aig");
    let options = Options { engine, evidence: true, ..Options::default() };
    let mut reading = Reading::new(Budget::unlimited(), Words::default());
    reading.provide(path.clone(), file);
    let origin = Origin::default();
    let wanted = expected(circuit);
    let inquiry =
        inquire(std::slice::from_ref(&path), Format::Aiger, &origin, &Request::new(&options), &mut reading);
    if wanted.is_empty() {
        assert!(reading.has_errors(), "there is no property to check");
        return;
    }
    let inquiry = inquiry.unwrap();
    let setting = Setting::new(std::slice::from_ref(&path), Format::Aiger, &origin);
    let answers = inquiry.answers(&setting, &options, Duration::ZERO, |_, _, _, _| ()).unwrap();
    let text = String::from_utf8_lossy(file);
    assert_eq!(answers.all.len(), wanted.len(), "{text}");
    for (one, &holds) in answers.all.iter().zip(&wanted) {
        let answer = one.good().unwrap();
        let verdict = if holds { Verdict::Holds } else { Verdict::Fails };
        assert_eq!(answer.verdict, verdict, "{engine:?}: {:?}\n{text}", one.question.text);
        *(if holds { &mut tally.holds } else { &mut tally.fails }) += 1;
    }
    // each run is simulated on the file
    let witnesses = answers.witnesses(Some(file), &mut Budget::unlimited());
    let witnesses = witnesses.unwrap_or_else(|why| panic!("{why}\n{text}"));
    let fails = wanted.iter().filter(|&&holds| !holds).count();
    assert_eq!((witnesses.runs, &witnesses.without), (fails, &Vec::new()), "{text}\n{}", witnesses.text);
    tally.simulated += witnesses.runs;
    let mut json = String::new();
    answers.write_json(&mut json, 0.0, true).unwrap();
    let results = PathBuf::from("no such folder/r.json");
    reading.provide(results.clone(), json.as_bytes());
    let found = reading.text(&results).unwrap();
    let request = ReplayRequest {
        models: &[path],
        format: None,
        automata: &[],
        at_exit: None,
        origin: &|_| Origin::default(),
    };
    let evidence = EvidenceFile::read(Some(&found), &request, &mut reading);
    for place in 0..evidence.stated().len() {
        let confirmed = evidence.verify(place, &mut Budget::unlimited());
        let confirmed = confirmed.unwrap_or_else(|why| panic!("{why}\n{text}\n{json}"));
        tally.replayed += usize::from(confirmed.verdict);
    }
}

#[test]
fn properties_that_circuits_carry_mean_what_aiger_says() {
    let mut tally = Tally::default();
    for seed in 0..loris_testing::cases(600) {
        let rng = &mut Rng::new(seed);
        let circuit = random(rng);
        let mut file = Vec::new();
        if rng.chance(0.5) {
            write_aiger_ascii(&circuit, &mut file).unwrap();
        } else {
            write_aiger_binary(&circuit, &mut file).unwrap();
        }
        for engine in [None, Some(EngineName::Bdd), Some(EngineName::Pdr), Some(EngineName::Omg)] {
            check(&file, &circuit, engine.map_or(Choice::Auto, Choice::Named), &mut tally);
        }
        // each by itself
        for (at, bad) in circuit.bad.iter().enumerate() {
            let alone = Circuit { bad: vec![bad.clone()], justice: Vec::new(), ..circuit.clone() };
            assert_eq!(expected(&alone), expected(&circuit)[at..=at]);
            let mut file = Vec::new();
            write_aiger_ascii(&alone, &mut file).unwrap();
            check(&file, &alone, Choice::Auto, &mut tally);
        }
    }
    let Tally { holds, fails, simulated, replayed } = tally;
    assert!(
        holds > 500 && fails > 500 && simulated == fails && replayed >= fails,
        "{holds} {fails} {replayed}"
    );
}
