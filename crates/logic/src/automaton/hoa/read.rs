//! Reading: headers, then states and their edges, then acceptance on states.

use super::body::Body;
use super::graph::{Hoa, HoaGraph};
use super::header::{Acceptance, Header, MAX_SETS};
use super::lexer::{Kind, Tokens};
use crate::automaton::buchi::{Buchi, Edge, MAX_STATES};
use loris_base::{Budget, Diagnostic, Diagnostics, Stopped};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Reads one automaton.
///
/// ```
/// use loris_logic::automaton::parse_hoa;
/// let text = r#"HOA: v1
/// name: "G F p"
/// States: 1
/// Start: 0
/// AP: 1 "p"
/// acc-name: Buchi
/// Acceptance: 1 Inf(0)
/// --BODY--
/// State: 0 [0] 0 {0} [!0] 0
/// --END--"#;
/// let hoa = parse_hoa(text).expect("well-formed");
/// assert_eq!(hoa.buchi.states(), 2);
/// assert_eq!(hoa.origin, [0, 0]);
/// assert!(hoa.buchi.accepts_lasso(&[], &[vec![false], vec![true]]));
///
/// let problems = parse_hoa(&text.replace("Inf", "Fin")).expect_err("co-Büchi");
/// assert_eq!(problems.sorted()[0].offset, Some(81));
/// ```
pub fn parse_hoa(text: &str) -> Result<Hoa, Diagnostics> {
    parse_hoa_within(text, &mut Budget::unlimited()).map_err(Stopped::into_problems)
}

/// Reads one automaton within a budget. The charge stays: it covers the automaton and the memory to
/// make it, which is no less.
pub fn parse_hoa_within(text: &str, budget: &mut Budget) -> Result<Hoa, Stopped> {
    let mut tokens = Tokens::new(text, budget);
    let mut read = None;
    if let Some(mut header) = Header::parse(&mut tokens) {
        let body = Body::parse(&mut tokens, &mut header);
        if *tokens.kind() != Kind::End {
            let problem = tokens.unexpected("the end of the file after `--END--`");
            tokens.problems.push(problem.help("a file has one automaton"));
        }
        let states = declared_states(&mut tokens.problems, &header, &body);
        read = Some((header, body, states));
    }
    tokens.finish()?;
    let (header, body, states) = read.expect("without a header there is a problem");
    build(header, body, states, budget)
}

/// How many states there are; numbers past the declared one are reported.
fn declared_states(problems: &mut Diagnostics, header: &Header, body: &Body) -> usize {
    let mut states = body.mentioned;
    for &(state, start, length) in header.start.iter().chain(&body.unknown) {
        match header.states {
            Some(declared) if state >= declared => {
                let message = format!("there is no state {state}: `States:` announces {declared}");
                problems.push(Diagnostic::error(start, length, message).help("states are numbered from 0"));
            }
            None if state >= MAX_STATES => {
                let message = format!("there are at most {MAX_STATES} states, and they are numbered from 0");
                problems.push(Diagnostic::error(start, length, message));
            }
            _ => states = states.max(state + 1),
        }
    }
    header.states.unwrap_or(states) as usize
}

/// Bytes of a state that may have no line of its own.
const STATE: usize = 2 * size_of::<Vec<Edge>>() + size_of::<String>() + 40;

fn build(header: Header, body: Body, states: usize, budget: &mut Budget) -> Result<Hoa, Stopped> {
    // those with lines are declared already
    budget.charge(STATE * states.saturating_sub(body.states.len()))?;
    let (accepts, required) = match &header.acceptance {
        Some((_, Acceptance::All(sets))) => (true, sets.iter().fold(0u64, |mask, &set| mask | 1 << set)),
        _ => (false, 0),
    };
    let mut rows: Vec<Vec<(Edge, u64)>> = vec![Vec::new(); states];
    let mut state_names: Vec<String> = (0..states).map(|state| state.to_string()).collect();
    let mut by_state = vec![required == 0; states];
    let mut edge_marks = false;
    for state in body.states {
        let i = state.number as usize;
        if let Some(name) = state.name.filter(|name| !name.is_empty()) {
            state_names[i] = name;
        }
        by_state[i] = state.marks & required == required;
        edge_marks |= state.edges.iter().any(|(_, marks)| marks & required & !state.marks != 0);
        rows[i] = state.edges.into_iter().map(|(edge, marks)| (edge, marks | state.marks)).collect();
    }
    let full =
        |row: &Vec<(Edge, u64)>| !row.is_empty() && row.iter().all(|(_, marks)| marks & required == required);
    let initial: Vec<u32> = header.start.iter().map(|&(state, ..)| state as u32).collect();
    let accepting_states =
        by_state.iter().zip(&rows).map(|(&by, row)| accepts && (by || full(row))).collect();
    let atoms = header.propositions.len();
    let is_counted = accepts && (edge_marks || required.count_ones() > 1);
    let mut automaton = None;
    if is_counted {
        automaton = Some(counted(atoms, &initial, &rows, required, budget)?);
    }
    let unmarked = |row: Vec<(Edge, u64)>| row.into_iter().map(|(edge, _)| edge).collect();
    let edges: Arc<Vec<Vec<Edge>>> = Arc::new(rows.into_iter().map(unmarked).collect());
    let (buchi, origin) = if let Some(automaton) = automaton {
        automaton
    } else {
        let accepting = by_state.iter().map(|&by| accepts && by).collect();
        let buchi = Buchi::shared(atoms, initial.clone(), accepting, Arc::clone(&edges))?;
        (buchi, (0..states as u32).collect())
    };
    let graph = HoaGraph { initial, edges, accepting_states };
    let (name, propositions) = (header.name, header.propositions);
    Ok(Hoa { name, propositions, state_names, origin, buchi, graph })
}

/// Bytes of a copy of a state: its row, its entries in lists, and in a table that is at least half
/// full.
const COPY: usize = size_of::<Vec<Edge>>() + size_of::<(u32, usize)>() + 8 + 2 * 25;

/// The automaton with a counter of the sets that were met since all were, and the state of each
/// state.
///
/// Invariant: a state is full when the edges since it was full last meet all sets, in order.
fn counted(
    atoms: usize,
    initial: &[u32],
    rows: &[Vec<(Edge, u64)>],
    required: u64,
    budget: &mut Budget,
) -> Result<(Buchi, Vec<u32>), Stopped> {
    let sets: Vec<u64> = (0..MAX_SETS).map(|set| 1 << set).filter(|mask| required & mask != 0).collect();
    let mut copies: FxHashMap<(u32, usize), u32> = FxHashMap::default();
    let mut order: Vec<(u32, usize)> = Vec::new();
    let mut copy = |state: u32, level: usize, order: &mut Vec<(u32, usize)>| {
        *copies.entry((state, level)).or_insert_with(|| {
            order.push((state, level));
            order.len() as u32 - 1
        })
    };
    let start: Vec<u32> = initial.iter().map(|&state| copy(state, 0, &mut order)).collect();
    let mut edges = Vec::new();
    while let Some(&(state, level)) = order.get(edges.len()) {
        let from = if level == sets.len() { 0 } else { level };
        let mut row = Vec::with_capacity(rows[state as usize].len());
        budget.charge(COPY + size_of::<Edge>() * row.capacity())?;
        for (edge, marks) in &rows[state as usize] {
            budget.spend(1)?;
            budget.charge(edge.guard.bytes())?;
            let met = sets[from..].iter().take_while(|&&set| marks & set != 0).count();
            row.push(Edge { guard: edge.guard.clone(), to: copy(edge.to, from + met, &mut order) });
        }
        edges.push(row);
    }
    let accepting = order.iter().map(|&(_, level)| level == sets.len()).collect();
    let origin = order.iter().map(|&(state, _)| state).collect();
    Ok((Buchi::new(atoms, start, accepting, edges)?, origin))
}
