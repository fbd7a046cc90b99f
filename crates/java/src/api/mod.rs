//! The declarations of the Java platform, for programs that come without it: hierarchy, methods and
//! the exceptions they declare. They are text, one line for a class and one for each of its
//! methods:
//!
//! ```text
//! java/io/Closeable 601 java/lang/Object java/lang/AutoCloseable
//!  close()V 401 java/io/IOException
//! ```
//!
//! that is the name, flags in hexadecimal (`DEPRECATED` added), the superclass (`-` for none) and
//! interfaces; names and descriptors of methods, flags, and exceptions. The text is made from the
//! classes of a platform by a chore of the repository.

use crate::class::{Class, Flags, Method};
use loris_base::{Idx, Names, Symbol};
use rustc_hash::{FxHashMap, FxHashSet};
use std::io::{Cursor, Read};

/// The platform: one entry, deflated.
const PLATFORM: &[u8] = include_bytes!("../../data/platform.zip");

/// What else programs are compiled against, as far as rules ask for it.
const SERVLETS: &str = include_str!("../../data/servlets.txt");

/// Added to flags.
pub(crate) const DEPRECATED: u32 = 0x10000;

/// Classes that are there though no name leads to them: the virtual machine throws them, and
/// handlers and resources are about them.
const ALWAYS: [&str; 22] = [
    "java/lang/AutoCloseable",
    "java/lang/ArithmeticException",
    "java/lang/ArrayIndexOutOfBoundsException",
    "java/lang/ArrayStoreException",
    "java/lang/ClassCastException",
    "java/lang/Enum",
    "java/lang/Error",
    "java/lang/Exception",
    "java/lang/IllegalMonitorStateException",
    "java/lang/InterruptedException",
    "java/lang/Iterable",
    "java/lang/NegativeArraySizeException",
    "java/lang/NullPointerException",
    "java/lang/Object",
    "java/lang/OutOfMemoryError",
    "java/lang/Record",
    "java/lang/Runnable",
    "java/lang/RuntimeException",
    "java/lang/String",
    "java/lang/Thread",
    "java/lang/Throwable",
    "java/io/Closeable",
];

/// The declarations of all classes that names lead to and that are not `known`, with their
/// ancestors and exceptions.
pub(crate) fn needed(names: &mut Names, known: impl Fn(Symbol) -> bool) -> Vec<Class> {
    let text = platform();
    let mut blocks: FxHashMap<&str, &str> = FxHashMap::default();
    for text in [&*text, SERVLETS] {
        for block in blocks_of(text) {
            let name = block.split(' ').next().unwrap_or_default();
            blocks.entry(name).or_insert(block);
        }
    }
    let mut work: Vec<&str> = ALWAYS.iter().filter_map(|name| blocks.get(name).copied()).collect();
    let mut met: FxHashSet<&str> = work.iter().copied().collect();
    for number in 0..names.len() {
        each_class(&names[Symbol::new(number)], |name| {
            work.extend(blocks.get(name).filter(|block| met.insert(block)));
        });
    }
    let mut classes = Vec::new();
    while let Some(block) = work.pop() {
        let class = class(block, names);
        if known(class.name) {
            continue;
        }
        let thrown = class.methods.iter().flat_map(|method| &method.exceptions);
        for &name in class.superclass.iter().chain(&class.interfaces).chain(thrown) {
            work.extend(blocks.get(&names[name]).filter(|block| met.insert(block)));
        }
        classes.push(class);
    }
    classes.sort_unstable_by(|one, other| names[one.name].cmp(&names[other.name]));
    classes
}

fn platform() -> String {
    let mut text = String::new();
    if let Ok(mut archive) = zip::ZipArchive::new(Cursor::new(PLATFORM))
        && let Ok(mut file) = archive.by_index(0)
    {
        // the data is ours: a test reads it
        let _ = file.read_to_string(&mut text);
    }
    text
}

/// Calls `each` for the classes that a name in a class file is about: the name of a class, an array
/// type or a descriptor.
fn each_class<'n>(name: &'n str, mut each: impl FnMut(&'n str)) {
    match name.as_bytes().first() {
        Some(b'(' | b'[' | b'L') => {
            let mut rest = name;
            while let Some(start) = rest.find('L') {
                let Some(end) = rest[start..].find(';') else { break };
                each(&rest[start + 1..start + end]);
                rest = &rest[start + end..];
            }
            each(name);
        }
        _ => each(name),
    }
}

/// A line of a class with the lines of its methods.
fn blocks_of(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let mut end = rest.find('\n')?;
        while rest.as_bytes().get(end + 1) == Some(&b' ') {
            end = rest[end + 1..].find('\n').map_or(rest.len() - 1, |length| end + 1 + length);
        }
        let (block, after) = rest.split_at(end);
        rest = &after[1..];
        Some(block)
    })
}

fn class(block: &str, names: &mut Names) -> Class {
    let mut lines = block.lines();
    let mut words = lines.next().unwrap_or_default().split(' ');
    let name = names.intern(words.next().unwrap_or_default());
    let flags = number(words.next());
    let superclass = words.next().filter(|&word| word != "-").map(|word| names.intern(word));
    let interfaces = words.map(|word| names.intern(word)).collect();
    let methods = lines.map(|line| method(line.trim_start(), names)).collect();
    let mut class = Class::declared(name, Flags(flags as u16), superclass, interfaces, methods);
    class.deprecated = flags & DEPRECATED != 0;
    class
}

fn method(line: &str, names: &mut Names) -> Method {
    let mut words = line.split(' ');
    let signature = words.next().unwrap_or_default();
    let (name, descriptor) = signature.split_at(signature.find('(').unwrap_or(signature.len()));
    let flags = number(words.next());
    Method {
        name: names.intern(name),
        descriptor: names.intern(descriptor),
        flags: Flags(flags as u16),
        exceptions: words.map(|word| names.intern(word)).collect(),
        deprecated: flags & DEPRECATED != 0,
        annotations: Vec::new(),
        parameters: Vec::new(),
        code: None,
    }
}

fn number(word: Option<&str>) -> u32 {
    word.and_then(|word| u32::from_str_radix(word, 16).ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests;
