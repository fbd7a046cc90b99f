//! Which modules a machine becomes, and the states of each.
//!
//! A module has one entry and one exit, and in it no call follows a call. Machines are freer, so:
//!
//! - A module is a component *from one start on*: there is one for each entry that is called.
//! - A call port that a return leads to becomes a location, a copy of the callee's entry. The
//!   vertex after it is called: if the entry leads to `m`, the callee from `m` on. If `m` is a call
//!   port itself, that module starts in a copy of the entry that it calls.
//! - The port of an empty procedure is a location; so is every return port that is met without a
//!   call, since the copy of an entry may lead straight to the exit.
//! - A callee with several exits is written out in its caller: a *path* of boxes names the place
//!   ([`Exits`]).
//!
//! Every location stands for one state of the machine, given the stack below, with its labels;
//! calls stand for none. So each step of the machine is one of the modules, and back. Oracle:
//! `tests/write_unfolding.rs`. O(states + edges) of the text, which is the size of the machine
//! times the starts of a component.

use super::error::WriteError;
use super::exits::Exits;
use super::states::{AtExit, Module, Path, State};
use super::steps::Planner;
use loris_rsm::{BoxId, Rsm};
use rustc_hash::FxHashMap;

/// All modules of a machine.
pub(super) struct Plan {
    /// Initial ones first.
    pub(super) modules: Vec<Module>,
    /// The module of each start that is called or initial.
    pub(super) numbers: FxHashMap<State, u32>,
    paths: Vec<(Path, BoxId)>,
}

impl Plan {
    pub(super) fn of(rsm: &Rsm, limit: usize) -> Result<Self, WriteError> {
        let exits = Exits::of(rsm);
        let mut planner = Planner::new(rsm, &exits, limit);
        let initial: Vec<State> =
            rsm.initial().iter().map(|&node| planner.state(0, node, AtExit::Leave)).collect();
        let together = planner.module(&initial, AtExit::Leave)?;
        let mut numbers = FxHashMap::default();
        let mut modules = Vec::new();
        if !together.calls() {
            let plain = together.exits() > 1 || initial.len() > 1;
            modules.push(planner.loops_if(plain, together, rsm.initial())?);
            numbers.insert(initial[0], 0);
        } else if initial.len() == 1 {
            let several = together.exits() > 1;
            modules.push(planner.loops_if(several, together, rsm.initial())?);
            numbers.insert(initial[0], 0);
        } else {
            for (&start, &node) in initial.iter().zip(rsm.initial()) {
                let module = planner.module(&[start], AtExit::Leave)?;
                let several = module.exits() > 1;
                numbers.insert(start, modules.len() as u32);
                modules.push(planner.loops_if(several, module, &[node])?);
            }
        }
        for module in &mut modules {
            module.initial = true;
        }
        let mut done = 0;
        while done < modules.len() {
            for state in 0..modules[done].states.len() {
                if let State::Call { start, .. } = modules[done].states[state]
                    && !numbers.contains_key(&State::At(start))
                {
                    numbers.insert(State::At(start), modules.len() as u32);
                    modules.push(planner.module(&[State::At(start)], AtExit::Leave)?);
                }
            }
            done += 1;
        }
        Ok(Self { modules, numbers, paths: planner.into_paths() })
    }

    /// The boxes of a path, innermost first.
    pub(super) fn boxes(&self, path: Path) -> impl Iterator<Item = BoxId> + '_ {
        let mut path = path;
        std::iter::from_fn(move || {
            let (parent, site) = self.paths[path as usize];
            (path != 0).then(|| {
                path = parent;
                site
            })
        })
    }
}
