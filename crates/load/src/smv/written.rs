//! The properties that a file carries: those that can be decided, and the others.

use super::{SmvFile, full_text, own_logic};
use loris_check::Logic;
use loris_rsm::CarriedProperty;
use loris_smv::ir::{Computation, SmvProperty, Span, StructureId, Unsupported};

/// A property of a file.
#[derive(Clone)]
pub enum Written {
    /// With a formula.
    Property(SmvProperty),
    /// A question for a number.
    Computation(Box<Computation>),
    /// With something that is not supported.
    Unsupported(Unsupported),
}

impl Written {
    /// The property, or the first of the two it consists of; else what is known of it.
    fn head(&self) -> Result<&SmvProperty, &Unsupported> {
        match self {
            Written::Property(property) => Ok(property),
            Written::Computation(computation) => Ok(&computation.from),
            Written::Unsupported(property) => Err(property),
        }
    }

    /// Where it was written.
    pub fn span(&self) -> Span {
        match self.head() {
            Ok(property) => property.span,
            Err(property) => property.span,
        }
    }

    /// The module it is about.
    pub fn structure(&self) -> StructureId {
        match self.head() {
            Ok(property) => property.structure,
            Err(property) => property.structure,
        }
    }

    /// The instance in the module that it was written for.
    pub fn instance(&self) -> &str {
        match self.head() {
            Ok(property) => &property.instance,
            Err(property) => &property.instance,
        }
    }

    /// As the file calls it.
    pub fn name(&self) -> Option<&str> {
        match self.head() {
            Ok(property) => property.name.as_deref(),
            Err(property) => property.name.as_deref(),
        }
    }

    /// Its name, with the instance that it is about.
    pub fn full_name(&self) -> Option<String> {
        let name = self.name()?;
        Some(if self.instance().is_empty() { name.to_owned() } else { format!("{}.{name}", self.instance()) })
    }

    /// The logic of its keyword.
    pub fn logic(&self) -> Logic {
        match self.head() {
            Ok(property) => own_logic(property.kind),
            Err(property) => own_logic(property.kind),
        }
    }

    /// Its complete text.
    pub fn text(&self) -> String {
        match self.head() {
            Ok(property) => full_text(property.kind, &property.text),
            Err(property) => full_text(property.kind, &property.text),
        }
    }
}

/// All properties of a file, in its order; if a module was chosen, those of that module.
pub fn written(file: &SmvFile) -> Vec<Written> {
    let program = file.smv.program();
    let properties = program.properties.iter().cloned().map(Written::Property);
    let unsupported = program.unsupported.iter().cloned().map(Written::Unsupported);
    let computations = program.computations.iter().cloned().map(Box::new).map(Written::Computation);
    let is_asked = |one: &Written| !file.is_chosen || one.structure() == file.root;
    let mut all: Vec<Written> = properties.chain(unsupported).chain(computations).filter(is_asked).collect();
    all.sort_by_key(|one| one.span().0);
    all
}

/// Properties of a file in the words of other formats.
pub(crate) fn carried_properties(file: &SmvFile) -> Vec<CarriedProperty> {
    let carried = |one: &Written| CarriedProperty {
        logic: one.logic().name().to_owned(),
        text: one.text(),
        offset: one.span().0.into(),
    };
    written(file).iter().map(carried).collect()
}

/// The module and the instance of each.
pub(crate) fn places(file: &SmvFile) -> Vec<(String, String)> {
    let place = |one: &Written| (file.module(one.structure()).to_owned(), one.instance().to_owned());
    written(file).iter().map(place).collect()
}
