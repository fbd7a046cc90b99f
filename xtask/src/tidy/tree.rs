//! The files that checks read: Rust sources, manifests, Markdown pages, Python and JavaScript.

use super::rust::{Piece, pieces};
use anyhow::Context;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Folders without sources of this repository.
const SKIPPED: [&str; 5] = ["target", "node_modules", "corpus", "vendor", "__pycache__"];

/// A file with its text.
pub(super) struct File {
    /// as seen from the root, with `/`
    pub(super) path: String,
    pub(super) text: String,
    /// the pieces of a Rust source, none in other files
    pub(super) pieces: Vec<Piece>,
}

impl File {
    pub(super) fn is(&self, ending: &str) -> bool {
        self.path.ends_with(ending)
    }

    /// The folder of the package that the file belongs to, if it is one of the workspace.
    pub(super) fn package(&self) -> Option<&str> {
        match self.path.strip_prefix("crates/") {
            Some(rest) => rest.split('/').next(),
            None => self.path.starts_with("xtask/").then_some("xtask"),
        }
    }

    /// Whether it is code that only tests use.
    pub(super) fn is_test(&self) -> bool {
        let mut parts = self.path.split('/').skip(2);
        parts.any(|part| matches!(part, "tests" | "tests.rs" | "benches" | "examples"))
    }
}

/// A package of the workspace.
pub(super) struct Package {
    /// its folder below `crates`, or `xtask`
    pub(super) folder: String,
    /// the path and the text of its manifest
    pub(super) path: String,
    pub(super) text: String,
    pub(super) manifest: toml::Table,
}

/// All files, in order.
pub(super) struct Tree {
    pub(super) root: PathBuf,
    pub(super) files: Vec<File>,
    pub(super) packages: Vec<Package>,
    /// the paths of all files and folders
    pub(super) paths: BTreeSet<String>,
}

impl Tree {
    pub(super) fn read() -> anyhow::Result<Self> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let mut tree = Self { root, files: Vec::new(), packages: Vec::new(), paths: BTreeSet::new() };
        let mut todo = vec![String::new()];
        while let Some(folder) = todo.pop() {
            for entry in fs::read_dir(tree.root.join(&folder))? {
                let entry = entry?;
                let name = entry.file_name().to_string_lossy().into_owned();
                if name.starts_with('.') {
                    continue;
                }
                let path = if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
                tree.paths.insert(path.clone());
                if entry.file_type()?.is_dir() {
                    if !SKIPPED.contains(&name.as_str()) {
                        todo.push(path);
                    }
                } else {
                    tree.add(path)?;
                }
            }
        }
        tree.files.sort_by(|a, b| a.path.cmp(&b.path));
        tree.packages.sort_by(|a, b| a.folder.cmp(&b.folder));
        Ok(tree)
    }

    fn add(&mut self, path: String) -> anyhow::Result<()> {
        let read = |path: &str| fs::read_to_string(self.root.join(path)).with_context(|| path.to_owned());
        if path.ends_with("/Cargo.toml") && (path.starts_with("crates/") || path.starts_with("xtask/")) {
            let text = read(&path)?;
            let folder = path.trim_end_matches("/Cargo.toml").trim_start_matches("crates/").to_owned();
            let manifest = text.parse().with_context(|| path.clone())?;
            self.packages.push(Package { folder, path, text, manifest });
        } else if let Some((_, ending @ ("rs" | "md" | "py" | "pyi" | "js" | "mjs"))) = path.rsplit_once('.')
        {
            let text = read(&path)?;
            let pieces = if ending == "rs" { pieces(&text) } else { Vec::new() };
            self.files.push(File { path, text, pieces });
        }
        Ok(())
    }

    pub(super) fn file(&self, path: &str) -> Option<&File> {
        let place = self.files.binary_search_by(|file| file.path.as_str().cmp(path)).ok()?;
        Some(&self.files[place])
    }

    /// The Rust sources below `src` of a package.
    pub(super) fn sources<'t>(&'t self, package: &'t str) -> impl Iterator<Item = &'t File> {
        let folder =
            if package == "xtask" { "xtask/src/".to_owned() } else { format!("crates/{package}/src/") };
        self.files.iter().filter(move |file| file.is(".rs") && file.path.starts_with(&folder))
    }
}

/// The line of the first place where a text occurs in another, or the first line.
pub(super) fn line_of(text: &str, part: &str) -> usize {
    text.find(part).map_or(1, |place| text[..place].matches('\n').count() + 1)
}

/// The lines of a Markdown page that are prose, each with its number: no code, no table.
pub(super) fn prose(text: &str) -> Vec<(usize, &str)> {
    let (mut lines, mut fence) = (Vec::new(), false);
    let (mut in_list, mut after_blank) = (false, true);
    for (number, line) in text.lines().enumerate() {
        let trimmed = line.trim_start();
        if trimmed.starts_with("```") {
            fence = !fence;
            continue;
        }
        let is_item = trimmed.starts_with("- ")
            || trimmed.split_once(". ").is_some_and(|(number, _)| {
                !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
            });
        if is_item {
            in_list = true;
        } else if after_blank && !line.is_empty() && !line.starts_with(' ') {
            in_list = false;
        }
        after_blank = trimmed.is_empty();
        let is_code = fence || line.starts_with("    ") && !in_list;
        if !is_code && !trimmed.starts_with('|') {
            lines.push((number + 1, line));
        }
    }
    lines
}
