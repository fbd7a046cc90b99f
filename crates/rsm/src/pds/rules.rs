//! The rules of a system, six words each: a system has millions of them.

use super::{Control, PdsRule, StackSymbol, StackWord};
use crate::ids::NONE;
use loris_base::{Budget, Exhausted, Idx};

/// A list of rules.
///
/// ```
/// use loris_rsm::read_pds;
/// let pds = read_pds("(q <a>)\nq <a> --> q <b>\nq <b> --> q <>\n").unwrap();
/// assert_eq!(pds.rules.iter().map(|rule| rule.offset).collect::<Vec<_>>(), [8, 24]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Rules {
    list: Vec<Packed>,
}

/// A rule as it is kept.
#[derive(Clone, Copy, Debug)]
pub(super) struct Packed {
    pub(super) control: u32,
    pub(super) symbol: u32,
    pub(super) to: u32,
    /// `NONE` for a pop
    pub(super) top: u32,
    /// `NONE` for a pop or a swap
    pub(super) below: u32,
    pub(super) offset: u32,
}

impl Packed {
    fn of(rule: PdsRule) -> Self {
        let (top, below) = match rule.word {
            StackWord::Pop => (NONE, NONE),
            StackWord::Swap(top) => (top.index() as u32, NONE),
            StackWord::Push(top, below) => (top.index() as u32, below.index() as u32),
        };
        let (control, symbol, to) =
            (rule.control.index() as u32, rule.symbol.index() as u32, rule.to.index() as u32);
        Self { control, symbol, to, top, below, offset: rule.offset }
    }

    fn rule(self) -> PdsRule {
        let symbol = |number: u32| StackSymbol::new(number as usize);
        let word = match (self.top, self.below) {
            (NONE, _) => StackWord::Pop,
            (top, NONE) => StackWord::Swap(symbol(top)),
            (top, below) => StackWord::Push(symbol(top), symbol(below)),
        };
        PdsRule {
            control: Control::new(self.control as usize),
            symbol: symbol(self.symbol),
            to: Control::new(self.to as usize),
            word,
            offset: self.offset,
        }
    }
}

impl Rules {
    /// How many rules there are.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// All rules, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = PdsRule> + Clone + '_ {
        self.list.iter().map(|rule| rule.rule())
    }

    /// The rule of this number.
    ///
    /// # Panics
    /// If there is no such rule.
    pub fn get(&self, number: usize) -> PdsRule {
        self.list[number].rule()
    }

    /// Adds a rule.
    #[inline]
    pub fn push(&mut self, rule: PdsRule) {
        self.list.push(Packed::of(rule));
    }

    /// Adds a rule as it is kept.
    #[inline]
    pub(super) fn add(&mut self, rule: Packed) {
        self.list.push(rule);
    }

    /// Replaces the symbols a rule puts on the stack.
    pub(super) fn set_word(&mut self, number: usize, word: StackWord) {
        self.list[number] = Packed::of(PdsRule { word, ..self.get(number) });
    }

    /// All rules as they are kept.
    pub(super) fn packed(&self) -> &[Packed] {
        &self.list
    }

    /// Gives back room for more rules.
    pub(super) fn shrink_to_fit(&mut self) {
        self.list.shrink_to_fit();
    }

    /// The bytes of this many more rules and of those there are.
    pub(super) fn bytes_ahead(&self, more: usize) -> usize {
        size_of::<Packed>() * (self.list.len() + more)
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        size_of::<Packed>() * self.list.capacity()
    }

    /// The rules in such an order that those of one symbol are together, by control state, else in
    /// the order in which they are; and from where to where those of each symbol are. Linear, but
    /// for rules of one symbol that are not in order.
    pub(super) fn by_head(
        self,
        symbols: usize,
        budget: &mut Budget,
    ) -> Result<(Vec<Packed>, Vec<Range>), Exhausted> {
        let mut list = self.list;
        budget.charge(size_of::<Range>() * symbols)?;
        budget.spend(list.len())?;
        let ranges = if let Some(ranges) = together(&list, symbols) {
            ranges
        } else {
            let bytes = size_of::<Packed>() * list.len();
            budget.charge(bytes)?;
            let (sorted, ranges) = put_together(&list, symbols);
            list = sorted;
            budget.release(bytes);
            ranges
        };
        for range in &ranges {
            let rules = &mut list[range.start as usize..range.end as usize];
            if !rules.is_sorted_by_key(|rule| rule.control) {
                rules.sort_by_key(|rule| rule.control);
            }
        }
        Ok((list, ranges))
    }
}

/// From where to where the rules of a symbol are.
#[derive(Clone, Copy, Default)]
pub(super) struct Range {
    pub(super) start: u32,
    pub(super) end: u32,
}

/// Where the rules of each symbol are, if they are together.
fn together(list: &[Packed], symbols: usize) -> Option<Vec<Range>> {
    let mut ranges = vec![Range::default(); symbols];
    for (i, rule) in list.iter().enumerate() {
        let range = &mut ranges[rule.symbol as usize];
        if range.end == 0 {
            range.start = i as u32;
        } else if range.end != i as u32 {
            return None;
        }
        range.end = i as u32 + 1;
    }
    Some(ranges)
}

/// The rules of each symbol together, symbols in the order of their first rules: most rules stay
/// near where they are.
fn put_together(list: &[Packed], symbols: usize) -> (Vec<Packed>, Vec<Range>) {
    let mut ranges = vec![Range::default(); symbols];
    let mut order = Vec::new();
    for rule in list {
        let range = &mut ranges[rule.symbol as usize];
        if range.end == 0 {
            order.push(rule.symbol);
        }
        range.end += 1;
    }
    let mut next = 0;
    for symbol in order {
        let range = &mut ranges[symbol as usize];
        let count = range.end;
        // the end is where the next rule goes
        (range.start, range.end) = (next, next);
        next += count;
    }
    let empty = Packed { control: 0, symbol: 0, to: 0, top: 0, below: 0, offset: 0 };
    let mut sorted = vec![empty; list.len()];
    for rule in list {
        let range = &mut ranges[rule.symbol as usize];
        sorted[range.end as usize] = *rule;
        range.end += 1;
    }
    (sorted, ranges)
}

impl Extend<PdsRule> for Rules {
    fn extend<I: IntoIterator<Item = PdsRule>>(&mut self, rules: I) {
        self.list.extend(rules.into_iter().map(Packed::of));
    }
}

impl FromIterator<PdsRule> for Rules {
    fn from_iter<I: IntoIterator<Item = PdsRule>>(rules: I) -> Self {
        Self { list: rules.into_iter().map(Packed::of).collect() }
    }
}
