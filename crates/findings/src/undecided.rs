//! Rules that were not decided.

/// A rule that was not decided, or not everywhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Undecided {
    /// The identifier of the rule.
    pub rule: String,
    /// Why, in words.
    pub reason: String,
    /// The first of the methods that it is not decided for; none if that is the whole program.
    pub methods: Vec<String>,
    /// How many more there are.
    pub more: usize,
}

impl Undecided {
    /// A rule that was not decided for the whole program.
    pub fn whole(rule: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { rule: rule.into(), reason: reason.into(), methods: Vec::new(), more: 0 }
    }

    /// Why, and where, in words.
    ///
    /// ```
    /// use loris_findings::Undecided;
    /// let methods = vec!["a.B.m".to_owned(), "a.B.n".to_owned()];
    /// let undecided = Undecided { rule: "leak".into(), reason: "timeout".into(), methods, more: 7 };
    /// assert_eq!(undecided.text(), "timeout, in a.B.m, a.B.n and 7 more methods");
    /// ```
    pub fn text(&self) -> String {
        let Self { reason, methods, more, .. } = self;
        let methods = methods.join(", ");
        match more {
            _ if methods.is_empty() => reason.clone(),
            0 => format!("{reason}, in {methods}"),
            1 => format!("{reason}, in {methods} and one more method"),
            more => format!("{reason}, in {methods} and {more} more methods"),
        }
    }
}
