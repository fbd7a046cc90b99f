//! Which rules are decided: shipped ones, those of files, as the flags and `loris.toml` say.

use super::Args;
use anyhow::bail;
use loris_base::nearest;
use loris_load::{Reading, Text};
use loris_rules::objects::Resources;
use loris_rules::questions::Question;
use loris_rules::rule::toml_problem;
use loris_rules::{Config, Level, Rule, RuleBody, read_rules, shipped_rules};
use std::path::{Path, PathBuf};

/// The configuration and where it is.
pub(super) struct Configured {
    pub(super) config: Config,
    /// The file, if there is one.
    pub(super) path: Option<PathBuf>,
}

const NAME: &str = "loris.toml";

impl Configured {
    /// Looks for `loris.toml` in the working directory and the folders above it.
    pub(super) fn find(reading: &mut Reading) -> Self {
        let none = Self { config: Config::default(), path: None };
        let Ok(folder) = std::env::current_dir() else { return none };
        let Some(found) = folder.ancestors().map(|folder| folder.join(NAME)).find(|path| path.is_file())
        else {
            return none;
        };
        // in the working directory, the name is enough
        let path = if found.parent() == Some(&folder) { PathBuf::from(NAME) } else { found };
        let Some(Text { input, content, mut problems }) = reading.text(&path) else { return none };
        let (config, wrong) = Config::read(&content);
        problems.append(&wrong);
        reading.add(input, problems);
        Self { config, path: Some(path) }
    }

    /// The resource models it names: their paths and texts.
    pub(super) fn models(&self, reading: &mut Reading) -> Vec<(String, String)> {
        let mut models = Vec::new();
        for path in self.config.models.iter().map(|path| self.resolve(path)) {
            let Some(Text { input, content, mut problems }) = reading.text(&path) else { continue };
            if let Err(wrong) = Resources::default().add(&content) {
                problems.push(toml_problem(&wrong));
            }
            reading.add(input, problems);
            models.push((path.display().to_string(), content.to_string()));
        }
        models
    }

    /// A path of the configuration file.
    pub(super) fn resolve(&self, path: &str) -> PathBuf {
        let folder = self.path.as_deref().and_then(Path::parent).unwrap_or(Path::new(""));
        folder.join(path)
    }
}

/// The rules to decide, in the order of files, and all others, which these may name.
pub(super) fn rules(
    args: &Args,
    configured: &Configured,
    reading: &mut Reading,
) -> anyhow::Result<(Vec<Rule>, Vec<Rule>)> {
    if !args.property.is_empty() {
        return Ok((questions(args)?, Vec::new()));
    }
    let mut rules = shipped_rules();
    let files = configured.config.rules_files.iter().map(|path| configured.resolve(path));
    for path in files.chain(args.rules_file.iter().cloned()) {
        let Some(Text { input, content, mut problems }) = reading.text(&path) else { continue };
        let (own, wrong) = read_rules(&content);
        problems.append(&wrong);
        reading.add(input, problems);
        // a rule of one's own replaces the shipped one
        rules.retain(|rule| own.iter().all(|other| other.id != rule.id));
        rules.extend(own);
    }
    let problems = configured.config.apply(&mut rules);
    if let (Some(path), false) = (&configured.path, problems.is_empty())
        && let Some(Text { input, .. }) = reading.text(path)
    {
        reading.add(input, problems);
    }
    if reading.has_errors() {
        return Ok((rules, Vec::new()));
    }
    for rule in &rules {
        if let RuleBody::Object(object) = &rule.body
            && let Some(other) = object.unless()
            && rules.iter().all(|rule| rule.id != other)
        {
            bail!("the rule {} names the rule {other} under `unless`, and there is none", rule.id);
        }
    }
    for id in &args.rules {
        if rules.iter().all(|rule| rule.id != *id) {
            let near = nearest(id, rules.iter().map(|rule| &*rule.id));
            let help =
                near.map_or("--list-rules lists them".to_owned(), |near| format!("did you mean {near}?"));
            bail!("there is no rule {id}; {help}");
        }
    }
    Ok(rules.into_iter().partition(|rule| {
        if args.rules.is_empty() {
            args.list_rules || rule.on_by_default
        } else {
            args.rules.contains(&rule.id)
        }
    }))
}

/// The properties of the command line as rules: each is reported under its number.
fn questions(args: &Args) -> anyhow::Result<Vec<Rule>> {
    let mut rules = Vec::new();
    for (number, text) in args.property.iter().enumerate() {
        let question = match Question::new(&args.logic, text) {
            Ok(question) => question,
            Err(problem) => bail!("the property `{text}` is wrong: {problem}"),
        };
        let id =
            if args.property.len() == 1 { "property".to_owned() } else { format!("property-{}", number + 1) };
        rules.push(Rule {
            name: "a property of the command line".to_owned(),
            message: format!("The property fails: {text}"),
            level: Level::Error,
            cwe: Vec::new(),
            page: None,
            aliases: Vec::new(),
            on_by_default: true,
            body: RuleBody::Question(question),
            id,
        });
    }
    Ok(rules)
}
