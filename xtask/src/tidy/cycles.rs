//! Modules of a crate that need each other in a circle.
//!
//! Vertices are the modules that `lib.rs` or `main.rs` declares, edges come from paths through
//! `crate::` and `super::`. A name that the root re-exports belongs to the module that declares it.
//! Code of tests does not count.

use super::Problems;
use super::names::code;
use super::tree::Tree;
use std::collections::{BTreeMap, BTreeSet};

pub(super) fn check(tree: &Tree, problems: &mut Problems) {
    for package in &tree.packages {
        for circle in circles(&edges(tree, &package.folder)) {
            let modules: Vec<&str> = circle.into_iter().collect();
            let what = format!("modules use each other in a circle: {}", modules.join(", "));
            problems.add(&package.path, 1, what);
        }
    }
}

type Edges = BTreeMap<String, BTreeSet<String>>;

fn edges(tree: &Tree, package: &str) -> Edges {
    let mut edges = Edges::new();
    let mut homes = BTreeMap::new();
    let path = |file: &str| -> Vec<String> {
        let path = file.split("/src/").nth(1).unwrap_or_default().trim_end_matches(".rs");
        path.split('/').filter(|part| *part != "mod").map(str::to_owned).collect()
    };
    let is_root = |path: &[String]| matches!(path, [only] if only == "lib" || only == "main");
    for file in tree.sources(package).filter(|file| !file.is_test()) {
        let modules = path(&file.path);
        if is_root(&modules) {
            for (at, _) in code(file).match_indices("use ") {
                let code = &code(file)[at + 4..];
                for path in paths(code.split(';').next().unwrap_or_default()) {
                    if let [module, .., name] = &path[..] {
                        homes.insert(name.clone(), module.clone());
                    }
                }
            }
        } else {
            edges.entry(modules[0].clone()).or_default();
        }
    }
    for file in tree.sources(package).filter(|file| !file.is_test()) {
        let modules = path(&file.path);
        if is_root(&modules) {
            continue;
        }
        let code = code(file);
        let code = before_tests(&code);
        let climb = "super::".repeat(modules.len());
        for prefix in ["crate::", &climb] {
            for (at, _) in code.match_indices(prefix) {
                let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
                if code[..at].chars().next_back().is_some_and(is_word) {
                    continue;
                }
                let rest = &code[at + prefix.len()..];
                for path in paths(until_end(rest)) {
                    let Some(first) = path.first() else { continue };
                    let target = if edges.contains_key(first) { Some(first) } else { homes.get(first) };
                    let Some(target) = target.filter(|target| edges.contains_key(*target)).cloned() else {
                        continue;
                    };
                    if target != modules[0] {
                        edges.entry(modules[0].clone()).or_default().insert(target);
                    }
                }
            }
        }
    }
    edges
}

/// The code of a file up to its module of tests, which may have more attributes.
fn before_tests(code: &str) -> &str {
    let is_tests = |(at, marker): &(usize, &str)| {
        let mut after = code[at + marker.len()..].lines().map(str::trim);
        after.find(|line| !line.is_empty() && !line.starts_with("#[")) == Some("mod tests {")
    };
    let end = code.match_indices("#[cfg(test)]").find(is_tests);
    &code[..end.map_or(code.len(), |(at, _)| at)]
}

/// The part of a code that a path or a tree of paths takes.
fn until_end(code: &str) -> &str {
    let mut depth = 0_usize;
    for (at, c) in code.char_indices() {
        match c {
            '{' if code[..at].ends_with("::") || at == 0 || depth > 0 => depth += 1,
            '}' if depth > 0 => {
                depth -= 1;
                if depth == 0 {
                    return &code[..=at];
                }
            }
            _ if depth > 0 || c.is_alphanumeric() || c == '_' || c == ':' => {}
            _ => return &code[..at],
        }
    }
    code
}

/// The paths of a tree such as `a::{b, c::d}`.
fn paths(tree: &str) -> Vec<Vec<String>> {
    let (mut found, mut prefix, mut current): (Vec<Vec<String>>, Vec<Vec<String>>, Vec<String>) =
        Default::default();
    let mut word = String::new();
    let mut skip = false;
    for c in tree.chars().chain([',']) {
        match c {
            'a'..='z' | 'A'..='Z' | '0'..='9' | '_' => word.push(c),
            '{' => {
                prefix.push(std::mem::take(&mut current));
                word.clear();
            }
            ',' | '}' => {
                push(&mut current, &mut word, skip);
                skip = false;
                if !current.is_empty() {
                    found.push(prefix.iter().flatten().chain(&current).cloned().collect());
                }
                current.clear();
                if c == '}' {
                    prefix.pop();
                }
            }
            ' ' | '\n' if !word.is_empty() => {
                if word == "as" {
                    skip = true;
                    word.clear();
                } else {
                    push(&mut current, &mut word, skip);
                }
            }
            _ => push(&mut current, &mut word, skip),
        }
    }
    found
}

fn push(path: &mut Vec<String>, word: &mut String, skip: bool) {
    let word = std::mem::take(word);
    if !word.is_empty() && !skip {
        path.push(word);
    }
}

/// The sets of modules that reach each other. There are few modules: all pairs are looked at.
fn circles(edges: &Edges) -> Vec<BTreeSet<&str>> {
    let reach = |from: &str| {
        let (mut seen, mut todo) = (BTreeSet::new(), vec![from.to_owned()]);
        while let Some(module) = todo.pop() {
            for next in &edges[&module] {
                if seen.insert(next.as_str()) {
                    todo.push(next.clone());
                }
            }
        }
        seen
    };
    let reached: BTreeMap<&str, BTreeSet<&str>> =
        edges.keys().map(|module| (module.as_str(), reach(module))).collect();
    let mut found = Vec::new();
    for (module, others) in &reached {
        let circle: BTreeSet<&str> =
            others.iter().copied().filter(|other| reached[other].contains(module)).collect();
        if circle.first() == Some(module) && circle.len() > 1 {
            found.push(circle);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{Edges, before_tests, circles, paths};

    #[test]
    fn tests_do_not_count() {
        let check = |code: &str, expected: &str| assert_eq!(before_tests(code), expected);
        check("a\n#[cfg(test)]\nmod tests {\nb", "a\n");
        check("a\n#[cfg(test)]\n#[allow(x)]\nmod tests {\nb", "a\n");
        check("#[cfg(test)]\nfn a() {}\n#[cfg(test)]\nmod tests {\nb", "#[cfg(test)]\nfn a() {}\n");
    }

    #[test]
    fn trees_of_paths() {
        let check = |tree: &str, expected: &[&str]| {
            let found: Vec<String> = paths(tree).iter().map(|path| path.join("::")).collect();
            assert_eq!(found, expected, "{tree}");
        };
        check("a::B", &["a::B"]);
        check("a::{B, c::{D, e::F}, G as H}", &["a::B", "a::c::D", "a::c::e::F", "a::G"]);
        check("{A, b::C}", &["A", "b::C"]);
    }

    #[test]
    fn modules_in_circles() {
        let edges: Edges = [("a", "b"), ("b", "c"), ("c", "b"), ("d", "a")]
            .map(|(from, to)| (from.to_owned(), [to.to_owned()].into()))
            .into();
        let found: Vec<Vec<&str>> =
            circles(&edges).into_iter().map(|set| set.into_iter().collect()).collect();
        assert_eq!(found, [["b", "c"]]);
    }
}
