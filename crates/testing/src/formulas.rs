//! Random formulas as text, in which every operator of a logic occurs, `X` included.

use loris_base::Rng;

/// What formulas speak of.
pub struct Atoms {
    pub labels: Vec<String>,
    /// actions of modalities; if there are none, modalities are about any step
    pub actions: Vec<String>,
    /// whether formulas are in the language of SMV, which writes some operators in another way and
    /// lacks others
    pub is_smv: bool,
}

/// A random formula of a logic; `invariants` are the formulas that engines for reachability take.
pub fn formula(logic: &str, atoms: &Atoms, rng: &mut Rng) -> String {
    let size = 1 + rng.below(6);
    let mut random = Random { atoms, rng, scope: Vec::new() };
    match logic {
        "ctl" => random.branching(size),
        "ltl" => random.path(size, false),
        "ctl*" => {
            let path = random.path(size, true);
            format!("{} ({path})", random.choose(&["A", "E"]))
        }
        "mu" => random.fixpoints(size),
        _ => {
            let condition = random.condition(size);
            let operator = random.choose(&["A G", "A G", "E F"]);
            format!("{operator} ({condition})")
        }
    }
}

struct Random<'a> {
    atoms: &'a Atoms,
    rng: &'a mut Rng,
    /// variables of the fixpoints around
    scope: Vec<String>,
}

impl Random<'_> {
    fn choose<'t>(&mut self, list: &[&'t str]) -> &'t str {
        list[self.rng.below(list.len())]
    }

    fn atom(&mut self) -> String {
        if self.atoms.labels.is_empty() || self.rng.chance(0.03) {
            let constants = if self.atoms.is_smv { ["TRUE", "FALSE"] } else { ["true", "false"] };
            return self.choose(&constants).to_owned();
        }
        self.atoms.labels[self.rng.below(self.atoms.labels.len())].clone()
    }

    /// A Boolean combination of what `operand` makes.
    fn combined(&mut self, size: usize, operand: &mut dyn FnMut(&mut Self, usize) -> String) -> String {
        let left = self.rng.below(size.max(1));
        match self.rng.below(4) {
            0 => format!("!({})", operand(self, size - 1)),
            operator => {
                let sign = ["&", "|", "->"][operator - 1];
                let (a, b) = (operand(self, left), operand(self, (size - 1).saturating_sub(left)));
                format!("(({a}) {sign} ({b}))")
            }
        }
    }

    fn until(&mut self) -> &'static str {
        let operators: &[&str] = if self.atoms.is_smv { &["U"] } else { &["U", "W", "R"] };
        self.choose(operators)
    }

    fn condition(&mut self, size: usize) -> String {
        if size == 0 { self.atom() } else { self.combined(size, &mut Self::condition) }
    }

    fn branching(&mut self, size: usize) -> String {
        if size == 0 {
            return self.atom();
        }
        let left = self.rng.below(size);
        match self.rng.below(10) {
            0..4 => self.combined(size, &mut Self::branching),
            4..8 => {
                let operator = self.choose(&["A X", "E X", "A F", "E F", "A G", "E G"]);
                format!("{operator} ({})", self.branching(size - 1))
            }
            _ => {
                let (quantifier, until) = (self.choose(&["A", "E"]), self.until());
                let (a, b) = (self.branching(left), self.branching(size - 1 - left));
                format!("{quantifier} [({a}) {until} ({b})]")
            }
        }
    }

    /// A formula of linear time; with `star`, quantifiers may occur in it.
    fn path(&mut self, size: usize, star: bool) -> String {
        if size == 0 {
            return self.atom();
        }
        let left = self.rng.below(size);
        match self.rng.below(10) {
            0..3 => self.combined(size, &mut |of, size| of.path(size, star)),
            3..7 => {
                let operator = self.choose(&["X", "F", "G"]);
                format!("{operator} ({})", self.path(size - 1, star))
            }
            7 if star => format!("{} ({})", self.choose(&["A", "E"]), self.path(size - 1, star)),
            _ => {
                let until = self.until();
                let (a, b) = (self.path(left, star), self.path(size - 1 - left, star));
                format!("(({a}) {until} ({b}))")
            }
        }
    }

    /// A formula of the mu-calculus, in which variables occur below no negation.
    fn fixpoints(&mut self, size: usize) -> String {
        if size == 0 {
            let known = self.scope.len();
            return match known > 0 && self.rng.chance(0.7) {
                true => self.scope[self.rng.below(known)].clone(),
                false if self.atoms.labels.is_empty() => self.choose(&["tt", "ff"]).to_owned(),
                false => format!("{}({})", self.choose(&["", "!"]), self.atom()),
            };
        }
        match self.rng.below(8) {
            0..3 => {
                let left = self.rng.below(size);
                let (a, b) = (self.fixpoints(left), self.fixpoints(size - 1 - left));
                format!("(({a}) {} ({b}))", self.choose(&["&", "|"]))
            }
            3..6 => {
                let action = match self.atoms.actions.len() {
                    0 => "true".to_owned(),
                    count => self.atoms.actions[self.rng.below(count)].clone(),
                };
                let of = self.fixpoints(size - 1);
                if self.rng.chance(0.5) { format!("<{action}>({of})") } else { format!("[{action}]({of})") }
            }
            _ => {
                let variable = format!("X{}", self.scope.len());
                self.scope.push(variable.clone());
                let of = self.fixpoints(size - 1);
                self.scope.pop();
                format!("({} {variable} . {of})", self.choose(&["mu", "nu"]))
            }
        }
    }
}
