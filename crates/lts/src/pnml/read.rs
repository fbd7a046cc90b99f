//! Reads place/transition nets in PNML. What changes the meaning of a net and is not supported is
//! refused by name; graphics, names for people and data of other tools are skipped.

use super::net::Net;
use super::nupn::Section;
use loris_base::{Budget, Diagnostic, Diagnostics, Idx, LONGEST_NAME, Names, Stopped, nearest, visible_name};
use loris_xml::{Event, Tag, Xml};
use rustc_hash::FxHashMap;

/// Reads a net. Places and transitions are known by their ids.
///
/// What the net holds is charged to the budget; the text is the caller's.
///
/// # Errors
/// All problems with their byte offsets (of malformed XML, the first), or that a limit was reached.
pub fn read_pnml(text: &[u8], budget: &mut Budget) -> Result<Net, Stopped> {
    let text = std::str::from_utf8(text)
        .map_err(|error| Diagnostic::error(error.valid_up_to() as u64, 1, "this is not UTF-8"))?;
    let mut reader = Reader {
        xml: Xml::new(text),
        name: None,
        ids: FxHashMap::default(),
        places: Names::default(),
        transitions: Names::default(),
        marked: Vec::new(),
        arcs: Vec::new(),
        section: None,
        problems: Diagnostics::default(),
    };
    reader.read(budget)?;
    reader.finish(budget)
}

/// What an id stands for.
#[derive(Clone, Copy)]
enum Node {
    Place(u32),
    Transition(u32),
}

/// An arc between ids.
struct Arc {
    source: String,
    target: String,
    at: usize,
}

struct Reader<'t> {
    xml: Xml<'t>,
    name: Option<String>,
    ids: FxHashMap<String, Node>,
    places: Names,
    transitions: Names,
    marked: Vec<bool>,
    arcs: Vec<Arc>,
    section: Option<Section>,
    problems: Diagnostics,
}

impl Reader<'_> {
    fn read(&mut self, budget: &mut Budget) -> Result<(), Stopped> {
        let mut depth = 0;
        let mut looked = 0;
        while let Some(event) = self.xml.next()? {
            budget.spend(1 + (self.xml.at() - looked) / 64)?;
            looked = self.xml.at();
            let Event::Start(tag) = event else {
                depth -= usize::from(matches!(event, Event::End));
                continue;
            };
            if depth == 0 && tag.name != "pnml" {
                return Err(tag.error(format!("expected the element `pnml`, found `{}`", tag.name)).into());
            }
            match tag.name {
                "pnml" | "page" => depth += 1,
                "net" => {
                    self.net(&tag);
                    depth += 1;
                }
                "place" => self.place(&tag, budget)?,
                "transition" => self.transition(&tag, budget)?,
                "arc" => self.arc(&tag, budget)?,
                "referencePlace" | "referenceTransition" => {
                    self.refuse(&tag, "reference nodes");
                    self.xml.skip_element()?;
                }
                "toolspecific" if tag.attribute("tool").is_some_and(|(tool, _)| tool == "nupn") => {
                    let section = Section::read(&tag, &mut self.xml, budget)?;
                    if self.section.replace(section).is_some() {
                        self.problems.push(tag.error("the net has units already"));
                    }
                }
                _ => self.xml.skip_element()?,
            }
        }
        Ok(())
    }

    fn refuse(&mut self, tag: &Tag<'_>, what: &str) {
        self.problems.push(tag.error(format!("{what} are not supported")).not_supported(what));
    }

    fn net(&mut self, tag: &Tag<'_>) {
        let id = tag.attribute("id").map_or("net", |(id, _)| id).to_owned();
        if self.name.replace(id).is_some() {
            self.refuse(tag, "several nets in one file");
        }
        if let Some((kind, _)) = tag.attribute("type") {
            let last = kind.rsplit(['/', '#']).next().unwrap_or_default();
            if !last.to_ascii_lowercase().contains("ptnet") && !last.eq_ignore_ascii_case("P/T net") {
                let what = format!("nets of type {}", visible_name(kind));
                let problem = tag.error(format!("{what} are not supported"));
                self.problems.push(problem.help("only place/transition nets are").not_supported(what));
            }
        }
    }

    /// The id of an element, which no other may have.
    fn id(&mut self, tag: &Tag<'_>, budget: &mut Budget) -> Result<Option<String>, Stopped> {
        let Some((id, at)) = tag.attribute("id").filter(|(id, _)| !id.is_empty()) else {
            self.problems.push(tag.error(format!("this {} has no `id`", tag.name)));
            return Ok(None);
        };
        if id.len() > LONGEST_NAME {
            self.problems.push(tag.error("this id is longer than 1 MiB"));
            return Ok(None);
        }
        // in the table of ids and in that of names
        budget.charge(3 * id.len() + 64)?;
        if self.ids.contains_key(&**id) {
            let message = format!("there are two nodes with the id {}", visible_name(id));
            self.problems.push(Diagnostic::error(at as u64, 0, message));
            return Ok(None);
        }
        Ok(Some(id.to_string()))
    }

    fn place(&mut self, tag: &Tag<'_>, budget: &mut Budget) -> Result<(), Stopped> {
        let id = self.id(tag, budget)?;
        let mut tokens = 0;
        let mut depth = 1;
        while depth > 0 {
            match self.xml.next()? {
                Some(Event::Start(inner)) => match inner.name {
                    "initialMarking" => tokens = self.number(&inner)?.unwrap_or(0),
                    "capacity" => {
                        if self.number(&inner)?.is_some_and(|capacity| capacity > 0) {
                            self.refuse(&inner, "places with a capacity");
                        }
                    }
                    _ => self.xml.skip_element()?,
                },
                Some(Event::End) => depth -= 1,
                Some(Event::Text(..)) => {}
                None => break,
            }
        }
        if tokens > 1 {
            let name = id.as_deref().map_or("this place".into(), visible_name);
            let problem = tag.error(format!("{name} starts with {tokens} tokens: the net is not safe"));
            self.problems.push(problem.not_supported("nets that are not safe"));
        }
        if let Some(id) = id {
            self.places.intern(&id);
            self.ids.insert(id, Node::Place(self.marked.len() as u32));
            self.marked.push(tokens > 0);
        }
        Ok(())
    }

    fn transition(&mut self, tag: &Tag<'_>, budget: &mut Budget) -> Result<(), Stopped> {
        let id = self.id(tag, budget)?;
        let mut depth = 1;
        while depth > 0 {
            match self.xml.next()? {
                Some(Event::Start(inner)) => {
                    if inner.name == "delay" {
                        self.refuse(&inner, "transitions with a delay");
                    }
                    self.xml.skip_element()?;
                }
                Some(Event::End) => depth -= 1,
                Some(Event::Text(..)) => {}
                None => break,
            }
        }
        if let Some(id) = id {
            if id == "tau" {
                let problem = tag.error("a transition with the id `tau` would be a silent step");
                self.problems.push(problem.help("give it another id"));
            }
            let number = self.transitions.intern(&id).index() as u32;
            self.ids.insert(id, Node::Transition(number));
        }
        Ok(())
    }

    fn arc(&mut self, tag: &Tag<'_>, budget: &mut Budget) -> Result<(), Stopped> {
        let end = |name| tag.attribute(name).map(|(id, _)| id.to_string());
        let (source, target) = (end("source"), end("target"));
        let mut weight = 1;
        let mut depth = 1;
        while depth > 0 {
            match self.xml.next()? {
                Some(Event::Start(inner)) => match inner.name {
                    "inscription" => weight = self.number(&inner)?.unwrap_or(1),
                    "type" | "arctype" => {
                        let value = inner.attribute("value").map(|(value, _)| value.to_string());
                        let kind = value.or(self.content()?).unwrap_or_default();
                        if !kind.is_empty() && kind != "normal" {
                            self.refuse(&inner, &format!("{kind} arcs"));
                        }
                    }
                    _ => self.xml.skip_element()?,
                },
                Some(Event::End) => depth -= 1,
                Some(Event::Text(..)) => {}
                None => break,
            }
        }
        if weight != 1 {
            let problem = tag.error(format!("an arc of weight {weight} is not supported"));
            self.problems.push(problem.not_supported("arcs of other weights than 1"));
        }
        match (source, target) {
            (Some(source), Some(target)) => {
                budget.charge(size_of::<Arc>() + source.len() + target.len())?;
                self.arcs.push(Arc { source, target, at: tag.at });
            }
            _ => self.problems.push(tag.error("an arc has a `source` and a `target`")),
        }
        Ok(())
    }

    /// The text of an element, be it in an element `text` inside or not.
    fn content(&mut self) -> Result<Option<String>, Stopped> {
        let mut found = String::new();
        let mut open = vec!["text"];
        while let Some(&inside) = open.last() {
            match self.xml.next()? {
                Some(Event::Start(tag)) => open.push(tag.name),
                Some(Event::End) => _ = open.pop(),
                Some(Event::Text(text, _)) if matches!(inside, "text" | "value") => found.push_str(&text),
                Some(Event::Text(..)) => {}
                None => break,
            }
        }
        let found = found.trim();
        Ok((!found.is_empty()).then(|| found.to_owned()))
    }

    /// The number in an element; anything else there is a problem.
    fn number(&mut self, tag: &Tag<'_>) -> Result<Option<u64>, Stopped> {
        let Some(text) = self.content()? else { return Ok(None) };
        // some editors write the name of a kind of tokens before the number
        let digits = text.rsplit(',').next().unwrap_or_default().trim();
        if let Ok(number) = digits.parse() {
            return Ok(Some(number));
        }
        let shown: String = text.chars().take(40).collect();
        self.problems.push(tag.error(format!("expected a number, found {}", visible_name(&shown))));
        Ok(None)
    }

    fn finish(mut self, budget: &mut Budget) -> Result<Net, Stopped> {
        if self.name.is_none() {
            self.problems.push(Diagnostic::error(0, 0, "the file has no net"));
        }
        let mut before: Vec<Vec<u32>> = vec![Vec::new(); self.transitions.len()];
        let mut after = before.clone();
        budget.charge(4 * self.arcs.len() + 48 * self.transitions.len())?;
        for arc in &self.arcs {
            budget.spend(1)?;
            let ends = [&arc.source, &arc.target].map(|id| self.ids.get(id).copied());
            let (places, place) = match ends {
                [Some(Node::Place(place)), Some(Node::Transition(t))] => (&mut before[t as usize], place),
                [Some(Node::Transition(t)), Some(Node::Place(place))] => (&mut after[t as usize], place),
                [Some(_), Some(_)] => {
                    let message = "an arc is between a place and a transition";
                    self.problems.push(Diagnostic::error(arc.at as u64, 4, message));
                    continue;
                }
                _ => {
                    for id in [&arc.source, &arc.target].into_iter().filter(|id| !self.ids.contains_key(*id))
                    {
                        let message = format!("there is no node {}", visible_name(id));
                        let problem = Diagnostic::error(arc.at as u64, 4, message);
                        let near = nearest(id, self.places.iter().chain(self.transitions.iter()));
                        self.problems.push(match near {
                            Some(near) => problem.help(format!("did you mean {}?", visible_name(near))),
                            None => problem,
                        });
                    }
                    continue;
                }
            };
            if let Err(at) = places.binary_search(&place) {
                places.insert(at, place);
            } else {
                let message = "this is the second such arc: together they have weight 2";
                let problem = Diagnostic::error(arc.at as u64, 4, message);
                self.problems.push(problem.not_supported("arcs of other weights than 1"));
            }
        }
        let units = self
            .section
            .take()
            .filter(|_| !self.problems.has_errors())
            .map(|section| section.resolve(&self.places, self.transitions.len(), &mut self.problems));
        let net = Net {
            name: self.name.unwrap_or_default(),
            places: self.places,
            transitions: self.transitions,
            before,
            after,
            marked: self.marked,
            units,
        };
        self.problems.into_result(net).map_err(Stopped::Wrong)
    }
}
