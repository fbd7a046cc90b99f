//! What comes out: tables in `docs/benchmarks.md` between markers, raw data and plots beside it.

use crate::lab::root;
use anyhow::Context;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

/// What a benchmark found.
#[derive(Default)]
pub(crate) struct Findings {
    /// Markdown for the page.
    pub(crate) section: String,
    /// Names of files with raw data.
    pub(crate) data: Vec<(String, String)>,
    /// Names of plots with what they show.
    pub(crate) plots: Vec<(String, String)>,
    /// How it stands with what was to be reached.
    pub(crate) targets: Vec<Target>,
}

/// Something to be reached.
pub(crate) struct Target {
    /// What is measured.
    pub(crate) what: String,
    /// What it should be.
    pub(crate) goal: String,
    /// What it is.
    pub(crate) measured: String,
    /// Whether that will do.
    pub(crate) met: bool,
}

impl Findings {
    /// Adds raw data: a line with the names of the columns, then rows.
    pub(crate) fn data(&mut self, name: &str, columns: &str, rows: &[String]) {
        self.data.push((name.to_owned(), format!("{columns}\n{}\n", rows.join("\n"))));
    }

    /// Adds a table to the section.
    pub(crate) fn table(&mut self, head: &[&str], rows: &[Vec<String>]) {
        self.section += &table(head, rows);
    }

    /// Adds a line of text to the section.
    pub(crate) fn line(&mut self, text: &str) {
        let _ = writeln!(self.section, "{text}\n");
    }

    /// Adds a plot, shown in the section.
    pub(crate) fn plot(&mut self, name: &str, about: &str, svg: String) {
        self.plots.push((name.to_owned(), svg));
        let _ = writeln!(self.section, "![{about}](benchmarks/{name}.svg)\n");
    }

    /// Adds something to be reached.
    pub(crate) fn target(&mut self, what: &str, goal: &str, measured: String, met: bool) {
        self.targets.push(Target { what: what.to_owned(), goal: goal.to_owned(), measured, met });
    }
}

/// A table in Markdown.
pub(crate) fn table(head: &[&str], rows: &[Vec<String>]) -> String {
    let line = |cells: Vec<&str>| format!("| {} |\n", cells.join(" | "));
    let mut text = line(head.to_vec()) + &line(vec!["---"; head.len()]);
    for row in rows {
        text += &line(row.iter().map(String::as_str).collect());
    }
    text + "\n"
}

/// Where findings go.
pub(crate) struct Page {
    /// the names of all benchmarks, in order
    names: Vec<&'static str>,
    folder: PathBuf,
    /// the page itself, which a quick run leaves as it is
    text: Option<PathBuf>,
}

impl Page {
    /// The page of the documentation, or for a quick run a folder that nobody commits.
    pub(crate) fn open(names: Vec<&'static str>, quick: bool) -> anyhow::Result<Self> {
        let folder = root().join(if quick { "target/benchmarks" } else { "docs/benchmarks" });
        fs::create_dir_all(&folder)?;
        Ok(Self { names, folder, text: (!quick).then(|| root().join("docs/benchmarks.md")) })
    }

    /// Writes what a benchmark found; it was measured where `facts` say.
    pub(crate) fn write(&self, name: &str, findings: &Findings, facts: &str) -> anyhow::Result<()> {
        for (name, rows) in &findings.data {
            fs::write(
                self.folder.join(format!("{name}.csv")),
                format!(
                    "# {facts}
{rows}"
                ),
            )?;
        }
        for (name, svg) in &findings.plots {
            fs::write(self.folder.join(format!("{name}.svg")), svg)?;
        }
        let kept = self.folder.join("targets.json");
        let mut targets: Value = fs::read_to_string(&kept)
            .ok()
            .and_then(|text| serde_json::from_str(&text).ok())
            .unwrap_or_else(|| json!({}));
        let rows: Vec<Value> = findings.targets.iter().map(Target::json).collect();
        targets[name] = json!({"measured_on": facts, "targets": rows});
        fs::write(&kept, serde_json::to_string_pretty(&targets)? + "\n")?;
        self.replace(name, &format!("{}*Measured: {facts}.*\n", findings.section))?;
        self.replace("targets", &targets_table(&self.names, &targets))
    }

    /// All targets known, of this run and of earlier ones.
    pub(crate) fn targets(&self) -> anyhow::Result<String> {
        let text = fs::read_to_string(self.folder.join("targets.json"))?;
        Ok(targets_table(&self.names, &serde_json::from_str(&text)?))
    }

    fn replace(&self, name: &str, text: &str) -> anyhow::Result<()> {
        let Some(path) = &self.text else { return Ok(()) };
        let page = fs::read_to_string(path).context("docs/benchmarks.md cannot be read")?;
        fs::write(path, between(&page, name, text).context("docs/benchmarks.md")?)?;
        Ok(())
    }
}

/// The page with the text between the markers of this name replaced.
pub(crate) fn between(page: &str, name: &str, text: &str) -> anyhow::Result<String> {
    let (open, close) = (format!("<!-- begin {name} -->\n"), format!("<!-- end {name} -->"));
    let missing = || format!("there are no markers for {name}");
    let (before, rest) = page.split_once(&open).with_context(missing)?;
    let (_, after) = rest.split_once(&close).with_context(missing)?;
    Ok(format!("{before}{open}\n{text}\n{close}{after}"))
}

impl Target {
    fn json(&self) -> Value {
        json!({"what": self.what, "target": self.goal, "measured": self.measured, "met": self.met})
    }
}

fn targets_table(names: &[&str], targets: &Value) -> String {
    let cells = |name: &str| -> Vec<Vec<String>> {
        let rows = targets[name]["targets"].as_array();
        let text = |row: &Value, key: &str| row[key].as_str().unwrap_or_default().to_owned();
        let met = |row: &Value| if row["met"] == json!(true) { "ok" } else { "**MISSED**" }.to_owned();
        rows.into_iter()
            .flatten()
            .map(|row| vec![text(row, "what"), text(row, "target"), text(row, "measured"), met(row)])
            .collect()
    };
    let rows: Vec<Vec<String>> = names.iter().flat_map(|name| cells(name)).collect();
    table(&["what", "target", "measured", ""], &rows)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::{between, table};

    #[test]
    fn text_between_markers_is_replaced() {
        let page = "a\n<!-- begin x -->\nold\n<!-- end x -->\nb\n";
        let new = between(page, "x", "new").unwrap();
        assert_eq!(new, "a\n<!-- begin x -->\n\nnew\n<!-- end x -->\nb\n");
        assert_eq!(between(&new, "x", "new").unwrap(), new);
        assert!(between(page, "y", "new").is_err());
    }

    #[test]
    fn tables() {
        let rows = [vec!["1".to_owned(), "2".to_owned()]];
        assert_eq!(table(&["a", "b"], &rows), "| a | b |\n| --- | --- |\n| 1 | 2 |\n\n");
    }
}
