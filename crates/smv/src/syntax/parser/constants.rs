//! The values of numbers and words.

use super::super::ast::Expr;
use super::Parser;

/// Numbers stay below this, so that sums do not leave 64 bits.
const LIMIT: i64 = 1 << 62;
const WIDEST: u32 = 64;

impl Parser<'_, '_> {
    /// The number at hand. A problem with it does not end the expression.
    pub(super) fn number(&mut self) -> i64 {
        let number = self.word().parse().ok().filter(|number| *number < LIMIT);
        number.unwrap_or_else(|| {
            let problem = self.error_here("this number is too large");
            self.problems.push(problem.help("numbers are less than 2^62"));
            0
        })
    }

    /// The constant at hand. A problem with it does not end the expression.
    pub(super) fn word_constant(&mut self) -> Expr {
        word_value(self.word()).unwrap_or_else(|(message, help)| {
            let mut problem = self.error_here(message);
            problem.help = help.map(str::to_owned);
            self.problems.push(problem);
            Expr::Word { signed: false, width: 1, bits: 0 }
        })
    }
}

type Problem = (String, Option<&'static str>);

/// The value of `0sd8_-3`: sign, base, width, digits.
fn word_value(text: &str) -> Result<Expr, Problem> {
    let rest = &text[1..];
    let signed = rest.starts_with('s');
    let rest = rest.trim_start_matches(['u', 's']);
    let (base, rest) = rest.split_at(1);
    let (width, digits) = rest.split_once('_').unwrap_or((rest, ""));
    let (radix, bits_each) = match base {
        "b" | "B" => (2, 1),
        "o" | "O" => (8, 3),
        "h" | "H" => (16, 4),
        _ => (10, 0),
    };
    let negative = digits.starts_with('-');
    if negative && !(signed && radix == 10) {
        let help = "only signed decimal constants have a sign, such as `0sd8_-3`";
        return Err((format!("`{text}` has a sign in its digits"), Some(help)));
    }
    let digits = digits.trim_start_matches('-').replace('_', "");
    let width = if !width.is_empty() {
        width.parse().unwrap_or(u32::MAX)
    } else if bits_each > 0 {
        u32::try_from(digits.len()).unwrap_or(u32::MAX).saturating_mul(bits_each)
    } else {
        return Err((format!("`{text}` has no width"), Some("write the width before the `_`: `0ud8_12`")));
    };
    if width == 0 {
        return Err((format!("`{text}` has no bits"), Some("the width is at least 1")));
    }
    if width > WIDEST {
        return Err((format!("words of more than {WIDEST} bits are not supported"), None));
    }
    let mut value: u128 = 0;
    for digit in digits.chars() {
        let Some(digit) = digit.to_digit(radix) else {
            return Err((format!("`{digit}` is not a digit in base {radix}"), None));
        };
        value = value.saturating_mul(u128::from(radix)).saturating_add(u128::from(digit));
    }
    let fits = match (signed, radix) {
        // as in NuSMV, the magnitude of the least value is a constant, so that it can be negated
        (true, 10) => value <= 1 << (width - 1),
        _ => value < 1 << width,
    };
    if !fits {
        return Err((format!("`{text}` does not fit into {width} bits"), None));
    }
    let mask = u64::MAX >> (WIDEST - width);
    let value = value as u64;
    let bits = if negative { value.wrapping_neg() & mask } else { value };
    Ok(Expr::Word { signed, width, bits })
}
