//! Annotations: their types and the strings and constants they carry (JVMS, section 4.7.16).

use super::bytes::Bytes;
use super::constants::Pool;
use super::{ClassError, Symbol};
use loris_base::Names;

/// An annotation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Annotation {
    /// The descriptor of its type, such as `Ljava/lang/Deprecated;`.
    pub kind: Symbol,
    /// The strings and enumeration constants among its values, nested ones included.
    pub values: Vec<Symbol>,
    /// Whether programs see it at run time, by reflection.
    pub visible: bool,
}

impl Annotation {
    /// The name of its type, without the package and the classes around it.
    pub fn simple_name<'n>(&self, names: &'n Names) -> &'n str {
        let kind = names[self.kind].trim_start_matches('L').trim_end_matches(';');
        kind.rsplit(['/', '$']).next().unwrap_or(kind)
    }
}

/// How deep values may nest; compilers write a few levels.
const DEPTH: usize = 64;

pub(super) fn annotations(
    bytes: &mut Bytes<'_>,
    pool: &mut Pool,
    file: &[u8],
    names: &mut Names,
    visible: bool,
    into: &mut Vec<Annotation>,
) -> Result<(), ClassError> {
    for _ in 0..bytes.u2()? {
        let mut values = Vec::new();
        let kind = annotation(bytes, pool, file, names, &mut values, 0)?;
        into.push(Annotation { kind, values, visible });
    }
    Ok(())
}

fn annotation(
    bytes: &mut Bytes<'_>,
    pool: &mut Pool,
    file: &[u8],
    names: &mut Names,
    values: &mut Vec<Symbol>,
    depth: usize,
) -> Result<Symbol, ClassError> {
    let kind = pool.text(bytes.u2()?, file, names)?;
    for _ in 0..bytes.u2()? {
        bytes.skip(2)?;
        value(bytes, pool, file, names, values, depth)?;
    }
    Ok(kind)
}

fn value(
    bytes: &mut Bytes<'_>,
    pool: &mut Pool,
    file: &[u8],
    names: &mut Names,
    values: &mut Vec<Symbol>,
    depth: usize,
) -> Result<(), ClassError> {
    if depth == DEPTH {
        return Err(bytes.error("values of an annotation are nested too deeply"));
    }
    match bytes.u1()? {
        b's' => values.push(pool.text(bytes.u2()?, file, names)?),
        b'e' => {
            bytes.skip(2)?;
            values.push(pool.text(bytes.u2()?, file, names)?);
        }
        b'@' => {
            annotation(bytes, pool, file, names, values, depth + 1)?;
        }
        b'[' => {
            for _ in 0..bytes.u2()? {
                value(bytes, pool, file, names, values, depth + 1)?;
            }
        }
        b'B' | b'C' | b'D' | b'F' | b'I' | b'J' | b'S' | b'Z' | b'c' => bytes.skip(2)?,
        other => return Err(bytes.error(format!("there is no annotation value of kind {other}"))),
    }
    Ok(())
}
