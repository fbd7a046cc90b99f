//! The properties that a file states: the instance, the name and the formula of each.

use super::lower::Lowering;
use super::problems::Problems;
use super::property::{Made, Properties};
use super::psl;
use super::scope::{ScopeId, Tables};
use crate::ir::{Computation, Program, PropertyKind, SmvProperty, Span, StructureId, Unsupported};
use crate::syntax::ast::{self, ComputeItem, ExprId, File, Ident, Item, PropertyItem, UnsupportedItem};
use crate::syntax::collapse;
use loris_base::{Diagnostic, Names, Symbol};
use rustc_hash::FxHashMap;

/// A property before its names mean anything.
struct Stated {
    kind: PropertyKind,
    name: Option<String>,
    text: String,
    span: Span,
    context: Option<ExprId>,
    asks: Asks,
}

enum Asks {
    Formula(ExprId),
    /// `MAX`, with `true`, or `MIN`, of two formulas.
    Distance(bool, [ExprId; 2]),
    /// Something that is not supported.
    Unsupported(String),
}

/// Why there are no numbers in programs that call.
const NO_COMPUTATION: &str = "`COMPUTE` together with `CALL` and `EXIT`";

/// The same as a problem.
pub(super) fn no_computation(start: u64, end: u64) -> Diagnostic {
    let message = format!("{NO_COMPUTATION} is not supported");
    Diagnostic::error(start, (end - start) as usize, message).not_supported(NO_COMPUTATION)
}

/// Resolves the properties of all instances of a structure.
pub(super) fn properties(
    file: &File,
    structure: StructureId,
    tables: &mut Tables,
    labels: &Names,
    program: &mut Program,
    problems: &mut Problems<'_>,
) {
    let mut named: FxHashMap<(ScopeId, Symbol), Span> = FxHashMap::default();
    for outer in tables.instances() {
        for item in &file.modules[tables.scopes[outer].module].items {
            let Some((name, stated)) = stated(file, item, program.recursive, problems) else { continue };
            if let Some(name) = name
                && let Some(first) = named.insert((outer, name.name), name.span)
            {
                problems.declared_twice(&file.names[name.name], name.span, first);
            }
            let Some(scope) = tables.context(file, outer, stated.context, problems) else { continue };
            let Stated { kind, name, text, span, asks, .. } = stated;
            let instance = tables.scopes[scope].path().to_owned();
            let property = |Made { formula, atoms }| SmvProperty {
                kind,
                name: name.clone(),
                text: text.clone(),
                span,
                structure,
                instance: instance.clone(),
                formula,
                atoms,
                base: None,
            };
            let mut own = problems.apart();
            let mut resolve = |formula| {
                let mut lowering = Lowering::new(file, tables, &mut own);
                Properties::new(&mut lowering, labels, kind, scope).resolve(formula).map(property)
            };
            let unsupported = match asks {
                Asks::Formula(formula) => {
                    let made = resolve(formula);
                    let unsupported = problems.join(&own);
                    program.properties.extend(made.filter(|_| unsupported.is_none()));
                    unsupported
                }
                Asks::Distance(longest, formulas) => {
                    let [from, to] = formulas.map(resolve);
                    let unsupported = problems.join(&own);
                    let pair = from.zip(to).filter(|_| unsupported.is_none());
                    program.computations.extend(pair.map(|(from, to)| Computation { longest, from, to }));
                    unsupported
                }
                Asks::Unsupported(what) => Some(what),
            };
            let refused = |what| Unsupported { kind, name, text, span, structure, instance, what };
            program.unsupported.extend(unsupported.map(refused));
        }
    }
}

/// The property of a section, if it is one, and its name.
fn stated(
    file: &File,
    item: &Item,
    recursive: bool,
    problems: &Problems<'_>,
) -> Option<(Option<Ident>, Stated)> {
    let (name, mut stated) = match item {
        Item::Property(PropertyItem { kind, name, formula, context, source, .. }) => {
            let span = file.exprs.spans[*formula];
            let text = source.clone().unwrap_or_else(|| collapse(problems.source(span), true));
            let kind = match kind {
                ast::PropertyKind::Psl => psl::kind(file, *formula),
                other => self::kind(*other),
            };
            let asks = Asks::Formula(*formula);
            (name, Stated { kind, name: None, text, span, context: *context, asks })
        }
        Item::Compute(ComputeItem { longest, name, from, to, context, span, .. }) => {
            let asks = if recursive {
                Asks::Unsupported(NO_COMPUTATION.to_owned())
            } else {
                Asks::Distance(*longest, [*from, *to])
            };
            let text = format!("COMPUTE {}", collapse(problems.source(*span), true));
            let kind = PropertyKind::Ctl;
            (name, Stated { kind, name: None, text, span: *span, context: *context, asks })
        }
        Item::Unsupported(UnsupportedItem { kind, name, text, span, what, .. }) => {
            let asks = Asks::Unsupported(what.clone());
            let text = match kind {
                ast::PropertyKind::Compute => format!("COMPUTE {text}"),
                _ => text.clone(),
            };
            (name, Stated { kind: self::kind(*kind), name: None, text, span: *span, context: None, asks })
        }
        _ => return None,
    };
    stated.name = name.map(|name| file.names[name.name].to_owned());
    Some((*name, stated))
}

/// The logic of a property of a file.
fn kind(kind: ast::PropertyKind) -> PropertyKind {
    match kind {
        ast::PropertyKind::Ctl | ast::PropertyKind::Compute => PropertyKind::Ctl,
        ast::PropertyKind::Ltl | ast::PropertyKind::Psl => PropertyKind::Ltl,
        ast::PropertyKind::Invariant => PropertyKind::Invariant,
    }
}
