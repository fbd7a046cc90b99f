//! Private constants that nothing can use. Compilers copy constants to where they are used, so
//! there is no instruction that reads them; but a constant whose value occurs nowhere in its class
//! and those nested with it is not used there. A text may be part of another one, which a compiler
//! joined. A number may be part of a sum; so numbers are judged only if all numbers there can be
//! explained without them.

use super::FieldId;
use super::names::outermost;
use crate::context::ProgramContext;
use loris_base::{Budget, Exhausted, Symbol};
use loris_java::class::{Body, Class, Constant, Field, Op};
use loris_java::{ClassId, Program};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Attributes whose values are not read; a constant may be among them.
const NOT_READ: [&str; 5] = [
    "RuntimeVisibleParameterAnnotations",
    "RuntimeInvisibleParameterAnnotations",
    "RuntimeVisibleTypeAnnotations",
    "RuntimeInvisibleTypeAnnotations",
    "AnnotationDefault",
];

/// Words in the names of constants that are there for people, or for tools that look at files.
const FOR_PEOPLE: [&str; 7] = ["copyright", "license", "licence", "version", "cvs", "rcs", "sccs"];

/// The most pairs of texts that are compared in a class and those nested with it.
const LARGEST: usize = 1 << 22;

/// Classes that are looked at between two looks at the budget.
const ROUND: usize = 512;

/// Private constants of the classes that are reported whose values occur nowhere.
pub(super) fn unused_constants(
    context: &ProgramContext<'_>,
    budget: &mut Budget,
) -> Result<FxHashSet<FieldId>, Exhausted> {
    let program = context.program;
    let mut nests: BTreeMap<ClassId, Vec<ClassId>> = BTreeMap::new();
    for class in context.reported() {
        nests.entry(outermost(program, class)).or_default().push(class);
    }
    let judged = |class: &ClassId| program.class(*class).fields.iter().any(is_judged);
    let nests: Vec<Vec<ClassId>> = nests.into_values().filter(|classes| classes.iter().any(judged)).collect();
    let mut unused = FxHashSet::default();
    for round in nests.chunks(ROUND) {
        let sizes = round.iter().flatten().map(|&class| program.class(class).size() / 8);
        budget.spend(sizes.sum())?;
        let found: Vec<Vec<FieldId>> = round.par_iter().map(|classes| of_nest(context, classes)).collect();
        unused.extend(found.into_iter().flatten());
    }
    Ok(unused)
}

fn is_judged(field: &Field) -> bool {
    field.constant.is_some() && field.flags.is_private() && !field.flags.is_synthetic()
}

/// The value of a constant.
enum Value<'p> {
    Number(i32),
    Text(Cow<'p, str>),
}

/// Values in the code of classes that are nested with each other.
#[derive(Default)]
struct Values<'p> {
    texts: FxHashSet<Cow<'p, str>>,
    numbers: FxHashSet<i32>,
    /// Whether there may be numbers that are not known.
    has_more_numbers: bool,
}

/// Whether a class has a switch that is off: a constant that is false. Code behind it is not there.
pub(in super::super) fn has_switch_off(program: &Program, id: ClassId) -> bool {
    let class = program.class(id);
    let is_off = |field: &Field| {
        let off = field.constant.is_some_and(|value| class.pool.get(value) == Constant::Integer(0));
        off && &program.names[field.descriptor] == "Z"
    };
    class.fields.iter().any(is_off)
}

fn of_nest(context: &ProgramContext<'_>, classes: &[ClassId]) -> Vec<FieldId> {
    let program = context.program;
    let names = &program.names;
    let mut values = Values::default();
    for &id in classes {
        let class = program.class(id);
        if NOT_READ.iter().any(|attribute| class.has_text(attribute, names)) {
            return Vec::new();
        }
        if has_switch_off(program, id) {
            return Vec::new();
        }
        values.add(context, id, class);
    }
    // how often each number and text is the value of a constant
    let mut numbers: FxHashMap<i32, u32> = FxHashMap::default();
    let (mut texts, mut judged) = (FxHashMap::default(), Vec::new());
    for &id in classes {
        let class = program.class(id);
        for (position, field) in class.fields.iter().enumerate() {
            let Some(constant) = field.constant else { continue };
            let value = match class.pool.get(constant) {
                Constant::Integer(_) if &names[field.descriptor] == "Z" => continue,
                Constant::Integer(number) => {
                    *numbers.entry(number).or_default() += 1;
                    Value::Number(number)
                }
                Constant::String(_) => {
                    let Some(text) = class.string(constant, names) else { continue };
                    *texts.entry(text.clone()).or_insert(0) += 1;
                    Value::Text(text)
                }
                _ => {
                    values.has_more_numbers = true;
                    continue;
                }
            };
            if is_judged(field) && !is_for_people(&names[field.name]) {
                judged.push(((id, position as u32), value));
            }
        }
    }
    let explained = |number: &i32| matches!(number, -1..=1) || numbers.contains_key(number);
    let judges_numbers = !values.has_more_numbers && values.numbers.iter().all(explained);
    judged.retain(|(_, value)| match value {
        Value::Number(number) => {
            judges_numbers && !values.numbers.contains(number) && numbers.get(number) == Some(&1)
        }
        Value::Text(text) => !text.is_empty() && texts.get(text) == Some(&1) && !values.texts.contains(text),
    });
    if judged.len().saturating_mul(values.texts.len() + texts.len()) > LARGEST {
        return Vec::new();
    }
    let is_joined = |text: &str| {
        let contains = |other: &&Cow<'_, str>| other.len() > text.len() && other.contains(text);
        values.texts.iter().chain(texts.keys()).any(|other| contains(&other))
    };
    judged.retain(|(_, value)| match value {
        Value::Number(_) => true,
        Value::Text(text) => !is_joined(text),
    });
    judged.into_iter().map(|(field, _)| field).collect()
}

fn is_for_people(name: &str) -> bool {
    let name = name.to_lowercase();
    name == "tag" || FOR_PEOPLE.iter().any(|word| name.contains(word))
}

impl<'p> Values<'p> {
    fn add(&mut self, context: &ProgramContext<'p>, id: ClassId, class: &'p Class) {
        let program = context.program;
        let names = &program.names;
        // annotations have numbers that are not read
        let visible = ["RuntimeVisibleAnnotations", "RuntimeInvisibleAnnotations"];
        self.has_more_numbers |= visible.iter().any(|attribute| class.has_text(attribute, names));
        let annotations = class.annotations.iter();
        let annotations = annotations.chain(class.methods.iter().flat_map(|method| &method.annotations));
        let annotations = annotations.chain(class.fields.iter().flat_map(|field| &field.annotations));
        let values = annotations.flat_map(|annotation| &annotation.values);
        self.texts.extend(values.map(|&value| Cow::Borrowed(&names[value])));
        // arguments of bootstrap methods are parts of joined strings
        for bootstrap in (0..u16::MAX).map_while(|number| class.pool.bootstrap(number)) {
            let arguments = bootstrap.arguments.iter();
            self.texts.extend(arguments.filter_map(|&argument| class.string(argument, names)));
        }
        let constants = class.fields.iter().filter(|field| field.constant.is_some());
        let constants: FxHashSet<_> = constants.map(|field| (field.name, field.descriptor)).collect();
        for method in program.methods_of(id) {
            if let Ok(Some(body)) = program.body(method) {
                self.code(context, class, &body, &constants);
            }
        }
    }

    fn code(
        &mut self,
        context: &ProgramContext<'p>,
        class: &'p Class,
        body: &Body<'_>,
        constants: &FxHashSet<(Symbol, Symbol)>,
    ) {
        for (number, instruction) in body.instructions.iter().enumerate() {
            // a constant that each object has is stored there
            if let Some(Op::PutField(field)) = body.instructions.get(number + 1).map(|next| next.op)
                && let Some(member) = class.pool.member(field)
                && member.owner == class.name
                && constants.contains(&(member.name, member.descriptor))
            {
                continue;
            }
            match instruction.op {
                Op::Int(value) => {
                    self.numbers.insert(value);
                }
                Op::Number(_) | Op::Increment(_) | Op::Switch => self.has_more_numbers = true,
                Op::Load(constant, _) => match class.pool.get(constant) {
                    Constant::Integer(value) => {
                        self.numbers.insert(value);
                    }
                    Constant::String(_) => self.texts.extend(class.string(constant, &context.program.names)),
                    Constant::Float | Constant::Wide => self.has_more_numbers = true,
                    _ => {}
                },
                _ => {}
            }
        }
    }
}
