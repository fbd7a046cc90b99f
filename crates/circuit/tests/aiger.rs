//! AIGER files: what is read, what is refused and where, and that what is written is read back.

use loris_base::{Budget, Rng, Stopped};
use loris_circuit::{Aig, Circuit, Lit, read_aiger, write_aiger_ascii, write_aiger_binary};

fn read(text: &[u8]) -> Result<Circuit, Vec<String>> {
    match read_aiger(text, &mut Budget::unlimited()) {
        Ok((circuit, _)) => Ok(circuit),
        Err(Stopped::Wrong(problems)) => {
            let show = |problem: &&loris_base::Diagnostic| {
                format!("{}: {}", problem.offset.unwrap_or(0), problem.message)
            };
            Err(problems.sorted().iter().map(show).collect())
        }
        Err(Stopped::Exhausted(why)) => Err(vec![why.to_string()]),
    }
}

fn check(text: &str, expected: &[&str]) {
    let found = read(text.as_bytes()).expect_err("not well-formed");
    assert_eq!(found, expected, "{text}");
}

#[test]
fn all_problems_are_found_at_once() {
    check("aag 1 0 1 0 0\n2 5\n", &["16: literal 5 is not defined"]);
    check("", &["0: an AIGER file starts with \"aag\" or \"aig\" and its counts"]);
    check(
        "aag 1 1 1 0 0\n2\n4 4\n",
        &["4: the largest variable is at least the sum of inputs, latches and gates: 2"],
    );
    check(
        "aag 2 1 1 0 0\n3\n4 4 2\n",
        &[
            "14: a negated literal cannot be defined",
            "20: a latch is reset to 0, to 1, or, if it is not, to itself",
        ],
    );
    check(
        "aag 2 2 0 1 0\n2\n2\n9\n",
        &["16: the variable of 2 is defined twice", "18: literal 9 is not defined"],
    );
    check("aag 2 0 0 1 2\n2\n2 4 4\n4 2 2\n", &["22: this gate depends on itself"]);
    check(
        "aag 1 1 0 0 0\n2\ni1 x\nq\ni0 a\ni0 b\n",
        &[
            "16: there is no `i1`",
            "21: a symbol is a kind with a number and a name, as in `l3 busy`",
            "28: `i0` has a name already",
        ],
    );
    check(
        "aag 1 1 0 0 0\n",
        &["14: the file ends where an input is expected, 1 lines before the section does"],
    );
    check("aag x 1 0 0 0\n", &["4: the header needs a number here, of at most 4294967293"]);
    check(
        "aig 1 0 0 0 1\n\u{2}\u{1}",
        &["0: byte 14: gate 1 of 1 has no valid operands; the file ends here"],
    );
    check(
        "aig 1 0 0 0 1\n\u{0}\u{0}",
        &["0: byte 14: gate 1 of 1 has no valid operands; the file ends here"],
    );
    check("aig 3 0 0 0 1\n", &["4: the largest variable is the sum of inputs, latches and gates: 1"]);
}

#[test]
fn what_a_header_claims_is_not_reserved() {
    for text in [
        "aag 2000000000 1000000000 0 0 0\n",
        "aig 2000000000 0 0 0 2000000000\n",
        "aag 2000000000 0 0 2000000000 0\n",
    ] {
        assert!(read(text.as_bytes()).is_err());
    }
    let inputs = read_aiger(b"aig 2000000000 2000000000 0 0 0\n", &mut Budget::new(None, Some(1 << 20)));
    assert!(matches!(inputs, Err(Stopped::Exhausted(_))));
}

fn random(rng: &mut Rng) -> Circuit {
    let mut circuit = Circuit::default();
    let mut lits = vec![Lit::FALSE];
    for _ in 0..rng.below(4) {
        let lit = circuit.aig.variable();
        lits.push(lit);
        circuit
            .inputs
            .push(loris_circuit::Port { lit, name: rng.chance(0.5).then(|| format!("in {}", lits.len())) });
    }
    let latches: Vec<Lit> = (0..rng.below(4)).map(|_| circuit.aig.variable()).collect();
    lits.extend(&latches);
    for _ in 0..rng.below(12) {
        let mut pick = || lits[rng.below(lits.len())].negated_if(rng.chance(0.5));
        let gate = circuit.aig.and(pick(), pick());
        lits.push(gate);
    }
    for state in latches {
        let next = lits[rng.below(lits.len())].negated_if(rng.chance(0.5));
        let reset = match rng.below(3) {
            0 => loris_circuit::Reset::Free,
            value => loris_circuit::Reset::To(value == 1),
        };
        circuit.latches.push(loris_circuit::Latch {
            state,
            next,
            reset,
            name: rng.chance(0.5).then(|| "latch".to_owned()),
        });
    }
    let mut ports = |most: usize| {
        let port = |rng: &mut Rng| loris_circuit::Port {
            lit: lits[rng.below(lits.len())].negated_if(rng.chance(0.5)),
            name: None,
        };
        (0..rng.below(most)).map(|_| port(rng)).collect::<Vec<_>>()
    };
    circuit.outputs = ports(3);
    circuit.bad = ports(3);
    circuit.constraints = ports(2);
    circuit.fairness = ports(2);
    circuit.justice = vec![(ports(4).iter().map(|port| port.lit).collect(), Some("live".to_owned()))];
    circuit
}

/// All functions of two circuits agree on random valuations of inputs and latches.
fn same(a: &Circuit, b: &Circuit, rng: &mut Rng) {
    let variables = |circuit: &Circuit| -> Vec<Lit> {
        circuit
            .inputs
            .iter()
            .map(|port| port.lit)
            .chain(circuit.latches.iter().map(|latch| latch.state))
            .collect()
    };
    let words: Vec<u64> = variables(a).iter().map(|_| rng.next_u64()).collect();
    let values = |circuit: &Circuit| {
        let of: Vec<Lit> = variables(circuit);
        let values = circuit
            .aig
            .simulate(|var| words[of.iter().position(|lit| lit.var() == var).expect("a variable")]);
        let ports = [&circuit.outputs, &circuit.bad, &circuit.constraints, &circuit.fairness];
        let mut all: Vec<u64> =
            ports.into_iter().flatten().map(|port| Aig::value(&values, port.lit)).collect();
        all.extend(circuit.latches.iter().map(|latch| Aig::value(&values, latch.next)));
        all.extend(circuit.justice.iter().flat_map(|(lits, _)| lits).map(|&lit| Aig::value(&values, lit)));
        all
    };
    assert_eq!(values(a), values(b));
    let resets = |circuit: &Circuit| {
        circuit.latches.iter().map(|latch| (latch.reset, latch.name.clone())).collect::<Vec<_>>()
    };
    assert_eq!(resets(a), resets(b));
    assert_eq!(a.names().collect::<Vec<_>>(), b.names().collect::<Vec<_>>());
}

#[test]
fn what_is_written_is_read_back_and_every_prefix_is_refused_or_read() {
    let mut rng = Rng::new(7);
    for _ in 0..500 {
        let circuit = random(&mut rng);
        let (mut ascii, mut binary) = (Vec::new(), Vec::new());
        write_aiger_ascii(&circuit, &mut ascii).expect("into memory");
        write_aiger_binary(&circuit, &mut binary).expect("into memory");
        for file in [ascii, binary] {
            same(&circuit, &read(&file).expect("well-formed"), &mut rng);
            let cut = rng.below(file.len());
            let _ = read(&file[..cut]);
            let mut changed = file.clone();
            changed[cut] = rng.next_u64() as u8;
            let _ = read(&changed);
        }
    }
}
