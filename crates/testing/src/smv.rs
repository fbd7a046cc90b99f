//! Random finite models over all types, with everything that can go wrong in a state now and then.

// all numbers are small
#![allow(clippy::format_push_string, clippy::cast_possible_wrap, clippy::cast_sign_loss)]

use loris_base::Rng;

/// The types of variables.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Type {
    Boolean,
    /// numbers: how they are declared, the least and how many
    Number(&'static str, i64, i64),
    Symbol,
    /// signed or not, with a width
    Word(bool, u32),
}

const TYPES: [Type; 12] = [
    Type::Boolean,
    Type::Boolean,
    Type::Number("0..2", 0, 3),
    Type::Number("0..3", 0, 4),
    Type::Number("1..4", 1, 4),
    Type::Number("-2..2", -2, 5),
    Type::Number("2..2", 2, 1),
    Type::Number("{1, 2, 5}", 1, 2),
    Type::Symbol,
    Type::Symbol,
    Type::Word(false, 2),
    Type::Word(true, 3),
];

struct Writer<'a> {
    rng: &'a mut Rng,
    /// name, section and type; elements of arrays among them
    variables: Vec<(String, &'static str, Type)>,
    /// arrays of numbers, by their first index
    arrays: Vec<(String, i64)>,
    /// per cent of expressions that may have no value
    risk: usize,
}

/// The text of a model.
pub fn model(rng: &mut Rng) -> String {
    let risk = [0, 0, 5, 15][rng.below(4)];
    Writer { rng, variables: Vec::new(), arrays: Vec::new(), risk }.model()
}

impl Writer<'_> {
    fn pick<T: Clone>(&mut self, list: &[T]) -> T {
        list[self.rng.below(list.len())].clone()
    }

    fn coin(&mut self, percent: usize) -> bool {
        self.rng.below(100) < percent
    }

    /// A variable that may be read, if there is one.
    fn some(&mut self, inputs: bool, fits: impl Fn(Type) -> bool) -> Option<(String, Type)> {
        let list: Vec<(String, Type)> = self
            .variables
            .iter()
            .filter(|(_, kind, ty)| fits(*ty) && (inputs || *kind != "IVAR"))
            .map(|(name, _, ty)| (name.clone(), *ty))
            .collect();
        (!list.is_empty()).then(|| self.pick(&list))
    }

    fn number(&mut self, depth: usize, inputs: bool) -> String {
        if depth == 0 || self.coin(30) {
            let variable = self.some(inputs, |ty| matches!(ty, Type::Number(..)));
            return match variable {
                Some((name, _)) if self.coin(70) => name,
                _ => (self.rng.below(7) as i64 - 2).to_string(),
            };
        }
        let depth = depth - 1;
        match self.rng.below(9) {
            0 | 1 => {
                let op = self.pick(&["+", "-", "*"]);
                format!("({} {op} {})", self.number(depth, inputs), self.number(depth, inputs))
            }
            2 | 3 => {
                let op = self.pick(&["/", "mod"]);
                let divided = self.number(depth, inputs);
                if self.coin(self.risk) {
                    return format!("({divided} {op} {})", self.number(depth, inputs));
                }
                format!("({divided} {op} {})", self.pick(&["2", "3", "-2"]))
            }
            4 => format!(
                "({} ? {} : {})",
                self.truth(depth, inputs),
                self.number(depth, inputs),
                self.number(depth, inputs)
            ),
            5 => format!("count({}, {})", self.truth(depth, inputs), self.truth(depth, inputs)),
            6 => {
                let word = self.some(inputs, |ty| matches!(ty, Type::Word(..)));
                word.map_or("1".to_owned(), |(name, _)| format!("toint({name})"))
            }
            7 => {
                let op = self.pick(&["max", "min"]);
                format!("{op}({}, {})", self.number(depth, inputs), self.number(depth, inputs))
            }
            _ => {
                if self.arrays.is_empty() {
                    return "0".to_owned();
                }
                let (name, low) = self.arrays[self.rng.below(self.arrays.len())].clone();
                let index = self.number(depth, inputs);
                if self.coin(self.risk) {
                    return format!("{name}[{index}]");
                }
                format!("{name}[{low} + max(0, ({index}) mod 3)]")
            }
        }
    }

    fn word(&mut self, signed: bool, width: u32, depth: usize, inputs: bool) -> String {
        if depth == 0 || self.coin(30) {
            let variable = self.some(inputs, |ty| ty == Type::Word(signed, width));
            return match variable {
                Some((name, _)) if self.coin(70) => name,
                _ => format!(
                    "0{}d{width}_{}",
                    if signed { "s" } else { "u" },
                    self.rng.below(1 << (width - 1))
                ),
            };
        }
        let depth = depth - 1;
        match self.rng.below(7) {
            0..=2 => {
                let op = self.pick(&["+", "-", "*", "&", "|", "xor"]);
                let (a, b) =
                    (self.word(signed, width, depth, inputs), self.word(signed, width, depth, inputs));
                format!("({a} {op} {b})")
            }
            3 => format!("(!{})", self.word(signed, width, depth, inputs)),
            4 => {
                let op = self.pick(&["<<", ">>"]);
                format!(
                    "({} {op} {})",
                    self.word(signed, width, depth, inputs),
                    self.rng.below(width as usize)
                )
            }
            5 if self.coin(self.risk) => {
                let op = self.pick(&["/", "mod"]);
                let (a, b) =
                    (self.word(signed, width, depth, inputs), self.word(signed, width, depth, inputs));
                format!("({a} {op} {b})")
            }
            _ => format!(
                "({} ? {} : {})",
                self.truth(depth, inputs),
                self.word(signed, width, depth, inputs),
                self.word(signed, width, depth, inputs)
            ),
        }
    }

    fn truth(&mut self, depth: usize, inputs: bool) -> String {
        if depth == 0 || self.coin(20) {
            let Some((name, ty)) = self.some(inputs, |_| true) else { return "TRUE".to_owned() };
            return match ty {
                Type::Boolean => name,
                Type::Number(_, low, count) => {
                    let op = self.pick(&["=", "!=", "<", ">="]);
                    format!("{name} {op} {}", low + self.rng.below(count as usize) as i64)
                }
                Type::Symbol => format!("{name} {} {}", self.pick(&["=", "!="]), self.pick(&["p", "q", "r"])),
                Type::Word(signed, width) => {
                    let op = self.pick(&["=", "<", ">", "!="]);
                    format!("{name} {op} {}", self.word(signed, width, 0, inputs))
                }
            };
        }
        let depth = depth - 1;
        match self.rng.below(8) {
            0 => format!("!({})", self.truth(depth, inputs)),
            1 => {
                let op = self.pick(&["=", "<", ">=", "!="]);
                format!("({} {op} {})", self.number(depth, inputs), self.number(depth, inputs))
            }
            2 => {
                let (low, high) = (self.number(0, inputs), self.number(0, inputs));
                let set = self.pick(&["{0, 2}".to_owned(), "1..3".to_owned(), format!("{{{low}, {high}}}")]);
                format!("({} in {set})", self.number(depth, inputs))
            }
            3 => match self.some(inputs, |ty| matches!(ty, Type::Word(..))) {
                Some((_, Type::Word(signed, width))) => {
                    let op = self.pick(&["=", "<", ">=", "!="]);
                    let (a, b) =
                        (self.word(signed, width, depth, inputs), self.word(signed, width, depth, inputs));
                    format!("({a} {op} {b})")
                }
                _ => "TRUE".to_owned(),
            },
            _ => {
                let op = self.pick(&["&", "|", "&", "|", "->", "<->", "xor"]);
                format!("({} {op} {})", self.truth(depth, inputs), self.truth(depth, inputs))
            }
        }
    }

    /// A value that a variable of this type can have, mostly; or a set of such.
    fn value(&mut self, ty: Type, depth: usize, inputs: bool) -> String {
        if depth > 0 && self.coin(40) {
            let guard = self.truth(1, inputs);
            let (a, b) = (self.value(ty, depth - 1, inputs), self.value(ty, depth - 1, inputs));
            let last = if self.coin(self.risk) { self.truth(1, inputs) } else { "TRUE".to_owned() };
            return format!("case {guard} : {a}; {last} : {b}; esac");
        }
        if depth > 0 && self.coin(20) {
            return format!("{{{}, {}}}", self.value(ty, 0, inputs), self.value(ty, depth - 1, inputs));
        }
        match ty {
            Type::Boolean if self.coin(30) => "{TRUE, FALSE}".into(),
            Type::Boolean => self.truth(2, inputs),
            Type::Symbol => {
                let other = self.some(inputs, |ty| ty == Type::Symbol);
                match other {
                    Some((name, _)) if self.coin(30) => name,
                    _ => self.pick(&["p", "q", "r", "{p, q}", "{q, r}", "{p, q, r}"]).into(),
                }
            }
            Type::Word(signed, width) => self.word(signed, width, 2, inputs),
            Type::Number(_, low, count) => {
                let high = low + count - 1;
                match self.rng.below(10) {
                    0 => format!("{low}..{high}"),
                    1 => format!("{{{low}, {high}}}"),
                    2 => format!("{{{low}, {low}..{high}, {high}}}"),
                    3 => self.pick(&[low, high]).to_string(),
                    4 if self.coin(self.risk) => {
                        format!("{}..{}", self.number(1, inputs), self.number(1, inputs))
                    }
                    5 if self.coin(self.risk) => self.number(2, inputs),
                    6 => format!("{low}..max({low}, min({high}, {}))", self.number(1, inputs)),
                    _ => format!("({low} + max(0, ({}) mod {count}))", self.number(2, inputs)),
                }
            }
        }
    }

    /// A condition on steps: a condition on the next state or on this one, or a relation between
    /// them.
    fn relation(&mut self, depth: usize) -> String {
        if depth > 0 && self.coin(50) {
            let op = self.pick(&["&", "|", "->", "<->"]);
            return format!("({} {op} {})", self.relation(depth - 1), self.relation(depth - 1));
        }
        let list: Vec<_> = self.variables.iter().filter(|(_, kind, _)| *kind == "VAR").cloned().collect();
        let (name, _, ty) = self.pick(&list);
        match self.rng.below(5) {
            0 => self.truth(1, true),
            1 if ty == Type::Boolean => self.pick(&[format!("next({name})"), format!("!next({name})")]),
            2 => format!("next({name}) != {name}"),
            3 => format!("next({name}) in {}", self.value(ty, 1, true)),
            _ => {
                let inside = self.some(true, |of| of == ty).map_or(name.clone(), |(other, _)| other);
                let value = match ty {
                    Type::Boolean => format!("({})", self.truth(1, true)),
                    Type::Number(..) => self.number(1, true),
                    Type::Symbol => self.pick(&["p".to_owned(), "q".to_owned(), inside]),
                    Type::Word(signed, width) => self.word(signed, width, 1, true),
                };
                format!("next({name}) {} {value}", self.pick(&["=", "=", "!="]))
            }
        }
    }

    fn declare(&mut self) -> String {
        let mut text = String::from("MODULE main\n");
        let count = 2 + self.rng.below(3);
        for i in 0..count {
            let kind =
                if i == 0 { "VAR" } else { self.pick(&["VAR", "VAR", "VAR", "VAR", "FROZENVAR", "IVAR"]) };
            let ty = self.pick(&TYPES);
            let declared = match ty {
                Type::Boolean => "boolean".to_owned(),
                Type::Number(text, ..) => text.to_owned(),
                Type::Symbol => "{p, q, r}".to_owned(),
                Type::Word(signed, width) => {
                    format!("{} word[{width}]", if signed { "signed" } else { "unsigned" })
                }
            };
            text += &format!("{kind} v{i} : {declared};\n");
            self.variables.push((format!("v{i}"), kind, ty));
        }
        if self.coin(20) {
            let low = self.pick(&[0, 1, -1]);
            text += &format!("VAR a : array {low}..{} of 0..1;\n", low + 2);
            for at in low..low + 3 {
                self.variables.push((format!("a[{at}]"), "VAR", Type::Number("0..1", 0, 2)));
            }
            self.arrays.push(("a".to_owned(), low));
        }
        text
    }

    fn model(&mut self) -> String {
        let mut text = self.declare();
        if self.coin(50) {
            text += &format!("DEFINE d := {};\n", self.truth(2, false));
        }
        let all = self.variables.clone();
        text += "ASSIGN\n";
        for (at, (name, kind, ty)) in all.iter().enumerate() {
            if *kind == "IVAR" {
                continue;
            }
            // what depends on variables before it only depends on itself never
            if *kind == "VAR" && self.coin(15) {
                let rest = self.variables.split_off(at);
                text += &format!("  {name} := {};\n", self.value(*ty, 1, false));
                self.variables.extend(rest);
                continue;
            }
            if self.coin(60) {
                let rest = self.variables.split_off(at);
                text += &format!("  init({name}) := {};\n", self.value(*ty, 1, false));
                self.variables.extend(rest);
            }
            if *kind == "VAR" && self.coin(70) {
                let before: Vec<_> =
                    all[..at].iter().filter(|(_, kind, of)| *kind == "VAR" && of == ty).collect();
                let value = match before.first() {
                    Some((other, ..)) if self.coin(20) => format!("next({other})"),
                    _ => self.value(*ty, 2, true),
                };
                text += &format!("  next({name}) := {value};\n");
            }
        }
        if self.coin(25) {
            text += &format!("INIT {}\n", self.truth(2, false));
        }
        if self.coin(25) {
            text += &format!("INVAR {}\n", self.truth(2, false));
        }
        if self.coin(40) {
            for _ in 0..=self.rng.below(2) {
                text += &format!("TRANS {}\n", self.relation(2));
            }
        }
        if self.coin(30) {
            text += &format!("JUSTICE {}\n", self.truth(1, false));
        }
        if self.coin(20) {
            text += &format!("COMPASSION ({}, {})\n", self.truth(1, false), self.truth(1, false));
        }
        for _ in 0..2 {
            text += &format!("SPEC AG (({}) -> EF ({}))\n", self.truth(2, false), self.truth(1, false));
        }
        if self.coin(20) {
            text += &format!("LTLSPEC G (({}) -> O ({}))\n", self.truth(1, false), self.truth(1, false));
        }
        text
    }
}
