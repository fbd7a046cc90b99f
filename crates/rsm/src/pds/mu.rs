//! The one shape of property that `.pdmu` files of the java-usedef benchmarks have, as CTL.
//!
//! Their formula asks of a variable whether each of its definitions can be followed by a use. It
//! names the labels `def_x`, `use_x` and `usedef_x`; some files have one of them cut short. Every
//! variable that it names as a definition gives
//! `A G ((def_x | usedef_x) -> E F (use_x | usedef_x))` (lazy-rsm, section 7.3).

use super::scan::in_name;
use std::fmt::Write;

/// The CTL formula that a formula of that shape stands for; none for one of another shape.
pub(super) fn use_def(text: &str) -> Option<String> {
    let squeezed: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    // the two fixpoints of the shape, in their order
    let greatest = squeezed.find("nu X")?;
    let inner = greatest + squeezed[greatest..].find("nu Y").or_else(|| squeezed[greatest..].find("mu Z"))?;
    squeezed[inner..].find("mu Z")?;
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
        assert_eq!(use_def("mu Z. p | <>Z"), None);
        assert_eq!(use_def(""), None);
    }
}
