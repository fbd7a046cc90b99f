//! The viewer of reports, bundled: modules of `web/src` become one script and one style sheet that
//! `crates/report` embeds, so that a build needs nothing but Rust.
//!
//! Each module becomes a function that returns what it exports; an import takes it from there. The
//! sources keep to forms that this can read line by line: `import { a, b } from "./x.js";`, and
//! `export` before a `function`, `class` or `const`.

use anyhow::{Context as _, bail};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// The modules, each after those it imports.
const MODULES: [&str; 11] =
    ["dom", "data", "list", "results", "source", "strip", "trace", "values", "layout", "graph", "finding"];
/// The module that starts the page.
const MAIN: &str = "app";

/// Writes the bundle for `crates/report`.
pub(crate) fn build() -> anyhow::Result<()> {
    for (file, text) in bundle()? {
        fs::write(&file, text).with_context(|| format!("{} cannot be written", file.display()))?;
    }
    Ok(())
}

/// The files of the bundle with their text.
fn bundle() -> anyhow::Result<[(PathBuf, String); 2]> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let read = |name: &str| {
        let path = root.join("web/src").join(name);
        fs::read_to_string(&path).with_context(|| format!("{} cannot be read", path.display()))
    };
    let mut script =
        String::from("// Written by `cargo run -p xtask -- web` from web/src.\n\"use strict\";\n");
    for (at, name) in MODULES.iter().chain([&MAIN]).enumerate() {
        let known = &MODULES[..at.min(MODULES.len())];
        let (body, exports) =
            module(&read(&format!("{name}.js"))?, known).with_context(|| format!("web/src/{name}.js"))?;
        writeln!(script, "const ${name} = (() => {{\n{body}return {{ {} }};\n}})();", exports.join(", "))?;
    }
    let target = root.join("crates/report/src/page");
    Ok([(target.join("viewer.js"), script), (target.join("viewer.css"), read("style.css")?)])
}

/// The body of a module without imports and exports, and the names it exports.
fn module(text: &str, known: &[&str]) -> anyhow::Result<(String, Vec<String>)> {
    let mut body = String::with_capacity(text.len());
    let mut exports = Vec::new();
    for line in text.lines() {
        if let Some(import) = line.strip_prefix("import ") {
            let (names, from) =
                import.split_once(" from \"./").context("an import that is not understood")?;
            let from = from.strip_suffix(".js\";").context("an import that is not understood")?;
            if !known.contains(&from) {
                bail!("{from} is imported before it is there");
            }
            writeln!(body, "const {names} = ${from};")?;
        } else if let Some(declared) = line.strip_prefix("export ") {
            let name = declared.split([' ', '(', '{']).nth(1).filter(|name| !name.is_empty());
            exports.push(name.context("an export that is not understood")?.to_owned());
            body += declared;
            body.push('\n');
        } else if !line.trim_start().starts_with("// ") {
            body += line;
            body.push('\n');
        }
    }
    Ok((body, exports))
}

#[cfg(test)]
mod tests {
    use super::{bundle, module};

    #[test]
    fn the_bundle_is_up_to_date() {
        for (file, text) in bundle().expect("the sources are there") {
            let found = std::fs::read_to_string(&file).unwrap_or_default();
            assert!(found == text, "{}: run `cargo run -p xtask -- web`", file.display());
        }
    }

    #[test]
    fn modules_become_functions() {
        let text = "import { a } from \"./x.js\";\nexport function f(b) {\n}\nexport const C = 1;\nlet d;\n";
        let (body, exports) = module(text, &["x"]).expect("it is understood");
        assert_eq!(body, "const { a } = $x;\nfunction f(b) {\n}\nconst C = 1;\nlet d;\n");
        assert_eq!(exports, ["f", "C"]);
        assert!(module(text, &[]).is_err());
    }
}
