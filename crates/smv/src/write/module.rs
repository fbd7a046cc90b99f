//! The text of modules.
//!
//! Linear in the text. Sets are broken into lines, so that a large machine is still a file that
//! editors open.

use super::label_names::LabelNames;
use super::names::Fresh;
use super::plan::Plan;
use super::state_names::StateNames;
use super::states::{Module, Place, State};
use loris_base::{Idx, visible};
use loris_rsm::Rsm;
use std::io::{self, Write};

pub(super) fn write_modules(
    rsm: &Rsm,
    plan: &Plan,
    labels: &LabelNames,
    properties: &[(&str, String)],
    out: &mut impl Write,
) -> io::Result<()> {
    let modules = module_names(rsm, plan);
    for (i, label) in rsm.labels().enumerate().filter(|&(i, label)| labels.names[i] != label) {
        writeln!(out, "-- label {} is \"{}\"", labels.names[i], visible(label))?;
    }
    let mut seen = vec![false; rsm.label_count()];
    for (number, module) in plan.modules.iter().enumerate() {
        let words = StateNames { rsm, plan };
        let mut text = Text { rsm, plan, labels, words, names: Vec::new(), out };
        if number > 0 {
            text.out.write_all(b"\n")?;
        }
        text.head(module, &modules[number])?;
        text.variable(module)?;
        let last = number + 1 == plan.modules.len();
        text.definitions(module, &mut seen, last)?;
        text.calls(module, &modules)?;
        text.assignments(module)?;
        if module.initial {
            for (keyword, formula) in properties {
                writeln!(text.out, "{keyword} {formula}")?;
            }
        }
    }
    Ok(())
}

/// The name of each module: that of its component, with its start if the component has several. The
/// first is `main`, unless a component that is called has that name.
fn module_names(rsm: &Rsm, plan: &Plan) -> Vec<String> {
    let taken = |module: &Module| !module.initial && rsm.component_name(module.component) == "main";
    let mut names = Fresh::default();
    let mut result: Vec<String> = Vec::with_capacity(plan.modules.len());
    let main = !plan.modules.iter().any(taken);
    for (number, module) in plan.modules.iter().enumerate() {
        let component = rsm.component_name(module.component);
        let short = format!("module{number}");
        result.push(if number == 0 && main {
            names.name("main", &short, |_| false)
        } else {
            let at = match module.states[0] {
                State::At(Place { path: 0, vertex }) if rsm.entries(module.component) == [vertex] => None,
                State::At(Place { vertex, .. }) => {
                    let site = rsm.box_of(vertex).map(|site| format!("{}_", rsm.box_name(site)));
                    Some(site.unwrap_or_default() + &rsm.vertex_name(vertex))
                }
                _ => None,
            };
            match at {
                Some(start) if names.has(component) => {
                    names.name(&format!("{component}_at_{start}"), &short, |_| false)
                }
                _ => names.name(component, &short, |_| false),
            }
        });
    }
    result
}

struct Text<'a, W> {
    rsm: &'a Rsm,
    plan: &'a Plan,
    labels: &'a LabelNames,
    words: StateNames<'a>,
    /// of the states of the module at hand
    names: Vec<String>,
    out: &'a mut W,
}

impl<W: Write> Text<'_, W> {
    fn head(&mut self, module: &Module, name: &str) -> io::Result<()> {
        let component = self.rsm.component_name(module.component);
        let starts: &[State] = &module.states[..module.starts];
        let usual = |place: Place| place.path == 0 && self.rsm.entries(module.component) == [place.vertex];
        let start = match starts {
            [State::At(place)] if !usual(*place) => Some(*place),
            _ => None,
        };
        if name != component || start.is_some() {
            write!(self.out, "-- component \"{}\"", visible(component))?;
            if let Some(place) = start {
                write!(self.out, " from {} on", self.words.place(place))?;
            }
            self.out.write_all(b"\n")?;
        }
        if module.loops {
            self.out.write_all(b"-- its exits are loops\n")?;
        }
        writeln!(self.out, "MODULE {name}")
    }

    fn variable(&mut self, module: &Module) -> io::Result<()> {
        let mut fresh = Fresh::default();
        let mut names = Vec::with_capacity(module.states.len());
        for (i, &state) in module.states.iter().enumerate() {
            let (short, wanted) = (format!("s{i}"), self.words.wanted(state));
            names.push(match state {
                State::Exit(_) => "EXIT".to_owned(),
                _ => fresh.name(&wanted, &short, |name| self.labels.taken.has(name)),
            });
            let original = match state {
                State::Exit(exit) => Some(format!("\"{}\"", visible(&self.rsm.vertex_name(exit)))),
                _ if wanted == names[i] && self.words.is_plain(state) => None,
                State::At(place) => Some(self.words.place(place)),
                State::Call { path, site, start } => {
                    let outer = self.words.path(path);
                    let site = visible(self.rsm.box_name(site));
                    Some(format!("box \"{site}\"{outer}, from {} on", self.words.place(start)))
                }
            };
            if let Some(original) = original.filter(|original| *original != format!("\"{}\"", names[i])) {
                writeln!(self.out, "-- {} is {original}", names[i])?;
            }
        }
        self.names = names;
        let values = module.states.iter().enumerate().filter(|(_, state)| !matches!(state, State::Exit(_)));
        let mut values: Vec<u32> = values.map(|(i, _)| i as u32).collect();
        if values.is_empty() {
            // a type needs a value
            values.push(self.names.len() as u32);
            self.names.push(fresh.name("unused", "unused", |name| self.labels.taken.has(name)));
        }
        self.out.write_all(b"VAR\n  state : ")?;
        self.set(&values)?;
        self.out.write_all(b";\n")
    }

    /// `DEFINE`; the last module knows all labels that no other has.
    fn definitions(&mut self, module: &Module, seen: &mut [bool], last: bool) -> io::Result<()> {
        let mut pairs: Vec<(u32, u32)> = Vec::new();
        for (i, &state) in module.states.iter().enumerate() {
            if let State::At(Place { vertex, .. }) | State::Exit(vertex) = state {
                pairs.extend(self.rsm.labels_of(vertex).map(|label| (label.index() as u32, i as u32)));
            }
        }
        pairs.sort_unstable();
        for &(label, _) in &pairs {
            seen[label as usize] = true;
        }
        let unseen = if last { (0..seen.len()).filter(|&label| !seen[label]).collect() } else { Vec::new() };
        if !pairs.is_empty() || !unseen.is_empty() {
            self.out.write_all(b"DEFINE\n")?;
        }
        for group in pairs.chunk_by(|a, b| a.0 == b.0) {
            let states: Vec<u32> = group.iter().map(|&(_, state)| state).collect();
            self.condition(&self.labels.names[group[0].0 as usize], &states)?;
        }
        for label in unseen {
            writeln!(self.out, "  {} := FALSE;", self.labels.names[label])?;
        }
        Ok(())
    }

    fn calls(&mut self, module: &Module, modules: &[String]) -> io::Result<()> {
        let mut pairs: Vec<(u32, u32)> = Vec::new();
        for (i, &state) in module.states.iter().enumerate() {
            if let State::Call { start, .. } = state {
                pairs.push((self.plan.numbers[&State::At(start)], i as u32));
            }
        }
        pairs.sort_unstable();
        if !pairs.is_empty() {
            self.out.write_all(b"CALL\n")?;
        }
        for group in pairs.chunk_by(|a, b| a.0 == b.0) {
            let states: Vec<u32> = group.iter().map(|&(_, state)| state).collect();
            self.condition(&modules[group[0].0 as usize], &states)?;
        }
        Ok(())
    }

    fn condition(&mut self, name: &str, states: &[u32]) -> io::Result<()> {
        write!(self.out, "  {name} := state in ")?;
        self.set(states)?;
        self.out.write_all(b";\n")
    }

    fn assignments(&mut self, module: &Module) -> io::Result<()> {
        let starts: Vec<u32> = (0..module.starts as u32).collect();
        self.out.write_all(b"ASSIGN\n  init(state) := ")?;
        self.value(&starts)?;
        self.out.write_all(b";\n  next(state) := case\n")?;
        for (i, state) in module.states.iter().enumerate() {
            if !matches!(state, State::Exit(_)) {
                write!(self.out, "    state = {} : ", self.names[i])?;
                self.value(module.edges.row(i))?;
                self.out.write_all(b";\n")?;
            }
        }
        if let Some(unused) = self.names.get(module.states.len()) {
            writeln!(self.out, "    state = {unused} : {unused};")?;
        }
        self.out.write_all(b"  esac;\n")
    }

    /// One value, or a set of several.
    fn value(&mut self, states: &[u32]) -> io::Result<()> {
        match states {
            [state] => self.out.write_all(self.names[*state as usize].as_bytes()),
            _ => self.set(states),
        }
    }

    fn set(&mut self, states: &[u32]) -> io::Result<()> {
        self.out.write_all(b"{")?;
        let mut column = 24;
        for (i, &state) in states.iter().enumerate() {
            let name = &self.names[state as usize];
            column += name.len() + 2;
            let separator: &[u8] = match i {
                0 => b"",
                _ if column > WIDTH => b",\n    ",
                _ => b", ",
            };
            if separator.len() > 2 {
                column = 4 + name.len() + 2;
            }
            self.out.write_all(separator)?;
            self.out.write_all(name.as_bytes())?;
        }
        self.out.write_all(b"}")
    }
}

/// Lines of sets are at most about so long.
const WIDTH: usize = 100;
