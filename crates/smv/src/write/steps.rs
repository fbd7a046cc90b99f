//! The steps of a module, one state at a time (`plan.rs` determines the states).
//!
//! Linear in the result, which a limit bounds: copies, and callees that are written out, can be
//! many.

use super::error::WriteError;
use super::exits::Exits;
use super::states::{AtExit, Module, Path, Place, State};
use loris_base::{Csr, Idx, visible};
use loris_rsm::{BoxId, ComponentId, Rsm, Vertex, VertexKind};
use rustc_hash::FxHashMap;

/// Finds the states of modules, and where each of them leads.
pub(super) struct Planner<'r> {
    rsm: &'r Rsm,
    exits: &'r Exits,
    /// the rest of each path and its innermost box
    paths: Vec<(Path, BoxId)>,
    path_numbers: FxHashMap<(Path, BoxId), Path>,
    room: usize,
    limit: usize,
}

impl<'r> Planner<'r> {
    pub(super) fn new(rsm: &'r Rsm, exits: &'r Exits, limit: usize) -> Self {
        let paths = vec![(0, BoxId::new(0))];
        Self { rsm, exits, paths, path_numbers: FxHashMap::default(), room: limit, limit }
    }

    pub(super) fn into_paths(self) -> Vec<(Path, BoxId)> {
        self.paths
    }

    /// The module with its exits as loops, if asked for.
    pub(super) fn loops_if(
        &mut self,
        asked: bool,
        module: Module,
        initial: &[Vertex],
    ) -> Result<Module, WriteError> {
        if !asked || module.exits() == 0 {
            return Ok(module);
        }
        let starts: Vec<State> = initial.iter().map(|&node| self.state(0, node, AtExit::Loop)).collect();
        self.module(&starts, AtExit::Loop)
    }

    /// All states that a module has from these on, nearest first.
    pub(super) fn module(&mut self, starts: &[State], at_exit: AtExit) -> Result<Module, WriteError> {
        let mut states: Vec<State> = starts.to_vec();
        let mut numbers: FxHashMap<State, u32> =
            starts.iter().enumerate().map(|(i, &state)| (state, i as u32)).collect();
        let mut edges = Csr::default();
        let (mut row, mut next) = (Vec::new(), Vec::new());
        let mut done = 0;
        while done < states.len() {
            self.successors(states[done], at_exit, &mut next)?;
            row.clear();
            for state in next.drain(..) {
                row.push(*numbers.entry(state).or_insert_with(|| {
                    states.push(state);
                    states.len() as u32 - 1
                }));
            }
            row.sort_unstable();
            row.dedup();
            if row.is_empty() && matches!(states[done], State::Call { .. }) {
                // it never comes back: the entry will do as well as any other location
                row.push(0);
            }
            edges.push_row(row.iter().copied());
            done += 1;
            self.room = self.room.checked_sub(1).ok_or(WriteError::TooLarge(self.limit))?;
        }
        let component = self.component(states[0]);
        let loops = at_exit == AtExit::Loop;
        Ok(Module { component, starts: starts.len(), states, edges, initial: false, loops })
    }

    /// The component that a module starting here is made of.
    fn component(&self, start: State) -> ComponentId {
        let (State::At(place) | State::Call { start: place, .. }) = start else {
            return self.rsm.initial_component();
        };
        let (mut path, mut component) = (place.path, self.rsm.component_of(place.vertex));
        while path != 0 {
            let (parent, site) = self.paths[path as usize];
            (path, component) = (parent, self.rsm.owner(site));
        }
        component
    }

    fn successors(&mut self, state: State, at_exit: AtExit, next: &mut Vec<State>) -> Result<(), WriteError> {
        let rsm = self.rsm;
        match state {
            State::Exit(_) => {}
            State::Call { path, site, .. } => {
                if let Some(port) = self.exits.return_port(rsm, site) {
                    for target in rsm.successors(port) {
                        next.push(self.after_call(path, target, at_exit)?);
                    }
                }
            }
            State::At(Place { path, vertex }) => match rsm.kind(vertex) {
                VertexKind::Node if rsm.is_exit(vertex) => next.push(state),
                VertexKind::Call(site) => {
                    for target in rsm.successors(rsm.node_of(vertex)) {
                        next.push(self.inside(path, site, target)?);
                    }
                }
                _ => {
                    for target in rsm.successors(vertex) {
                        next.push(self.after_location(path, target, at_exit)?);
                    }
                }
            },
        }
        Ok(())
    }

    /// The state of a node or of a port that is not a call.
    pub(super) fn state(&self, path: Path, vertex: Vertex, at_exit: AtExit) -> State {
        if !self.rsm.is_exit(vertex) || (path == 0 && at_exit == AtExit::Loop) {
            return State::At(Place { path, vertex });
        }
        if path == 0 {
            return State::Exit(vertex);
        }
        let (parent, site) = self.paths[path as usize];
        State::At(Place { path: parent, vertex: self.returned(site, vertex) })
    }

    fn returned(&self, site: BoxId, exit: Vertex) -> Vertex {
        let index = self.rsm.exit_index(exit).expect("an exit has a position among the exits");
        self.rsm.return_port(site, index).expect("a box has a port for every exit that an edge leads to")
    }

    /// The target of an edge from a location.
    fn after_location(&mut self, path: Path, target: Vertex, at_exit: AtExit) -> Result<State, WriteError> {
        match self.rsm.kind(target) {
            VertexKind::Call(site) if self.exits.inlined(self.rsm.callee(site)) => {
                self.enter(path, site, target)
            }
            VertexKind::Call(site) => {
                let start = Place { path: 0, vertex: self.rsm.node_of(target) };
                Ok(State::Call { path, site, start })
            }
            _ => Ok(self.state(path, target, at_exit)),
        }
    }

    /// The target of an edge from a call: a location.
    fn after_call(&mut self, path: Path, target: Vertex, at_exit: AtExit) -> Result<State, WriteError> {
        match self.rsm.kind(target) {
            VertexKind::Call(site) if self.exits.inlined(self.rsm.callee(site)) => {
                self.enter(path, site, target)
            }
            VertexKind::Call(_) => Ok(State::At(Place { path, vertex: target })),
            _ => Ok(self.state(path, target, at_exit)),
        }
    }

    /// The successor of the copy of an entry if the entry leads to this vertex of the callee.
    fn inside(&mut self, path: Path, site: BoxId, target: Vertex) -> Result<State, WriteError> {
        match self.after_call(0, target, AtExit::Leave)? {
            State::At(start) => Ok(State::Call { path, site, start }),
            State::Exit(exit) => Ok(State::At(Place { path, vertex: self.returned(site, exit) })),
            call @ State::Call { .. } => unreachable!("a location follows a call, not {call:?}"),
        }
    }

    /// The entry of a callee that is written out.
    fn enter(&mut self, path: Path, site: BoxId, port: Vertex) -> Result<State, WriteError> {
        if self.exits.endless(site) {
            let callee = self.rsm.callee(site);
            return Err(WriteError::Exits {
                component: visible(self.rsm.component_name(callee)).into_owned(),
                exits: self.exits.used(callee).len(),
            });
        }
        let new = self.paths.len() as Path;
        let inner = *self.path_numbers.entry((path, site)).or_insert(new);
        if inner == new {
            self.paths.push((path, site));
        }
        Ok(State::At(Place { path: inner, vertex: self.rsm.node_of(port) }))
    }
}
