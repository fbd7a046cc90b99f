//! What earlier runs found, so that a second run costs what changed.
//!
//! A file keeps two kinds of results. The *whole* result of a run stands for the contents of all
//! class files and archives, byte for byte, and for the question. A *unit*, the objects of one
//! class, stands for what was looked at while they were judged: classes with all that is known of
//! their calls and exceptions, lists of subtypes, and names that no class had
//! (`objects/environment.rs` makes these comparable). A unit is taken from the file only if
//! all of it is the same, by hashes of 128 bits, so that the result is that of a run without the
//! file. What a limit kept from being decided is not kept.
//!
//! The question is the build of the program, the rules with their definitions, models and options.
//! A file about another question, one that is damaged, and one of another version are as good as
//! none. Files are written under another name and then renamed: of two runs at once, one of the two
//! results stays. Whoever can write the file can make Loris report what they like, or nothing.

mod file;

use loris_base::Budget;
use loris_findings::{Finding, Packer, Undecided, Unpacker};
use loris_java::ClassOrigin;
use rustc_hash::FxHashMap;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// A hash of contents.
pub(crate) type Hash = [u8; 16];

/// The hash of a text.
pub(crate) fn hash_of(text: &str) -> Hash {
    hash(Sha256::new().chain_update(text))
}

/// The first bytes of a digest.
pub(crate) fn hash(digest: Sha256) -> Hash {
    let mut hash = Hash::default();
    hash.copy_from_slice(&digest.finalize()[..16]);
    hash
}

/// Where results are kept between runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CacheOptions {
    /// The folder; it is made if it is not there.
    pub folder: PathBuf,
    /// What identifies the program that judges, with all that is linked into it: results of another
    /// one do not count.
    pub build: String,
}

impl CacheOptions {
    /// Results in a folder, for the program that is running.
    ///
    /// # Errors
    /// The file of the program cannot be read.
    pub fn of_this_program(folder: PathBuf) -> std::io::Result<Self> {
        let mut digest = Sha256::new();
        let mut file = std::fs::File::open(std::env::current_exe()?)?;
        let mut buffer = vec![0; 1 << 18];
        loop {
            match std::io::Read::read(&mut file, &mut buffer)? {
                0 => break,
                count => digest.update(&buffer[..count]),
            }
        }
        let version = env!("CARGO_PKG_VERSION");
        Ok(Self { folder, build: format!("{version} {}", hexadecimal(&hash(digest))) })
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    let digit = |value: u8| char::from_digit(value.into(), 16).expect("four bits are a digit");
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

/// Something that was looked at, and how it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Looked {
    /// A class.
    Class(Hash),
    /// The direct subtypes of a class.
    Subtypes(Hash),
    /// The classes that share the outermost class with a class.
    Near(Hash),
    /// No class has the name.
    Absent,
}

/// The name that something was looked at under, and how it was.
pub(crate) type Fact = (Arc<str>, Looked);

/// A result that depends on some facts.
#[derive(Clone, Debug)]
pub(crate) struct Unit {
    /// The numbers of the facts; classes in the order of the program.
    pub(crate) facts: Vec<u32>,
    /// The order of the names that the classes use.
    pub(crate) order: u64,
    /// The result.
    pub(crate) content: Arc<[u8]>,
}

/// Units, and the facts that they share.
#[derive(Debug, Default)]
pub(crate) struct Units {
    pub(crate) facts: Vec<Fact>,
    pub(crate) units: BTreeMap<Hash, Unit>,
}

/// The whole result of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Whole {
    /// Counts that reports show.
    pub(crate) counts: [u64; 3],
    pub(crate) escaped: u64,
    pub(crate) undecided: Vec<Undecided>,
    pub(crate) findings: Vec<Finding>,
}

/// What was read from a file, and what is to be written into it.
#[derive(Debug)]
pub(crate) struct Cache {
    path: PathBuf,
    question: Hash,
    /// the contents of the files of the whole result, and its bytes
    whole: Option<(Hash, Arc<[u8]>)>,
    /// what an earlier run left
    pub(crate) old: Units,
    new: Mutex<New>,
}

#[derive(Debug, Default)]
struct New {
    numbers: FxHashMap<Fact, u32>,
    units: Units,
}

impl Cache {
    /// Reads what was kept for a question about a program, if anything was, from the file of the
    /// folder with this name.
    pub(crate) fn open(folder: &Path, name: &Hash, question: Hash, budget: &mut Budget) -> Self {
        let path = folder.join(format!("{}.java", hexadecimal(name)));
        let kept = file::read(&path, &question, budget).unwrap_or_default();
        Self { path, question, whole: kept.whole, old: kept.units, new: Mutex::default() }
    }

    /// The whole result for these contents, if that is what was kept.
    pub(crate) fn whole(&self, contents: &Hash) -> Option<Whole> {
        let (known, bytes) = self.whole.as_ref()?;
        (known == contents).then(|| Whole::unpacked(bytes)).flatten()
    }

    /// Keeps a unit.
    pub(crate) fn keep(
        &self,
        key: Hash,
        facts: impl IntoIterator<Item = Fact>,
        order: u64,
        content: Arc<[u8]>,
    ) {
        let New { numbers, units } = &mut *self.new.lock().unwrap_or_else(PoisonError::into_inner);
        let of = facts.into_iter().map(|fact| {
            *numbers.entry(fact).or_insert_with_key(|fact| {
                units.facts.push(fact.clone());
                units.facts.len() as u32 - 1
            })
        });
        let facts = of.collect();
        units.units.insert(key, Unit { facts, order, content });
    }

    /// Writes what is to be kept: all units that were met, and the whole result for some contents,
    /// if there is one that can be kept.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(crate) fn save(self, whole: Option<(Hash, &Whole)>) -> std::io::Result<()> {
        let New { units, .. } = self.new.into_inner().unwrap_or_else(PoisonError::into_inner);
        let whole = whole.and_then(|(contents, whole)| Some((contents, whole.packed()?)));
        file::write(&self.path, &self.question, &file::Kept { whole, units })
    }

    /// The file that results are kept in.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

/// The hash of contents of files, in their order.
pub(crate) fn contents<'f>(files: impl Iterator<Item = (&'f str, ClassOrigin, &'f [u8])>) -> Hash {
    let mut digest = Sha256::new();
    for (path, origin, bytes) in files {
        for part in [path.as_bytes(), format!("{origin:?}").as_bytes(), bytes] {
            digest.update((part.len() as u64).to_le_bytes());
            digest.update(part);
        }
    }
    hash(digest)
}

impl Whole {
    fn packed(&self) -> Option<Arc<[u8]>> {
        let Self { counts, escaped, undecided, findings } = self;
        let mut packer = Packer::default();
        counts.iter().chain([escaped]).for_each(|&count| packer.number(count));
        packer.list(undecided, Packer::undecided);
        let mut is_whole = true;
        packer.list(findings, |packer, finding| is_whole &= packer.finding(finding));
        is_whole.then(|| packer.finish().into())
    }

    fn unpacked(bytes: &[u8]) -> Option<Self> {
        let mut unpacker = Unpacker::new(bytes);
        let counts = [unpacker.number()?, unpacker.number()?, unpacker.number()?];
        let escaped = unpacker.number()?;
        let undecided = unpacker.list(Unpacker::undecided)?;
        let findings = unpacker.list(Unpacker::finding)?;
        unpacker.is_done().then_some(Self { counts, escaped, undecided, findings })
    }
}

#[cfg(test)]
mod tests;
