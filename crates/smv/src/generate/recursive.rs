//! Modules that call each other, correct by construction: entries, exits and successors of a call
//! are locations, and calls have no labels.

use super::properties::Properties;
use super::{few, write_set, write_value};
use loris_base::Rng;
use std::io::{self, Write};

/// How to make modules.
#[derive(Clone, Debug, PartialEq)]
pub struct RandomRecursive {
    /// Modules, at least one; the first is `main`.
    pub modules: usize,
    /// Locations of each besides the exit, at least one.
    pub locations: usize,
    /// Calls of each.
    pub calls: usize,
    /// The share of calls that call any module, not only later ones.
    pub recursion: f64,
    /// How many successors a location has, on average, besides calls; at least one.
    pub degree: f64,
    /// Labels: `p0`, `p1`, …
    pub labels: usize,
    /// The share of locations with each of them.
    pub share: f64,
    /// Properties of `main`, CTL over the labels.
    pub properties: usize,
    /// The most quantifiers over an atom of a property that is of no common shape.
    pub depth: u32,
}

impl Default for RandomRecursive {
    fn default() -> Self {
        Self {
            modules: 20,
            locations: 30,
            calls: 5,
            recursion: 0.2,
            degree: 1.4,
            labels: 10,
            share: 0.1,
            properties: 20,
            depth: 2,
        }
    }
}

impl RandomRecursive {
    /// Writes the modules of a seed. A module is a line of locations that ends at the exit, with
    /// jumps and calls; calls come back a little later.
    ///
    /// # Errors
    /// If `out` fails.
    pub fn write(&self, rng: &mut Rng, out: &mut impl Write) -> io::Result<()> {
        let modules = self.modules.max(1);
        for module in 0..modules {
            if module > 0 {
                out.write_all(b"\n")?;
            }
            writeln!(out, "MODULE {}", module_name(module))?;
            self.module(module, modules, rng, out)?;
            if module == 0 {
                let mut properties = Properties::new(self.labels, self.depth);
                for _ in 0..self.properties {
                    writeln!(out, "SPEC {}", properties.next(rng))?;
                }
            }
        }
        Ok(())
    }

    fn module(&self, module: usize, modules: usize, rng: &mut Rng, out: &mut impl Write) -> io::Result<()> {
        let locations = self.locations.max(1);
        let location = |i: usize| if i < locations { format!("l{i}") } else { "EXIT".to_owned() };
        out.write_all(b"VAR\n  state : ")?;
        let calls = (0..self.calls).map(|call| format!("c{call}"));
        write_set((0..locations).map(location).chain(calls), out)?;
        out.write_all(b";\n")?;
        if self.labels > 0 {
            out.write_all(b"DEFINE\n")?;
        }
        for label in 0..self.labels {
            write!(out, "  p{label} := state in ")?;
            let carriers = few(locations + 1, self.share * locations as f64, rng);
            write_set(carriers.into_iter().map(location), out)?;
            out.write_all(b";\n")?;
        }
        // which location leads to each call, and which module it calls
        let calls: Vec<(usize, usize)> = (0..self.calls)
            .map(|_| {
                let later = if module + 1 == modules || rng.chance(self.recursion) { 0 } else { module + 1 };
                (rng.below(locations), later + rng.below(modules - later))
            })
            .collect();
        let mut callees: Vec<usize> = calls.iter().map(|&(_, callee)| callee).collect();
        callees.sort_unstable();
        callees.dedup();
        if !calls.is_empty() {
            out.write_all(b"CALL\n")?;
        }
        for callee in callees {
            write!(out, "  {} := state in ", module_name(callee))?;
            let here = calls.iter().enumerate().filter(|(_, call)| call.1 == callee);
            write_set(here.map(|(call, _)| format!("c{call}")), out)?;
            out.write_all(b";\n")?;
        }
        out.write_all(b"ASSIGN\n  init(state) := l0;\n  next(state) := case\n")?;
        for from in 0..locations {
            let mut next = vec![from + 1];
            if rng.chance(self.degree - 1.0) {
                next.push(if rng.chance(0.8) { from + 1 + rng.below(8) } else { rng.below(locations) });
            }
            let mut next: Vec<String> = next.into_iter().map(location).collect();
            // some calls are the only way on
            let called = calls.iter().enumerate().filter(|(_, call)| call.0 == from);
            let called: Vec<String> = called.map(|(call, _)| format!("c{call}")).collect();
            if !called.is_empty() && rng.chance(0.5) {
                next.clear();
            }
            next.extend(called);
            write!(out, "    state = l{from} : ")?;
            write_value(next, out)?;
            out.write_all(b";\n")?;
        }
        for (call, &(from, _)) in calls.iter().enumerate() {
            writeln!(out, "    state = c{call} : {};", location(from + 1 + rng.below(3)))?;
        }
        out.write_all(b"  esac;\n")
    }
}

fn module_name(module: usize) -> String {
    if module == 0 { "main".to_owned() } else { format!("m{module}") }
}
