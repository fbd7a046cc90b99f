//! Which methods a call may run, and which methods a program can reach.
//!
//! By class hierarchy analysis a call may run what any subtype of its receiver declares; by rapid
//! type analysis, only what subtypes declare that the reachable program creates. Virtual calls of
//! the same method on the same type share one list of targets, so that a graph is linear in the
//! program. Not everything can be known: code that is not given is assumed to return or throw as it
//! is declared, and to call the methods that classes of the program override in types it knows;
//! calls that are made at run time are listed as unresolved.

mod build;
mod dynamic;
mod entries;
mod initial;

pub use dynamic::{Lambda, lambda};
pub use entries::{Entries, NoEntry, methods_named};
pub use initial::initializers;

pub use entries::is_main;
pub(crate) use initial::{of_class, of_use, used};

use crate::class::Descriptor;
use crate::program::{ClassId, ClassOrigin, MethodId, Program};
use loris_base::{Budget, Exhausted, Idx};
use rustc_hash::FxHashMap;

/// How the targets of virtual calls are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Calls {
    /// By the class hierarchy.
    Hierarchy,
    /// By the class hierarchy and the classes that are created.
    #[default]
    Created,
}

/// What a call graph is made of.
#[derive(Clone, Debug, Default)]
pub struct CallOptions {
    /// How the targets of virtual calls are found.
    pub calls: Calls,
    /// Where the program starts.
    pub entries: Entries,
}

/// Why a call is not resolved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Unresolved {
    /// The class or the method is in no file that was given.
    Missing,
    /// The target is chosen at run time, by reflection or by a method handle.
    Reflective,
    /// The target is made by a bootstrap method that is not known.
    Bootstrap,
}

/// A call in the code of a method.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Callee {
    /// Exactly this method.
    Method(MethodId),
    /// One of the targets of a virtual call; a number for [`CallGraph::dispatch`].
    Virtual(u32),
    /// Not known.
    Unresolved(Unresolved),
}

#[derive(Clone, Copy, Debug)]
struct Site {
    number: u16,
    callee: Callee,
}

/// A virtual call: all calls of the same method on the same type.
#[derive(Clone, Debug)]
pub struct Dispatch {
    /// The declaration that the call names.
    pub declared: MethodId,
    /// What it may run, in order. If code that is not given may be run, a method without code is
    /// among them, which stands for it.
    pub targets: Vec<MethodId>,
}

/// The calls of a program, from its entries. Immutable.
#[derive(Debug, Default)]
pub struct CallGraph {
    entries: Vec<MethodId>,
    reachable: Vec<MethodId>,
    /// For each method, the place of its first site and the number of its sites, if it is
    /// reachable.
    sites_of: Vec<Option<(u32, u32)>>,
    sites: Vec<Site>,
    dispatches: Vec<Dispatch>,
    callbacks: Vec<MethodId>,
    assumed: Vec<MethodId>,
    unresolved: Vec<(MethodId, usize, Unresolved)>,
    damaged: Vec<(MethodId, String)>,
    /// What code that is not given may call, by the types it knows.
    called_back: FxHashMap<ClassId, Vec<MethodId>>,
}

impl CallGraph {
    /// Finds what is reachable.
    ///
    /// # Errors
    /// The budget ended.
    pub fn new(program: &Program, options: &CallOptions, budget: &mut Budget) -> Result<Self, Exhausted> {
        build::graph(program, options, budget)
    }

    /// The methods where the program starts, in order.
    pub fn entries(&self) -> &[MethodId] {
        &self.entries
    }

    /// All methods that can be reached, with or without code, in order.
    pub fn reachable(&self) -> &[MethodId] {
        &self.reachable
    }

    /// Whether a method can be reached.
    pub fn is_reachable(&self, method: MethodId) -> bool {
        self.sites_of.get(method.index()).is_some_and(Option::is_some)
    }

    /// The methods that the call with this instruction number may run; none if it is not a call, or
    /// is not resolved.
    pub fn targets(&self, method: MethodId, number: usize) -> &[MethodId] {
        match self.site(method, number) {
            Some(Callee::Method(target)) => std::slice::from_ref(target),
            Some(Callee::Virtual(dispatch)) => &self.dispatches[*dispatch as usize].targets,
            Some(Callee::Unresolved(_)) | None => &[],
        }
    }

    /// What the instruction with this number calls, if it is a call.
    pub fn callee(&self, method: MethodId, number: usize) -> Option<Callee> {
        self.site(method, number).copied()
    }

    /// A virtual call.
    pub fn dispatch(&self, number: u32) -> &Dispatch {
        &self.dispatches[number as usize]
    }

    /// How many virtual calls there are that differ.
    pub fn dispatch_count(&self) -> usize {
        self.dispatches.len()
    }

    /// How many call instructions there are in the methods that can be reached.
    pub fn site_count(&self) -> usize {
        self.sites.len()
    }

    fn site(&self, method: MethodId, number: usize) -> Option<&Callee> {
        let (start, count) = (*self.sites_of.get(method.index())?)?;
        let sites = &self.sites[start as usize..][..count as usize];
        let place = sites.binary_search_by_key(&number, |site| usize::from(site.number)).ok()?;
        Some(&sites[place].callee)
    }

    /// The calls of a method that can be reached, with their instruction numbers, in order.
    pub fn sites(&self, method: MethodId) -> impl Iterator<Item = (usize, &Callee)> {
        let (start, count) = self.sites_of.get(method.index()).copied().flatten().unwrap_or_default();
        let sites = &self.sites[start as usize..][..count as usize];
        sites.iter().map(|site| (usize::from(site.number), &site.callee))
    }

    /// The methods of a callee.
    pub fn methods<'g>(&'g self, callee: &'g Callee) -> &'g [MethodId] {
        match callee {
            Callee::Method(target) => std::slice::from_ref(target),
            Callee::Virtual(dispatch) => &self.dispatches[*dispatch as usize].targets,
            Callee::Unresolved(_) => &[],
        }
    }

    /// Methods that override methods of classes whose code is not given, which may call them: in
    /// order.
    pub fn callbacks(&self) -> &[MethodId] {
        &self.callbacks
    }

    /// The methods that a method without code may call, as objects of classes that override them
    /// are passed to it: in order. Methods of `Object` are not among them, as everything is an
    /// object.
    pub fn callbacks_of(&self, program: &Program, method: MethodId) -> Vec<MethodId> {
        let owner = program.owner(method);
        if program.origin(owner) != ClassOrigin::Platform {
            return Vec::new();
        }
        let declared = program.method(method);
        let mut types: Vec<ClassId> = Vec::new();
        if !declared.flags.is_static() && !program.class(owner).flags.is_interface() {
            types.push(owner);
        }
        if let Some(descriptor) = Descriptor::of(&program.names[declared.descriptor]) {
            types.extend(descriptor.parameters.iter().filter_map(|parameter| class_of(program, parameter)));
        }
        let mut found = Vec::new();
        for class in types {
            for ancestor in program.supertypes(class) {
                if &program.names[program.class(ancestor).name] != "java/lang/Object" {
                    found.extend(self.called_back.get(&ancestor).into_iter().flatten());
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Methods without code that can be reached: native ones, abstract ones without a known
    /// implementation, and those of which only the declaration is known. They are assumed to return
    /// or to throw what they declare.
    pub fn assumed(&self) -> &[MethodId] {
        &self.assumed
    }

    /// Calls that are not resolved: the method, the number of the instruction, and why.
    pub fn unresolved(&self) -> &[(MethodId, usize, Unresolved)] {
        &self.unresolved
    }

    /// Methods whose code cannot be read; they are treated as methods without code.
    pub fn damaged(&self) -> &[(MethodId, String)] {
        &self.damaged
    }
}

/// The class of a parameter, or of the elements of an array.
fn class_of(program: &Program, parameter: &str) -> Option<ClassId> {
    let name = parameter.trim_start_matches('[').strip_prefix('L')?.strip_suffix(';')?;
    program.find_class(program.names.find(name)?)
}
