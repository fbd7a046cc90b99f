//! Where the values of variables lie in the bits of a state.
//!
//! A value is kept as its place in the domain of its variable, in as few bits as that takes; `EXIT`
//! comes after all others. A state is as many bits as its variables take, in one word of 32 or 64
//! bits where they fit.

use crate::ir::{Domain, EXIT, Expr, ExprId, SYMBOLS, Structure, Variable, VariableId, VariableKind};
use loris_base::Idx;

/// The bits of a state.
pub(super) trait Bits: Copy + Ord + std::hash::Hash + Send + Sync + std::fmt::Debug + 'static {
    fn none() -> Self;
    fn word(&self, number: u32) -> u64;
    fn add(&mut self, number: u32, bits: u64);
    fn mixed(&self) -> u64;
    /// The bits that are in both.
    fn both(&self, other: &Self) -> Self;
}

/// Spreads the known values of a state over all bits.
#[inline]
fn mix(word: u64) -> u64 {
    let word = (word ^ word >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    word ^ word >> 29
}

impl Bits for u32 {
    fn none() -> Self {
        0
    }
    #[inline]
    fn word(&self, _: u32) -> u64 {
        u64::from(*self)
    }
    #[inline]
    fn add(&mut self, _: u32, bits: u64) {
        *self |= bits as u32;
    }
    #[inline]
    fn mixed(&self) -> u64 {
        mix(u64::from(*self))
    }
    #[inline]
    fn both(&self, other: &Self) -> Self {
        self & other
    }
}

impl<const N: usize> Bits for [u64; N] {
    fn none() -> Self {
        [0; N]
    }
    #[inline]
    fn word(&self, number: u32) -> u64 {
        self[number as usize]
    }
    #[inline]
    fn add(&mut self, number: u32, bits: u64) {
        self[number as usize] |= bits;
    }
    #[inline]
    fn mixed(&self) -> u64 {
        self.iter().fold(0, |hash, &word| mix(hash.rotate_left(5) ^ word))
    }
    #[inline]
    fn both(&self, other: &Self) -> Self {
        std::array::from_fn(|i| self[i] & other[i])
    }
}

/// Where a variable is.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    pub(crate) variable: VariableId,
    pub(super) word: u32,
    pub(super) shift: u32,
    pub(super) mask: u64,
    pub(super) codes: Codes,
}

/// Values and their places in a domain.
#[derive(Clone, Debug)]
pub(crate) struct Codes {
    /// how many values there are, without `EXIT`
    pub(super) size: u64,
    low: i64,
    /// the values, where they are not a range
    values: Vec<i64>,
    /// by value, its place; where they are not a range, and lie close
    places: Vec<u32>,
    has_exit: bool,
}

const NOWHERE: u32 = u32::MAX;

impl Codes {
    fn new(domain: &Domain, has_exit: bool) -> Self {
        let range = |low: i64, high: i64| (low, high.wrapping_sub(low).cast_unsigned() + 1);
        let (low, size) = match domain {
            Domain::Boolean => range(0, 1),
            Domain::Range(low, high) => range(*low, *high),
            Domain::Word { signed: false, width } => range(0, (1 << width) - 1),
            Domain::Word { signed: true, width } => range(-(1 << (width - 1)), (1 << (width - 1)) - 1),
            Domain::Enumeration(values) => {
                let mut codes = Self {
                    size: values.len() as u64,
                    low: values.iter().copied().min().unwrap_or(0),
                    values: values.clone(),
                    places: Vec::new(),
                    has_exit,
                };
                let high = values.iter().copied().max().unwrap_or(0);
                let width = high.wrapping_sub(codes.low).cast_unsigned();
                if width < 8 * codes.size + 64 {
                    codes.places = vec![NOWHERE; width as usize + 1];
                    for (place, value) in values.iter().enumerate() {
                        let slot = &mut codes.places[value.wrapping_sub(codes.low).cast_unsigned() as usize];
                        // a value that comes twice is the first of them
                        if *slot == NOWHERE {
                            *slot = place as u32;
                        }
                    }
                }
                return codes;
            }
        };
        Self { size, low, values: Vec::new(), places: Vec::new(), has_exit }
    }

    /// How many values there are, with `EXIT`.
    pub(super) fn all(&self) -> u64 {
        self.size + u64::from(self.has_exit)
    }

    /// The value at a place.
    #[inline]
    pub(super) fn value(&self, place: u64) -> i64 {
        if place >= self.size {
            EXIT
        } else if self.values.is_empty() {
            self.low.wrapping_add(place.cast_signed())
        } else {
            self.values[place as usize]
        }
    }

    /// The place of a value, if it is one.
    #[inline]
    pub(super) fn place(&self, value: i64) -> Option<u64> {
        if value == EXIT {
            return self.has_exit.then_some(self.size);
        }
        let offset = value.wrapping_sub(self.low).cast_unsigned();
        if self.values.is_empty() {
            return (offset < self.size).then_some(offset);
        }
        if self.places.is_empty() {
            let found = self.values.iter().position(|&other| other == value);
            return found.map(|place| place as u64);
        }
        let place = *self.places.get(offset as usize)?;
        (place != NOWHERE).then_some(u64::from(place))
    }
}

/// Where all variables are.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    /// those of states, in order
    pub(crate) fields: Vec<Field>,
    /// how many words of 64 bits a state takes
    pub(super) words: u32,
    /// how many bits the last of them has
    pub(super) last: u32,
    /// values of inputs, by variable
    pub(crate) inputs: Vec<(VariableId, Codes)>,
    /// by variable, its place in `fields`
    pub(super) field_of: Vec<u32>,
}

impl Layout {
    /// Monitors that nothing asks for have no place.
    pub(crate) fn of(structure: &Structure, asked: impl Iterator<Item = ExprId>, has_exit: bool) -> Self {
        let is_used = used(structure, asked);
        let mut layout = Self {
            fields: Vec::new(),
            words: 1,
            last: 0,
            inputs: Vec::new(),
            field_of: vec![NOWHERE; structure.variables.len()],
        };
        // monitors last, by name: evidence must not depend on the order in which properties were
        // asked
        let mut order: Vec<VariableId> = structure.variables.ids().filter(|id| is_used[id.index()]).collect();
        let monitor =
            |id: &VariableId| Some(&structure.variables[*id]).filter(|variable| variable.is_monitor);
        order.sort_by_key(|id| monitor(id).map(|variable| &*variable.name));
        for id in order {
            let Variable { kind, domain, .. } = &structure.variables[id];
            if *kind == VariableKind::Input {
                layout.inputs.push((id, Codes::new(domain, false)));
                continue;
            }
            let codes = Codes::new(domain, has_exit);
            let bits = u64::BITS - (codes.all() - 1).leading_zeros();
            if layout.last + bits > u64::BITS {
                layout.words += 1;
                layout.last = 0;
            }
            layout.field_of[id.index()] = layout.fields.len() as u32;
            layout.fields.push(Field {
                variable: id,
                word: layout.words - 1,
                shift: layout.last.min(63),
                mask: if bits == 0 { 0 } else { u64::MAX >> (64 - bits) },
                codes,
            });
            layout.last += bits;
        }
        layout
    }

    /// Writes the values of a state into slots.
    #[inline]
    pub(super) fn unpack<B: Bits>(&self, state: &B, slots: &mut [i64]) {
        for field in &self.fields {
            slots[field.variable.index()] = field.codes.value(field.place(state));
        }
    }
}

impl Field {
    /// The place of the variable's value.
    #[inline]
    pub(super) fn place<B: Bits>(&self, state: &B) -> u64 {
        state.word(self.word) >> self.shift & self.mask
    }

    /// The value of the variable.
    pub(super) fn value<B: Bits>(&self, state: &B) -> i64 {
        self.codes.value(self.place(state))
    }
}

/// By variable, whether it belongs to the model, or is a monitor that some condition is about, or
/// such a monitor is.
fn used(structure: &Structure, asked: impl Iterator<Item = ExprId>) -> Vec<bool> {
    let mut used: Vec<bool> = structure.variables.iter().map(|variable| !variable.is_monitor).collect();
    if used.iter().all(|&used| used) {
        return used;
    }
    let mut seen = vec![false; structure.exprs.len()];
    let mut left: Vec<ExprId> = asked.collect();
    while let Some(expr) = left.pop() {
        if std::mem::replace(&mut seen[expr.index()], true) {
            continue;
        }
        let node = structure.exprs.get(expr);
        if let Expr::Variable(variable) = *node
            && !std::mem::replace(&mut used[variable.index()], true)
        {
            let variable = &structure.variables[variable];
            left.extend(variable.next.into_iter().chain(variable.init));
        }
        node.operands(|operand| left.push(operand));
    }
    used
}

/// How a value is written.
pub(crate) fn print(symbols: &[String], domain: &Domain, value: i64) -> String {
    if value == EXIT {
        return "EXIT".to_owned();
    }
    if let Some(symbol) = symbols.get(value.wrapping_sub(SYMBOLS).cast_unsigned() as usize) {
        return symbol.clone();
    }
    match domain {
        Domain::Boolean => if value == 0 { "FALSE" } else { "TRUE" }.to_owned(),
        Domain::Word { signed: false, width } => format!("0ud{width}_{value}"),
        Domain::Word { signed: true, width } => {
            format!("{}0sd{width}_{}", if value < 0 { "-" } else { "" }, value.unsigned_abs())
        }
        Domain::Range(..) | Domain::Enumeration(_) => value.to_string(),
    }
}

/// The value that [`print()`] writes as `text`. A range is not searched: it may have 2⁴⁰ values.
pub(crate) fn parse(symbols: &[String], domain: &Domain, text: &str) -> Option<i64> {
    let is_printed = |value: &i64| print(symbols, domain, *value) == text;
    let value = match domain {
        Domain::Boolean => Some(i64::from(text == "TRUE")),
        Domain::Range(..) => text.parse().ok(),
        Domain::Word { signed, width } => {
            let prefix = format!("0{}d{width}_", if *signed { 's' } else { 'u' });
            // the sign comes before the prefix
            text.replacen(&prefix, "", 1).parse().ok()
        }
        Domain::Enumeration(values) => values.iter().copied().find(is_printed),
    };
    // `007` and `+7` are numbers, but no value is printed like that
    value.filter(is_printed).or_else(|| (text == "EXIT").then_some(EXIT))
}
