//! The files of the cache: written in one piece, and read only if they are whole.

use super::{Fact, Hash, Looked, Unit, Units, hash};
use loris_base::Budget;
use loris_findings::{Packer, Unpacker};
use sha2::{Digest, Sha256};
use std::fs;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What every file starts with: the last byte changes with the format.
const START: &[u8; 14] = b"loris findings";
const VERSION: u8 = 1;

/// Larger files are not read.
const LARGEST: u64 = 1 << 30;

/// What a file keeps.
#[derive(Default)]
pub(super) struct Kept {
    pub(super) whole: Option<(Hash, Arc<[u8]>)>,
    pub(super) units: Units,
}

/// Reads a file about a question. `None` if there is none, or it is damaged or too large.
pub(super) fn read(path: &Path, question: &Hash, budget: &mut Budget) -> Option<Kept> {
    let file = fs::File::open(path).ok()?;
    let length = file.metadata().ok().filter(|it| it.is_file() && it.len() <= LARGEST)?.len();
    let length = usize::try_from(length).ok()?;
    let held = budget.holding(2 * length);
    if held.is_err() {
        return None;
    }
    drop(held);
    let mut bytes = Vec::new();
    file.take(LARGEST).read_to_end(&mut bytes).ok()?;
    budget.charge(bytes.len()).ok()?;
    unpacked(&bytes, question)
}

fn unpacked(bytes: &[u8], question: &Hash) -> Option<Kept> {
    let rest = bytes.strip_prefix(START)?.strip_prefix(&[VERSION])?;
    let (known, rest) = rest.split_first_chunk::<16>()?;
    let (sum, payload) = rest.split_first_chunk::<16>()?;
    if known != question || *sum != checksum(question, payload) {
        return None;
    }
    let mut unpacker = Unpacker::new(payload);
    let whole = unpacker.option(|unpacker| Some((read_hash(unpacker)?, content(unpacker)?)))?;
    let facts: Vec<Fact> = unpacker.list(|unpacker| {
        let name = unpacker.text()?;
        let looked = match unpacker.number()? {
            0 => Looked::Class(read_hash(unpacker)?),
            1 => Looked::Subtypes(read_hash(unpacker)?),
            2 => Looked::Near(read_hash(unpacker)?),
            3 => Looked::Absent,
            _ => return None,
        };
        Some((name, looked))
    })?;
    let units = unpacker.list(|unpacker| {
        let key = read_hash(unpacker)?;
        let facts =
            unpacker.list(|unpacker| unpacker.small().filter(|&fact| (fact as usize) < facts.len()))?;
        Some((key, Unit { facts, order: unpacker.number()?, content: content(unpacker)? }))
    })?;
    unpacker.is_done().then(|| Kept { whole, units: Units { facts, units: units.into_iter().collect() } })
}

fn read_hash(unpacker: &mut Unpacker<'_>) -> Option<Hash> {
    unpacker.raw(16)?.try_into().ok()
}

fn content(unpacker: &mut Unpacker<'_>) -> Option<Arc<[u8]>> {
    let count = unpacker.count()?;
    Some(unpacker.raw(count)?.into())
}

fn checksum(question: &Hash, payload: &[u8]) -> Hash {
    let mut digest = Sha256::new();
    digest.update(question);
    digest.update(payload);
    hash(digest)
}

fn packed(question: &Hash, kept: &Kept) -> Vec<u8> {
    let mut packer = Packer::default();
    let content = |packer: &mut Packer, bytes: &[u8]| {
        packer.count(bytes.len());
        packer.raw(bytes);
    };
    packer.option(kept.whole.as_ref(), |packer, (contents, bytes)| {
        packer.raw(contents);
        content(packer, bytes);
    });
    // threads met the facts in any order; the file is a function of the results
    let mut order: Vec<usize> = (0..kept.units.facts.len()).collect();
    order.sort_unstable_by_key(|&fact| &kept.units.facts[fact]);
    let mut places = vec![0; order.len()];
    order.iter().enumerate().for_each(|(place, &fact)| places[fact] = place as u64);
    packer.list(&order, |packer, &fact| {
        let (name, looked) = &kept.units.facts[fact];
        packer.text(name);
        match looked {
            Looked::Class(hash) => {
                packer.number(0);
                packer.raw(hash);
            }
            Looked::Subtypes(hash) => {
                packer.number(1);
                packer.raw(hash);
            }
            Looked::Near(hash) => {
                packer.number(2);
                packer.raw(hash);
            }
            Looked::Absent => packer.number(3),
        }
    });
    let units: Vec<(&Hash, &Unit)> = kept.units.units.iter().collect();
    packer.list(&units, |packer, (key, unit)| {
        packer.raw(*key);
        packer.list(&unit.facts, |packer, &fact| packer.number(places[fact as usize]));
        packer.number(unit.order);
        content(packer, &unit.content);
    });
    let payload = packer.finish();
    let sum = checksum(question, &payload);
    [START.as_slice(), &[VERSION], question, &sum, &payload].concat()
}

/// The folder is for this program alone: tools that make copies, or that search sources, are told
/// to leave it out, as other programs do with theirs.
const TAG: &str = "Signature: 8a477f597d28d172789f06886806bc55\n\
    # This folder was made by loris. It can be deleted at any time.\n";

/// Writes a file in one piece: readers see it as it was before, or as it is now.
pub(super) fn write(path: &Path, question: &Hash, kept: &Kept) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new(""));
    if !folder.is_dir() {
        fs::create_dir_all(folder)?;
        fs::write(folder.join("CACHEDIR.TAG"), TAG)?;
        fs::write(folder.join(".gitignore"), "*\n")?;
    }
    let (aside, mut file) = new_file(path)?;
    let written = file.write_all(&packed(question, kept)).and_then(|()| file.sync_all());
    drop(file);
    let written = written.and_then(|()| fs::rename(&aside, path));
    if written.is_err() {
        // what is left of it is of no use
        let _ = fs::remove_file(&aside);
    }
    written
}

/// A new file beside another one. No other run writes it, in this process or in another one.
fn new_file(path: &Path) -> io::Result<(PathBuf, fs::File)> {
    let mut number = 0;
    loop {
        let aside = path.with_extension(format!("{}-{number}.tmp", std::process::id()));
        match fs::File::create_new(&aside) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && number < 1000 => number += 1,
            file => return Ok((aside, file?)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Looked, Unit};
    use super::{Kept, packed, read, unpacked, write};
    use loris_base::Budget;

    fn kept() -> Kept {
        let mut kept = Kept { whole: Some(([3; 16], [1, 2, 3].as_slice().into())), ..Kept::default() };
        kept.units.facts.push(("a/B".into(), Looked::Class([1; 16])));
        kept.units.facts.push(("a/B".into(), Looked::Subtypes([2; 16])));
        kept.units.facts.push(("a/C".into(), Looked::Absent));
        let unit = Unit { facts: vec![0, 2], order: 77, content: [9, 9].as_slice().into() };
        kept.units.units.insert([4; 16], unit);
        kept
    }

    fn is_kept(found: &Kept) -> bool {
        found.whole == kept().whole
            && found.units.facts == kept().units.facts
            && found.units.units[&[4; 16]].facts == [0, 2]
            && found.units.units[&[4; 16]].order == 77
    }

    #[test]
    fn what_is_damaged_is_not_read() {
        let question = [7; 16];
        let bytes = packed(&question, &kept());
        assert!(is_kept(&unpacked(&bytes, &question).expect("it is whole")));
        assert!(unpacked(&bytes, &[8; 16]).is_none(), "another question");
        for at in 0..bytes.len() {
            assert!(unpacked(&bytes[..at], &question).is_none(), "cut at {at}");
            let mut changed = bytes.clone();
            changed[at] ^= 1;
            assert!(unpacked(&changed, &question).is_none(), "changed at {at}");
        }
        assert!(unpacked(&[&*bytes, &[0]].concat(), &question).is_none(), "longer");
    }

    /// With a checksum that fits, content that does not make sense is refused or read, and no more.
    #[test]
    fn what_is_forged_is_no_danger() {
        let question = [7; 16];
        let bytes = packed(&question, &kept());
        let payload = &bytes[15 + 32..];
        for at in 0..payload.len() {
            for value in 0..=255 {
                let mut forged = payload.to_vec();
                forged[at] = value;
                let sum = super::checksum(&question, &forged);
                let _ = unpacked(&[&bytes[..31], &sum, &forged].concat(), &question);
            }
        }
    }

    #[test]
    fn files_come_back() {
        let folder = std::env::temp_dir().join(format!("loris-cache-{}", std::process::id()));
        let path = folder.join("one.java");
        let budget = &mut Budget::unlimited();
        assert!(read(&path, &[7; 16], budget).is_none());
        for _ in 0..2 {
            write(&path, &[7; 16], &kept()).expect("a file");
            assert!(is_kept(&read(&path, &[7; 16], budget).expect("it was written")));
        }
        // a small limit keeps it from being read
        assert!(read(&path, &[7; 16], &mut Budget::new(None, Some(10))).is_none());
        // nothing is left aside
        assert_eq!(std::fs::read_dir(&folder).expect("the folder").count(), 3);
        std::fs::remove_dir_all(&folder).expect("the folder");
    }
}
