//! The property of the `.pdmu` files of the java-usedef benchmarks, which goes backwards, as CTL.
//!
//! Their formula asks of a variable whether each of its definitions can be followed by a use. It
//! names the labels `def_x`, `use_x` and `usedef_x`; some files have one of them cut short. Every
//! variable that it names as a definition gives
//! `A G ((def_x | usedef_x) -> E F (use_x | usedef_x))` (lazy-rsm, section 7.3).

use super::scan::in_name;
use std::fmt::Write;

/// That formula without blanks, and with `*` for labels.
const SHAPE: &str = r"!((nuX.(!csend&[@*]ff&[\*]X))&~[\*](nuY.(muZ.csend|<@*>tt|<\*>Z)&~[\*]Y))";

/// The CTL formula that a formula of that shape stands for; none for one of another shape.
pub(super) fn use_def(text: &str) -> Option<String> {
    if shape(text) != SHAPE {
        return None;
    }
    let squeezed: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut variables: Vec<&str> = Vec::new();
    let words = squeezed.split(is_mark);
    for variable in
        words.filter_map(|word| word.strip_prefix("def_").or_else(|| word.strip_prefix("usedef_")))
    {
        // "def__" alone is a name that was cut short
        if !variable.trim_matches('_').is_empty() && !variables.contains(&variable) {
            variables.push(variable);
        }
    }
    let mut formula = String::new();
    for (i, x) in variables.iter().enumerate() {
        let and = if i == 0 { "" } else { " & " };
        write!(formula, "{and}A G ((def_{x} | usedef_{x}) -> E F (use_{x} | usedef_{x}))").ok()?;
    }
    (!formula.is_empty()).then_some(formula)
}

/// A formula without blanks, and with `*` for the labels in its modalities.
fn shape(text: &str) -> String {
    let mut shape = String::new();
    let mut labels = false;
    for char in text.chars().filter(|char| !char.is_whitespace()) {
        labels &= !matches!(char, ']' | '>');
        if !labels {
            shape.push(char);
        }
        if ["[@", "[\\", "<@", "<\\"].iter().any(|opening| shape.ends_with(opening)) {
            shape.push('*');
            labels = true;
        }
    }
    shape
}

/// The characters that end a word of a formula.
fn is_mark(char: char) -> bool {
    matches!(char, '[' | ']' | '@' | '\\' | '&' | '|' | '!' | '~' | '.')
        || u8::try_from(char).is_ok_and(|byte| !in_name(byte))
}

#[cfg(test)]
mod tests {
    use super::use_def;

    #[test]
    fn shapes() {
        let text = "!( (nu X . (!csend & [@def_v]ff & [\\use_v usedef_v]X)) &
            ~[\\def_v usedef_v](nu Y.(mu Z. csend | <@def_v>tt | <\\use_v usedef_v>Z) & ~[\\def_v _usedef_v]Y))";
        let expected = "A G ((def_v | usedef_v) -> E F (use_v | usedef_v))";
        assert_eq!(use_def(text).as_deref(), Some(expected));
        assert_eq!(use_def(&text.replace("\\use_v", "\\use__")).as_deref(), Some(expected));
        // the same names and fixpoints in another formula
        assert_eq!(use_def(&text.replace("!csend", "csend")), None);
        assert_eq!(use_def("nu X. nu Y. mu Z. [@def_v]X & <\\use_v>Y | <>Z"), None);
        assert_eq!(use_def("mu Z. p | <>Z"), None);
        assert_eq!(use_def(""), None);
    }
}
