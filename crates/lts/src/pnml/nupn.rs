//! The units of a net: the section that the tool `nupn` adds to PNML (version 1.1).

use super::net::Units;
use loris_base::{Budget, Diagnostic, Diagnostics, Names, Stopped, visible_name};
use loris_xml::{Event, Tag, Xml};
use rustc_hash::FxHashMap;

/// The section as it is written.
#[derive(Debug)]
pub(super) struct Section {
    at: usize,
    /// how many places and transitions it states that the net has
    size: Option<(String, String)>,
    root: Option<String>,
    is_safe: bool,
    units: Vec<Unit>,
}

#[derive(Debug)]
struct Unit {
    id: String,
    at: usize,
    places: Vec<(String, usize)>,
    inner: Vec<(String, usize)>,
}

impl Section {
    /// Reads all that is left of the element `toolspecific`.
    pub(super) fn read(tag: &Tag<'_>, xml: &mut Xml<'_>, budget: &mut Budget) -> Result<Self, Stopped> {
        let mut section = Self { at: tag.at, size: None, root: None, is_safe: false, units: Vec::new() };
        let text = |tag: &Tag<'_>, name| tag.attribute(name).map(|(value, _)| value.to_string());
        let mut depth = 1;
        while depth > 0 {
            budget.spend(1)?;
            match xml.next()? {
                Some(Event::Start(tag)) => match tag.name {
                    "size" => {
                        section.size = text(&tag, "places").zip(text(&tag, "transitions"));
                        depth += 1;
                    }
                    "structure" => {
                        section.root = text(&tag, "root");
                        section.is_safe = text(&tag, "safe").as_deref() == Some("true");
                        depth += 1;
                    }
                    "unit" => section.units.push(Unit::read(&tag, xml, budget)?),
                    _ => xml.skip_element()?,
                },
                Some(Event::End) => depth -= 1,
                Some(Event::Text(..)) => {}
                None => break,
            }
        }
        Ok(section)
    }

    /// Finds the places in the net, and checks that each is in one unit.
    pub(super) fn resolve(self, places: &Names, transitions: usize, problems: &mut Diagnostics) -> Units {
        let offset = self.at as u64;
        let mut error = |at: usize, length: usize, message: String| {
            problems.push(Diagnostic::error(at as u64, length, message));
        };
        let counted = (places.len().to_string(), transitions.to_string());
        if let Some(size) = self.size.filter(|size| *size != counted) {
            error(
                self.at,
                0,
                format!(
                    "the units are those of a net with {} places and {} transitions, and this one has {} and {}",
                    size.0, size.1, counted.0, counted.1
                ),
            );
        }
        let mut numbers: FxHashMap<&str, usize> = FxHashMap::default();
        for (i, unit) in self.units.iter().enumerate() {
            if numbers.insert(&unit.id, i).is_some() {
                error(unit.at, 5, format!("there are two units with the name {}", visible_name(&unit.id)));
            }
        }
        let mut parent: Vec<Option<usize>> = vec![None; self.units.len()];
        let mut owner: Vec<Option<usize>> = vec![None; places.len()];
        let mut own: Vec<Vec<u32>> = vec![Vec::new(); self.units.len()];
        for (i, unit) in self.units.iter().enumerate() {
            for (name, at) in &unit.inner {
                let shown = visible_name(name);
                match numbers.get(&**name) {
                    None => error(*at, name.len(), format!("there is no unit {shown}")),
                    Some(&inner) => {
                        if let Some(other) = parent[inner].replace(i) {
                            let other = visible_name(&self.units[other].id);
                            error(
                                *at,
                                name.len(),
                                format!("the unit {shown} is in the unit {other} already"),
                            );
                        }
                    }
                }
            }
            for (name, at) in &unit.places {
                let shown = visible_name(name);
                match places.find(name) {
                    None => error(*at, name.len(), format!("there is no place {shown}")),
                    Some(place) => {
                        let place = loris_base::Idx::index(place);
                        if let Some(other) = owner[place].replace(i) {
                            let other = visible_name(&self.units[other].id);
                            error(
                                *at,
                                name.len(),
                                format!("the place {shown} is in the unit {other} already"),
                            );
                        }
                        own[i].push(place as u32);
                    }
                }
            }
        }
        if let Some(place) = owner.iter().position(Option::is_none) {
            let name = visible_name(&places[loris_base::Idx::new(place)]);
            error(self.at, 0, format!("the place {name} is in no unit"));
        }
        // units inside of others are reached from those that are in none, unless they are in each
        // other
        let mut reached: Vec<bool> = parent.iter().map(Option::is_none).collect();
        let mut work: Vec<usize> = (0..self.units.len()).filter(|&unit| reached[unit]).collect();
        while let Some(unit) = work.pop() {
            let inner = self.units[unit].inner.iter().filter_map(|(name, _)| numbers.get(&**name));
            work.extend(inner.filter(|&&inner| !std::mem::replace(&mut reached[inner], true)));
        }
        for (i, unit) in self.units.iter().enumerate() {
            let name = visible_name(&unit.id);
            if !reached[i] {
                error(unit.at, 5, format!("the unit {name} is inside of itself"));
            } else if parent[i].is_none() && self.root.as_deref() != Some(&*unit.id) {
                error(unit.at, 5, format!("the unit {name} is in no other unit, and is not the root"));
            }
        }
        Units {
            names: self.units.into_iter().map(|unit| unit.id).collect(),
            places: own,
            offset,
            is_safe: self.is_safe,
        }
    }
}

impl Unit {
    fn read(tag: &Tag<'_>, xml: &mut Xml<'_>, budget: &mut Budget) -> Result<Self, Stopped> {
        let Some((id, _)) = tag.attribute("id") else {
            return Err(tag.error("this unit has no `id`").into());
        };
        let mut unit = Self { id: id.to_string(), at: tag.at, places: Vec::new(), inner: Vec::new() };
        let mut open: Vec<&str> = vec!["unit"];
        while !open.is_empty() {
            match xml.next()? {
                Some(Event::Start(tag)) => open.push(tag.name),
                Some(Event::End) => _ = open.pop(),
                Some(Event::Text(text, at)) => {
                    let list = match open.last() {
                        Some(&"places") => &mut unit.places,
                        Some(&"subunits") => &mut unit.inner,
                        _ => continue,
                    };
                    for name in text.split_whitespace() {
                        budget.spend(1)?;
                        budget.charge(size_of::<(String, usize)>() + name.len())?;
                        // exact unless the text has entities, which are longer than what they mean
                        let inside = name.as_ptr() as usize - text.as_ptr() as usize;
                        list.push((name.to_owned(), at + inside));
                    }
                }
                None => break,
            }
        }
        Ok(unit)
    }
}
