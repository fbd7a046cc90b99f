//! Names of components: `package.Class.method`, with parameter types where a class has several.

use crate::calls::CallGraph;
use crate::class::Descriptor;
use crate::program::{ClassId, MethodId, Program, dotted};
use loris_base::{Idx, Symbol};
use loris_rsm::RsmBuilder;
use rustc_hash::{FxHashMap, FxHashSet};

/// The component of each method that can be reached.
pub(super) struct Components(Vec<Option<Symbol>>);

impl Components {
    pub(super) fn new(program: &Program, graph: &CallGraph, builder: &mut RsmBuilder) -> Self {
        let mut names = vec![None; program.method_count()];
        let mut taken: FxHashSet<Symbol> = FxHashSet::default();
        let mut overloads = Overloads::default();
        for &method in graph.reachable() {
            let is_only = overloads.is_only(program, method);
            let mut symbol = builder.symbol(&name(program, method, is_only));
            if !taken.insert(symbol) {
                // the types of results differ, or the file has a method twice
                let descriptor = &program.names[program.method(method).descriptor];
                symbol = builder.symbol(&format!("{}{descriptor}", program.method_name(method)));
                if !taken.insert(symbol) {
                    symbol = builder.symbol(&format!("{}#{}", program.method_name(method), method.index()));
                    taken.insert(symbol);
                }
            }
            names[method.index()] = Some(symbol);
        }
        Self(names)
    }

    /// The component of a method that can be reached.
    pub(super) fn of(&self, method: MethodId) -> Symbol {
        self.0[method.index()].expect("targets of calls can be reached")
    }
}

/// How many methods of the class at hand have each name.
#[derive(Default)]
struct Overloads {
    class: Option<ClassId>,
    counts: FxHashMap<Symbol, u32>,
}

impl Overloads {
    /// Whether no other method of its class has the name of a method.
    fn is_only(&mut self, program: &Program, method: MethodId) -> bool {
        let owner = program.owner(method);
        if self.class != Some(owner) {
            self.class = Some(owner);
            self.counts.clear();
            for method in &program.class(owner).methods {
                *self.counts.entry(method.name).or_default() += 1;
            }
        }
        self.counts.get(&program.method(method).name) == Some(&1)
    }
}

fn name(program: &Program, id: MethodId, is_only: bool) -> String {
    let method = program.method(id);
    let descriptor = Descriptor::of(&program.names[method.descriptor]).filter(|_| !is_only);
    match descriptor {
        None => program.method_name(id),
        Some(descriptor) => {
            let parameters: Vec<String> =
                descriptor.parameters.iter().map(|parameter| type_name(parameter)).collect();
            format!("{}({})", program.method_name(id), parameters.join(", "))
        }
    }
}

/// A type as people write it, without packages.
pub fn type_name(descriptor: &str) -> String {
    let element = descriptor.trim_start_matches('[');
    let dimensions = descriptor.len() - element.len();
    let name = match element {
        "B" => "byte".to_owned(),
        "C" => "char".to_owned(),
        "D" => "double".to_owned(),
        "F" => "float".to_owned(),
        "I" => "int".to_owned(),
        "J" => "long".to_owned(),
        "S" => "short".to_owned(),
        "Z" => "boolean".to_owned(),
        class => {
            let class = class.trim_start_matches('L').trim_end_matches(';');
            dotted(class.rsplit('/').next().unwrap_or(class))
        }
    };
    name + &"[]".repeat(dimensions)
}

#[cfg(test)]
mod tests {
    use super::type_name;

    #[test]
    fn types_are_written_as_in_sources() {
        for (descriptor, expected) in
            [("I", "int"), ("[[J", "long[][]"), ("Ljava/lang/String;", "String"), ("[Lp/A$B;", "A$B[]")]
        {
            assert_eq!(type_name(descriptor), expected);
        }
    }
}
