//! Programs: the classes of jars and folders with their hierarchy.
//!
//! Two kinds of classes: those of the application, which are reported on, and those of libraries,
//! which are read to know hierarchy, exceptions and code. Classes that are missing are visible as
//! names that resolve to nothing.

mod hierarchy;
mod load;
mod watch;

pub use load::{ClassInput, LoadOptions, LoadedProgram, Problem};
pub use watch::Looked;

use crate::class::{Body, Class, ClassError, Field, Member, Method};
use loris_base::{Csr, Idx, IndexVec, Names, Symbol};
use rustc_hash::FxHashMap;
use std::ops::Deref;
use std::sync::Arc;
use watch::Watch;

loris_base::id! {
    /// A class of a program.
    pub struct ClassId;
}

loris_base::id! {
    /// A method of a program.
    pub struct MethodId;
}

/// Where a class comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClassOrigin {
    /// The program that was asked about.
    Application,
    /// A library that was given.
    Library,
    /// The interface of the Java platform that Loris knows: declarations without code.
    Platform,
}

/// Classes with their hierarchy. Immutable once it is loaded.
///
/// A [watched](Program::watched) program is the same one, which notes what is looked at.
#[derive(Debug, Default)]
pub struct Program {
    tables: Arc<Tables>,
    watch: Option<Box<Watch>>,
}

/// What a program consists of. All access from other modules, but that to the names, goes through
/// methods of [`Program`], which note it.
#[derive(Debug, Default)]
pub struct Tables {
    /// All names and descriptors.
    pub names: Names,
    classes: IndexVec<ClassId, Class>,
    origins: IndexVec<ClassId, ClassOrigin>,
    by_name: FxHashMap<Symbol, ClassId>,
    /// Methods by class, name and descriptor.
    by_signature: FxHashMap<(ClassId, Symbol, Symbol), MethodId>,
    /// The number of the first method of each class, and of one behind the last.
    first_methods: Vec<u32>,
    /// The class of each method.
    owners: IndexVec<MethodId, ClassId>,
    /// Direct subclasses and implementations of each class.
    subtypes: Csr,
}

impl Deref for Program {
    type Target = Tables;

    fn deref(&self) -> &Tables {
        &self.tables
    }
}

impl Program {
    /// The same program, which notes from now on what is looked at.
    #[must_use]
    pub fn watched(&self) -> Self {
        let watch = Watch::new(self.tables.classes.len(), self.tables.names.len());
        Self { tables: self.tables.clone(), watch: Some(Box::new(watch)) }
    }

    /// What was looked at since the program is [watched](Self::watched); nothing if it is not.
    pub fn looked(&self) -> Looked {
        self.watch.as_ref().map(|watch| watch.looked()).unwrap_or_default()
    }

    /// Notes a look at a class.
    #[inline]
    fn note(&self, class: ClassId) {
        if let Some(watch) = &self.watch {
            watch.class(class);
        }
    }

    /// Notes a look at all classes.
    fn note_all(&self) {
        if let Some(watch) = &self.watch {
            watch.all();
        }
    }

    /// All classes.
    pub fn classes(&self) -> impl DoubleEndedIterator<Item = ClassId> + ExactSizeIterator + use<> {
        self.note_all();
        self.classes.ids()
    }

    /// Bytes held, roughly, without the class files themselves, to be charged to a budget.
    pub fn bytes(&self) -> usize {
        self.classes.iter().map(Self::bytes_of).sum::<usize>() + self.bytes_of_tables()
    }

    fn bytes_of(class: &Class) -> usize {
        let code = class.methods.iter().filter_map(|method| method.code.as_ref());
        let tables = code.map(|code| 8 * code.handlers.len() + 4 * code.lines.len() + 24 * code.locals.len());
        size_of::<Class>()
            + class.methods.len() * size_of::<Method>()
            + class.fields.len() * size_of::<Field>()
            + class.pool.bytes()
            + tables.sum::<usize>()
    }

    fn bytes_of_tables(&self) -> usize {
        32 * self.by_signature.len() + 24 * self.by_name.len() + self.names.bytes()
    }

    /// A class.
    pub fn class(&self, class: ClassId) -> &Class {
        self.note(class);
        &self.classes[class]
    }

    /// Where a class comes from.
    pub fn origin(&self, class: ClassId) -> ClassOrigin {
        self.note(class);
        self.origins[class]
    }

    /// The class with this name in internal form.
    pub fn find_class(&self, name: Symbol) -> Option<ClassId> {
        let found = self.by_name.get(&name).copied();
        if let Some(watch) = &self.watch {
            match found {
                Some(class) => watch.class(class),
                None => watch.absent(name),
            }
        }
        found
    }

    /// The class with this name, with dots or slashes between packages.
    pub fn class_named(&self, name: &str) -> Option<ClassId> {
        self.find_class(self.names.find(&name.replace('.', "/"))?)
    }

    /// How many methods there are.
    pub fn method_count(&self) -> usize {
        self.note_all();
        self.owners.len()
    }

    /// All methods, class by class.
    pub fn methods(&self) -> impl DoubleEndedIterator<Item = MethodId> + ExactSizeIterator + use<> {
        self.note_all();
        self.owners.ids()
    }

    /// The methods of a class.
    pub fn methods_of(&self, class: ClassId) -> impl DoubleEndedIterator<Item = MethodId> + use<> {
        self.note(class);
        let range = self.first_methods[class.index()]..self.first_methods[class.index() + 1];
        range.map(|method| MethodId::new(method as usize))
    }

    /// The class of a method.
    pub fn owner(&self, method: MethodId) -> ClassId {
        let class = self.owners[method];
        self.note(class);
        class
    }

    /// A method.
    pub fn method(&self, method: MethodId) -> &Method {
        let class = self.owners[method];
        self.note(class);
        &self.classes[class].methods[method.index() - self.first_methods[class.index()] as usize]
    }

    /// The method with this name and descriptor that a class declares itself.
    pub fn declared(&self, class: ClassId, name: Symbol, descriptor: Symbol) -> Option<MethodId> {
        self.note(class);
        self.by_signature.get(&(class, name, descriptor)).copied()
    }

    /// The method of a class with this position in it.
    pub fn method_at(&self, class: ClassId, position: usize) -> MethodId {
        self.note(class);
        MethodId::new(self.first_methods[class.index()] as usize + position)
    }

    /// The checked instructions of a method.
    ///
    /// # Errors
    /// The code is wrong. `Ok(None)` if there is none.
    pub fn body(&self, method: MethodId) -> Result<Option<Body<'_>>, ClassError> {
        let class = self.class(self.owner(method));
        self.method(method).code.as_ref().map(|code| Body::new(class, code, &self.names)).transpose()
    }

    /// The name of a class with dots, as people write it.
    pub fn class_name(&self, class: ClassId) -> String {
        dotted(&self.names[self.class(class).name])
    }

    /// `package.Class.method`, without parameters.
    pub fn method_name(&self, method: MethodId) -> String {
        format!("{}.{}", self.class_name(self.owner(method)), &self.names[self.method(method).name])
    }

    /// `package.Class.method`, as an instruction names it.
    pub fn member_name(&self, member: &Member) -> String {
        format!("{}.{}", dotted(&self.names[member.owner]), &self.names[member.name])
    }
}

/// A name in internal form with dots between packages.
pub fn dotted(name: &str) -> String {
    name.replace('/', ".")
}
