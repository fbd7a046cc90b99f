//! Kleene's three truth values.

/// False, unknown or true, ordered so that `max` is ∨ and `min` is ∧ (lazy-rsm, section 5.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Truth {
    /// ff: holds for no completion of the unknown values.
    False,
    /// ??: not decided (yet).
    #[default]
    Unknown,
    /// tt: holds for every completion of the unknown values.
    True,
}

impl Truth {
    /// Whether the value is false or true.
    pub fn is_known(self) -> bool {
        self != Truth::Unknown
    }
}

impl std::ops::Not for Truth {
    type Output = Truth;
    fn not(self) -> Truth {
        match self {
            Truth::False => Truth::True,
            Truth::Unknown => Truth::Unknown,
            Truth::True => Truth::False,
        }
    }
}

impl From<bool> for Truth {
    fn from(value: bool) -> Truth {
        if value { Truth::True } else { Truth::False }
    }
}
