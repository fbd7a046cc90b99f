//! Writes `.pds`, in the column order of `PuMoC`, one rule per line. Linear in the system.
//!
//! Names that the format cannot carry are changed; labels, which properties name, get a comment
//! with their original text. The text is read back as the same system, with changed names of
//! control states and symbols.

use super::reader::OURS;
use super::scan::in_name;
use super::{Configuration, Control, HeadLabel, Pds, StackSymbol, StackWord};
use loris_base::{Idx, Names, Symbol};
use std::io::{self, BufWriter, Write};

/// Writes a system in the format that [`read_pds`](crate::read_pds) reads.
///
/// ```
/// let pds = loris_rsm::read_pds("(q <a>)\nATOMS p q\nq <a> --> q <>\n").unwrap();
/// let mut text = Vec::new();
/// loris_rsm::write_pds(&pds, &mut text).unwrap();
/// assert_eq!(String::from_utf8(text).unwrap(), "# written by loris\n(q <a>)\nATOMS p q\nq <a> --> q <>\n");
/// ```
///
/// # Errors
/// If `out` fails.
pub fn write_pds(pds: &Pds, out: &mut impl Write) -> io::Result<()> {
    let mut writer = Writer {
        pds,
        controls: carried(&pds.controls, false),
        symbols: carried(&pds.symbols, true),
        labels: carried(&pds.labels, true),
        out: BufWriter::with_capacity(1 << 16, out),
    };
    writer.system()?;
    writer.out.flush()
}

/// The names as they are written; none if they are as they were. `#` alone is a symbol of many
/// files and needs no change, if it is `bare`; a line that starts with it is a comment.
fn carried(names: &Names, bare: bool) -> Option<Names> {
    let fits = |name: &str| {
        let plain = !name.is_empty() && !name.starts_with(['#', '\u{feff}']) && name.bytes().all(in_name);
        plain || bare && name == "#"
    };
    if names.iter().all(fits) {
        return None;
    }
    let mut carried = Names::default();
    let mut taken = names.clone();
    for name in names.iter() {
        if fits(name) {
            carried.intern(name);
            continue;
        }
        let plain = |char: char| if u8::try_from(char).is_ok_and(|byte| !in_name(byte)) { '_' } else { char };
        let mut changed: String = name.trim_start_matches(['#', '\u{feff}']).chars().map(plain).collect();
        changed.insert(0, '_');
        if taken.find(&changed).is_some() {
            changed = format!("{changed}~{}", carried.len());
        }
        while taken.find(&changed).is_some() {
            changed.push('~');
        }
        taken.intern(&changed);
        carried.intern(&changed);
    }
    Some(carried)
}

struct Writer<'p, W: Write> {
    pds: &'p Pds,
    controls: Option<Names>,
    symbols: Option<Names>,
    labels: Option<Names>,
    out: BufWriter<W>,
}

impl<W: Write> Writer<'_, W> {
    fn system(&mut self) -> io::Result<()> {
        let pds = self.pds;
        writeln!(self.out, "{OURS}")?;
        for property in &pds.properties {
            let text = property.text.split_whitespace().collect::<Vec<_>>().join(" ");
            writeln!(self.out, "# property {}: {text}", property.logic)?;
        }
        for (i, initial) in pds.initial.iter().enumerate() {
            self.out.write_all(if i == 0 { b"" } else { b"# loris initial " })?;
            self.configuration(initial)?;
        }
        self.atoms()?;
        for rule in pds.rules.iter() {
            self.control(rule.control)?;
            self.out.write_all(b" <")?;
            self.symbol(rule.symbol)?;
            self.out.write_all(b"> --> ")?;
            self.control(rule.to)?;
            self.out.write_all(b" <")?;
            match rule.word {
                StackWord::Pop => {}
                StackWord::Swap(symbol) => self.symbol(symbol)?,
                StackWord::Push(top, below) => {
                    self.symbol(top)?;
                    self.out.write_all(b" ")?;
                    self.symbol(below)?;
                }
            }
            self.out.write_all(b">\n")?;
        }
        Ok(())
    }

    fn configuration(&mut self, configuration: &Configuration) -> io::Result<()> {
        self.out.write_all(b"(")?;
        self.control(configuration.control)?;
        for (i, &symbol) in configuration.stack.iter().enumerate() {
            self.out.write_all(if i == 0 { b" <" } else { b" " })?;
            self.symbol(symbol)?;
        }
        self.out.write_all(b">)\n")
    }

    /// A line for each label, with the control states, the symbols and the heads that carry it.
    fn atoms(&mut self) -> io::Result<()> {
        let pds = self.pds;
        let mut carriers: Vec<(HeadLabel, u32, u32)> = Vec::new();
        carriers.extend(
            pds.control_labels.iter().map(|&(control, label)| (label, control.index() as u32, u32::MAX)),
        );
        carriers.extend(
            pds.symbol_labels.iter().map(|&(symbol, label)| (label, u32::MAX, symbol.index() as u32)),
        );
        let heads = pds.head_labels.iter();
        carriers.extend(
            heads.map(|(control, symbol, label)| (*label, control.index() as u32, symbol.index() as u32)),
        );
        // in the order of labels, so that they are numbered alike when they are read
        carriers.sort_by_key(|&(label, _, _)| label);
        for line in carriers.chunk_by(|one, other| one.0 == other.0) {
            let label = line[0].0;
            self.out.write_all(b"ATOMS ")?;
            let name = self.labels.as_ref().unwrap_or(&pds.labels);
            self.out.write_all(name[Symbol::new(label.index())].as_bytes())?;
            for (i, &(_, control, symbol)) in line.iter().enumerate() {
                self.out.write_all(if i == 0 { b" " } else { b", " })?;
                let (control, symbol) = (control as usize, symbol as usize);
                if symbol == u32::MAX as usize {
                    self.control(Control::new(control))?;
                } else if control == u32::MAX as usize {
                    self.out.write_all(b"<")?;
                    self.symbol(StackSymbol::new(symbol))?;
                    self.out.write_all(b">")?;
                } else {
                    self.out.write_all(b"(")?;
                    self.control(Control::new(control))?;
                    self.out.write_all(b" <")?;
                    self.symbol(StackSymbol::new(symbol))?;
                    self.out.write_all(b">)")?;
                }
            }
            self.out.write_all(b"\n")?;
            if let Some(names) = &self.labels {
                let (written, meant) = (&names[Symbol::new(label.index())], pds.label_name(label));
                if written != meant {
                    let escaped = meant.replace('\\', "\\\\").replace('\n', "\\n").replace('\r', "\\r");
                    let blank = if escaped.starts_with([' ', '\t']) { "\\" } else { "" };
                    writeln!(self.out, "# loris label {written} {blank}{escaped}")?;
                }
            }
        }
        Ok(())
    }

    fn control(&mut self, control: Control) -> io::Result<()> {
        let names = self.controls.as_ref().unwrap_or(&self.pds.controls);
        self.out.write_all(names[Symbol::new(control.index())].as_bytes())
    }

    fn symbol(&mut self, symbol: StackSymbol) -> io::Result<()> {
        let names = self.symbols.as_ref().unwrap_or(&self.pds.symbols);
        self.out.write_all(names[Symbol::new(symbol.index())].as_bytes())
    }
}
