//! From syntax to meaning: scopes, instances, types, and everything that can be found wrong without
//! looking at states.
//!
//! The way of a file: `modules` decides which modules are structures; `layout` lays out the
//! instances of each with tables of names (`scope`), `domain` gives variables their values; `lower`
//! resolves expressions, with `stack`, `names`, `places`, `operators`, `arithmetic`, `words` and
//! `functions` for their types and `build` for folding constants; `sections` and `assign` go
//! through the sections, `cycles` looks for values that depend on themselves; last come properties
//! (`stated`, `property`), since their atoms may be labels of any structure.

mod arithmetic;
mod arrays;
mod assign;
mod atom;
mod bit_words;
mod bounded;
mod build;
mod cycles;
mod domain;
mod dotted;
mod functions;
mod isa;
mod layout;
mod lower;
mod memory;
mod modules;
mod monitors;
mod names;
mod needs;
mod operators;
mod past;
mod places;
mod problems;
mod processes;
mod property;
mod psl;
mod scope;
mod sections;
mod stack;
mod stated;
mod types;

use crate::ir::{Computation, ModulePlaces, Program, PropertyKind, SmvProperty, Structure, StructureId};
use crate::states::Stopped;
use crate::syntax::ast::{self, ComputeItem, File};
use crate::syntax::{Given, collapse, parse_computation, parse_file_within, parse_property, respelled};
use loris_base::{Budget, Diagnostic, Diagnostics, IndexVec, Names};
use lower::Lowering;
use modules::Modules;
use problems::Problems;
use property::{Made, Properties};
use scope::{ScopeId, Symbols, Tables};
use std::sync::Arc;

/// A file that was read, with its scopes, so that properties given from outside can be resolved.
#[derive(Clone, Debug)]
pub struct Smv {
    file: File,
    program: Program,
    tables: IndexVec<StructureId, Tables>,
    labels: Names,
    /// labels that the machine gets elsewhere
    foreign: Names,
    /// where the next text that is given from outside starts, behind the file and all others
    end: u32,
}

/// Reads a file; with its warnings if it is right, with all its problems if not.
///
/// ```
/// let text = "MODULE main VAR x : 0..2; ASSIGN init(x) := 0; next(x) := (x + 1) mod 3; SPEC AG AF x = 0";
/// let (mut smv, warnings) = loris_smv::read_smv(text).expect("nothing is wrong");
/// assert!(warnings.is_empty());
/// assert_eq!(smv.program().properties[0].formula.to_string(), "A G A F \"x = 0\"");
/// assert_eq!(smv.property("EF (x = 2)").expect("well-formed").atoms.len(), 1);
/// ```
pub fn read_smv(text: &str) -> Result<(Smv, Diagnostics), Diagnostics> {
    match read_smv_within(text, &mut Budget::unlimited()) {
        Ok(read) => Ok(read),
        Err(Stopped::Wrong(problems)) => Err(problems),
        Err(Stopped::Exhausted(why)) => Err(Diagnostic::global(why.to_string()).into()),
    }
}

/// Reads a file within a budget, which is charged for the memory in use.
///
/// # Errors
/// Something is wrong with the file, or the budget ran out.
pub fn read_smv_within(text: &str, budget: &mut Budget) -> Result<(Smv, Diagnostics), Stopped> {
    let (file, problems) = parse_file_within(text, budget)?;
    let mut file = problems.into_result(file).map_err(Stopped::Wrong)?;
    let mut problems = Problems::within(text, budget.clone());
    isa::expand(&mut file, &mut problems);
    let made = resolve(&file, &mut problems);
    let (rest, stopped) = problems.spent();
    *budget = rest;
    let problems = problems.finish();
    match (stopped, made) {
        (Some(why), _) => Err(Stopped::Exhausted(why)),
        (None, Some((program, tables, labels))) if !problems.has_errors() => {
            let end = u32::try_from(text.len()).unwrap_or(u32::MAX).saturating_add(1);
            Ok((Smv { file, program, tables, labels, foreign: Names::default(), end }, problems))
        }
        _ => Err(Stopped::Wrong(problems)),
    }
}

impl Smv {
    /// The meaning of the file.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// Gives the file a name, so that states of its machine have places: the line of their module.
    /// The text is the one that was read.
    pub fn set_file(&mut self, name: &str, text: &str) {
        let structures = &self.program.structures;
        let mut order: Vec<StructureId> = structures.ids().collect();
        order.sort_by_key(|&id| structures[id].span.0);
        let offsets: Vec<u64> = order.iter().map(|&id| structures[id].span.0.into()).collect();
        let found = loris_base::places(&mut std::io::Cursor::new(text), &offsets);
        let mut places: IndexVec<StructureId, (u32, u32)> = vec![(1, 1); structures.len()].into();
        for (id, place) in order.into_iter().zip(found.into_iter().flatten()) {
            places[id] = (place.line as u32, place.column as u32);
        }
        self.program.modules = Some(Arc::new(ModulePlaces { file: name.to_owned(), places }));
    }

    /// Takes back [`set_file`](Self::set_file): states have no places.
    pub fn forget_file(&mut self) {
        self.program.modules = None;
    }

    /// The syntax of the file.
    pub fn syntax(&self) -> &File {
        &self.file
    }

    /// Lets properties from outside name a label that the file does not know, unless it means
    /// something there.
    pub fn add_label(&mut self, name: &str) {
        self.foreign.intern(name);
    }

    /// Where runs start by default: in `main`, or else in the first structure.
    pub fn first(&self) -> StructureId {
        property::first(&self.program)
    }

    /// A property given from outside, in any logic, about the [first](Self::first) structure.
    /// Offsets are in `text`.
    ///
    /// Its atoms may add expressions to the program.
    pub fn property(&mut self, text: &str) -> Result<SmvProperty, Diagnostics> {
        self.property_of(self.first(), text)
    }

    /// The same, about some structure. Operators may be spelled as elsewhere, `[]p`, `<>p`, `ag p`,
    /// where the text cannot be read otherwise and no name is spelled like that.
    pub fn property_of(&mut self, structure: StructureId, text: &str) -> Result<SmvProperty, Diagnostics> {
        let known = self.file.exprs.nodes.len();
        let read = parse_property(text, &mut self.file.names, &mut self.file.exprs);
        let read = read.or_else(|problems| {
            let meant = respelled(text, |word| self.is_name(structure, word));
            let read = meant.map(|meant| parse_property(&meant, &mut self.file.names, &mut self.file.exprs));
            read.and_then(Result::ok).ok_or(problems)
        });
        let Given { formula, context } = read?;
        self.file.rename_exits(known);
        let [property] = self.given(structure, text, [formula], context, PropertyKind::Given)?;
        Ok(property)
    }

    /// Whether a word means something in a structure.
    fn is_name(&self, structure: StructureId, word: &str) -> bool {
        let tables = &self.tables[structure];
        let scope = &tables.scopes[ScopeId::default_root()];
        let names = |name| scope.names.contains_key(&name) || tables.constants.contains_key(&name);
        self.file.names.find(word).is_some_and(names)
            || self.labels.find(word).is_some()
            || self.foreign.find(word).is_some()
    }

    /// A question for a number, `MIN [ p, q ]` or `COMPUTE MAX [ p, q ]`, about some structure, if
    /// the text is one.
    pub fn computation_of(
        &mut self,
        structure: StructureId,
        text: &str,
    ) -> Option<Result<Computation, Diagnostics>> {
        let known = self.file.exprs.nodes.len();
        let item = parse_computation(text, &mut self.file.names, &mut self.file.exprs)?;
        self.file.rename_exits(known);
        Some(item.and_then(|ComputeItem { longest, from, to, context, span, .. }| {
            if self.program.recursive {
                let (start, end) = (u64::from(span.0), u64::from(span.1));
                return Err(stated::no_computation(start, end).into());
            }
            let [from, to] = self.given(structure, text, [from, to], context, PropertyKind::Ctl)?;
            Ok(Computation { longest, from, to })
        }))
    }

    /// Formulas of one text that is given from outside.
    fn given<const N: usize>(
        &mut self,
        structure: StructureId,
        text: &str,
        formulas: [ast::ExprId; N],
        context: Option<ast::ExprId>,
        kind: PropertyKind,
    ) -> Result<[SmvProperty; N], Diagnostics> {
        let mut problems = Problems::new(text);
        let tables = &mut self.tables[structure];
        // beyond 4 GiB, problems of states have no place
        let base = self.end;
        let next = base.checked_add(text.len() as u32).and_then(|end| end.checked_add(1));
        let (known, monitors) = (self.program.structures[structure].exprs.len(), tables.variables.len());
        tables.build.put_back(std::mem::take(&mut self.program.structures[structure].exprs));
        let scope = tables.context(&self.file, ScopeId::default_root(), context, &mut problems);
        let made = formulas.map(|formula| {
            let scope = scope?;
            let mut lowering = Lowering::new(&self.file, tables, &mut problems);
            let mut properties = Properties::new(&mut lowering, &self.labels, kind, scope);
            properties.foreign = Some(&self.foreign);
            let Made { formula, atoms } = properties.resolve(formula)?;
            Some(SmvProperty {
                kind,
                name: None,
                text: collapse(text, false),
                span: (0, text.len() as u32),
                structure,
                instance: String::new(),
                formula,
                atoms,
                base: next.map(|_| base),
            })
        });
        let mut exprs = tables.build.take();
        if let Some(next) = next {
            self.end = next;
            exprs.moved(known, base);
            for id in tables.variables.ids().skip(monitors) {
                let assigned = tables.variables[id].assigned.iter_mut();
                assigned.for_each(|(_, span)| *span = (span.0 + base, span.1 + base));
            }
        }
        self.program.structures[structure].exprs = exprs;
        // a property may have added monitors
        self.program.structures[structure].variables = tables.variables.clone();
        let problems = problems.finish();
        let is_made = made.iter().all(Option::is_some) && !problems.has_errors();
        if is_made { Ok(made.map(|made| made.expect("all are there"))) } else { Err(problems) }
    }
}

type Read = (Program, IndexVec<StructureId, Tables>, Names);

fn resolve(file: &File, problems: &mut Problems<'_>) -> Option<Read> {
    let modules = Modules::new(file, problems)?;
    let mut symbols = Symbols::default();
    let mut program = Program { recursive: modules.recursive, ..Program::default() };
    let mut tables = IndexVec::<StructureId, Tables>::new();
    let mut labels = Names::default();
    for &root in &modules.roots {
        let mut table = Tables::default();
        table.lay_out(file, &modules, root, &mut symbols, problems);
        program.structures.push(structure(file, root, &modules, &mut table, problems));
        tables.push(table);
    }
    for structure in &program.structures {
        for label in &structure.labels {
            labels.intern(&label.name);
        }
    }
    for id in program.structures.ids() {
        stated::properties(file, id, &mut tables[id], &labels, &mut program, problems);
        Lowering::new(file, &mut tables[id], problems).unused_parameters();
    }
    program.properties.sort_by_key(|property| property.span.0);
    program.unsupported.sort_by_key(|property| property.span.0);
    program.computations.sort_by_key(|computation| computation.from.span.0);
    for id in program.structures.ids() {
        program.structures[id].exprs = tables[id].build.take();
        program.structures[id].variables = tables[id].variables.clone();
    }
    program.symbols = symbols.names;
    Some((program, tables, labels))
}

fn structure(
    file: &File,
    root: usize,
    modules: &Modules,
    tables: &mut Tables,
    problems: &mut Problems<'_>,
) -> Structure {
    let name = file.modules[root].name;
    let mut structure =
        Structure { name: file.names[name.name].to_owned(), span: name.span, ..Structure::default() };
    let mut lowering = Lowering::new(file, tables, problems);
    lowering.declare_variables();
    lowering.declare_selector();
    structure.labels = lowering.labels();
    lowering.sections(&mut structure, modules);
    lowering.assignments();
    cycles::check(tables, problems);
    structure
}
