//! A game from a file: its nodes with the numbers and names that the file gives them.

use crate::Game;
use loris_base::{Budget, Exhausted};
use rustc_hash::FxHashMap;

/// A game with the numbers and names of its nodes in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameFile {
    /// The game.
    pub game: Game,
    /// The node that the file names as the start, if it does.
    pub start: Option<u32>,
    /// none if each node has its own number
    pub(super) numbers: Option<Vec<u32>>,
    pub(super) names: NodeNames,
}

/// Names of nodes, one after the other; empty if there are none at all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct NodeNames {
    pub(super) text: String,
    /// where the name of each node ends; 0 and shorter where no more follow
    pub(super) ends: Vec<u64>,
}

impl NodeNames {
    /// The name of a node, empty if it has none.
    fn of(&self, node: u32) -> &str {
        let Some(&end) = self.ends.get(node as usize) else { return "" };
        let start = if node == 0 { 0 } else { self.ends[node as usize - 1] };
        &self.text[start as usize..end as usize]
    }

    /// Names a node and leaves those before it, since the last one, without names.
    pub(super) fn set(&mut self, node: u32, name: &str, budget: &mut Budget) -> Result<(), Exhausted> {
        let missing = node as usize + 1 - self.ends.len();
        budget.reserve(&mut self.ends, missing)?;
        self.ends.resize(node as usize, self.text.len() as u64);
        if self.text.capacity() - self.text.len() < name.len() {
            let more = self.text.capacity().max(name.len()).max(64);
            budget.charge(more)?;
            self.text.reserve_exact(more);
        }
        self.text.push_str(name);
        self.ends.push(self.text.len() as u64);
        Ok(())
    }
}

impl GameFile {
    /// A game whose nodes have their own numbers and no names.
    pub fn new(game: Game) -> Self {
        Self { game, start: None, numbers: None, names: NodeNames::default() }
    }

    /// The number of a node in the file.
    pub fn number(&self, node: u32) -> u32 {
        self.numbers.as_ref().map_or(node, |numbers| numbers[node as usize])
    }

    /// The name of a node in the file, if it has one.
    pub fn name(&self, node: u32) -> Option<&str> {
        Some(self.names.of(node)).filter(|name| !name.is_empty())
    }

    /// The node with this number in the file, by search.
    pub fn node(&self, number: u32) -> Option<u32> {
        match &self.numbers {
            None => Some(number).filter(|&node| (node as usize) < self.game.len()),
            Some(numbers) => numbers.iter().position(|&other| other == number).map(|node| node as u32),
        }
    }
}

/// From numbers of a file to nodes.
pub(super) enum Nodes {
    /// every node has its own number
    Same(usize),
    /// a table of numbers, with `ABSENT` for those that no node has
    Table(Vec<u32>, usize),
    Map(FxHashMap<u32, u32>, usize),
}

const ABSENT: u32 = u32::MAX;

impl Nodes {
    /// The nodes with these numbers, and of nodes with one number the first. Also calls `again`
    /// with every other node of that number.
    pub(super) fn new(
        numbers: &[u32],
        budget: &mut Budget,
        mut again: impl FnMut(u32),
    ) -> Result<Self, Exhausted> {
        budget.spend(numbers.len())?;
        if numbers.iter().enumerate().all(|(node, &number)| number as usize == node) {
            return Ok(Nodes::Same(numbers.len()));
        }
        let most = numbers.iter().max().map_or(0, |&most| most as usize + 1);
        if most <= 4 * numbers.len() + 1024 {
            budget.charge(4 * most)?;
            budget.spend(most)?;
            let mut table = vec![ABSENT; most];
            for (node, &number) in numbers.iter().enumerate() {
                let entry = &mut table[number as usize];
                if *entry == ABSENT { *entry = node as u32 } else { again(node as u32) }
            }
            return Ok(Nodes::Table(table, 4 * most));
        }
        // a table that is at most seven eighths full, and twice that while it grows
        let bytes = 9 * 4 * numbers.len();
        budget.charge(bytes)?;
        let mut map = FxHashMap::default();
        for (node, &number) in numbers.iter().enumerate() {
            let mut is_new = false;
            map.entry(number).or_insert_with(|| {
                is_new = true;
                node as u32
            });
            if !is_new {
                again(node as u32);
            }
        }
        Ok(Nodes::Map(map, bytes))
    }

    /// The node with this number.
    pub(super) fn get(&self, number: u32) -> Option<u32> {
        match self {
            Nodes::Same(len) => Some(number).filter(|&node| (node as usize) < *len),
            Nodes::Table(table, _) => table.get(number as usize).copied().filter(|&node| node != ABSENT),
            Nodes::Map(map, _) => map.get(&number).copied(),
        }
    }

    pub(super) fn release(self, budget: &mut Budget) {
        match self {
            Nodes::Same(_) => {}
            Nodes::Table(_, bytes) | Nodes::Map(_, bytes) => budget.release(bytes),
        }
    }
}
