//! Resource models: which objects have to be closed, and what code that is not there does with
//! them. Data, in TOML; files are added up.

use loris_java::objects::{MethodPattern, Model};
use serde::Deserialize;

/// What is known about resources.
#[derive(Clone, Debug, Default)]
pub struct Resources {
    /// Types whose objects are resources.
    pub(super) types: Vec<String>,
    /// Parameter types of constructors that wrap.
    pub(super) wrapped: Vec<String>,
    /// Methods whose results are resources.
    pub(super) opens: Vec<MethodPattern>,
    /// Methods whose results are resources that die with the receiver.
    pub(super) children: Vec<MethodPattern>,
    /// Names of methods without code whose results are resources if their type is.
    pub(super) opens_by_name: Vec<String>,
    /// Methods on which an object that was made before becomes a resource.
    pub(super) opens_on: Vec<MethodPattern>,
    /// Constructors and methods that open nothing if they have no parameters.
    pub(super) unconnected: Vec<MethodPattern>,
    /// Types whose constructors do not wrap what they are given.
    pub(super) independent: Vec<String>,
    /// Constructors that open nothing, with the descriptors of their parameters.
    pub(super) in_memory: Vec<String>,
    /// Exceptions that hardly ever occur.
    pub(super) improbable: Vec<String>,
    /// Methods that throw nothing that nobody declares, so that no `finally` is needed around them.
    pub(super) quiet: Vec<MethodPattern>,
    /// What code that is not there does.
    pub(super) model: Model,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
struct File {
    resources: Vec<String>,
    harmless: Vec<String>,
    wrapped: Vec<String>,
    opens: Vec<String>,
    children: Vec<String>,
    dependent: Vec<String>,
    opens_by_name: Vec<String>,
    opens_on: Vec<String>,
    unconnected: Vec<String>,
    independent: Vec<String>,
    lasting: Vec<String>,
    unlikely: Vec<String>,
    improbable: Vec<String>,
    quiet: Vec<String>,
    borrows: Vec<String>,
    keeps: Vec<String>,
    wraps: Vec<String>,
    views: Vec<String>,
    distinct: Vec<String>,
    accessors: Vec<String>,
    is_open: Vec<String>,
    is_closed: Vec<String>,
    ends: Vec<String>,
    pure: Vec<String>,
    terminal: Vec<String>,
    runs: Vec<String>,
    in_memory: Vec<String>,
    owners: Vec<String>,
    annotations: Annotations,
}

/// Simple names of annotations, by what they say.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
struct Annotations {
    must_be_closed: Vec<String>,
    takes: Vec<String>,
    leaves: Vec<String>,
    closes_with: Vec<String>,
    obligations: Vec<String>,
    discharges: Vec<String>,
    guards: Vec<String>,
}

const SHIPPED: &str = include_str!("../../data/resources.toml");

impl Resources {
    /// The shipped model.
    ///
    /// # Panics
    /// Never: the shipped file is read in the tests.
    pub fn shipped() -> Self {
        let mut resources = Self::default();
        resources.add(SHIPPED).expect("the shipped model is well-formed");
        resources
    }

    /// Adds the model of a file.
    ///
    /// # Errors
    /// The text is not a resource model.
    pub fn add(&mut self, text: &str) -> Result<(), toml::de::Error> {
        let file: File = toml::from_str(text)?;
        let patterns = |list: Vec<String>| list.into_iter().map(|text| MethodPattern::new(&text));
        self.types.extend(file.resources);
        self.model.harmless.extend(file.harmless);
        self.wrapped.extend(file.wrapped);
        self.opens.extend(patterns(file.opens));
        self.model.children.extend(patterns(file.children.clone()));
        self.children.extend(patterns(file.children));
        self.model.dependent.extend(file.dependent);
        self.opens_by_name.extend(file.opens_by_name);
        self.opens_on.extend(patterns(file.opens_on));
        self.unconnected.extend(patterns(file.unconnected));
        self.independent.extend(file.independent);
        self.model.lasting.extend(file.lasting);
        self.model.unlikely.extend(patterns(file.unlikely));
        self.improbable.extend(file.improbable);
        self.quiet.extend(patterns(file.quiet));
        self.model.borrows.extend(patterns(file.borrows));
        self.model.keeps.extend(patterns(file.keeps));
        self.model.wraps.extend(patterns(file.wraps));
        self.model.views.extend(patterns(file.views));
        self.model.distinct.extend(patterns(file.distinct));
        self.model.accessors.extend(patterns(file.accessors));
        self.model.is_open.extend(patterns(file.is_open));
        self.model.is_closed.extend(patterns(file.is_closed));
        self.model.ends.extend(patterns(file.ends));
        self.model.pure.extend(patterns(file.pure));
        self.model.terminal.extend(patterns(file.terminal));
        self.model.runs.extend(patterns(file.runs));
        self.in_memory.extend(file.in_memory);
        self.model.owners.extend(file.owners);
        let (contracts, annotations) = (&mut self.model.contracts, file.annotations);
        contracts.must_be_closed.extend(annotations.must_be_closed);
        contracts.takes.extend(annotations.takes);
        contracts.leaves.extend(annotations.leaves);
        contracts.closes_with.extend(annotations.closes_with);
        contracts.obligations.extend(annotations.obligations);
        contracts.discharges.extend(annotations.discharges);
        contracts.guards.extend(annotations.guards);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::Resources;

    #[test]
    fn the_shipped_model_is_read_and_wrong_keys_are_refused() {
        assert!(!Resources::shipped().types.is_empty());
        let error = Resources::default().add("closers = []\n").unwrap_err();
        assert!(error.message().contains("closers"), "{error}");
    }
}
