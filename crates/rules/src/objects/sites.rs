//! Where objects of rules come from.

use super::closing::Closing;
use super::contracts;
use super::resources::Resources;
use super::table::At;
use loris_base::{Symbol, Truth};
use loris_java::class::{Body, Class, Descriptor, Invoke, Member, Op};
use loris_java::objects::{MethodPattern, Site, SiteKind, ancestors, matches};
use loris_java::program::dotted;
use loris_java::{ClassId, ClassOrigin, MethodId, Program};
use rustc_hash::FxHashMap;

/// Calls of more methods than this are not followed for the objects that they return.
pub(super) const TARGETS: usize = 8;

/// Finds sites, and remembers what it found out about classes and methods.
pub(super) struct Finder<'a> {
    pub(super) program: &'a Program,
    pub(super) resources: &'a Resources,
    resource_types: FxHashMap<Symbol, bool>,
    wrapped: FxHashMap<Symbol, bool>,
    calls: FxHashMap<(usize, Member), Option<SiteKind>>,
    news: FxHashMap<(usize, Symbol), bool>,
    closing: Closing,
}

impl<'a> Finder<'a> {
    pub(super) fn new(program: &'a Program, resources: &'a Resources) -> Self {
        let (resource_types, wrapped, calls, news) = Default::default();
        Self { program, resources, resource_types, wrapped, calls, news, closing: Closing::default() }
    }

    /// The sites of a list of places in a method; `key` is the same for the same list.
    pub(super) fn sites(
        &mut self,
        key: usize,
        places: &[At],
        method: MethodId,
        body: &Body<'_>,
    ) -> Vec<Site> {
        let class = self.program.class(self.program.owner(method));
        let mut sites = Vec::new();
        if places.contains(&At::Promised) {
            let slots = contracts::promised(self, method).into_iter();
            sites.extend(slots.map(|slot| Site { method, number: 0, kind: SiteKind::Parameter(slot) }));
        }
        for (number, instruction) in body.instructions.iter().enumerate() {
            if body.depth(number).is_none() {
                continue;
            }
            let kind = match instruction.op {
                Op::New(constant) => class
                    .pool
                    .class(constant)
                    .filter(|&name| self.is_new(key, places, class, body, number, name))
                    .map(|_| SiteKind::New),
                Op::Invoke(invoke, constant) => {
                    class.pool.member(constant).and_then(|member| self.call(key, places, invoke, member))
                }
                _ => None,
            };
            let kind = kind.filter(|&kind| !contracts::is_guarded(self, method, body, number, kind));
            sites.extend(kind.map(|kind| Site { method, number, kind }));
        }
        sites
    }

    fn is_new(
        &mut self,
        key: usize,
        places: &[At],
        class: &Class,
        body: &Body<'_>,
        number: usize,
        name: Symbol,
    ) -> bool {
        let program = self.program;
        let named = *self.news.entry((key, name)).or_insert_with(|| {
            let classes = ancestors(program, name);
            places.iter().any(|place| match place {
                At::New(pattern) => classes.iter().any(|class| matches(pattern, class)),
                At::With(methods) => has_methods(program, name, methods),
                _ => false,
            })
        });
        let plain = places.iter().any(|place| {
            let At::Plain(pattern) = place else { return false };
            ancestors(program, name).iter().any(|class| matches(pattern, class))
                && Self::constructor(program, class, body, number, name)
                    .is_some_and(|member| &program.names[member.descriptor] == "()V")
        });
        named
            || plain
            || (places.contains(&At::Resource)
                && (contracts::must_be_closed(self, class, body, number, name)
                    || self.is_resource(name) && !self.wraps(class, body, number, name)))
    }

    /// Whether objects of a class have to be closed.
    pub(super) fn is_resource(&mut self, name: Symbol) -> bool {
        let Self { program, resources, resource_types, closing, .. } = self;
        *resource_types.entry(name).or_insert_with(|| {
            let classes = ancestors(program, name);
            let any = |patterns: &[String]| {
                patterns.iter().any(|pattern| classes.iter().any(|class| matches(pattern, class)))
            };
            contracts::has_obligation(program, &resources.model.contracts, name)
                || any(&resources.types) && !any(&resources.model.harmless) && closing.lets_go(program, name)
        })
    }

    /// Whether the constructor of the object made at an instruction wraps another resource.
    fn wraps(&mut self, class: &Class, body: &Body<'_>, number: usize, name: Symbol) -> bool {
        Self::constructor(self.program, class, body, number, name).is_some_and(|member| {
            self.has_wrapped_parameter(&member) || self.is_unconnected(&member) || self.is_in_memory(&member)
        })
    }

    /// The constructor that is called for the object made at an instruction.
    pub(super) fn constructor(
        program: &Program,
        class: &Class,
        body: &Body<'_>,
        number: usize,
        name: Symbol,
    ) -> Option<Member> {
        let mut nested = 0;
        for instruction in &body.instructions[number + 1..] {
            match instruction.op {
                Op::New(constant) if class.pool.class(constant) == Some(name) => nested += 1,
                Op::Invoke(Invoke::Special, constant) => {
                    let Some(member) = class.pool.member(constant) else { continue };
                    if member.owner != name || &program.names[member.name] != "<init>" {
                        continue;
                    }
                    if nested == 0 {
                        return Some(member);
                    }
                    nested -= 1;
                }
                _ => {}
            }
        }
        None
    }

    fn has_wrapped_parameter(&mut self, member: &Member) -> bool {
        let program = self.program;
        let owner = dotted(&program.names[member.owner]);
        if self.resources.independent.iter().any(|pattern| matches(pattern, &owner)) {
            return false;
        }
        let Some(descriptor) = Descriptor::of(&program.names[member.descriptor]) else { return false };
        let lent = contracts::lent(self, member);
        let types: Vec<Symbol> = descriptor
            .parameters
            .iter()
            .enumerate()
            .filter(|(position, _)| !lent.contains(position))
            .filter_map(|(_, parameter)| program.names.find(parameter.strip_prefix('L')?.strip_suffix(';')?))
            .collect();
        types.into_iter().any(|name| {
            *self.wrapped.entry(name).or_insert_with(|| {
                let classes = ancestors(program, name);
                self.resources
                    .wrapped
                    .iter()
                    .any(|pattern| classes.iter().any(|class| matches(pattern, class)))
            })
        })
    }

    /// Whether a constructor or method opens nothing, because it has no parameters.
    fn is_unconnected(&self, member: &Member) -> bool {
        let (classes, method) = (ancestors(self.program, member.owner), &self.program.names[member.name]);
        self.program.names[member.descriptor].starts_with("()")
            && self.resources.unconnected.iter().any(|pattern| pattern.fits(&classes, method))
    }

    /// Whether a constructor opens nothing, because what it is given is in memory.
    fn is_in_memory(&self, member: &Member) -> bool {
        let (owner, descriptor) =
            (dotted(&self.program.names[member.owner]), &self.program.names[member.descriptor]);
        let parameters = descriptor.strip_suffix('V').unwrap_or(descriptor);
        // a stream that is made of an array reads it
        let of_array = parameters.contains("[B") || parameters.contains("[C");
        let reads = |name: &String| matches!(name.as_str(), "java.io.InputStream" | "java.io.Reader");
        if of_array && !parameters.contains('L') && ancestors(self.program, member.owner).iter().any(reads) {
            return true;
        }
        self.resources.in_memory.iter().any(|known| known.strip_prefix(owner.as_str()) == Some(parameters))
    }

    /// Whether a method without code opens what it returns, by its name and the type.
    fn opens_by_name(&mut self, member: &Member) -> bool {
        let program = self.program;
        let method = &program.names[member.name];
        let classes = ancestors(program, member.owner);
        let is_accessor = self.resources.model.accessors.iter().any(|it| it.fits(&classes, method));
        if is_accessor || !self.resources.opens_by_name.iter().any(|pattern| matches(pattern, method)) {
            return false;
        }
        let result = Descriptor::of(&program.names[member.descriptor]).and_then(|descriptor| {
            program.names.find(descriptor.result.strip_prefix('L')?.strip_suffix(';')?)
        });
        let without_code = program.resolve(member).is_none_or(|method| program.method(method).code.is_none());
        without_code
            && !self.is_implemented(member)
            // one that returns the type it is of returns its object
            && result.is_some_and(|result| result != member.owner && self.is_resource(result))
            && !self.has_wrapped_parameter(member)
    }

    /// Whether what a method of the program returns is closed with the object that it is called on:
    /// a result set, of a class of the program that stands for a statement.
    pub(super) fn is_dependent(&self, member: &Member) -> bool {
        let program = self.program;
        let close = program.names.find("close").zip(program.names.find("()V"));
        let owner = program.find_class(member.owner);
        self.resources.model.is_dependent(program, member)
            && owner
                .zip(close)
                .is_some_and(|(owner, (name, descriptor))| program.lookup(owner, name, descriptor).is_some())
    }

    /// Whether a few methods of the program are what a call of a method without code runs: what
    /// they return, their code says.
    fn is_implemented(&self, member: &Member) -> bool {
        let program = self.program;
        let Some(owner) = program.find_class(member.owner) else { return false };
        if program.origin(owner) == ClassOrigin::Platform {
            return false;
        }
        let mut implementing = program.all_subtypes(owner).into_iter().filter(|&class| {
            let own = program.declared(class, member.name, member.descriptor);
            own.is_some_and(|own| program.method(own).code.is_some())
        });
        implementing.next().is_some() && implementing.nth(TARGETS - 1).is_none()
    }

    fn call(&mut self, key: usize, places: &[At], invoke: Invoke, member: Member) -> Option<SiteKind> {
        if let Some(&known) = self.calls.get(&(key, member)) {
            return known;
        }
        let kind = self.decide_call(places, invoke, member);
        self.calls.insert((key, member), kind);
        kind
    }

    fn decide_call(&mut self, places: &[At], invoke: Invoke, member: Member) -> Option<SiteKind> {
        let program = self.program;
        let (classes, method) = (ancestors(program, member.owner), &program.names[member.name]);
        let fits = |pattern: &MethodPattern| pattern.fits(&classes, method);
        for place in places {
            let kind = match place {
                At::Result(pattern) if fits(pattern) => Some(SiteKind::Result),
                At::Child(pattern) if fits(pattern) => Some(SiteKind::Child),
                At::EntryOn(pattern) if fits(pattern) && invoke != Invoke::Static => Some(SiteKind::Entry),
                At::On(pattern) if fits(pattern) && invoke != Invoke::Static => Some(SiteKind::Receiver),
                At::OnTrue(pattern) if fits(pattern) && invoke != Invoke::Static => {
                    Some(SiteKind::ReceiverIfTrue)
                }
                At::OnFalse(pattern) if fits(pattern) && invoke != Invoke::Static => {
                    Some(SiteKind::ReceiverIfFalse)
                }
                At::OnThrow(pattern) if fits(pattern) && invoke != Invoke::Static => {
                    Some(SiteKind::ReceiverIfThrown)
                }
                At::Argument(pattern, slot) if fits(pattern) => Some(SiteKind::Argument(*slot)),
                At::Resource if contracts::result(self, &member) == Some(false) => None,
                At::Resource if contracts::result(self, &member) == Some(true) => Some(SiteKind::Result),
                At::Resource if self.resources.children.iter().any(fits) && invoke != Invoke::Static => {
                    Some(SiteKind::Child)
                }
                At::Resource if self.resources.opens_on.iter().any(fits) && invoke != Invoke::Static => {
                    Some(SiteKind::Made)
                }
                At::Resource if self.is_unconnected(&member) => None,
                At::Resource
                    if (self.resources.opens.iter().any(fits)
                        && returns_closeable(program, &member) != Truth::False
                        // what is made of another stream or socket wraps it
                        && !self.has_wrapped_parameter(&member))
                        || self.opens_by_name(&member) =>
                {
                    Some(SiteKind::Result)
                }
                _ => None,
            };
            if kind.is_some() {
                return kind;
            }
        }
        None
    }
}

/// The type of the object of a site, as far as the instruction, or a cast behind it, says.
pub(super) fn object_type(program: &Program, class: ClassId, body: &Body<'_>, site: &Site) -> Option<Symbol> {
    let pool = &program.class(class).pool;
    match body.instructions[site.number].op {
        _ if matches!(site.kind, SiteKind::Parameter(_) | SiteKind::Placed(_)) => None,
        Op::New(constant) => pool.class(constant),
        Op::Invoke(_, constant) => {
            let member = pool.member(constant)?;
            if !matches!(site.kind, SiteKind::Result | SiteKind::Child) {
                return Some(member.owner);
            }
            if let Some(Op::CheckCast(constant)) = body.instructions.get(site.number + 1).map(|next| next.op)
            {
                return pool.class(constant);
            }
            let result = Descriptor::of(&program.names[member.descriptor])?.result;
            program.names.find(result.strip_prefix('L')?.strip_suffix(';')?)
        }
        _ => None,
    }
}

/// Whether a method returns something that can be closed; `Unknown` if the class is not there.
pub(super) fn returns_closeable(program: &Program, member: &Member) -> Truth {
    let result = Descriptor::of(&program.names[member.descriptor]).map_or("", |it| it.result);
    let Some(name) = result.strip_prefix('L').and_then(|it| it.strip_suffix(';')) else {
        return Truth::False;
    };
    let Some(class) = program.names.find(name) else { return Truth::Unknown };
    if ancestors(program, class).iter().any(|name| name == "java.lang.AutoCloseable") {
        Truth::True
    } else if program.find_class(class).is_none() {
        Truth::Unknown
    } else {
        Truth::False
    }
}

/// Whether a class of the program declares or inherits methods with these names from classes of the
/// program.
fn has_methods(program: &Program, name: Symbol, methods: &[String]) -> bool {
    let Some(class) = program.find_class(name) else { return false };
    let own = program.supertypes(class);
    let own = own.iter().filter(|&&class| program.origin(class) != ClassOrigin::Platform);
    let mut missing: Vec<&str> = methods.iter().map(String::as_str).collect();
    for &class in own {
        let declared = &program.class(class).methods;
        missing.retain(|&method| !declared.iter().any(|declared| &program.names[declared.name] == method));
    }
    missing.is_empty()
}
