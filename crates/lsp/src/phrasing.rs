//! The words of an editor for problems.

use loris_base::Remedy;
use loris_load::Words;
use loris_logic::{IN_CTL_STAR, IN_LTL, LINEAR, QUANTIFIERS};

/// What an editor's user can do about problems.
pub(crate) fn words() -> Words {
    Words {
        ask: "write a formula on a line",
        which_format: |_| "its extension names its format".to_owned(),
        unknown_atoms: "`loris check --unknown-atoms false` takes it to be false everywhere",
        remedy,
        ..Words::default()
    }
}

fn remedy(remedy: Remedy) -> String {
    match remedy {
        IN_LTL => "as it is, the formula is one of ltl: a file with the extension .ltl takes it".to_owned(),
        IN_CTL_STAR | QUANTIFIERS => {
            "as it is, the formula is one of ctl*: a file with the extension .ctlstar takes it".to_owned()
        }
        LINEAR => "as it is, it is a formula of ltl: a file with the extension .ltl takes it".to_owned(),
        other => other.to_string(),
    }
}
