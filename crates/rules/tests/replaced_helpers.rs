//! Methods that acquire and release, or open and close, in place of their code: random methods are
//! judged as their twins are in which all calls of helpers are replaced by what these do.

use loris_base::{Budget, Rng};
use loris_java::{ClassInput, ClassOrigin, LoadOptions, Program};
use loris_rules::{JudgeOptions, ProgramContext, Rule, run, shipped_rules};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

/// What methods do to an object, by calls of helpers or by themselves.
struct Kind {
    rule: &'static str,
    fields: &'static str,
    helpers: &'static str,
    called: [&'static str; 2],
    inline: [&'static str; 2],
}

const KINDS: [Kind; 3] = [
    Kind {
        rule: "lock-not-released",
        fields: "private final java.util.concurrent.locks.Lock lock =
            new java.util.concurrent.locks.ReentrantLock();",
        helpers: "void begin() { lock.lock(); } void end() { lock.unlock(); }",
        called: ["begin();", "end();"],
        inline: ["lock.lock();", "lock.unlock();"],
    },
    Kind {
        rule: "semaphore-not-released",
        fields: "private final java.util.concurrent.Semaphore permits =
            new java.util.concurrent.Semaphore(1);",
        helpers: "void begin() throws Exception { permits.acquire(); } void end() { permits.release(); }",
        called: ["begin();", "end();"],
        inline: ["permits.acquire();", "permits.release();"],
    },
    Kind {
        rule: "leak",
        fields: "private java.io.InputStream in; public void close() throws java.io.IOException { in.close(); }",
        helpers: "void open() throws Exception { in = new java.io.FileInputStream(\"x\"); }",
        called: ["open();", "close();"],
        inline: ["in = new java.io.FileInputStream(\"x\");", "in.close();"],
    },
];

/// A statement of a random method.
enum Statement {
    Acquire,
    Release,
    Work,
    Return,
    If(Vec<Statement>, Vec<Statement>),
    While(Vec<Statement>),
}

fn block(rng: &mut Rng, depth: usize) -> Vec<Statement> {
    let count = 1 + rng.below(3);
    let mut statements = Vec::new();
    for _ in 0..count {
        let statement = match rng.below(if depth > 2 { 4 } else { 8 }) {
            0 => Statement::Work,
            1 | 4 => Statement::Acquire,
            2 | 3 => Statement::Release,
            5 => Statement::If(block(rng, depth + 1), block(rng, depth + 1)),
            6 => Statement::While(block(rng, depth + 1)),
            _ => Statement::If(vec![Statement::Return], Vec::new()),
        };
        statements.push(statement);
    }
    statements
}

fn has(statements: &[Statement], wanted: fn(&Statement) -> bool) -> bool {
    statements.iter().any(|it| {
        wanted(it)
            || match it {
                Statement::If(one, other) => has(one, wanted) || has(other, wanted),
                Statement::While(body) => has(body, wanted),
                _ => false,
            }
    })
}

/// The first thing that is done to the object in the text is that it is acquired.
fn starts_well(statements: &[Statement]) -> Option<bool> {
    statements.iter().find_map(|it| match it {
        Statement::Acquire => Some(true),
        Statement::Release => Some(false),
        Statement::If(one, other) => starts_well(one).or_else(|| starts_well(other)),
        Statement::While(body) => starts_well(body),
        _ => None,
    })
}

fn print(statements: &[Statement], words: [&str; 2], next: &mut usize, out: &mut String) {
    for statement in statements {
        *next += 1;
        let condition = *next;
        match statement {
            Statement::Acquire => out.push_str(words[0]),
            Statement::Release => out.push_str(words[1]),
            Statement::Work => out.push_str("count++;"),
            Statement::Return => out.push_str("return;"),
            Statement::If(one, other) => {
                write!(out, "if (c[{condition}]) {{").expect("a text grows");
                print(one, words, next, out);
                out.push_str("} else {");
                print(other, words, next, out);
                out.push('}');
            }
            Statement::While(body) => {
                write!(out, "while (c[{condition}]) {{").expect("a text grows");
                print(body, words, next, out);
                out.push('}');
            }
        }
        out.push('\n');
    }
}

fn load(folder: &Path) -> Program {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "class"));
    paths.sort();
    let inputs = paths.iter().map(|path| ClassInput {
        path: path.display().to_string(),
        origin: ClassOrigin::Application,
        bytes: std::fs::read(path).expect("a readable file").into(),
    });
    Program::load(inputs.collect(), &LoadOptions::default()).program
}

/// Needs: javac
#[test]
fn calls_of_helpers_are_judged_as_their_code_is() {
    if Command::new("javac").arg("-version").output().is_err() {
        eprintln!("SKIPPED: there is no javac here");
        return;
    }
    let mut rng = Rng::new(27);
    let mut source = String::from("class Random {\n");
    let mut made = 0;
    let cases = loris_testing::cases(60);
    while made < cases {
        let body = block(&mut rng, 0);
        // one that never releases leaves that to its callers, and so does one that releases first
        let releases = has(&body, |it| matches!(it, Statement::Release));
        if !releases || starts_well(&body) != Some(true) {
            continue;
        }
        let kind = made % KINDS.len();
        let Kind { fields, helpers, called, inline, .. } = &KINDS[kind];
        for (name, words, helpers) in [("Called", called, *helpers), ("Inline", inline, "")] {
            let closes = if kind == 2 { "implements java.io.Closeable" } else { "" };
            let start =
                format!("static class {name}{kind}_{made} {closes} {{ int count; {fields} {helpers}\n");
            source.push_str(&start);
            source.push_str("void work(boolean[] c) throws Exception {\n");
            print(&body, *words, &mut 0, &mut source);
            source.push_str("}\n}\n");
        }
        made += 1;
    }
    source.push_str("}\n");
    let folder = std::env::temp_dir().join(format!("loris-helpers-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join("Random.java");
    std::fs::write(&file, &source).expect("a file");
    let compiled = Command::new("javac").args(["-g", "-nowarn", "-d"]).arg(&folder).arg(&file).output();
    let compiled = compiled.expect("javac runs");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let program = load(&folder);
    let options = JudgeOptions::default();
    let mut rules: Vec<Rule> = shipped_rules();
    rules.retain(|rule| KINDS.iter().any(|kind| kind.rule == rule.info.id));
    let context = ProgramContext::new(&program, &options);
    let outcome = run(&context, &rules, &[], &mut Budget::unlimited());
    assert_eq!(outcome.undecided, []);
    let found: BTreeSet<(String, String)> = outcome
        .findings
        .iter()
        .filter(|finding| finding.method().1 == "work")
        .map(|finding| (finding.class().to_owned(), finding.rule.clone()))
        .collect();
    let (mut answers, mut both) = ([[0; 2]; 3], 0);
    let mut wrong = Vec::new();
    for number in 0..cases {
        let (kind, rule) = (number % KINDS.len(), KINDS[number % KINDS.len()].rule);
        let is_found =
            |name: &str| found.contains(&(format!("Random${name}{kind}_{number}"), rule.to_owned()));
        let (called, inline) = (is_found("Called"), is_found("Inline"));
        // a lock that is never released on any way from a helper on may be held by contract,
        // whatever the method did before
        let may_be_held = kind == 0 && !called;
        if called != inline && !may_be_held {
            wrong.push(format!("{rule} {number}: with helpers {called}, without {inline}"));
        }
        both += usize::from(called);
        answers[kind][usize::from(inline)] += 1;
    }
    assert!(wrong.is_empty(), "{wrong:#?} in {}", folder.display());
    assert!(both > 10 && answers.iter().flatten().all(|&count| count > 0), "{both} {answers:?}");
    std::fs::remove_dir_all(&folder).expect("a folder of ours");
}
