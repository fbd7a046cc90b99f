//! Findings of rules over programs. Those with evidence of models, or drawings, are not written.

use super::{Packer, Unpacker};
use crate::confidence::Confidence;
use crate::finding::{Declaration, Finding, Level, Outcome};
use crate::location::{Location, Logical};
use crate::suppression::{Suppression, SuppressionKind};
use crate::trace::{Call, CallFrame, Importance, Relied, Repeats, Trace, TraceStep};
use crate::undecided::Undecided;

/// The kinds of parts of programs that places name.
const KINDS: [&str; 3] = ["function", "member", "type"];
const KINDS_OF_SUPPRESSION: [SuppressionKind; 3] =
    [SuppressionKind::Annotation, SuppressionKind::Configuration, SuppressionKind::Baseline];
const IMPORTANCES: [Importance; 3] = [Importance::Essential, Importance::Important, Importance::Unimportant];

impl Packer {
    /// Writes one of a few values by its place among them; false if it is none of them.
    fn one_of<T: PartialEq>(&mut self, values: &[T], value: &T) -> bool {
        let place = values.iter().position(|known| known == value);
        self.count(place.unwrap_or(values.len()));
        place.is_some()
    }

    /// Writes a finding. False if it is of a kind that is not written; what was written until then
    /// is not to be kept.
    #[must_use]
    pub fn finding(&mut self, finding: &Finding) -> bool {
        // every field is named here, so that no new one is forgotten
        let Finding {
            rule,
            level,
            outcome,
            message,
            property,
            locations,
            traces,
            proof,
            assumptions,
            confidence,
            doubts,
            suppressed,
            baseline,
            declaration,
            identity,
            details,
        } = finding;
        if property.is_some() || proof.is_some() || baseline.is_some() || !details.is_empty() {
            return false;
        }
        let mut is_whole = true;
        self.text(rule);
        is_whole &= self.one_of(&Level::ALL, level);
        is_whole &= self.one_of(&Outcome::ALL, outcome);
        self.text(message);
        self.list(locations, |this, it| is_whole &= this.location(it));
        self.list(traces, |this, it| is_whole &= this.trace(it));
        self.texts(assumptions);
        self.option(*confidence, |this, it| is_whole &= this.one_of(&Confidence::ALL, &it));
        self.texts(doubts);
        self.option(suppressed.as_ref(), |this, Suppression { kind, place }| {
            is_whole &= this.one_of(&KINDS_OF_SUPPRESSION, kind);
            this.text(place);
        });
        self.option(declaration.as_ref(), |this, it| {
            let Declaration { class, method, descriptor, field, ordinal } = it;
            for text in [class, method, descriptor] {
                this.text(text);
            }
            this.option(field.as_ref(), |this, field| this.text(field));
            this.number(u64::from(*ordinal));
        });
        self.texts(identity);
        is_whole
    }

    /// Writes texts.
    pub fn texts(&mut self, texts: &[String]) {
        self.list(texts, |this, text| this.text(text));
    }

    /// Writes a rule that was not decided.
    pub fn undecided(&mut self, undecided: &Undecided) {
        let Undecided { rule, reason, methods, more } = undecided;
        self.text(rule);
        self.text(reason);
        self.texts(methods);
        self.count(*more);
    }

    fn location(&mut self, location: &Location) -> bool {
        let Location { file, line, column, logical } = location;
        let mut is_whole = true;
        self.option(file.as_ref(), |this, file| this.text(file));
        self.option(*line, |this, line| this.number(line.into()));
        self.option(*column, |this, column| this.number(column.into()));
        self.option(logical.as_ref(), |this, Logical { name, kind }| {
            this.text(name);
            is_whole = this.one_of(&KINDS, kind);
        });
        is_whole
    }

    fn place(&mut self, location: Option<&Location>) -> bool {
        let mut is_whole = true;
        self.option(location, |this, it| is_whole = this.location(it));
        is_whole
    }

    fn trace(&mut self, trace: &Trace) -> bool {
        let Trace { shows, relied_on_by, base, frames, variables, has_bits, steps, repeats } = trace;
        let mut is_whole = true;
        self.text(shows);
        self.option(relied_on_by.as_ref(), |this, Relied { trace, step }| {
            this.count(*trace);
            this.count(*step);
        });
        self.text(base);
        self.list(frames, |this, CallFrame { parent, depth, call }| {
            let Call { site, callee, location, spot } = call;
            this.option(*parent, |this, parent| this.number(parent.into()));
            this.number(u64::from(*depth));
            this.text(site);
            this.text(callee);
            is_whole &= this.place(location.as_ref()) && spot.is_none();
        });
        self.texts(variables);
        self.flag(*has_bits);
        self.list(steps, |this, it| is_whole &= this.step(it));
        self.option(repeats.as_ref(), |this, Repeats { from, to }| {
            this.count(*from);
            this.count(*to);
        });
        is_whole
    }

    fn step(&mut self, step: &TraceStep) -> bool {
        let TraceStep { text, location, frame, labels, changes, note, importance, spot } = step;
        self.text(text);
        let is_whole = self.place(location.as_ref()) && spot.is_none();
        self.option(*frame, |this, frame| this.number(frame.into()));
        self.texts(labels);
        self.list(changes, |this, (variable, value)| {
            this.number(u64::from(*variable));
            this.option(value.as_ref(), |this, value| this.text(value));
        });
        self.option(note.as_ref(), |this, note| this.text(note));
        self.one_of(&IMPORTANCES, importance) && is_whole
    }
}

impl Unpacker<'_> {
    fn one_of<T: Copy>(&mut self, values: &[T]) -> Option<T> {
        let place = usize::try_from(self.number()?).ok()?;
        values.get(place).copied()
    }

    /// Reads a finding.
    pub fn finding(&mut self) -> Option<Finding> {
        let (rule, level, outcome) = (self.string()?, self.one_of(&Level::ALL)?, self.one_of(&Outcome::ALL)?);
        let message = self.string()?;
        Some(Finding {
            locations: self.list(Self::location)?,
            traces: self.list(Self::trace)?,
            assumptions: self.texts()?,
            confidence: self.option(|this| this.one_of(&Confidence::ALL))?,
            doubts: self.texts()?,
            suppressed: self.option(|this| {
                Some(Suppression { kind: this.one_of(&KINDS_OF_SUPPRESSION)?, place: this.string()? })
            })?,
            declaration: self.option(|this| {
                Some(Declaration {
                    class: this.string()?,
                    method: this.string()?,
                    descriptor: this.string()?,
                    field: this.option(Self::string)?,
                    ordinal: this.small()?,
                })
            })?,
            identity: self.texts()?,
            ..Finding::new(rule, level, outcome, message)
        })
    }

    /// Reads texts.
    pub fn texts(&mut self) -> Option<Vec<String>> {
        self.list(Self::string)
    }

    /// Reads a rule that was not decided.
    pub fn undecided(&mut self) -> Option<Undecided> {
        let (rule, reason, methods) = (self.string()?, self.string()?, self.texts()?);
        Some(Undecided { rule, reason, methods, more: self.small()? as usize })
    }

    fn location(&mut self) -> Option<Location> {
        Some(Location {
            file: self.option(Self::text)?,
            line: self.option(Self::small)?,
            column: self.option(Self::small)?,
            logical: self.option(|this| Some(Logical { name: this.text()?, kind: this.one_of(&KINDS)? }))?,
        })
    }

    /// Reads a trace, whose numbers lead to what is there.
    fn trace(&mut self) -> Option<Trace> {
        let shows = self.string()?;
        let relied_on_by =
            self.option(|this| Some(Relied { trace: this.small()? as usize, step: this.small()? as usize }))?;
        let base = self.string()?;
        let mut met = 0;
        let frames = self.list(|this| {
            let parent = this.option(Self::small)?.filter(|&parent| parent < met);
            met += 1;
            let (depth, site, callee) = (this.small()?, this.string()?, this.string()?);
            let location = this.option(Self::location)?;
            Some(CallFrame { parent, depth, call: Call { site, callee, location, spot: None } })
        })?;
        let variables = self.texts()?;
        let has_bits = self.flag()?;
        let steps = self.list(|this| this.step(frames.len(), variables.len()))?;
        let repeats = self.option(|this| {
            let (from, to) = (this.small()? as usize, this.small()? as usize);
            (from <= to && to < steps.len()).then_some(Repeats { from, to })
        })?;
        (!steps.is_empty()).then_some(Trace {
            shows,
            relied_on_by,
            base,
            frames,
            variables,
            has_bits,
            steps,
            repeats,
        })
    }

    fn step(&mut self, frames: usize, variables: usize) -> Option<TraceStep> {
        let (text, location) = (self.string()?, self.option(Self::location)?);
        let frame = self.option(|this| this.small().filter(|&frame| (frame as usize) < frames))?;
        let labels = self.texts()?;
        let changes = self.list(|this| {
            let variable = this.small().filter(|&variable| (variable as usize) < variables)?;
            Some((variable, this.option(Self::string)?))
        })?;
        let (note, importance) = (self.option(Self::string)?, self.one_of(&IMPORTANCES)?);
        Some(TraceStep { text, location, frame, labels, changes, note, importance, spot: None })
    }
}
