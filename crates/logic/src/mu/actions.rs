//! Sets of actions, finite or with a finite complement.

use std::fmt;

/// A set of names of actions, or the complement of one. The silent action is called `tau`.
///
/// ```
/// use loris_logic::mu::ActionSet;
/// let others = ActionSet::of(["send", "receive"]).complement();
/// assert!(!others.contains("send") && others.contains("tau"));
/// assert_eq!(others.to_string(), "!{receive, send}");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ActionSet {
    /// sorted, without duplicates
    names: Vec<String>,
    negated: bool,
}

impl ActionSet {
    /// All actions.
    pub fn all() -> Self {
        Self { names: Vec::new(), negated: true }
    }

    /// No action.
    pub fn none() -> Self {
        Self { names: Vec::new(), negated: false }
    }

    /// The named actions.
    pub fn of(names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let mut names: Vec<String> = names.into_iter().map(Into::into).collect();
        names.sort_unstable();
        names.dedup();
        Self { names, negated: false }
    }

    /// All others.
    #[must_use]
    pub fn complement(mut self) -> Self {
        self.negated = !self.negated;
        self
    }

    /// The actions in one of both sets.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        let keep = |names: &[String], test: &dyn Fn(&str) -> bool| -> Vec<String> {
            names.iter().filter(|name| test(name)).cloned().collect()
        };
        match (self.negated, other.negated) {
            (false, false) => Self::of(self.names.iter().chain(&other.names).cloned()),
            (true, false) => Self { names: keep(&self.names, &|name| !other.contains(name)), negated: true },
            (false, true) => Self { names: keep(&other.names, &|name| !self.contains(name)), negated: true },
            (true, true) => Self { names: keep(&self.names, &|name| !other.contains(name)), negated: true },
        }
    }

    /// The actions in both sets.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        self.clone().complement().union(&other.clone().complement()).complement()
    }

    /// Whether an action belongs to the set.
    pub fn contains(&self, name: &str) -> bool {
        self.names.binary_search_by(|own| own.as_str().cmp(name)).is_ok() != self.negated
    }

    /// Whether every action belongs to it.
    pub fn is_all(&self) -> bool {
        self.negated && self.names.is_empty()
    }

    /// Whether it is the complement of the names it lists.
    pub fn is_negated(&self) -> bool {
        self.negated
    }

    /// The names it lists: its members, or, if it is negated, the others. Sorted.
    pub fn names(&self) -> &[String] {
        &self.names
    }
}

/// Whether an action can be written without quotes.
fn is_plain(name: &str) -> bool {
    !matches!(name, "true" | "false" | "nil" | "tt" | "ff")
        && name.starts_with(|c: char| c == '_' || c.is_alphanumeric())
        && name.chars().all(|c| c == '_' || c == '\'' || c.is_alphanumeric())
}

fn write_name(f: &mut fmt::Formatter<'_>, name: &str) -> fmt::Result {
    if is_plain(name) {
        return f.write_str(name);
    }
    write!(f, "\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\""))
}

impl fmt::Display for ActionSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.names.as_slice(), self.negated) {
            ([], true) => return f.write_str("true"),
            ([], false) => return f.write_str("false"),
            ([name], _) => {
                f.write_str(if self.negated { "!" } else { "" })?;
                return write_name(f, name);
            }
            (_, true) => f.write_str("!{")?,
            (_, false) => {}
        }
        for (i, name) in self.names.iter().enumerate() {
            f.write_str(if i > 0 { ", " } else { "" })?;
            write_name(f, name)?;
        }
        f.write_str(if self.negated { "}" } else { "" })
    }
}

#[cfg(test)]
mod tests {
    use super::ActionSet;

    #[test]
    fn operations_are_those_of_sets() {
        let names = ["a", "b", "c"];
        let sets: Vec<ActionSet> = (0..8)
            .flat_map(|bits| {
                let members = (0..3).filter(|i| bits >> i & 1 == 1).map(|i| names[i]);
                let set = ActionSet::of(members);
                [set.clone(), set.complement()]
            })
            .collect();
        for one in &sets {
            for other in &sets {
                for action in ["a", "b", "c", "d"] {
                    let both = (one.contains(action), other.contains(action));
                    assert_eq!(one.union(other).contains(action), both.0 || both.1);
                    assert_eq!(one.intersection(other).contains(action), both.0 && both.1);
                }
            }
        }
    }
}
