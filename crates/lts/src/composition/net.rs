//! The list of processes that comes with a net of the Model Checking Contest (`net.json`):
//! `components` are files, `units` their names, and `extra_alphabet` lists for a file the actions
//! that its process knows and never takes.

use super::{Description, LocatedWord, Part};
use loris_base::{Budget, Diagnostic, Diagnostics, Stopped, visible_name};
use loris_json::{Document, Item};
use rustc_hash::{FxHashMap, FxHashSet};

pub(super) fn read_net(text: &str, budget: &mut Budget) -> Result<Description, Stopped> {
    let document = Document::read(text, budget)?;
    let mut roots = document.roots();
    let root = roots.next().ok_or_else(|| Diagnostic::error(0, 0, "the file is empty"))?;
    if let Some(second) = roots.next() {
        return Err(second.error("a file has one composition, and here a second value starts").into());
    }
    let mut problems = Diagnostics::default();
    let mut found = Description::default();
    let files = words(root, "components", &mut problems);
    if root.get("components").is_none() {
        problems.push(root.error("the key `components` is missing"));
    }
    let names = match root.get("units") {
        None => files
            .iter()
            .map(|file| LocatedWord { text: stem(&file.text).to_owned(), ..file.clone() })
            .collect(),
        Some(_) => words(root, "units", &mut problems),
    };
    if names.len() != files.len() && problems.is_empty() {
        let message = format!("there are {} processes and {} names", files.len(), names.len());
        problems.push(root.get("units").unwrap_or(root).error(message));
    }
    let mut parts: FxHashMap<String, Vec<usize>> = FxHashMap::default();
    let mut taken: FxHashSet<String> = FxHashSet::default();
    for (file, name) in files.into_iter().zip(names) {
        budget.spend(1)?;
        budget.charge(size_of::<Part>() + 2 * (file.text.len() + name.text.len()))?;
        if !taken.insert(name.text.clone()) {
            let shown = visible_name(&name.text).into_owned();
            problems.push(name.error(format!("there are two processes with the name {shown}")));
        }
        parts.entry(file.text.clone()).or_default().push(found.parts.len());
        found.parts.push(Part::new(name, file));
    }
    if let Some(extra) = root.get("extra_alphabet") {
        if !extra.is_object() {
            problems.push(extra.error("`extra_alphabet` is an object"));
        }
        for item in extra.items().filter(|_| extra.is_object()) {
            budget.spend(1)?;
            let key = item.key();
            let actions = word_list(item, &mut problems);
            if let Some(parts) = parts.get(&*key) {
                for &part in parts {
                    found.parts[part].extra.extend_from_slice(&actions);
                }
            } else {
                let message = format!("no process is in the file {}", visible_name(&key));
                problems.push(item.key_error(message));
            }
        }
    }
    if found.parts.is_empty() && !problems.has_errors() {
        problems.push(root.error("the composition has no part"));
    }
    problems.into_result(found).map_err(Stopped::Wrong)
}

fn words(root: Item<'_>, key: &str, problems: &mut Diagnostics) -> Vec<LocatedWord> {
    root.get(key).map(|item| word_list(item, problems)).unwrap_or_default()
}

fn word_list(item: Item<'_>, problems: &mut Diagnostics) -> Vec<LocatedWord> {
    if !item.is_array() {
        problems.push(item.error("expected a list of names"));
        return Vec::new();
    }
    let mut found = Vec::new();
    for item in item.items() {
        match item.text().filter(|text| !text.is_empty()) {
            Some(text) => {
                found.push(LocatedWord {
                    text: text.into_owned(),
                    offset: item.offset(),
                    length: item.width(),
                });
            }
            None => problems.push(item.error("expected a name")),
        }
    }
    found
}

/// A file name without its folder and extension.
fn stem(path: &str) -> &str {
    let name = path.rsplit('/').find(|name| !name.is_empty()).unwrap_or(path);
    name.rsplit_once('.').map_or(name, |(stem, _)| if stem.is_empty() { name } else { stem })
}
