//! Operators of the past in SMV: on one run at a time, against values computed position by
//! position.

#![allow(clippy::unwrap_used)]

mod common;

use common::{answers, ask};
use loris_base::{Budget, Rng};
use loris_check::{Logic, Options, Prepared};
use loris_evidence::{AtExit, Verdict, replay};
use loris_smv::{Labels, Limits, build, read_smv};

/// A run: which of `a` and `b` hold where, and where it goes on from its end.
struct Word {
    letters: Vec<[bool; 2]>,
    back: usize,
}

#[derive(Clone, Debug)]
enum Formula {
    Letter(usize),
    /// `next(a)`
    NextLetter(usize),
    Not(Box<Formula>),
    /// `&`, `|`, `->`, `U`, `V`, `S`, `T`
    Two(&'static str, Box<Formula>, Box<Formula>),
    /// `X`, `F`, `G`, `Y`, `Z`, `O`, `H`
    One(&'static str, Box<Formula>),
    /// `O` and `H`, `F` and `G` within bounds
    Bounded(&'static str, usize, usize, Box<Formula>),
}

fn random(rng: &mut Rng, depth: usize) -> Formula {
    let below = |rng: &mut Rng| Box::new(random(rng, depth - 1));
    match rng.below(if depth == 0 { 5 } else { 16 }) {
        0..=3 => Formula::Letter(rng.below(2)),
        4 => Formula::NextLetter(rng.below(2)),
        5 => Formula::Not(below(rng)),
        6..=9 => Formula::One(["X", "F", "G", "Y", "Z", "O", "H", "Y", "O", "H"][rng.below(10)], below(rng)),
        10..=11 => {
            let low = rng.below(4);
            Formula::Bounded(
                ["O", "H", "O", "H", "F", "G"][rng.below(6)],
                low,
                low + rng.below(4),
                below(rng),
            )
        }
        _ => {
            Formula::Two(["&", "|", "->", "U", "V", "S", "T", "S", "T"][rng.below(9)], below(rng), below(rng))
        }
    }
}

impl Formula {
    fn text(&self) -> String {
        match self {
            Formula::Letter(letter) => ["a", "b"][*letter].to_owned(),
            Formula::NextLetter(letter) => format!("next({})", ["a", "b"][*letter]),
            Formula::Not(of) => format!("!{}", of.text()),
            Formula::Two(op, a, b) => format!("({} {op} {})", a.text(), b.text()),
            Formula::One(op, of) => format!("({op} {})", of.text()),
            Formula::Bounded(op, low, high, of) => format!("({op} [{low}, {high}] {})", of.text()),
        }
    }

    /// How many times round the loop its values may take to repeat.
    fn rounds(&self) -> usize {
        match self {
            Formula::Letter(_) | Formula::NextLetter(_) => 1,
            Formula::Not(of) => of.rounds(),
            Formula::One(_, of) => 2 + of.rounds(),
            Formula::Bounded(_, _, high, of) => 2 + high + of.rounds(),
            Formula::Two(_, a, b) => 2 + a.rounds() + b.rounds(),
        }
    }

    /// Its value at every position.
    fn values(&self, word: &Word) -> Vec<bool> {
        let end = word.letters.len();
        let after = |i: usize| if i + 1 < end { i + 1 } else { word.back };
        let before = |i: usize| i.checked_sub(1);
        // twice round from the end, or once from the start
        let until = |start: bool, step: &dyn Fn(usize, bool) -> bool| {
            let mut values = vec![start; end];
            for _ in 0..2 {
                for i in (0..end).rev() {
                    values[i] = step(i, values[after(i)]);
                }
            }
            values
        };
        let since = |step: &dyn Fn(usize, Option<bool>) -> bool| {
            let mut values: Vec<bool> = Vec::new();
            for i in 0..end {
                let last = before(i).map(|last| values[last]);
                values.push(step(i, last));
            }
            values
        };
        let (no, yes) =
            (|value: Option<bool>| value == Some(true), |value: Option<bool>| value != Some(false));
        match self {
            Formula::Letter(letter) => word.letters.iter().map(|at| at[*letter]).collect(),
            Formula::NextLetter(letter) => (0..end).map(|i| word.letters[after(i)][*letter]).collect(),
            Formula::Not(of) => of.values(word).into_iter().map(|value| !value).collect(),
            Formula::One(op, of) => {
                let of = of.values(word);
                match *op {
                    "X" => (0..end).map(|i| of[after(i)]).collect(),
                    "Y" => (0..end).map(|i| no(before(i).map(|last| of[last]))).collect(),
                    "Z" => (0..end).map(|i| yes(before(i).map(|last| of[last]))).collect(),
                    "F" => until(false, &|i, next| of[i] || next),
                    "G" => until(true, &|i, next| of[i] && next),
                    "O" => since(&|i, last| of[i] || no(last)),
                    _ => since(&|i, last| of[i] && yes(last)),
                }
            }
            Formula::Two(op, a, b) => {
                let (a, b) = (a.values(word), b.values(word));
                match *op {
                    "&" => (0..end).map(|i| a[i] && b[i]).collect(),
                    "|" => (0..end).map(|i| a[i] || b[i]).collect(),
                    "->" => (0..end).map(|i| !a[i] || b[i]).collect(),
                    "U" => until(false, &|i, next| b[i] || a[i] && next),
                    "V" => until(true, &|i, next| b[i] && (a[i] || next)),
                    "S" => since(&|i, last| b[i] || a[i] && no(last)),
                    _ => since(&|i, last| b[i] && (a[i] || yes(last))),
                }
            }
            Formula::Bounded(op, low, high, of) => {
                let of = of.values(word);
                let at = |i: usize, steps: usize| match *op {
                    "O" | "H" => i.checked_sub(steps),
                    _ => Some((0..steps).fold(i, |i, _| after(i))),
                };
                let holds = |i: usize, steps: usize| at(i, steps).is_some_and(|place| of[place]);
                let value = |i: usize| match *op {
                    "O" | "F" => (*low..=*high).any(|steps| holds(i, steps)),
                    _ => (*low..=*high).all(|steps| holds(i, steps)),
                };
                (0..end).map(value).collect()
            }
        }
    }

    /// Whether it is true of the run.
    fn holds(&self, word: &Word) -> bool {
        let mut letters = word.letters.clone();
        let period = &word.letters[word.back..];
        for _ in 0..self.rounds() {
            letters.extend(period);
        }
        let back = letters.len() - period.len();
        self.values(&Word { letters, back })[0]
    }
}

/// A model with this run only.
fn model(word: &Word, formula: &Formula) -> String {
    let end = word.letters.len() - 1;
    let where_holds = |letter: usize| {
        let places = word.letters.iter().enumerate().filter(|(_, at)| at[letter]);
        let places: Vec<String> = places.map(|(place, _)| format!("at = {place}")).collect();
        if places.is_empty() { "FALSE".to_owned() } else { places.join(" | ") }
    };
    let back = word.back;
    format!(
        "MODULE main VAR at : 0..{end}; ASSIGN init(at) := 0; next(at) := at = {end} ? {back} : at + 1; \
         DEFINE a := {}; b := {}; LTLSPEC {}",
        where_holds(0),
        where_holds(1),
        formula.text()
    )
}

#[test]
fn past_and_future_on_one_run() {
    let cases: u64 = loris_testing::cases(600);
    let mut rng = Rng::new(41);
    let (mut held, mut replayed) = (0, 0);
    for case in 0..cases {
        let length = 1 + rng.below(5);
        let letters = (0..length).map(|_| [rng.chance(0.5), rng.chance(0.5)]).collect();
        let word = Word { letters, back: rng.below(length) };
        let formula = random(&mut rng, 3);
        let text = model(&word, &formula);
        let (smv, _) = read_smv(&text).unwrap_or_else(|problems| panic!("{text}\n{:?}", problems.sorted()));
        let property = &smv.program().properties[0];
        let limits = Limits::default();
        let built = build(smv.program(), &[property], Labels::Needed, &limits, &mut Budget::unlimited());
        let built = built.unwrap_or_else(|stopped| panic!("{text}\n{stopped:?}"));
        let rsm = built.rsm;
        let formula_of_labels = property.formula.renamed(&built.atoms[0]);
        let question = ask(Logic::Ltl, &text, &formula_of_labels);
        let options = Options { evidence: true, ..Options::default() };
        let answers = answers(&Prepared::new(&rsm), &[question], &options);
        let answer = answers.into_iter().next().unwrap();
        let expected = formula.holds(&word);
        assert_eq!(answer.verdict == Verdict::Holds, expected, "case {case}\n{text}");
        held += u64::from(expected);
        if let Some(evidence) = answer.machine_paths() {
            replay(&rsm, evidence, AtExit::Loop).unwrap_or_else(|why| panic!("{text}\n{why:?}"));
            replayed += 1;
        }
    }
    assert!(held > cases / 5 && replayed > cases / 5, "{held} held, {replayed} pieces of evidence");
}
