//! Tables of names: the instances of a structure, and the meaning of each name in them.
//!
//! Parameters and definitions are *macros*: an expression with the scope it is to be read in,
//! resolved when it is first needed.

use super::build::Build;
use super::memory::Memory;
use super::types::{Type, Typed};
use crate::ir::{self, Span, VariableId};
use crate::syntax::ast::{self, File, Ident};
use loris_base::{IndexVec, Symbol};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

loris_base::id! {
    /// An instance of a module.
    pub(super) struct ScopeId;
    /// A definition or a parameter of an instance.
    pub(super) struct MacroId;
    /// An array of an instance.
    pub(super) struct ArrayId;
}

/// The meaning of a name.
#[derive(Clone, Copy, Debug)]
pub(super) enum Entry {
    Variable(VariableId),
    Array(ArrayId),
    Instance(ScopeId),
    Macro(MacroId),
    /// Whether this process runs.
    Running(ScopeId),
    /// A variable whose type is not known yet.
    Pending,
}

/// An instance, or the names that continue another name.
#[derive(Clone, Debug)]
pub(super) struct Scope {
    /// Which module, or the one around it.
    pub(super) module: usize,
    /// The prefix of names: nothing, or `p.sub.`
    pub(super) prefix: String,
    pub(super) names: FxHashMap<Symbol, Entry>,
    /// The names that continue a name: of an instance, or of others that were declared with dots.
    pub(super) parts: FxHashMap<Symbol, ScopeId>,
    /// Where each name was declared, in that order.
    pub(super) declared: Vec<Ident>,
    /// How many instances it is inside of.
    pub(super) depth: u32,
    /// The process it belongs to: itself, one around it, or the structure.
    pub(super) process: ScopeId,
    /// Whether it is an instance of a module, with the sections of the module.
    pub(super) is_instance: bool,
}

impl Scope {
    /// The instance by its full name, empty for the structure itself.
    pub(super) fn path(&self) -> &str {
        self.prefix.strip_suffix('.').unwrap_or(&self.prefix)
    }
}

/// A definition or a parameter.
#[derive(Clone, Debug)]
pub(super) struct Macro {
    /// Where the expression is to be read.
    pub(super) scope: ScopeId,
    pub(super) body: ast::ExprId,
    /// Its full name.
    pub(super) name: String,
    pub(super) span: Span,
    pub(super) parameter: bool,
    /// Its meaning in this state and in the next.
    pub(super) known: [Known; 2],
}

/// The state of a macro.
#[derive(Clone, Debug, Default)]
pub(super) enum Known {
    #[default]
    Nothing,
    /// It is being resolved.
    Busy,
    Done(Operand),
}

/// The meaning of an operand.
#[derive(Clone, Debug)]
pub(super) enum Operand {
    Value(Typed),
    Instance(ScopeId),
    /// An array of variables.
    Array(Chosen),
    /// An array of values.
    List(Arc<List>),
}

/// An array of variables, with indices that were given but not used, since one of them is not a
/// constant.
#[derive(Clone, Debug)]
pub(super) struct Chosen {
    pub(super) array: ArrayId,
    pub(super) indices: Vec<ir::ExprId>,
    /// Whether its values in the next state are meant.
    pub(super) next: bool,
}

/// The elements of an array: values, or arrays.
#[derive(Clone, Debug)]
pub(super) struct List {
    /// The first index.
    pub(super) low: i64,
    /// The width of words that are indices.
    pub(super) word: Option<u32>,
    /// At least one.
    pub(super) elements: Vec<Operand>,
}

impl List {
    /// All indices.
    pub(super) fn range(&self) -> String {
        format!("{}..{}", self.low, self.low + self.elements.len().cast_signed() as i64 - 1)
    }
}

/// An array: an entry for each index.
#[derive(Clone, Debug)]
pub(super) struct Array {
    pub(super) low: i64,
    /// The width of words that are indices.
    pub(super) word: Option<u32>,
    pub(super) elements: Vec<Entry>,
}

impl Array {
    /// The last index.
    pub(super) fn high(&self) -> i64 {
        self.low + self.elements.len().cast_signed() as i64 - 1
    }

    /// The element of an index that is within the bounds.
    pub(super) fn at(&self, index: i64) -> Entry {
        self.elements[usize::try_from(index - self.low).expect("constant indices were checked")]
    }
}

/// Facts about a variable besides those the program keeps.
#[derive(Clone, Debug)]
pub(super) struct Shape {
    pub(super) ty: Type,
    /// The values of an enumeration.
    pub(super) members: Option<Arc<FxHashSet<i64>>>,
}

/// Facts about a structure besides those the program keeps.
#[derive(Clone, Debug, Default)]
pub(super) struct Tables {
    pub(super) scopes: IndexVec<ScopeId, Scope>,
    /// All scopes, each followed by those inside it.
    pub(super) order: Vec<ScopeId>,
    pub(super) macros: IndexVec<MacroId, Macro>,
    pub(super) arrays: IndexVec<ArrayId, Array>,
    pub(super) shapes: IndexVec<VariableId, Shape>,
    pub(super) variables: IndexVec<VariableId, ir::Variable>,
    /// Symbolic constants of the structure.
    pub(super) constants: FxHashMap<Symbol, i64>,
    /// The same in the order of the file.
    pub(super) constant_names: Vec<Symbol>,
    pub(super) build: Build,
    pub(super) recursive: bool,
    /// The processes, the structure itself first; none if it has no process.
    pub(super) processes: Vec<ScopeId>,
    /// For each of them, the value of the selector that lets it run.
    pub(super) process_values: Vec<i64>,
    /// The input that selects the process that runs.
    pub(super) selector: Option<VariableId>,
    /// The monitors, by name.
    pub(super) monitors: FxHashMap<String, (Memory, VariableId)>,
    /// The monitors of the values of `S` and `T`, by these and their first values.
    pub(super) remembered: FxHashMap<(ir::ExprId, bool), VariableId>,
    /// The names of all other variables, once there are monitors.
    pub(super) declared: Option<FxHashSet<String>>,
}

/// Symbolic constants of all structures.
#[derive(Clone, Debug, Default)]
pub(super) struct Symbols {
    values: FxHashMap<Symbol, i64>,
    pub(super) names: Vec<String>,
}

impl Symbols {
    /// The value of a symbolic constant, new or old.
    pub(super) fn value(&mut self, file: &File, name: Symbol) -> i64 {
        *self.values.entry(name).or_insert_with(|| {
            self.names.push(file.names[name].to_owned());
            ir::SYMBOLS + self.names.len().cast_signed() as i64 - 1
        })
    }
}

impl Symbols {
    /// The value of a symbolic constant by its text, which the file need not have.
    pub(super) fn named(&mut self, file: &File, text: &str) -> i64 {
        if let Some(name) = file.names.find(text) {
            return self.value(file, name);
        }
        self.names.push(text.to_owned());
        ir::SYMBOLS + self.names.len().cast_signed() as i64 - 1
    }
}

impl Tables {
    /// Whether a value is one of a variable, `EXIT` not counted.
    pub(super) fn has_value(&self, variable: VariableId, value: i64) -> bool {
        match &self.variables[variable].domain {
            ir::Domain::Boolean => value == 0 || value == 1,
            ir::Domain::Range(low, high) => (*low..=*high).contains(&value),
            ir::Domain::Enumeration(values) => match &self.shapes[variable].members {
                Some(members) => members.contains(&value),
                None => values.contains(&value),
            },
            ir::Domain::Word { signed, width } => super::build::wrap(value, *signed, *width) == value,
        }
    }
}

impl ScopeId {
    /// The structure itself.
    pub(super) fn default_root() -> Self {
        loris_base::Idx::new(0)
    }
}
