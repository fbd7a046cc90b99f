//! Names, each kept once, and the nearest of them to a misspelt one.

crate::id! {
    /// An interned name.
    pub struct Symbol;
}

use crate::Idx;

/// The longest name that readers take, in bytes: longer ones are in a file by mistake.
pub const LONGEST_NAME: usize = 1 << 20;

/// An interner: all names in one string, found by hash.
///
/// The table is open and probed in line. A slot holds the hash beside the symbol, so that a name is
/// looked at only if it is almost surely the one, and never when the table grows.
///
/// ```
/// use loris_base::Names;
/// let mut names = Names::default();
/// let a = names.intern("a");
/// assert_eq!(names.intern("a"), a);
/// assert_eq!(&names[a], "a");
/// assert_eq!(names.find("b"), None);
/// ```
#[derive(Clone, Default)]
pub struct Names {
    text: String,
    ends: Vec<u32>,
    /// (hash, symbol), `FREE` where there is none; a power of two, at least a quarter of them free
    slots: Vec<(u32, u32)>,
}

const FREE: (u32, u32) = (0, u32::MAX);
const FEWEST: usize = 16;

/// The longest names of which the words of a key are all there is.
const SHORT: usize = 16;

/// A name in two words and a hash: its first and its last eight bytes, which are all there is of a
/// name of at most sixteen, given its length.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct NameKey {
    first: u64,
    last: u64,
    hash: u32,
}

impl NameKey {
    /// The first and the last eight bytes of a name, which are all of a name of at most sixteen,
    /// given its length.
    #[inline]
    pub fn words(name: &[u8]) -> (u64, u64) {
        let word = |bytes: &[u8; 8]| u64::from_le_bytes(*bytes);
        let half = |bytes: &[u8; 4]| u64::from(u32::from_le_bytes(*bytes));
        match (name.first_chunk(), name.last_chunk()) {
            (Some(first), Some(last)) => (word(first), word(last)),
            _ => match (name.first_chunk(), name.last_chunk()) {
                (Some(first), Some(last)) => (half(first) | half(last) << 32, 0),
                _ => (name.iter().fold(0, |word, &byte| word << 8 | u64::from(byte)), 0),
            },
        }
    }

    /// The key of a name.
    #[inline]
    pub fn of(name: &[u8]) -> Self {
        let (first, last) = Self::words(name);
        let mut hash = mixed(first ^ SEEDS[0], last ^ SEEDS[1] ^ name.len() as u64);
        if let Some(middle) = name.get(8..name.len().saturating_sub(8))
            && name.len() > 16
        {
            for chunk in middle.chunks(8) {
                let next = chunk.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte));
                hash = mixed(hash ^ next, SEEDS[0]);
            }
        }
        Self { first, last, hash: (hash >> 32) as u32 }
    }

    /// A hash of the name.
    #[inline]
    pub fn hash(self) -> u32 {
        self.hash
    }
}

/// Odd numbers without a pattern.
const SEEDS: [u64; 2] = [0x9e37_79b9_7f4a_7c15, 0xd1b5_4a32_d192_ed03];

/// Both halves of a product, which depends on every bit of both factors.
#[inline]
fn mixed(one: u64, other: u64) -> u64 {
    let product = u128::from(one) * u128::from(other);
    product as u64 ^ (product >> 64) as u64
}

/// Hashes that are looked up together.
pub const TOGETHER: usize = 128;

impl Names {
    /// The symbol of a name, new or old.
    ///
    /// # Panics
    /// When all names together pass 4 GiB.
    pub fn intern(&mut self, name: &str) -> Symbol {
        self.intern_key(NameKey::of(name.as_bytes()), name)
    }

    /// The symbol of a name with this key, new or old.
    ///
    /// # Panics
    /// When all names together pass 4 GiB.
    pub fn intern_key(&mut self, key: NameKey, name: &str) -> Symbol {
        match self.probe(key, name.as_bytes()) {
            Ok(symbol) => symbol,
            Err(slot) => self.insert(slot, key.hash, name),
        }
    }

    /// Touches the memory that the lookups of some hashes will read, one kind of place after the
    /// other: the processor waits for memory once for all of them, not three times for each.
    pub fn look_ahead(&self, hashes: impl Iterator<Item = u32>) {
        // small tables are near anyway
        if self.slots.len() < 1 << 14 {
            return;
        }
        let mask = self.slots.len() - 1;
        let (mut found, mut count) = ([0u32; TOGETHER], 0);
        for hash in hashes.take(TOGETHER) {
            let (other, symbol) = self.slots[hash as usize & mask];
            // without a branch that would wait for the slot
            found[count] = symbol.wrapping_sub(1);
            count += usize::from(other == hash);
        }
        let mut seen = 0;
        for place in &mut found[..count] {
            *place = self.ends.get(*place as usize).copied().unwrap_or(0);
            seen ^= *place;
        }
        for &place in &found[..count] {
            seen ^= u32::from(self.text.as_bytes().get(place as usize).copied().unwrap_or(0));
        }
        std::hint::black_box(seen);
    }

    /// The symbol of a name that was interned.
    pub fn find(&self, name: &str) -> Option<Symbol> {
        self.find_bytes(name.as_bytes())
    }

    /// The symbol of a name that was interned, by bytes that need not be checked to be UTF-8.
    pub fn find_bytes(&self, name: &[u8]) -> Option<Symbol> {
        self.find_key(NameKey::of(name), name)
    }

    /// The same for a name with this key.
    pub fn find_key(&self, key: NameKey, name: &[u8]) -> Option<Symbol> {
        self.probe(key, name).ok()
    }

    /// Whether a symbol is that of a name.
    #[inline]
    pub fn is(&self, symbol: Symbol, name: &[u8]) -> bool {
        self.text.as_bytes()[self.range(symbol.index())] == *name
    }

    /// Whether a symbol is that of a name with this key, which is all that is looked at of a short
    /// one.
    #[inline]
    pub fn has_key(&self, symbol: Symbol, key: NameKey, name: &[u8]) -> bool {
        let text = &self.text.as_bytes()[self.range(symbol.index())];
        if name.len() > SHORT {
            return text == name;
        }
        text.len() == name.len() && NameKey::words(text) == (key.first, key.last)
    }

    /// The symbol of a name, or the slot where it belongs.
    #[inline]
    fn probe(&self, key: NameKey, name: &[u8]) -> Result<Symbol, usize> {
        let hash = key.hash;
        let Some(mask) = self.slots.len().checked_sub(1) else { return Err(0) };
        let mut slot = hash as usize & mask;
        loop {
            let (other, symbol) = self.slots[slot];
            if (other, symbol) == FREE {
                return Err(slot);
            }
            let symbol = Symbol::new(symbol as usize);
            if other == hash && self.has_key(symbol, key, name) {
                return Ok(symbol);
            }
            slot = (slot + 1) & mask;
        }
    }

    fn insert(&mut self, mut slot: usize, hash: u32, name: &str) -> Symbol {
        let symbol = Symbol::new(self.ends.len());
        if 4 * (self.ends.len() + 1) > 3 * self.slots.len() {
            self.grow();
            slot = free_slot(&self.slots, hash);
        }
        self.text.push_str(name);
        self.ends.push(u32::try_from(self.text.len()).expect("all names together stay under 4 GiB"));
        self.slots[slot] = (hash, symbol.index() as u32);
        symbol
    }

    #[cold]
    fn grow(&mut self) {
        let mut slots = vec![FREE; (2 * self.slots.len()).max(FEWEST)];
        for &(hash, symbol) in self.slots.iter().filter(|&&slot| slot != FREE) {
            let slot = free_slot(&slots, hash);
            slots[slot] = (hash, symbol);
        }
        self.slots = slots;
    }

    #[inline]
    fn range(&self, i: usize) -> std::ops::Range<usize> {
        let start = if i == 0 { 0 } else { self.ends[i - 1] as usize };
        start..self.ends[i] as usize
    }

    /// How many names there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.text.capacity() + 4 * self.ends.capacity() + size_of::<(u32, u32)>() * self.slots.capacity()
    }

    /// Bytes that may be held after some more names with so much text: the table doubles when it is
    /// full, and is copied then.
    pub fn bytes_ahead(&self, names: usize, text: usize) -> usize {
        let mut table = self.slots.len().max(FEWEST);
        let mut copied = 0;
        while 4 * (self.ends.len() + names) > 3 * table {
            copied = table;
            table *= 2;
        }
        self.text.len() + text + 4 * (self.ends.len() + names) + size_of::<(u32, u32)>() * (table + copied)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// All names, one after the other.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// All names, in the order they came.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).map(|i| &self[Symbol::new(i)])
    }

    /// Forgets all names and keeps the memory for others.
    pub fn clear(&mut self) {
        self.text.clear();
        self.ends.clear();
        self.slots.fill(FREE);
    }

    /// Gives back memory that was reserved for more names.
    pub fn shrink_to_fit(&mut self) {
        self.text.shrink_to_fit();
        self.ends.shrink_to_fit();
    }
}

/// The names that were looked up last: a few, by their keys, so that a short one is found without a
/// look at its text.
#[derive(Clone, Debug)]
pub struct RecentNames {
    slots: Vec<(NameKey, u32, u32)>,
}

const RECENT: usize = 2048;

impl Default for RecentNames {
    fn default() -> Self {
        // a name that is nowhere: too long for a text of its own
        Self { slots: vec![(NameKey::default(), u32::MAX, 0); RECENT] }
    }
}

impl RecentNames {
    /// The symbol of a name with this key, if it is one of them.
    #[inline]
    pub fn find(&self, key: NameKey, name: &[u8], names: &Names) -> Option<Symbol> {
        let (other, length, symbol) = self.slots[key.hash as usize % RECENT];
        let symbol = Symbol::new(symbol as usize);
        let same = other == key && length as usize == name.len();
        (same && (name.len() <= SHORT || names.is(symbol, name))).then_some(symbol)
    }

    /// Notes that a name with this key was looked up.
    #[inline]
    pub fn add(&mut self, key: NameKey, length: usize, symbol: Symbol) {
        self.slots[key.hash as usize % RECENT] = (key, length as u32, symbol.index() as u32);
    }
}

/// Names by number only, without the table that finds them: as long as their text and four bytes
/// each.
///
/// ```
/// use loris_base::{NameList, Names};
/// let mut names = Names::default();
/// let a = names.intern("a");
/// let mut list = NameList::from(names);
/// let b = list.push("b");
/// assert_eq!((&list[a], &list[b]), ("a", "b"));
/// ```
#[derive(Clone, Debug, Default)]
pub struct NameList {
    text: String,
    ends: Vec<u32>,
}

impl NameList {
    /// Adds a name, which may be there already.
    ///
    /// # Panics
    /// When all names together pass 4 GiB.
    pub fn push(&mut self, name: &str) -> Symbol {
        self.text.push_str(name);
        self.ends.push(u32::try_from(self.text.len()).expect("all names together stay under 4 GiB"));
        Symbol::new(self.ends.len() - 1)
    }

    /// All names, one after the other.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text of all names, and where each of them ends.
    pub fn into_parts(self) -> (String, Vec<u32>) {
        (self.text, self.ends)
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.text.capacity() + 4 * self.ends.capacity()
    }
}

impl From<Names> for NameList {
    fn from(names: Names) -> Self {
        Self { text: names.text, ends: names.ends }
    }
}

impl std::ops::Index<Symbol> for NameList {
    type Output = str;
    fn index(&self, symbol: Symbol) -> &str {
        let i = symbol.index();
        let start = if i == 0 { 0 } else { self.ends[i - 1] as usize };
        &self.text[start..self.ends[i] as usize]
    }
}

/// The first free slot for a hash.
fn free_slot(slots: &[(u32, u32)], hash: u32) -> usize {
    let mask = slots.len() - 1;
    let mut slot = hash as usize & mask;
    while slots[slot] != FREE {
        slot = (slot + 1) & mask;
    }
    slot
}

impl std::ops::Index<Symbol> for Names {
    type Output = str;
    fn index(&self, symbol: Symbol) -> &str {
        &self.text[self.range(symbol.index())]
    }
}

impl std::fmt::Debug for Names {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// The candidate with the fewest edits from `name`, if it is near enough to be the one that was
/// meant: at most a third of the letters differ. Two neighbours that changed places are one edit.
/// Nothing is near an empty name, and an empty name is never meant. O(|name| · length) per
/// candidate, long names cut short.
///
/// ```
/// assert_eq!(loris_base::nearest("use_j", ["def_i", "use_i"].into_iter()), Some("use_i"));
/// assert_eq!(loris_base::nearest("mian", ["main"].into_iter()), Some("main"));
/// assert_eq!(loris_base::nearest("zebra", ["def_i", "use_i"].into_iter()), None);
/// ```
pub fn nearest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let wanted: Vec<char> = name.chars().take(LONGEST).collect();
    if wanted.is_empty() {
        return None;
    }
    let allowed = (wanted.len() / 3).max(1);
    let mut best: Option<(usize, &str)> = None;
    let mut rows = Rows::default();
    for candidate in candidates.filter(|candidate| !candidate.is_empty()) {
        let limit = best.map_or(allowed + 1, |(distance, _)| distance);
        if candidate.len().abs_diff(name.len()) / 4 >= limit {
            continue;
        }
        let distance = rows.edits::<false>(&wanted, candidate, limit);
        if distance < limit {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// The candidate with the fewest edits from some name that matches a pattern, in which `*` stands
/// for any letters and `?` for one, if it is near enough to be one that was meant: at most a
/// quarter of the letters of the pattern differ. O(|pattern| · length) per candidate, long names
/// cut short.
///
/// ```
/// let names = ["call a.Stream.close", "call a.Stream.read"];
/// assert_eq!(loris_base::nearest_match("call *.cloze", names.into_iter()), Some("call a.Stream.close"));
/// assert_eq!(loris_base::nearest_match("call *.write", names.into_iter()), None);
/// ```
pub fn nearest_match<'a>(pattern: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let wanted: Vec<char> = pattern.chars().take(LONGEST).collect();
    let allowed = wanted.iter().filter(|c| !matches!(c, '*' | '?')).count() / 4;
    let mut best: Option<(usize, &str)> = None;
    let mut rows = Rows::default();
    for candidate in candidates {
        let limit = best.map_or(allowed + 1, |(distance, _)| distance);
        let distance = rows.edits::<true>(&wanted, candidate, limit);
        if distance < limit {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// Letters of a name that are compared.
const LONGEST: usize = 256;

/// Three rows of a table of distances: for the part of the candidate read so far, and for that part
/// without its last letter and without its last two.
#[derive(Default)]
struct Rows {
    row: Vec<usize>,
    one_less: Vec<usize>,
    two_less: Vec<usize>,
}

impl Rows {
    /// Edits between two names, or `limit` as soon as it is known that they are not fewer. The
    /// first may be a pattern.
    fn edits<const PATTERN: bool>(&mut self, wanted: &[char], candidate: &str, limit: usize) -> usize {
        let is_star = |w: char| PATTERN && w == '*';
        let Self { row, one_less, two_less } = self;
        row.clear();
        row.push(0);
        for (j, &w) in wanted.iter().enumerate() {
            row.push(row[j] + usize::from(!is_star(w)));
        }
        let mut last = None;
        for (i, c) in candidate.chars().take(LONGEST).enumerate() {
            std::mem::swap(two_less, one_less);
            std::mem::swap(one_less, row);
            row.clear();
            row.push(i + 1);
            for (j, &w) in wanted.iter().enumerate() {
                if is_star(w) {
                    row.push(row[j].min(one_less[j + 1]));
                    continue;
                }
                let substituted = one_less[j] + usize::from(w != c && !(PATTERN && w == '?'));
                let mut best = substituted.min(row[j] + 1).min(one_less[j + 1] + 1);
                if j > 0 && last == Some(w) && wanted[j - 1] == c {
                    best = best.min(two_less[j - 1] + 1);
                }
                row.push(best);
            }
            // a transposition reaches back two rows
            if row.iter().chain(&*one_less).all(|&distance| distance >= limit) {
                return limit;
            }
            last = Some(c);
        }
        row[wanted.len()]
    }
}

#[cfg(test)]
mod tests {
    use super::{NameKey, Names, RecentNames, nearest, nearest_match};

    fn check(name: &str, candidates: &[&str], expected: Option<&str>) {
        assert_eq!(nearest(name, candidates.iter().copied()), expected, "{name}");
    }

    #[test]
    fn what_is_near() {
        check("mian", &["min", "main"], Some("min"));
        check("mian", &["moon", "main"], Some("main"));
        check("amin", &["main"], Some("main"));
        check("ab", &["ba"], Some("ba"));
        check("abcdef", &["badcef"], Some("badcef"));
        check("abcdef", &["badcfe"], None);
        check("use_jj", &["use_i", "x"], Some("use_i"));
    }

    #[test]
    fn what_is_near_a_pattern() {
        let check = |pattern: &str, candidates: &[&str], expected: Option<&str>| {
            assert_eq!(nearest_match(pattern, candidates.iter().copied()), expected, "{pattern}");
        };
        check("call *cloze*", &["call a.read", "call a.closed"], Some("call a.closed"));
        check(
            "call java.sql.*.clos",
            &["call java.sql.Statement.close"],
            Some("call java.sql.Statement.close"),
        );
        check("thrwo java.io.*", &["throw java.io.E"], Some("throw java.io.E"));
        check("def ?abd", &["def xabc", "def xab"], Some("def xabc"));
        check("*ab*", &["x", "abc"], Some("abc"));
        check("*ab*", &["x", "ac"], None);
        check("call *.open", &["call a.shut", ""], None);
    }

    #[test]
    fn nothing_is_near_nothing() {
        check("a", &[""], None);
        check("", &["a", ""], None);
        check("a", &["", "b"], Some("b"));
    }

    /// Names that differ anywhere have different keys, or at least different hashes most of the
    /// time.
    #[test]
    fn keys_tell_names_apart() {
        let long = "abcdefghijklmnopqrstuvwxyz0123456789".as_bytes();
        let mut keys = std::collections::HashMap::new();
        for length in 0..=long.len() {
            keys.insert((length, NameKey::of(&long[..length])), String::new());
            for place in 0..length {
                let mut name = long[..length].to_vec();
                name[place] ^= 1;
                keys.insert((length, NameKey::of(&name)), String::from_utf8(name).expect("ASCII"));
            }
        }
        assert_eq!(keys.len(), (0..=long.len()).map(|length| length + 1).sum::<usize>());
        let hashes: std::collections::HashSet<_> = keys.keys().map(|(_, key)| key.hash() % 65_536).collect();
        assert!(hashes.len() > keys.len() * 98 / 100, "{} of {}", hashes.len(), keys.len());
    }

    #[test]
    fn recent_names_are_the_names_that_were_added() {
        let (mut names, mut recent) = (Names::default(), RecentNames::default());
        let texts = ["", "a", "seventeen letters", "seventeen_letters", "seventeen-letters"];
        let find = |recent: &RecentNames, names: &Names, text: &str| {
            recent.find(NameKey::of(text.as_bytes()), text.as_bytes(), names)
        };
        for text in texts {
            assert_eq!(find(&recent, &names, text), None, "{text}");
            let symbol = names.intern(text);
            recent.add(NameKey::of(text.as_bytes()), text.len(), symbol);
            assert_eq!(find(&recent, &names, text), Some(symbol), "{text}");
        }
        let hashes = || (0..50_000).map(|i| NameKey::of(format!("n{i}").as_bytes()).hash());
        for i in 0..50_000 {
            names.intern(&format!("n{i}"));
        }
        names.look_ahead(hashes().skip(100));
    }

    #[test]
    fn many_names_are_found_again() {
        let mut names = Names::default();
        let text = |i: usize| if i == 0 { String::new() } else { format!("n{}_{i}", i % 7) };
        let symbols: Vec<_> = (0..5000).map(|i| names.intern(&text(i))).collect();
        for (i, &symbol) in symbols.iter().enumerate() {
            assert_eq!((names.find(&text(i)), &names[symbol]), (Some(symbol), text(i).as_str()));
        }
        assert_eq!((names.len(), names.find("n0_1"), names.find_bytes(b"\xff")), (5000, None, None));
    }
}
