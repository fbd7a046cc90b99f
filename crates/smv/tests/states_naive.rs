//! States and steps against the obvious: all valuations of all variables, tried one by one; and
//! properties of random models against fixpoints straight from the semantics.

#![allow(clippy::unwrap_used, clippy::format_push_string)] // helpers of tests

use loris_base::{BitSet, Budget, Csr, Idx, Rng};
use loris_finite::{Fairness, Kripke, LabelledFormula as Asked, check};
use loris_logic::{Core, CoreId, CoreNode, CtlCore};
use loris_rsm::{DeadEnds, LabelId, Rsm};
use loris_smv::ir::{Binary, Domain, Expr, ExprId, Program, Structure, VariableKind};
use loris_smv::{Labels, Limits, build, read_smv};
use std::collections::{BTreeMap, BTreeSet};

type Valuation = Vec<i64>;

/// The value of an expression, or the values of a set; nothing where it has none.
fn values(structure: &Structure, expr: ExprId, now: &[i64], next: &[i64]) -> Option<BTreeSet<i64>> {
    let one = |value: i64| Some(BTreeSet::from([value]));
    let of = |expr: ExprId| {
        let values = values(structure, expr, now, next)?;
        (values.len() == 1).then(|| *values.first().unwrap())
    };
    match structure.exprs.get(expr) {
        Expr::Value(value) => one(*value),
        Expr::Variable(variable) => one(now[variable.index()]),
        Expr::Next(variable) => one(next[variable.index()]),
        Expr::Not(a) => one(1 - of(*a)?),
        Expr::And(all) => {
            let values: Option<Vec<i64>> = all.iter().map(|&a| of(a)).collect();
            one(i64::from(values?.iter().all(|&value| value == 1)))
        }
        Expr::Or(all) => {
            let values: Option<Vec<i64>> = all.iter().map(|&a| of(a)).collect();
            one(i64::from(values?.contains(&1)))
        }
        Expr::Binary(op, a, b) => {
            let (a, b) = (of(*a)?, of(*b)?);
            one(match op {
                Binary::Equal => i64::from(a == b),
                Binary::Unequal => i64::from(a != b),
                Binary::Less => i64::from(a < b),
                Binary::AtMost => i64::from(a <= b),
                Binary::Plus => a + b,
                Binary::Minus => a - b,
                Binary::Times => a * b,
                Binary::Divide => a.checked_div(b)?,
                Binary::Modulo => a.checked_rem(b)?,
                Binary::Min => a.min(b),
                Binary::Max => a.max(b),
                _ => panic!("no operator of these models"),
            })
        }
        Expr::Count(all) => {
            let values: Option<Vec<i64>> = all.iter().map(|&a| of(a)).collect();
            one(values?.iter().sum())
        }
        Expr::Case(branches) => {
            for &(guard, value) in branches {
                if of(guard)? == 1 {
                    return values_of(structure, value, now, next);
                }
            }
            None
        }
        Expr::Union(all) => {
            let sets: Option<Vec<_>> = all.iter().map(|&a| values(structure, a, now, next)).collect();
            Some(sets?.into_iter().flatten().collect())
        }
        Expr::Range(a, b) => Some((of(*a)?..=of(*b)?).collect()),
        Expr::In(a, set) => one(i64::from(values(structure, *set, now, next)?.contains(&of(*a)?))),
        Expr::Select { .. } | Expr::Wrap { .. } => panic!("no operator of these models"),
    }
}

fn values_of(structure: &Structure, expr: ExprId, now: &[i64], next: &[i64]) -> Option<BTreeSet<i64>> {
    values(structure, expr, now, next)
}

fn is_true(structure: &Structure, expr: ExprId, now: &[i64], next: &[i64]) -> bool {
    values(structure, expr, now, next) == Some(BTreeSet::from([1]))
}

fn domain(domain: &Domain) -> Vec<i64> {
    match domain {
        Domain::Boolean => vec![0, 1],
        Domain::Range(low, high) => (*low..=*high).collect(),
        Domain::Enumeration(values) => values.clone(),
        Domain::Word { .. } => panic!("no type of these models"),
    }
}

/// All valuations of all variables.
fn valuations(structure: &Structure) -> Vec<Valuation> {
    structure.variables.iter().fold(vec![Vec::new()], |all, variable| {
        let more = |valuation: &Valuation| {
            let valuation = valuation.clone();
            domain(&variable.domain).into_iter().map(move |value| [valuation.clone(), vec![value]].concat())
        };
        all.iter().flat_map(more).collect()
    })
}

/// A structure that is a set of valuations, by definition of the language.
struct Naive {
    initial: BTreeSet<Valuation>,
    steps: BTreeMap<Valuation, BTreeSet<Valuation>>,
}

fn naive(structure: &Structure) -> Naive {
    let variables: Vec<_> = structure.variables.iter().collect();
    let is_state = |i: usize| variables[i].kind != VariableKind::Input;
    let state = |valuation: &[i64]| -> Valuation {
        (0..valuation.len()).filter(|&i| is_state(i)).map(|i| valuation[i]).collect()
    };
    let all = valuations(structure);
    let holds = |conditions: &[ExprId], now: &[i64], next: &[i64]| {
        conditions.iter().all(|&condition| is_true(structure, condition, now, next))
    };
    let fits = |expr: Option<ExprId>, value: i64, now: &[i64], next: &[i64]| {
        expr.is_none_or(|expr| values(structure, expr, now, next).is_some_and(|set| set.contains(&value)))
    };
    let is_valid = |now: &[i64]| {
        let current = (0..now.len()).all(|i| fits(variables[i].current, now[i], now, now));
        current && holds(&structure.invar, now, now)
    };
    let valid: Vec<&Valuation> = all.iter().filter(|now| is_valid(now)).collect();
    let starts = |now: &&&Valuation| {
        (0..now.len()).all(|i| fits(variables[i].init, now[i], now, now)) && holds(&structure.init, now, now)
    };
    let initial: BTreeSet<Valuation> = valid.iter().filter(starts).map(|now| state(now)).collect();
    let mut steps: BTreeMap<Valuation, BTreeSet<Valuation>> = BTreeMap::new();
    let mut left: Vec<Valuation> = initial.iter().cloned().collect();
    while let Some(from) = left.pop() {
        if steps.contains_key(&from) {
            continue;
        }
        let mut targets = BTreeSet::new();
        for now in valid.iter().filter(|now| state(now) == from) {
            for next in &valid {
                let step = |i: usize| match variables[i].kind {
                    VariableKind::Frozen => now[i] == next[i],
                    _ => fits(variables[i].next, next[i], now, next),
                };
                if (0..now.len()).all(step) && holds(&structure.trans, now, next) {
                    targets.insert(state(next));
                }
            }
        }
        if targets.is_empty() {
            targets.insert(from.clone());
        }
        left.extend(targets.iter().cloned());
        steps.insert(from, targets);
    }
    Naive { initial, steps }
}

/// Where a formula holds.
fn satisfying(
    formula: &CtlCore,
    atom: &dyn Fn(u32, &Valuation) -> bool,
    steps: &BTreeMap<Valuation, BTreeSet<Valuation>>,
) -> BTreeSet<Valuation> {
    let mut sets: Vec<BTreeSet<Valuation>> = Vec::new();
    let all = || steps.keys();
    let before = |set: &BTreeSet<Valuation>| -> BTreeSet<Valuation> {
        all().filter(|state| !steps[*state].is_disjoint(set)).cloned().collect()
    };
    for &node in formula.nodes() {
        let of = |a: CoreId| &sets[a.index()];
        let set = match node {
            CoreNode::True => all().cloned().collect(),
            CoreNode::Atom(number) => all().filter(|state| atom(number, state)).cloned().collect(),
            CoreNode::Not(a) => all().filter(|state| !of(a).contains(*state)).cloned().collect(),
            CoreNode::And(a, b) => of(a) & of(b),
            CoreNode::Or(a, b) => of(a) | of(b),
            CoreNode::Ex(a) => before(of(a)),
            CoreNode::Eg(a) => {
                let mut set = of(a).clone();
                loop {
                    let less = &set & &before(&set);
                    if less == set {
                        break set;
                    }
                    set = less;
                }
            }
            CoreNode::Eu(a, b) => {
                let mut set = of(b).clone();
                loop {
                    let more = &set | &(of(a) & &before(&set));
                    if more == set {
                        break set;
                    }
                    set = more;
                }
            }
        };
        sets.push(set);
    }
    sets.pop().unwrap()
}

/// The states and steps of a machine, by the values of variables.
fn graph(program: &Program, rsm: &Rsm) -> Naive {
    let structure = program.structures.iter().next().unwrap();
    let states: Vec<_> =
        structure.variables.iter().filter(|variable| variable.kind != VariableKind::Input).collect();
    let value = |variable: &loris_smv::ir::Variable, text: &str| match text {
        "TRUE" => 1,
        "FALSE" => 0,
        _ => text.parse().unwrap_or_else(|_| {
            let symbol = program.symbols.iter().position(|symbol| symbol == text);
            let symbol = symbol.unwrap_or_else(|| panic!("{} = {text}", variable.name));
            loris_smv::ir::SYMBOLS + i64::try_from(symbol).unwrap()
        }),
    };
    let valuation = |vertex| -> Valuation {
        let values = rsm.values(vertex);
        states.iter().zip(&values).map(|(variable, (_, text))| value(variable, text)).collect()
    };
    let nodes = rsm.nodes(rsm.initial_component());
    let steps = nodes.map(|node| (valuation(node), rsm.successors(node).map(valuation).collect())).collect();
    Naive { initial: rsm.initial().iter().map(|&node| valuation(node)).collect(), steps }
}

/// A random model: what its variables are, and how it is written.
struct Writer<'a> {
    rng: &'a mut Rng,
    /// name, kind, how many values; negative of an enumeration
    variables: Vec<(String, &'static str, char)>,
}

impl Writer<'_> {
    fn pick<T: Clone>(&mut self, list: &[T]) -> T {
        list[self.rng.below(list.len())].clone()
    }

    fn coin(&mut self, share: usize) -> bool {
        self.rng.below(100) < share
    }

    /// Variables of a type that may be read: without inputs where these are not allowed.
    fn some(&mut self, ty: char, inputs: bool) -> Option<String> {
        let list: Vec<String> = self
            .variables
            .iter()
            .filter(|(_, kind, of)| *of == ty && (inputs || *kind != "IVAR"))
            .map(|(name, ..)| name.clone())
            .collect();
        (!list.is_empty()).then(|| self.pick(&list))
    }

    fn number(&mut self, depth: usize, inputs: bool) -> String {
        let variable = self.some('n', inputs);
        match (self.rng.below(if depth == 0 { 2 } else { 6 }), variable) {
            (1 | 2, Some(variable)) => variable,
            (3, _) => {
                let op = self.pick(&["+", "-", "*", "mod"]);
                let (a, b) = (self.number(depth - 1, inputs), self.number(depth - 1, inputs));
                // dividends and divisors that are never zero
                if op == "mod" { format!("(({a}) mod 3)") } else { format!("({a} {op} {b})") }
            }
            (4, _) => format!(
                "({} ? {} : {})",
                self.truth(depth - 1, inputs),
                self.number(depth - 1, inputs),
                self.number(depth - 1, inputs)
            ),
            (5, _) => format!("count({}, {})", self.truth(depth - 1, inputs), self.truth(depth - 1, inputs)),
            _ => self.rng.below(3).to_string(),
        }
    }

    fn truth(&mut self, depth: usize, inputs: bool) -> String {
        let choices = if depth == 0 { 3 } else { 8 };
        match self.rng.below(choices) {
            0 => self.some('b', inputs).unwrap_or("TRUE".into()),
            1 => match self.some('e', inputs) {
                Some(variable) => {
                    format!("{variable} {} {}", self.pick(&["=", "!="]), self.pick(&["p", "q", "r"]))
                }
                None => "FALSE".into(),
            },
            2 => {
                let op = self.pick(&["=", "<", ">=", "!="]);
                let depth = depth.saturating_sub(1);
                format!("{} {op} {}", self.number(depth, inputs), self.number(depth, inputs))
            }
            3 => format!("!({})", self.truth(depth - 1, inputs)),
            4 => match self.some('n', inputs) {
                Some(variable) => format!("{variable} in {{0, 2}}"),
                None => "TRUE".into(),
            },
            _ => {
                let op = self.pick(&["&", "|", "->", "<->", "xor"]);
                format!("({} {op} {})", self.truth(depth - 1, inputs), self.truth(depth - 1, inputs))
            }
        }
    }

    /// A value that a variable of this type can have, or a set of such.
    fn value(&mut self, ty: char, depth: usize, inputs: bool) -> String {
        if depth > 0 && self.coin(40) {
            let guard = self.truth(1, inputs);
            let (a, b) = (self.value(ty, depth - 1, inputs), self.value(ty, depth - 1, inputs));
            return format!("case {guard} : {a}; TRUE : {b}; esac");
        }
        match ty {
            'b' if self.coin(30) => "{TRUE, FALSE}".into(),
            'b' => self.truth(1, inputs),
            'e' if self.coin(40) => self.pick(&["{p, q}", "{q, r}", "{p, q, r}"]).into(),
            'e' => self.pick(&["p", "q", "r"]).into(),
            _ if self.coin(30) => self.pick(&["{0, 2}", "0..1", "{1}"]).into(),
            _ => format!("(({}) * ({})) mod 3", self.number(1, inputs), self.pick(&["1", "2"]))
                .replace("((", "((3 + "),
        }
    }

    /// A condition on the next value of some variable.
    fn next(&mut self) -> String {
        let list: Vec<_> = self.variables.iter().filter(|(_, kind, _)| *kind == "VAR").cloned().collect();
        let (name, _, ty) = self.pick(&list);
        let others: Vec<_> =
            list.iter().filter(|(_, _, of)| *of == ty).map(|(name, ..)| name.clone()).collect();
        let other = self.pick(&others);
        match (ty, self.rng.below(5)) {
            (_, 0) => format!("next({name}) {} next({other})", self.pick(&["=", "!="])),
            ('b', 1) => format!("next({name})"),
            ('b', 2) => format!("(next({name}) <-> ({}))", self.truth(1, true)),
            ('b', _) => format!("next({name}) {} {}", self.pick(&["=", "!="]), self.pick(&["TRUE", &*other])),
            ('n', 1) => format!("next({name}) in {{0, 2}}"),
            ('n', 2) => format!("next({name}) in {other}..2"),
            ('n', _) => format!("next({name}) {} {}", self.pick(&["=", "<", "!="]), self.number(1, true)),
            (_, 1) => format!("next({name}) in {{p, r}}"),
            _ => format!("next({name}) {} {}", self.pick(&["=", "!="]), self.pick(&["p", "q", &*other])),
        }
    }

    /// A condition on steps.
    fn relation(&mut self, depth: usize) -> String {
        match self.rng.below(if depth == 0 { 3 } else { 9 }) {
            0 => self.truth(1, true),
            1 | 2 => self.next(),
            3 => format!("!({})", self.relation(depth - 1)),
            4 => {
                let (a, b) = (self.relation(depth - 1), self.relation(depth - 1));
                let (guard, c) = (self.relation(depth - 1), self.relation(depth - 1));
                let now = self.truth(1, true);
                // exhaustive either way
                let last = if self.coin(50) { "TRUE".to_owned() } else { format!("!({now}) & !({guard})") };
                format!("case {now} : {a}; {guard} : {b}; {last} : {c}; esac")
            }
            _ => {
                let op = self.pick(&["&", "|", "|", "->", "<->", "xor"]);
                format!("(({}) {op} ({}))", self.relation(depth - 1), self.relation(depth - 1))
            }
        }
    }

    fn model(&mut self) -> String {
        let count = 2 + self.rng.below(3);
        for i in 0..count {
            let kind = self.pick(&["VAR", "VAR", "VAR", "FROZENVAR", "IVAR"]);
            let ty = self.pick(&['b', 'n', 'e']);
            self.variables.push((format!("v{i}"), if i == 0 { "VAR" } else { kind }, ty));
        }
        let mut text = String::from("MODULE main\n");
        for (name, kind, ty) in &self.variables {
            let ty = match ty {
                'b' => "boolean",
                'n' => "0..2",
                _ => "{p, q, r}",
            };
            text += &format!("{kind} {name} : {ty};\n");
        }
        if self.coin(50) {
            text += &format!("DEFINE d := {};\n", self.truth(2, false));
        }
        let variables = self.variables.clone();
        text += "ASSIGN\n";
        for (name, kind, ty) in &variables {
            if *kind != "IVAR" && self.coin(60) {
                // initial values read nothing, so that none depends on another in a circle
                let value = match ty {
                    'b' => self.pick(&["TRUE", "FALSE", "{TRUE, FALSE}"]),
                    'n' => self.pick(&["0", "{0, 1}", "1..2"]),
                    _ => self.pick(&["p", "{q, r}", "r"]),
                };
                text += &format!("  init({name}) := {value};\n");
            }
            if *kind == "VAR" && self.coin(70) {
                text += &format!("  next({name}) := {};\n", self.value(*ty, 2, true));
            }
        }
        if self.coin(40) {
            text += &format!("INIT {}\n", self.truth(2, false));
        }
        if self.coin(40) {
            text += &format!("INVAR {}\n", self.truth(1, false));
        }
        if self.coin(60) {
            for _ in 0..=self.rng.below(2) {
                let (name, _, ty) = &variables[0];
                let now = self.truth(1, true);
                let next = match ty {
                    'b' => format!("next({name}) {} {}", self.pick(&["=", "!="]), self.pick(&["TRUE", name])),
                    'n' => {
                        let word = self.pick(&["=", "<", "!=", "in"]);
                        let right = if word == "in" { "{0, 1}".into() } else { self.number(1, true) };
                        format!("next({name}) {word} {right}")
                    }
                    _ => format!("next({name}) {} {}", self.pick(&["=", "!="]), self.pick(&["p", "q"])),
                };
                let word = self.pick(&["&", "|", "->", ""]);
                text += &if word.is_empty() {
                    format!("TRANS {next}\n")
                } else {
                    format!("TRANS ({now}) {word} {next}\n")
                };
            }
        }
        if self.coin(60) {
            for _ in 0..=self.rng.below(2) {
                text += &format!("TRANS {}\n", self.relation(3));
            }
        }
        for _ in 0..3 {
            let (a, b) = (self.truth(1, false), self.truth(1, false));
            let shape = self.pick(&[
                "AG (A -> AF (B))",
                "E [ A U B ]",
                "EG (A | EX (B))",
                "AG EF (A)",
                "A [ A U B ]",
            ]);
            text += &format!(
                "SPEC {}\n",
                shape
                    .replace("A)", &format!("{a})"))
                    .replace("(A", &format!("({a}"))
                    .replace("[ A U B ]", &format!("[ ({a}) U ({b}) ]"))
                    .replace("B)", &format!("{b})"))
            );
        }
        text
    }
}

#[test]
fn states_and_verdicts_are_those_of_the_definition() {
    let cases: usize = loris_testing::cases(1500);
    let (mut empty, mut states, mut merged_states, mut holds) = (0, 0, 0, [0, 0]);
    for seed in 0..cases {
        let mut rng = Rng::new(seed as u64);
        let text = Writer { rng: &mut rng, variables: Vec::new() }.model();
        let (smv, _) = read_smv(&text).unwrap_or_else(|problems| panic!("{text}\n{:?}", problems.sorted()));
        let program = smv.program();
        let structure = program.structures.iter().next().unwrap();
        let expected = naive(structure);
        let properties: Vec<_> = program.properties.iter().collect();
        let limits = Limits { dead_ends: DeadEnds::Loop, ..Limits::default() };
        let made = build(program, &properties, Labels::All, &limits, &mut Budget::unlimited());
        if expected.initial.is_empty() {
            assert!(made.is_err(), "{text}");
            empty += 1;
            continue;
        }
        let built = made.unwrap_or_else(|stopped| panic!("{text}\n{stopped:?}"));
        let rsm = &built.rsm;
        let found = graph(program, rsm);
        assert_eq!(found.initial, expected.initial, "{text}");
        assert_eq!(found.steps, expected.steps, "{text}");
        assert_eq!(rsm.edge_count(), expected.steps.values().map(BTreeSet::len).sum::<usize>(), "{text}");
        states += rsm.node_count();

        // with states merged that properties cannot tell apart: a part of the whole, with the same
        // verdicts
        let limits = Limits { merge: Some(1), ..limits };
        let merged = build(program, &properties, Labels::Needed, &limits, &mut Budget::unlimited()).unwrap();
        let part = graph(program, &merged.rsm);
        assert!(part.initial.is_subset(&expected.initial), "{text}");
        assert!(part.steps.iter().all(|(from, to)| to.is_subset(&expected.steps[from])), "{text}");
        merged_states += merged.rsm.node_count();

        for built in [&built, &merged] {
            let rsm = &built.rsm;
            let initial: Vec<u32> =
                rsm.initial().iter().map(|node| u32::try_from(node.index()).unwrap()).collect();
            let (successors, predecessors): (&Csr, &Csr) = (rsm.successor_rows(), rsm.predecessor_rows());
            let kripke = Kripke { successors, predecessors, initial: &initial };
            let labels =
                |label: u32, column: &mut BitSet| rsm.mark(LabelId::new(label as usize), column.words_mut());
            for (property, names) in properties.iter().zip(&built.atoms) {
                let core = Core::new(&property.formula).unwrap();
                let number = |name: &String| {
                    let place = property.formula.atoms().iter().position(|atom| atom == name).unwrap();
                    (place, rsm.label(&names[place]).unwrap())
                };
                let numbers: Vec<(usize, LabelId)> = core.atoms().iter().map(number).collect();
                let atoms: Vec<Option<u32>> =
                    numbers.iter().map(|(_, label)| Some(u32::try_from(label.index()).unwrap())).collect();
                let asked = Asked { formula: &core, atoms: &atoms };
                let fair = Fairness::default();
                let by_engine =
                    check(&kripke, &labels, &[asked], &fair, &mut Budget::unlimited()).unwrap()[0];
                let inputs: Vec<usize> = (0..structure.variables.len()).collect();
                let atom = |number: u32, state: &Valuation| {
                    let loris_smv::ir::Atom::Condition(condition) =
                        property.atoms[numbers[number as usize].0]
                    else {
                        panic!("finite models have conditions")
                    };
                    // conditions of properties read no inputs
                    let mut values = state.iter();
                    let is_input = |i: usize| structure.variables.as_slice()[i].kind == VariableKind::Input;
                    let full: Valuation = inputs
                        .iter()
                        .map(|&i| if is_input(i) { 0 } else { *values.next().unwrap() })
                        .collect();
                    is_true(structure, condition, &full, &full)
                };
                let satisfying = satisfying(&core, &atom, &expected.steps);
                let by_definition = expected.initial.is_subset(&satisfying);
                assert_eq!(by_engine, by_definition, "{text}\n{}", property.text);
                holds[usize::from(by_engine)] += 1;
            }
        }
    }
    assert!(
        empty < cases / 2
            && states > 3 * cases
            && 10 * merged_states < 9 * states
            && holds[0] > cases / 4
            && holds[1] > cases / 4,
        "{empty} {states} {merged_states} {holds:?}"
    );
}
