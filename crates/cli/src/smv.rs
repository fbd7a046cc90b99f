//! SMV files: their properties, and the machine that is made for them.

use crate::input::{self, Input, Problems, Text};
use loris_base::{Budget, Csr, Diagnostic, Diagnostics, Exhausted, Idx};
use loris_check::{Logic, Source};
use loris_logic::{Fairness, Formula};
use loris_rsm::{ComponentId, NodeNaming, Part, Property as Carried, Rsm};
use loris_smv::ir::{Property, PropertyKind, StructureId};
use loris_smv::{Built, Labels, Limits, Smv, Stopped, build, read_smv};
use std::path::Path;
use std::sync::Arc;

/// Reads a file, or tells why not.
pub(crate) fn read(path: &Path, problems: &mut Problems) -> Option<(Smv, Input)> {
    let Text { input, content, problems: found } = input::text(path, problems)?;
    let read = if found.is_empty() { read_smv(&content) } else { Err(found) };
    let (smv, found) = match read {
        Ok((smv, remarks)) => (Some(smv), remarks),
        Err(errors) => (None, errors),
    };
    problems.add(input.clone(), found);
    Some((smv?, input))
}

/// A property that is asked of an SMV file.
pub(crate) struct Asked {
    pub(crate) property: Property,
    pub(crate) text: String,
    pub(crate) source: Option<Source>,
    /// where problems with it are told
    pub(crate) input: Input,
    pub(crate) logic: Logic,
}

impl Asked {
    /// A property that the file carries, `line` lines down.
    pub(crate) fn carried(
        property: &Property,
        input: &Input,
        line: Option<u64>,
        logic: Option<Logic>,
    ) -> Self {
        let source = line.map(|line| Source { file: input.name().into(), line: line as u32 });
        Self {
            text: property.text.clone(),
            source,
            input: input.clone(),
            logic: logic.unwrap_or(own_logic(property.kind)),
            property: property.clone(),
        }
    }

    /// One that is given, at an offset of some input.
    pub(crate) fn given(
        smv: &mut Smv,
        text: &str,
        offset: u64,
        input: Input,
        source: Option<Source>,
        logic: Logic,
    ) -> Result<Self, (Input, Diagnostics)> {
        match smv.property(text) {
            Ok(property) => Ok(Self { property, text: text.trim().to_owned(), source, input, logic }),
            Err(found) => {
                let mut placed = Diagnostics::default();
                for problem in found.sorted() {
                    placed
                        .push(Diagnostic { offset: problem.offset.map(|at| at + offset), ..problem.clone() });
                }
                Err((input, placed))
            }
        }
    }

    fn offset(&self) -> (u64, u32) {
        match self.property.kind {
            PropertyKind::Given => (0, 1),
            _ => (self.property.span.0.into(), self.property.span.1 - self.property.span.0),
        }
    }

    /// A problem of the whole property, where it was written.
    pub(crate) fn problem(&self, message: String) -> Diagnostics {
        let (offset, length) = self.offset();
        Diagnostic::error(offset, length as usize, message).into()
    }
}

/// What the keyword of a property says.
fn own_logic(kind: PropertyKind) -> Logic {
    match kind {
        PropertyKind::Ltl => Logic::Ltl,
        PropertyKind::Ctl | PropertyKind::Invariant | PropertyKind::Given => Logic::Ctl,
    }
}

/// Properties of a file in the words of other formats.
pub(crate) fn carried(smv: &Smv) -> Vec<Carried> {
    let properties = smv.program().properties.iter();
    properties
        .map(|property| Carried {
            logic: own_logic(property.kind).name().to_owned(),
            text: property.text.clone(),
            offset: property.span.0.into(),
        })
        .collect()
}

/// The machine of a file, labelled for all of its properties and with all its definitions.
pub(crate) fn machine(smv: &Smv, limits: &Limits, input: &Input, problems: &mut Problems) -> Option<Rsm> {
    let properties: Vec<&Property> = smv.program().properties.iter().collect();
    match build(smv.program(), &properties, Labels::All, limits, &mut Budget::unlimited()) {
        Ok(built) => Some(built.rsm),
        Err(stopped) => {
            problems.add(input.clone(), wrong(stopped));
            None
        }
    }
}

fn wrong(stopped: Stopped) -> Diagnostics {
    match stopped {
        Stopped::Wrong(found) => found,
        Stopped::Exhausted(exhausted) => Diagnostic::global(exhausted.to_string()).into(),
    }
}

/// Questions of one structure, and the machine whose runs start there.
pub(crate) struct Ground {
    pub(crate) rsm: Rsm,
    pub(crate) asked: Vec<Placed>,
}

/// A question on its way, and its place among all.
pub(crate) struct Placed {
    pub(crate) place: usize,
    pub(crate) asked: Asked,
    pub(crate) formula: Formula,
    pub(crate) fairness: Fairness,
}

/// The machines that properties are asked of: one for each structure that some are about. With them, why they are not the
/// machine, if it was not made.
pub(crate) fn grounds(
    smv: &Smv,
    asked: Vec<Asked>,
    limits: &Limits,
    budget: &mut Budget,
) -> Result<(Vec<Ground>, Option<Exhausted>), Diagnostics> {
    let properties: Vec<&Property> = asked.iter().map(|asked| &asked.property).collect();
    let (built, why) = match build(smv.program(), &properties, Labels::Needed, limits, budget) {
        Ok(built) => (Some(built), None),
        Err(Stopped::Exhausted(why)) => (None, Some(why)),
        Err(Stopped::Wrong(found)) => return Err(found),
    };
    let rsm = built.as_ref().map_or_else(nothing, |built| built.rsm.clone());
    let mut grounds: Vec<(StructureId, Ground)> = Vec::new();
    for (place, asked) in asked.into_iter().enumerate() {
        let structure = asked.property.structure;
        let (formula, fairness) = match &built {
            Some(built) => (asked.property.formula.renamed(&built.atoms[place]), fairness(built, structure)),
            None => (asked.property.formula.clone(), Fairness::default()),
        };
        let ground = match grounds.iter().position(|(other, _)| *other == structure) {
            Some(ground) => ground,
            None => {
                let component = ComponentId::new(if built.is_some() { structure.index() } else { 0 });
                grounds.push((structure, Ground { rsm: rsm.rooted(component), asked: Vec::new() }));
                grounds.len() - 1
            }
        };
        grounds[ground].1.asked.push(Placed { place, asked, formula, fairness });
    }
    Ok((grounds.into_iter().map(|(_, ground)| ground).collect(), why))
}

fn fairness(built: &Built, structure: StructureId) -> Fairness {
    Fairness { justice: built.justice[structure].clone(), compassion: built.compassion[structure].clone() }
}

/// A machine to ask when there is none: nothing is found out about it.
fn nothing() -> Rsm {
    #[derive(Debug)]
    struct Nameless;
    impl NodeNaming for Nameless {
        fn name(&self, _: ComponentId, _: usize) -> String {
            String::new()
        }
        fn values(&self, _: ComponentId, _: usize) -> Vec<(&str, String)> {
            Vec::new()
        }
        fn find(&self, _: ComponentId, _: &str) -> Option<usize> {
            None
        }
        fn bytes(&self) -> usize {
            0
        }
    }
    let edges = Csr::from_pairs(1, [(0, 0)].into_iter());
    let part = Part { nodes: 1, entries: vec![0], edges, ..Part::default() };
    Rsm::assemble(vec![part], Vec::new(), Arc::new(Nameless))
}
