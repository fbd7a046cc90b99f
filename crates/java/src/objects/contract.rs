//! Annotations that say who closes an object: a method, its caller, or neither. They count as
//! written, whatever the code does, as the two sides may be of different programs.
//!
//! Annotations are known by their simple names, as each library has its own ones.

use crate::class::{Annotation, Descriptor, Member};
use crate::program::{MethodId, Program};

/// The simple names of annotations, by what they say.
#[derive(Clone, Debug, Default)]
pub struct Contracts {
    /// Of a constructor or method: the caller closes what it makes.
    pub must_be_closed: Vec<String>,
    /// Of a parameter or field: the object is closed there. Of a method: the caller closes the
    /// result.
    pub takes: Vec<String>,
    /// Of a parameter or field: the object is not closed there. Of a method: the caller need not
    /// close the result.
    pub leaves: Vec<String>,
    /// Of a parameter: it is closed when what the method makes is closed.
    pub closes_with: Vec<String>,
    /// Of a type: its objects have to be closed.
    pub obligations: Vec<String>,
    /// Of a method: it closes the object that it is called on.
    pub discharges: Vec<String>,
    /// Of a method: it is called with the locks that the annotation names.
    pub guards: Vec<String>,
}

/// What an annotation says about an object that a method or field gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Contract {
    /// It is closed there.
    Takes,
    /// It is not closed there.
    Leaves,
    /// It is closed with what the method makes.
    ClosesWith,
}

impl Contracts {
    /// Whether one of some annotations has one of these names.
    ///
    /// ```
    /// use loris_base::Names;
    /// use loris_java::{class::Annotation, objects::Contracts};
    /// let mut names = Names::default();
    /// let kind = names.intern("Lorg/example/WillClose;");
    /// let annotations = [Annotation { kind, values: Vec::new(), visible: false }];
    /// assert!(Contracts::names_one(&["WillClose".to_owned()], &annotations, &names));
    /// assert!(!Contracts::names_one(&["Close".to_owned()], &annotations, &names));
    /// ```
    pub fn names_one(known: &[String], annotations: &[Annotation], names: &loris_base::Names) -> bool {
        annotations.iter().any(|annotation| {
            let simple = annotation.simple_name(names);
            known.iter().any(|known| known == simple)
        })
    }

    /// Whether a method, or one that it overrides, has an annotation of these names.
    pub fn is_marked(&self, program: &Program, member: &Member, known: &[String]) -> bool {
        let has = |method| Self::names_one(known, &program.method(method).annotations, &program.names);
        overridden(program, member).into_iter().any(has)
    }

    /// What is said about the argument of a method at a slot, without the receiver.
    pub(crate) fn of_argument(&self, program: &Program, member: &Member, slot: usize) -> Option<Contract> {
        let descriptor = Descriptor::of(&program.names[member.descriptor])?;
        let mut at = 0;
        let position = descriptor.parameters.iter().position(|parameter| {
            let here = at;
            at += crate::class::width_of(parameter);
            here == slot
        })?;
        let from_end = descriptor.parameters.len() - position;
        overridden(program, member).into_iter().find_map(|method| {
            let parameters = &program.method(method).parameters;
            let annotations = parameters.get(parameters.len().checked_sub(from_end)?)?;
            self.said(annotations, program)
        })
    }

    /// What is said about what a field holds.
    pub(crate) fn of_field(&self, program: &Program, member: &Member) -> Option<Contract> {
        let class = program.find_class(member.owner)?;
        program.supertypes(class).into_iter().find_map(|class| {
            let class = program.class(class);
            let field = &class.fields[class.field(member.name, member.descriptor)?];
            self.said(&field.annotations, program)
        })
    }

    fn said(&self, annotations: &[Annotation], program: &Program) -> Option<Contract> {
        let lists = [
            (&self.takes, Contract::Takes),
            (&self.leaves, Contract::Leaves),
            (&self.closes_with, Contract::ClosesWith),
        ];
        let mut said = lists.iter().filter(|(known, _)| Self::names_one(known, annotations, &program.names));
        said.next().map(|&(_, contract)| contract)
    }
}

/// The method that an instruction names, and those that it overrides.
fn overridden(program: &Program, member: &Member) -> Vec<MethodId> {
    let Some(resolved) = program.resolve(member) else { return Vec::new() };
    let is_made = &program.names[member.name] == "<init>";
    let mut all = vec![resolved];
    if !is_made && !program.method(resolved).flags.is_static() {
        let above = program.supertypes(program.owner(resolved)).into_iter().skip(1);
        all.extend(above.filter_map(|class| program.declared(class, member.name, member.descriptor)));
    }
    all
}
