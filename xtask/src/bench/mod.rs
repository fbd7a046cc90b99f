//! The benchmarks, each a file: what it runs, what it writes down, what it should reach.

mod batch;
mod chain;
mod circuits;
mod contest;
mod extraction;
mod families;
mod games;
mod grid;
mod growth;
mod java;
mod ltl;
mod mcrl2;
mod portfolio;
mod process;
mod reach;
mod reading;
mod reduction;
mod rules;
mod scaling;
mod smv;
mod smv_engines;
mod star;
mod table1;

use crate::facts::facts;
use crate::lab::Lab;
use crate::page::{Findings, Page};
use std::time::Instant;

/// A benchmark.
pub(crate) struct Benchmark {
    /// What it is called on the command line, in the page's markers and in names of files.
    pub(crate) name: &'static str,
    /// A line on it.
    pub(crate) line: &'static str,
    /// Runs it, unless its inputs are missing.
    run: fn(&Lab) -> anyhow::Result<Option<Findings>>,
}

/// All of them, in the order of the page.
pub(crate) const ALL: [Benchmark; 22] = [
    Benchmark {
        name: "table1",
        line: "verdicts and contexts on the Java programs of Table 1; evidence replayed",
        run: table1::run,
    },
    Benchmark {
        name: "process",
        line: "one property, whole process, against reading alone",
        run: process::run,
    },
    Benchmark { name: "batch", line: "all properties of a program, against reading alone", run: batch::run },
    Benchmark { name: "grid", line: "50 x 50 random machines and formulas of section 7.2", run: grid::run },
    Benchmark { name: "chain", line: "machines that need many contexts, engine by engine", run: chain::run },
    Benchmark { name: "reading", line: "speed and memory of reading large machines", run: reading::run },
    Benchmark {
        name: "scaling",
        line: "time over size, 100 thousand to 10 million edges",
        run: scaling::run,
    },
    Benchmark {
        name: "growth",
        line: "families that once cost more than theory says, with their exponents",
        run: growth::run,
    },
    Benchmark {
        name: "reach",
        line: "reachability on pushdown systems, up to 10 million rules",
        run: reach::run,
    },
    Benchmark { name: "ltl", line: "linear time on the Java programs, against reachability", run: ltl::run },
    Benchmark {
        name: "star",
        line: "CTL* on plain CTL properties, against CTL; engine cont",
        run: star::run,
    },
    Benchmark {
        name: "smv",
        line: "SMV models: many properties, states, large recursive programs",
        run: smv::run,
    },
    Benchmark {
        name: "circuits",
        line: "public circuits with expected verdicts, engine by engine",
        run: circuits::run,
    },
    Benchmark { name: "games", line: "random parity games, solver by solver", run: games::run },
    Benchmark {
        name: "reduction",
        line: "labelled transition systems modulo bisimulation, 10 million transitions",
        run: reduction::run,
    },
    Benchmark {
        name: "extraction",
        line: "models of the Java programs in $LORIS_JARS, phase by phase",
        run: extraction::run,
    },
    Benchmark {
        name: "usedef",
        line: "all use-def properties of fop.jar in $LORIS_JARS, against extraction",
        run: extraction::usedef,
    },
    Benchmark { name: "rules", line: "all rules on the Java programs in $LORIS_JARS", run: rules::run },
    Benchmark {
        name: "families",
        line: "families of parallel processes, up to 64 parts, beside mCRL2",
        run: families::run,
    },
    Benchmark {
        name: "contest",
        line: "nets of the Model Checking Contest as processes, with expected verdicts",
        run: contest::run,
    },
    Benchmark {
        name: "products",
        line: "the same nets: nodes of products against the full game",
        run: contest::products,
    },
    Benchmark {
        name: "portfolio",
        line: "the same nets and families: processor time of auto against the best engine",
        run: portfolio::run,
    },
];

/// Runs benchmarks and writes down what they find.
pub(crate) fn run(chosen: &[&Benchmark], quick: bool) -> anyhow::Result<()> {
    let lab = Lab::open(quick)?;
    let page = Page::open(ALL.iter().map(|benchmark| benchmark.name).collect(), quick)?;
    let facts = if quick { facts() + "; quick" } else { facts() };
    println!("{facts}");
    for benchmark in chosen {
        println!("\n== {}: {}", benchmark.name, benchmark.line);
        let start = Instant::now();
        let Some(findings) = (benchmark.run)(&lab)? else {
            println!("!!! SKIPPED {}: ../shared/benchmarks is not there", benchmark.name);
            continue;
        };
        page.write(benchmark.name, &findings, &facts)?;
        println!("\n{}[{:.0} s]", findings.section, start.elapsed().as_secs_f64());
    }
    println!("\n{}", page.targets()?);
    Ok(())
}

/// Milliseconds with three digits that count.
fn milliseconds(seconds: f64) -> String {
    let ms = seconds * 1e3;
    match ms {
        ms if ms >= 100.0 => format!("{ms:.0}"),
        ms if ms >= 10.0 => format!("{ms:.1}"),
        ms if ms >= 1.0 => format!("{ms:.2}"),
        ms => format!("{ms:.3}"),
    }
}
