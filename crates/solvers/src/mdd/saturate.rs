//! Closures under a relation by saturation: every node is closed under the events that begin at its
//! level or below before nodes above it are made, so that sets grow from below and intermediate
//! ones stay small.
//!
//! The nodes that are being made are a list of tasks, not calls of functions: what a time limit
//! cuts off is set aside, and the same closure goes on from there when it is asked for again. Every
//! step of a task may be cut off by the limit, and is then done again; it changes nothing before
//! the last operation that can be cut off.

use super::cache::{CLOSE, FIRE};
use super::relation::{Part, Relation, STAY};
use super::step::{Frame, argument};
use super::table::{ALL, EMPTY, Id, LOOK, Table};
use loris_base::{Budget, Exhausted};
use std::cmp::Ordering;

/// What a task does before its node is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Work {
    /// Closes the children of a node.
    Close,
    /// Fires a part of a relation, which begins at the level of the node or below.
    Fire(Part),
}

/// How far a task has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// At the child, or the move, with this number; moves go through the values of the set, too.
    Children { index: usize, entry: usize },
    /// At a value whose moves are to be fired if it is flagged; whether any was, in this round.
    Value { value: u32, is_again: bool },
    /// At a move of a value.
    Move { value: u32, index: usize },
}

/// A node that is being made.
#[derive(Debug)]
struct Task {
    work: Work,
    set: Id,
    within: Id,
    /// the first argument in the cache
    first: Id,
    frame: Frame,
    /// the stack is this high without the task
    base: usize,
    stage: Stage,
}

/// A closure: its set, the set it stays in, and the number of the relation.
type Question = (Id, Id, u32);

/// A closure that a time limit has cut off.
pub(super) struct Pause {
    question: Question,
    is_free: bool,
    tasks: Vec<Task>,
    /// the result of a task that has ended, for the one before it
    found: Option<Id>,
    /// the stack of the table: what looks like an id in it is kept alive
    pub(super) stack: Vec<u32>,
}

impl Pause {
    /// The nodes that are kept alive besides those on the stack.
    pub(super) fn roots(&self) -> impl Iterator<Item = Id> {
        let (set, within, _) = self.question;
        [set, within].into_iter().chain(self.found)
    }
}

impl Pause {
    /// The children, with their level, of the first node that has any: each stands for tuples that
    /// the closure contains below values of the levels above, as do those of all other nodes.
    pub(super) fn widest(&self) -> impl Iterator<Item = (Id, usize)> {
        let children = |task: &Task| (task.frame.children(&self.stack), task.frame.level + 1);
        let first = self.tasks.iter().map(children).find(|(ids, _)| ids.iter().any(|&id| id != EMPTY));
        let (ids, level) = first.unwrap_or((&[], 0));
        ids.iter().map(move |&id| (id, level))
    }
}

/// This many closures are set aside; the oldest is dropped for another one.
const PAUSES: usize = 8;

/// A relation, whether nothing limits the whole computation, and the limits of time and memory.
struct Terms<'r, 'b> {
    relation: &'r Relation,
    is_free: bool,
    budget: &'b mut Budget,
}

impl Table {
    /// What steps within `within` lead to from `set`: the least set with `set` that each step
    /// within `within` leaves only to itself. Where a time limit ends this, it goes on from there
    /// the next time.
    pub(super) fn closure(
        &mut self,
        set: Id,
        within: Id,
        relation: &Relation,
        budget: &mut Budget,
    ) -> Result<Id, Exhausted> {
        let question = (set, within, relation.number);
        let aside = self.paused.iter().position(|pause| pause.question == question);
        let (mut tasks, mut found, is_free) = if let Some(aside) = aside {
            let Pause { tasks, found, stack, is_free, .. } = self.paused.remove(aside);
            self.stack = stack;
            (tasks, found, is_free)
        } else {
            let within = self.union(set, within, budget)?;
            self.stack.push(within);
            let is_free = within == ALL;
            let mut tasks = Vec::new();
            let found = self.close(&mut tasks, set, within, &mut Terms { relation, is_free, budget })?;
            (tasks, found, is_free)
        };
        let ended = self.go_on(&mut tasks, &mut found, &mut Terms { relation, is_free, budget });
        if ended == Err(Exhausted::Time) {
            self.paused.truncate(PAUSES - 1);
            let stack = std::mem::take(&mut self.stack);
            self.paused.insert(0, Pause { question, is_free, tasks, found, stack });
        } else if ended.is_err() {
            self.paused.clear();
        }
        ended
    }

    /// Carries out tasks until none is left.
    fn go_on(
        &mut self,
        tasks: &mut Vec<Task>,
        found: &mut Option<Id>,
        terms: &mut Terms<'_, '_>,
    ) -> Result<Id, Exhausted> {
        loop {
            let height = self.stack.len();
            let Some(task) = tasks.last_mut() else {
                return Ok(found.unwrap_or(EMPTY));
            };
            let ended = match *found {
                Some(result) => self.take(task, result, terms).map(|()| *found = None),
                None => self.advance(tasks, terms).map(|result| *found = result),
            };
            if let Err(why) = ended {
                // what an operation has left there is of no use
                self.stack.truncate(height);
                return Err(why);
            }
        }
    }

    /// Begins to close a set; the result if it is known.
    fn close(
        &mut self,
        tasks: &mut Vec<Task>,
        set: Id,
        within: Id,
        terms: &mut Terms<'_, '_>,
    ) -> Result<Option<Id>, Exhausted> {
        if set <= ALL || set == within {
            return Ok(Some(set));
        }
        let level = self.level(set);
        if level >= terms.relation.end {
            return Ok(Some(set));
        }
        terms.budget.spend(LOOK)?;
        if let Some(found) = self.cache.get(set, within, CLOSE | terms.relation.number) {
            return Ok(Some(found));
        }
        terms.budget.spend(self.width(level))?;
        let base = self.stack.len();
        // the set may be held by nothing else
        self.stack.push(set);
        self.begin(tasks, Work::Close, (set, within, set), level, base);
        Ok(None)
    }

    /// Begins to fire a part of a relation from a set, whose result is closed; the result if it is
    /// known.
    fn fire(
        &mut self,
        tasks: &mut Vec<Task>,
        (set, within, part): (Id, Id, Part),
        level: usize,
        terms: &mut Terms<'_, '_>,
    ) -> Result<Option<Id>, Exhausted> {
        if set == EMPTY || within == EMPTY {
            return Ok(Some(EMPTY));
        }
        if part == STAY {
            // a set that was closed under another limit need not be closed under this one
            if terms.is_free {
                return Ok(Some(set));
            }
            let kept = self.intersection(set, within, terms.budget)?;
            return self.close(tasks, kept, within, terms);
        }
        let first = argument(set, within, level);
        terms.budget.spend(LOOK)?;
        if let Some(found) = self.cache.get(first, within, FIRE | part) {
            return Ok(Some(found));
        }
        let is_here = terms.relation.level(part) == level;
        let moves = if is_here { terms.relation.moves(part).len() / 2 } else { 0 };
        terms.budget.spend(self.width(level) + moves)?;
        let base = self.stack.len();
        self.begin(tasks, Work::Fire(part), (set, within, first), level, base);
        Ok(None)
    }

    fn begin(
        &mut self,
        tasks: &mut Vec<Task>,
        work: Work,
        (set, within, first): (Id, Id, Id),
        level: usize,
        base: usize,
    ) {
        let frame = self.open(level, within);
        let stage = Stage::Children { index: 0, entry: 0 };
        tasks.push(Task { work, set, within, first, frame, base, stage });
    }

    /// Takes the result of a task that the last one has begun.
    fn take(&mut self, task: &mut Task, result: Id, terms: &mut Terms<'_, '_>) -> Result<(), Exhausted> {
        let (frame, level) = (task.frame, task.frame.level);
        match task.stage {
            Stage::Children { index, entry } => {
                match task.work {
                    Work::Fire(part) if terms.relation.level(part) == level => {
                        let to = terms.relation.moves(part)[index].1;
                        self.include(frame, to, result, terms.budget)?;
                    }
                    Work::Close | Work::Fire(_) => {
                        let (value, _) = self.entry(task.set, index);
                        self.set(frame, value, result);
                        *self.flag(frame, value) = u32::from(result != EMPTY);
                    }
                }
                task.stage = Stage::Children { index: index + 1, entry };
            }
            Stage::Move { value, index } => {
                let to = terms.relation.top(level, value)[index].1;
                self.include(frame, to, result, terms.budget)?;
                task.stage = Stage::Move { value, index: index + 1 };
            }
            // no task is begun there
            Stage::Value { .. } => {}
        }
        Ok(())
    }

    /// Goes on with the last task until it has begun another one, or ended with a result.
    fn advance(&mut self, tasks: &mut Vec<Task>, terms: &mut Terms<'_, '_>) -> Result<Option<Id>, Exhausted> {
        let last = tasks.len() - 1;
        loop {
            let task = &mut tasks[last];
            let begun = match (task.stage, task.work) {
                (Stage::Children { index, .. }, Work::Close) => {
                    if index == self.len(task.set, task.frame.level) {
                        task.stage = Stage::Value { value: 0, is_again: false };
                        continue;
                    }
                    let (value, child) = self.entry(task.set, index);
                    let limit = self.limit(task.frame, value);
                    self.close(tasks, child, limit, terms)?
                }
                (Stage::Children { .. }, Work::Fire(part)) => {
                    match self.next_child(task, part, terms.relation) {
                        Some((arguments, below)) => self.fire(tasks, arguments, below, terms)?,
                        None => continue,
                    }
                }
                (Stage::Value { value, is_again }, _) => {
                    if self.next_value(task, value, is_again, terms)? {
                        continue;
                    }
                    let task = &tasks[last];
                    let result = self.seal(task.frame, terms.budget)?;
                    self.remember(task, result, terms.relation);
                    self.stack.truncate(task.base);
                    tasks.pop();
                    return Ok(Some(result));
                }
                (Stage::Move { value, index }, _) => match self.next_move(task, value, index, terms.relation)
                {
                    Some((arguments, below)) => self.fire(tasks, arguments, below, terms)?,
                    None => continue,
                },
            };
            match begun {
                Some(result) => {
                    // where this is cut off, the result is found in the cache the next time
                    self.take(&mut tasks[last], result, terms)?;
                }
                None => return Ok(None),
            }
        }
    }

    /// What to fire for the children of a set; none if the stage has changed.
    fn next_child(
        &self,
        task: &mut Task,
        part: Part,
        relation: &Relation,
    ) -> Option<((Id, Id, Part), usize)> {
        let Stage::Children { index, entry } = task.stage else { return None };
        let level = task.frame.level;
        let len = self.len(task.set, level);
        if relation.level(part) > level {
            if index < len {
                let (value, child) = self.entry(task.set, index);
                return Some(((child, self.limit(task.frame, value), part), level + 1));
            }
        } else {
            let (moves, mut index, mut entry) = (relation.moves(part), index, entry);
            while index < moves.len() && entry < len {
                let ((from, to, below), (value, child)) = (moves[index], self.entry(task.set, entry));
                match value.cmp(&from) {
                    Ordering::Less => entry += 1,
                    Ordering::Greater => index += 1,
                    Ordering::Equal => {
                        task.stage = Stage::Children { index, entry };
                        return Some(((child, self.limit(task.frame, to), below), level + 1));
                    }
                }
            }
        }
        task.stage = Stage::Value { value: 0, is_again: false };
        None
    }

    /// Looks for a value that is flagged; false if there is none left.
    fn next_value(
        &mut self,
        task: &mut Task,
        value: u32,
        is_again: bool,
        terms: &mut Terms<'_, '_>,
    ) -> Result<bool, Exhausted> {
        let level = task.frame.level;
        if !terms.relation.has_top(level) {
            return Ok(false);
        }
        if value == 0 {
            terms.budget.spend(self.width(level))?;
        }
        for value in value..self.sizes[level] {
            if std::mem::take(self.flag(task.frame, value)) != 0 {
                task.stage = Stage::Move { value, index: 0 };
                return Ok(true);
            }
        }
        task.stage = Stage::Value { value: 0, is_again: false };
        Ok(is_again)
    }

    /// The next move of a value that may lead to something new; none if the stage has changed.
    fn next_move(
        &self,
        task: &mut Task,
        value: u32,
        index: usize,
        relation: &Relation,
    ) -> Option<((Id, Id, Part), usize)> {
        let level = task.frame.level;
        let moves = relation.top(level, value);
        for (index, &(_, to, part)) in moves.iter().enumerate().skip(index) {
            let limit = self.limit(task.frame, to);
            if limit != EMPTY && limit != self.at(task.frame, to) {
                task.stage = Stage::Move { value, index };
                return Some(((self.at(task.frame, value), limit, part), level + 1));
            }
        }
        task.stage = Stage::Value { value: value + 1, is_again: true };
        None
    }

    /// Puts the result of a task into the cache.
    fn remember(&mut self, task: &Task, result: Id, relation: &Relation) {
        let key = match task.work {
            Work::Close => CLOSE | relation.number,
            Work::Fire(part) => FIRE | part,
        };
        self.cache.put(task.first, task.within, key, result);
        if result > ALL {
            self.cache.put(result, task.within, CLOSE | relation.number, result);
        }
    }
}
