//! From the bytes of class files to a program.

use super::{ClassId, ClassOrigin, MethodId, Program, Tables};
use crate::api;
use crate::class::Class;
use loris_base::{Budget, Csr, Exhausted, Idx, IndexVec, Names};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A class file and where it comes from.
#[derive(Clone, Debug)]
pub struct ClassInput {
    /// The file, with the jars around it, for messages.
    pub path: String,
    /// Application or library.
    pub origin: ClassOrigin,
    /// Its bytes.
    pub bytes: Box<[u8]>,
}

/// How classes are loaded.
#[derive(Clone, Debug, Default)]
pub struct LoadOptions {}

/// A file that could not be read. The program is loaded without it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The file.
    pub path: String,
    /// The problem.
    pub error: String,
}

/// A program and the files that could not be read.
#[derive(Debug, Default)]
pub struct LoadedProgram {
    /// The program.
    pub program: Program,
    /// Files that could not be read, in the order of files.
    pub problems: Vec<Problem>,
}

impl Program {
    /// Loads classes. Of classes with the same name the first counts, application before library.
    /// Classes of the Java platform that they name and that are not given are declared.
    pub fn load(inputs: Vec<ClassInput>, options: &LoadOptions) -> LoadedProgram {
        let loaded = Self::load_within(inputs, options, &mut Budget::unlimited());
        loaded.unwrap_or_else(|_| unreachable!("there is no limit"))
    }

    /// The same within a budget, which the bytes of the class files were charged to before.
    ///
    /// # Errors
    /// The budget ended.
    pub fn load_within(
        inputs: Vec<ClassInput>,
        _options: &LoadOptions,
        budget: &mut Budget,
    ) -> Result<LoadedProgram, Exhausted> {
        let mut names = Names::default();
        let (mut classes, mut origins, mut problems) = (Vec::new(), Vec::new(), Vec::new());
        let mut by_name = FxHashMap::default();
        let mut inputs = inputs;
        inputs.sort_by_key(|input| input.origin as u8);
        for ClassInput { path, origin, bytes } in inputs {
            budget.spend(bytes.len())?;
            match Class::read(bytes, &mut names) {
                Ok(class) if class.flags.is_module() => {}
                Ok(class) => {
                    let next = ClassId::new(classes.len());
                    if *by_name.entry(class.name).or_insert(next) == next {
                        budget.charge(Self::bytes_of(&class))?;
                        classes.push(class);
                        origins.push(origin);
                    }
                }
                Err(error) => problems.push(Problem { path, error: error.to_string() }),
            }
        }
        let declared = api::needed(&mut names, |name| by_name.contains_key(&name));
        for class in declared {
            budget.charge(Self::bytes_of(&class))?;
            by_name.insert(class.name, ClassId::new(classes.len()));
            classes.push(class);
            origins.push(ClassOrigin::Platform);
        }
        let program = Self::assemble(names, classes.into(), origins.into(), by_name);
        budget.charge(program.bytes_of_tables())?;
        Ok(LoadedProgram { program, problems })
    }

    fn assemble(
        names: Names,
        classes: IndexVec<ClassId, Class>,
        origins: IndexVec<ClassId, ClassOrigin>,
        by_name: FxHashMap<loris_base::Symbol, ClassId>,
    ) -> Self {
        let (mut first_methods, mut owners) = (vec![0], IndexVec::new());
        let mut by_signature = FxHashMap::default();
        let mut pairs = Vec::new();
        for (id, class) in classes.iter_enumerated() {
            for method in &class.methods {
                // of methods with the same name and descriptor, the first counts
                let method_id = MethodId::new(owners.len());
                by_signature.entry((id, method.name, method.descriptor)).or_insert(method_id);
                owners.push(id);
            }
            first_methods.push(owners.len() as u32);
            let parents = class.superclass.iter().chain(&class.interfaces);
            let parents = parents.filter_map(|name| by_name.get(name));
            pairs.extend(parents.map(|parent| (parent.index() as u32, id.index() as u32)));
        }
        let subtypes = Csr::from_pairs(classes.len(), pairs.into_iter());
        let tables =
            Tables { names, classes, origins, by_name, by_signature, first_methods, owners, subtypes };
        Self { tables: Arc::new(tables), watch: None }
    }
}
