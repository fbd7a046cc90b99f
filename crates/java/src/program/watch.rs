//! What is looked at in a program: the inputs that an answer depends on.
//!
//! Every look is noted before it is known what comes of it, so that another program in which all
//! that was looked at is the same gives the same answers, one after the other. A bit for each class
//! and each name; a note costs a load, and a store if it is new.

use super::ClassId;
use loris_base::{Idx, Symbol};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// What was looked at in a program, each list in the order of ids.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Looked {
    /// Whether all classes were listed, or counted.
    pub all: bool,
    /// Classes of which anything was looked at but their subtypes.
    pub classes: Vec<ClassId>,
    /// Classes whose direct subtypes were looked at.
    pub subtypes: Vec<ClassId>,
    /// Classes whose outermost class was looked at for the classes in it.
    pub near: Vec<ClassId>,
    /// Names that classes were looked for under, in vain.
    pub absent: Vec<Symbol>,
}

#[derive(Debug)]
pub(super) struct Watch {
    all: AtomicBool,
    classes: Bits,
    subtypes: Bits,
    near: Bits,
    absent: Bits,
}

impl Watch {
    pub(super) fn new(classes: usize, names: usize) -> Self {
        Self {
            all: AtomicBool::new(false),
            classes: Bits::new(classes),
            subtypes: Bits::new(classes),
            near: Bits::new(classes),
            absent: Bits::new(names),
        }
    }

    pub(super) fn all(&self) {
        self.all.store(true, Ordering::Relaxed);
    }

    #[inline]
    pub(super) fn class(&self, class: ClassId) {
        self.classes.set(class.index());
    }

    pub(super) fn subtypes(&self, class: ClassId) {
        self.subtypes.set(class.index());
    }

    pub(super) fn near(&self, class: ClassId) {
        self.near.set(class.index());
    }

    pub(super) fn absent(&self, name: Symbol) {
        self.absent.set(name.index());
    }

    pub(super) fn looked(&self) -> Looked {
        Looked {
            all: self.all.load(Ordering::Relaxed),
            classes: self.classes.list(),
            subtypes: self.subtypes.list(),
            near: self.near.list(),
            absent: self.absent.list(),
        }
    }
}

/// A set of ids that threads add to.
#[derive(Debug)]
struct Bits(Box<[AtomicU64]>);

impl Bits {
    fn new(count: usize) -> Self {
        Self((0..count.div_ceil(64)).map(|_| AtomicU64::new(0)).collect())
    }

    #[inline]
    fn set(&self, id: usize) {
        let (word, bit) = (&self.0[id / 64], 1 << (id % 64));
        // most looks are at what was looked at before
        if word.load(Ordering::Relaxed) & bit == 0 {
            word.fetch_or(bit, Ordering::Relaxed);
        }
    }

    fn list<T: Idx>(&self) -> Vec<T> {
        let mut list = Vec::new();
        for (number, word) in self.0.iter().enumerate() {
            let mut rest = word.load(Ordering::Relaxed);
            while rest != 0 {
                list.push(T::new(number * 64 + rest.trailing_zeros() as usize));
                rest &= rest - 1;
            }
        }
        list
    }
}

#[cfg(test)]
mod tests {
    use super::Looked;
    use crate::{ClassInput, ClassOrigin, LoadOptions, Program};

    #[test]
    fn looks_are_noted() {
        let bytes = include_bytes!("../../tests/programs/classes/p/Exceptions.class");
        let (path, origin) = ("Exceptions.class".into(), ClassOrigin::Application);
        let class = ClassInput { path, origin, bytes: (*bytes).into() };
        let program = Program::load(vec![class], &LoadOptions::default()).program;
        let own = program.class_named("p.Exceptions").expect("it was read");
        let object = program.class_named("java.lang.Object").expect("all have it");
        let member = program.class(own).methods[0].name;
        let check = |look: &dyn Fn(&Program), expected: Looked| {
            let watched = program.watched();
            look(&watched);
            assert_eq!(watched.looked(), expected);
            look(&program);
            assert_eq!(program.looked(), Looked::default(), "it is not watched");
        };
        check(&|_| (), Looked::default());
        let of_own = Looked { classes: vec![own], ..Looked::default() };
        check(&|it| drop(it.class_name(own)), of_own.clone());
        check(&|it| assert!(it.declared(own, member, member).is_none()), of_own.clone());
        check(&|it| assert_eq!(it.methods_of(own).count(), it.class(own).methods.len()), of_own.clone());
        check(&|it| drop(it.body(it.method_at(own, 0))), of_own);
        let absent = Looked { absent: vec![member], ..Looked::default() };
        check(&|it| assert_eq!(it.find_class(member), None), absent);
        let subtypes = Looked { subtypes: vec![object], ..Looked::default() };
        check(&|it| assert!(it.subtypes(object).count() > 0), subtypes);
        let near = Looked { near: vec![own], ..Looked::default() };
        check(&|it| assert!(it.near(own).contains(&own)), near);
        check(&|it| drop(it.classes()), Looked { all: true, ..Looked::default() });
    }
}
