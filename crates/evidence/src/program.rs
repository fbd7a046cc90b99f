//! How a model was made of a program, as results state it.

use loris_base::Diagnostic;
use loris_json::Item;

/// The object `program` of a result: settings with their values. A single text or truth value is a
/// list of one. Which settings there are is known to the front end that wrote them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProgramSettings(pub Vec<(String, Vec<String>)>);

impl ProgramSettings {
    /// Reads the object.
    pub(crate) fn read(item: Item<'_>) -> Result<Self, Diagnostic> {
        if !item.is_object() {
            return Err(item.error("\"program\" should be an object"));
        }
        let mut settings: Vec<(String, Vec<String>)> = Vec::new();
        for value in item.items() {
            let key = value.key().into_owned();
            let wrong = || value.error(format!("\"{key}\" should be a text, true, false or a list of texts"));
            let texts = if value.is_array() {
                let texts = value.items().map(|one| one.text().map(String::from));
                texts.collect::<Option<Vec<String>>>().ok_or_else(wrong)?
            } else if let Some(truth) = value.truth() {
                vec![truth.to_string()]
            } else {
                vec![value.text().ok_or_else(wrong)?.into_owned()]
            };
            settings.push((key, texts));
        }
        Ok(Self(settings))
    }

    /// The value of a setting.
    pub fn get(&self, key: &str) -> Option<&[String]> {
        self.0.iter().find(|(known, _)| known == key).map(|(_, values)| &**values)
    }
}
