//! The canonical form: one declaration per line, as few brackets as the parser needs.
//!
//! Expressions are written from an explicit work list, since they are deep.

mod expressions;

use super::ast::{
    Assignment, AssignmentKind, ComputeItem, ConstraintKind, Definition, ExprId, File, Ident, Item, Module,
    PropertyItem, PropertyKind, Type, TypeKind, UnsupportedItem, VariableKind,
};
use super::operators::LOOSEST;
pub use expressions::{print_expr, write_expr};
use loris_base::Symbol;
use std::fmt::{self, Write};

/// Writes a whole file so that it can be read again.
pub fn write_file(file: &File, out: &mut impl Write) -> fmt::Result {
    let mut printer = Printer { file, out };
    for (i, module) in file.modules.iter().enumerate() {
        if i > 0 {
            printer.out.write_char('\n')?;
        }
        printer.module(module)?;
    }
    Ok(())
}

impl fmt::Display for File {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_file(self, f)
    }
}

struct Printer<'f, 'o> {
    file: &'f File,
    out: &'o mut dyn Write,
}

impl Printer<'_, '_> {
    fn name(&mut self, ident: Ident) -> fmt::Result {
        self.out.write_str(&self.file.names[ident.name])
    }

    /// The names before a name, with their dots.
    fn prefix(&mut self, prefix: &[Symbol]) -> fmt::Result {
        prefix.iter().try_for_each(|&part| write!(self.out, "{}.", &self.file.names[part]))
    }

    fn expr(&mut self, id: ExprId) -> fmt::Result {
        expressions::write(&self.file.exprs, &self.file.names, id, LOOSEST, self.out)
    }

    fn list<T: Copy>(&mut self, list: &[T], one: impl Fn(&mut Self, T) -> fmt::Result) -> fmt::Result {
        for (i, &item) in list.iter().enumerate() {
            if i > 0 {
                self.out.write_str(", ")?;
            }
            one(self, item)?;
        }
        Ok(())
    }

    fn module(&mut self, module: &Module) -> fmt::Result {
        self.out.write_str("MODULE ")?;
        self.name(module.name)?;
        if !module.parameters.is_empty() {
            self.out.write_char('(')?;
            self.list(&module.parameters, Self::name)?;
            self.out.write_char(')')?;
        }
        self.out.write_char('\n')?;
        module.items.iter().try_for_each(|item| self.item(item))
    }

    fn item(&mut self, item: &Item) -> fmt::Result {
        match item {
            Item::Variables(kind, declarations) => {
                self.out.write_str(match kind {
                    VariableKind::State => "VAR\n",
                    VariableKind::Input => "IVAR\n",
                    VariableKind::Frozen => "FROZENVAR\n",
                })?;
                for declaration in declarations {
                    self.out.write_str("  ")?;
                    self.prefix(&declaration.prefix)?;
                    self.name(declaration.name)?;
                    self.out.write_str(" : ")?;
                    self.type_(&declaration.ty)?;
                    self.out.write_str(";\n")?;
                }
                Ok(())
            }
            Item::Define(definitions) => self.definitions("DEFINE\n", definitions),
            Item::Call(definitions) => self.definitions("CALL\n", definitions),
            Item::Constants(names) if names.is_empty() => self.out.write_str("CONSTANTS;\n"),
            Item::Constants(names) => {
                self.out.write_str("CONSTANTS ")?;
                self.list(names, Self::name)?;
                self.out.write_str(";\n")
            }
            Item::Assign(assignments) => {
                self.out.write_str("ASSIGN\n")?;
                assignments.iter().try_for_each(|assignment| self.assignment(assignment))
            }
            Item::Constraint(kind, id) => {
                self.out.write_str(match kind {
                    ConstraintKind::Init => "INIT ",
                    ConstraintKind::Trans => "TRANS ",
                    ConstraintKind::Invar => "INVAR ",
                    ConstraintKind::Justice => "JUSTICE ",
                })?;
                self.expr(*id)?;
                self.out.write_str(";\n")
            }
            Item::Compassion(p, q) => {
                self.out.write_str("COMPASSION (")?;
                self.list(&[*p, *q], Self::expr)?;
                self.out.write_str(");\n")
            }
            Item::Property(PropertyItem { kind, name, formula, context, source, .. }) => {
                self.property(*kind, *name)?;
                match source {
                    Some(source) => self.out.write_str(source)?,
                    None => self.expr(*formula)?,
                }
                if let Some(context) = context {
                    self.out.write_str(" IN ")?;
                    self.expr(*context)?;
                }
                self.out.write_str(";\n")
            }
            Item::Isa(module) => {
                self.out.write_str("ISA ")?;
                self.name(*module)?;
                self.out.write_char('\n')
            }
            Item::Hint(word, text) => {
                self.name(*word)?;
                writeln!(self.out, " {text};")
            }
            Item::Compute(ComputeItem { longest, name, from, to, context, .. }) => {
                self.property(PropertyKind::Compute, *name)?;
                self.out.write_str(if *longest { "MAX [ " } else { "MIN [ " })?;
                self.list(&[*from, *to], Self::expr)?;
                self.out.write_str(" ]")?;
                if let Some(context) = context {
                    self.out.write_str(" IN ")?;
                    self.expr(*context)?;
                }
                self.out.write_str(";\n")
            }
            Item::Unsupported(UnsupportedItem { kind, name, text, .. }) => {
                self.property(*kind, *name)?;
                writeln!(self.out, "{text};")
            }
        }
    }

    fn definitions(&mut self, section: &str, definitions: &[Definition]) -> fmt::Result {
        self.out.write_str(section)?;
        for definition in definitions {
            self.out.write_str("  ")?;
            self.prefix(&definition.prefix)?;
            self.name(definition.name)?;
            self.out.write_str(" := ")?;
            self.expr(definition.value)?;
            self.out.write_str(";\n")?;
        }
        Ok(())
    }

    fn assignment(&mut self, assignment: &Assignment) -> fmt::Result {
        let (open, close) = match assignment.kind {
            AssignmentKind::Init => ("  init(", ") := "),
            AssignmentKind::Next => ("  next(", ") := "),
            AssignmentKind::Current => ("  ", " := "),
        };
        self.out.write_str(open)?;
        self.expr(assignment.target)?;
        self.out.write_str(close)?;
        self.expr(assignment.value)?;
        self.out.write_str(";\n")
    }

    /// The keyword and the name of a property.
    fn property(&mut self, kind: PropertyKind, name: Option<Ident>) -> fmt::Result {
        self.out.write_str(match kind {
            PropertyKind::Ctl => "SPEC ",
            PropertyKind::Ltl => "LTLSPEC ",
            PropertyKind::Invariant => "INVARSPEC ",
            PropertyKind::Psl => "PSLSPEC ",
            PropertyKind::Compute => "COMPUTE ",
        })?;
        if let Some(name) = name {
            self.out.write_str("NAME ")?;
            self.name(name)?;
            self.out.write_str(" := ")?;
        }
        Ok(())
    }

    /// The bounds of a range, without brackets where the parser needs none.
    fn range(&mut self, low: ExprId, high: ExprId) -> fmt::Result {
        let level = super::ast::Binary::Range.level() + 1;
        let file = self.file;
        if expressions::starts_like_type(&file.exprs, low) {
            // it would be read as an enumeration, or as an instance
            self.out.write_char('(')?;
            self.expr(low)?;
            self.out.write_char(')')?;
        } else {
            expressions::write(&file.exprs, &file.names, low, level, self.out)?;
        }
        self.out.write_str("..")?;
        expressions::write(&file.exprs, &file.names, high, level, self.out)
    }

    fn type_(&mut self, mut ty: &Type) -> fmt::Result {
        loop {
            ty = match &ty.kind {
                TypeKind::Array(low, high, element) => {
                    self.out.write_str("array ")?;
                    self.range(*low, *high)?;
                    self.out.write_str(" of ")?;
                    element
                }
                TypeKind::WordArray(width, element) => {
                    self.out.write_str("array word[")?;
                    self.expr(*width)?;
                    self.out.write_str("] of ")?;
                    element
                }
                _ => break,
            };
        }
        match &ty.kind {
            TypeKind::Boolean => self.out.write_str("boolean"),
            TypeKind::Range(low, high) => self.range(*low, *high),
            TypeKind::Enumeration(values) => {
                self.out.write_char('{')?;
                self.list(values, Self::expr)?;
                self.out.write_char('}')
            }
            TypeKind::Word { signed, width } => {
                self.out.write_str(if *signed { "signed word[" } else { "unsigned word[" })?;
                self.expr(*width)?;
                self.out.write_char(']')
            }
            TypeKind::Array(..) | TypeKind::WordArray(..) => Ok(()),
            TypeKind::Instance { module, arguments, process } => {
                if *process {
                    self.out.write_str("process ")?;
                }
                self.name(*module)?;
                if !arguments.is_empty() {
                    self.out.write_char('(')?;
                    self.list(arguments, Self::expr)?;
                    self.out.write_char(')')?;
                }
                Ok(())
            }
        }
    }
}
