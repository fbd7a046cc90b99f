//! Families of compositions for tests and benchmarks: n processes of a few states each, whose
//! composition grows exponentially, and three properties of each.
//!
//! | function | processes | states of the composition |
//! |---|---|---|
//! | [`counters`] | n counters that share nothing | 5^n |
//! | [`token_ring`] | n stations that pass a token on | (n + 3n / 4) · 4^n or so |
//! | [`chain`] | n stages that hand over pieces of work | 5^n |
//! | [`star`] | n - 1 clients of one server | about 5^(n - 1) |
//! | [`philosophers`] | n philosophers, who may starve, and n forks | about 3^n |
//! | [`milner`] | the n cells of Milner's scheduler | n · 2^n |
//! | [`random`] | n random processes | up to the product of their states |

mod random;

pub use random::{RandomProcesses, random};

use crate::{Modality, Process, ProcessBuilder, ProcessKind, StateId};
use loris_base::{Budget, Idx};

/// Processes, and properties of their composition in the mu-calculus as Loris writes it.
#[derive(Clone, Debug)]
pub struct Family {
    /// The processes.
    pub processes: Vec<Process>,
    /// A property that one process decides: it is about the actions of that process alone.
    pub one: String,
    /// A property of two processes.
    pub two: String,
    /// A property of the form "always possible".
    pub always: String,
}

impl Family {
    /// Each property with a line on it.
    pub fn properties(&self) -> [(&'static str, &str); 3] {
        [("of one part", &self.one), ("of two parts", &self.two), ("always possible", &self.always)]
    }
}

/// A process whose steps are triples of source, action and target; it starts in state `initial`.
fn process(name: String, initial: usize, steps: &[(usize, String, usize)]) -> Process {
    let mut builder = ProcessBuilder::new(name, ProcessKind::Lts);
    let states = steps.iter().map(|&(source, _, target)| source.max(target) + 1).max();
    builder.add_states(states.unwrap_or(1).max(initial + 1));
    builder.initial(StateId::new(initial));
    for (source, action, target) in steps {
        let action = builder.action(action);
        builder.step(StateId::new(*source), action, StateId::new(*target), Modality::Both);
    }
    builder.finish(&mut Budget::unlimited()).expect("families are well-formed")
}

/// The second of two things that two processes do: processes are counted from 1, and `n` is at
/// least 2.
fn last(n: usize) -> usize {
    n.max(2)
}

/// n counters from 0 to 4 that share no action.
pub fn counters(n: usize) -> Family {
    let counter = |i: usize| {
        let mut steps: Vec<_> = (0..4).map(|value| (value, format!("up{i}"), value + 1)).collect();
        steps.push((4, format!("reset{i}"), 0));
        process(format!("counter{i}"), 0, &steps)
    };
    let n = last(n);
    Family {
        processes: (1..=n).map(counter).collect(),
        one: "[true*.reset1.(!up1)*.reset1]ff".to_owned(),
        two: format!("<true*>(<reset1>tt & <reset{n}>tt)"),
        always: format!("[true*]<true*>(<reset1>tt & <reset{n}>tt)"),
    }
}

/// n stations of which one holds a token. A station works on its own, and enters its critical
/// section if it holds the token when it is done; an idle one passes the token on.
pub fn token_ring(n: usize) -> Family {
    let n = last(n);
    let station = |i: usize| {
        let (receive, pass) = (format!("pass{}", if i == 1 { n } else { i - 1 }), format!("pass{i}"));
        let mut steps = Vec::new();
        // states 0 to 3 without the token, 4 to 7 with it, 8 is the critical section
        for base in [0, 4] {
            for (at, action) in ["wake", "work", "want"].into_iter().enumerate() {
                steps.push((base + at, format!("{action}{i}"), base + at + 1));
            }
        }
        steps.extend((0..4).map(|at| (at, receive.clone(), at + 4)));
        steps.extend([(4, pass, 0), (7, format!("enter{i}"), 8), (8, format!("leave{i}"), 4)]);
        process(format!("station{i}"), if i == 1 { 4 } else { 0 }, &steps)
    };
    Family {
        processes: (1..=n).map(station).collect(),
        one: "[true*.enter1.(!leave1)*.enter1]ff".to_owned(),
        two: format!("[true*](!(<leave1>tt & <leave{n}>tt))"),
        always: format!("[true*]<true*><enter{n}>tt"),
    }
}

/// n stages, each of which takes a piece of work from the one before, does three steps, and hands
/// it over.
pub fn chain(n: usize) -> Family {
    let n = last(n);
    let stage = |i: usize| {
        let actions = [
            format!("hand{}", i - 1),
            format!("cut{i}"),
            format!("drill{i}"),
            format!("paint{i}"),
            format!("hand{i}"),
        ];
        let steps: Vec<_> =
            actions.into_iter().enumerate().map(|(at, action)| (at, action, (at + 1) % 5)).collect();
        process(format!("stage{i}"), 0, &steps)
    };
    Family {
        processes: (1..=n).map(stage).collect(),
        one: "[true*.cut1.(!drill1)*.paint1]ff".to_owned(),
        two: format!("<true*>(<cut1>tt & <paint{n}>tt)"),
        always: format!("[true*]<true*><hand{n}>tt"),
    }
}

/// n - 1 clients of a server, which serves one at a time.
pub fn star(n: usize) -> Family {
    let clients = last(n) - 1;
    let client = |i: usize| {
        let actions = ["think", "write", "ask", "grant", "done"];
        let steps: Vec<_> = (actions.into_iter().enumerate())
            .map(|(at, action)| (at, format!("{action}{i}"), (at + 1) % 5))
            .collect();
        process(format!("client{i}"), 0, &steps)
    };
    let mut server = Vec::new();
    for i in 1..=clients {
        server.extend([(0, format!("grant{i}"), i), (i, format!("done{i}"), 0)]);
        // whoever asks is heard at any time
        server.extend((0..=clients).map(|state| (state, format!("ask{i}"), state)));
    }
    let mut processes = vec![process("server".to_owned(), 0, &server)];
    processes.extend((1..=clients).map(client));
    Family {
        processes,
        one: "[true*.grant1.(!done1)*.think1]ff".to_owned(),
        two: format!("[true*](!(<done1>tt & <done{}>tt))", clients.max(2).min(clients + 1)),
        always: "[true*]<true*><grant1>tt".to_owned(),
    }
}

/// n philosophers with n forks between them. Each takes the fork to the left first, so that all may
/// starve.
pub fn philosophers(n: usize) -> Family {
    let n = last(n);
    let right = |i: usize| if i == n { 1 } else { i + 1 };
    let philosopher = |i: usize| {
        let take = |fork| format!("take{i}_{fork}");
        let put = |fork| format!("put{i}_{fork}");
        let steps = [
            (0, take(i), 1),
            (1, take(right(i)), 2),
            (2, format!("eat{i}"), 3),
            (3, put(i), 4),
            (4, put(right(i)), 0),
        ];
        process(format!("philosopher{i}"), 0, &steps)
    };
    let fork = |i: usize| {
        let left = if i == 1 { n } else { i - 1 };
        let steps = [
            (0, format!("take{i}_{i}"), 1),
            (1, format!("put{i}_{i}"), 0),
            (0, format!("take{left}_{i}"), 2),
            (2, format!("put{left}_{i}"), 0),
        ];
        process(format!("fork{i}"), 0, &steps)
    };
    Family {
        processes: (1..=n).map(philosopher).chain((1..=n).map(fork)).collect(),
        one: "[true*.eat1.(!take1_1)*.eat1]ff".to_owned(),
        two: "[true*](!(<eat1>tt & <eat2>tt))".to_owned(),
        always: "[true*]<true*><eat1>tt".to_owned(),
    }
}

/// Milner's scheduler: cell i starts task `a{i}` in turn, and may end it (`b{i}`) before or after
/// the turn has gone on.
pub fn milner(n: usize) -> Family {
    let n = last(n);
    let cell = |i: usize| {
        let (turn, next) = (format!("c{i}"), format!("c{}", if i == n { 1 } else { i + 1 }));
        let (start, end) = (format!("a{i}"), format!("b{i}"));
        let steps = [
            (0, turn, 1),
            (1, start, 2),
            (2, end.clone(), 3),
            (2, next.clone(), 4),
            (3, next, 0),
            (4, end, 0),
        ];
        process(format!("cell{i}"), usize::from(i == 1), &steps)
    };
    Family {
        processes: (1..=n).map(cell).collect(),
        one: "[true*.a1.(!b1)*.a1]ff".to_owned(),
        two: format!("[true*.a1.(!a{n})*.a1]ff"),
        always: format!("[true*]<true*><b{n}>tt"),
    }
}
