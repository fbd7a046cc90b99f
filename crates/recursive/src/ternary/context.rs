//! The known values of instances at their exits, and how more become known: from the return ports
//! of their callers, place by place. A *place* is an existential formula at an exit.

use super::interpretation::{INSTANCE, Interpretation, bytes_per_cell};
use super::news::{News, Waiting, bytes_of_calls, share};
use crate::instances::{CellId, InstanceId, NONE};
use loris_base::{Budget, Exhausted, Idx, Truth};
use loris_rsm::{BoxId, VertexKind};

impl Interpretation<'_> {
    /// The position of an existential formula's value at an exit in a context.
    pub(super) fn place(&self, exit: usize, existential: usize) -> usize {
        exit * self.existentials.len() + existential
    }

    /// The cell where a call returns through an exit; nothing if it never does.
    pub(super) fn returning(&self, instance: InstanceId, site: BoxId, exit: usize) -> Option<CellId> {
        let port = self.rsm.return_port(site, exit).filter(|port| self.reached[port.index()])?;
        Some(self.graph.shift(instance).cell(port))
    }

    /// The value that a box knows at a place of its callee's context; nothing if it never returns
    /// there.
    fn returned(&self, instance: InstanceId, site: BoxId, place: u32) -> Option<Truth> {
        let (exit, i) = (place as usize / self.existentials.len(), place as usize % self.existentials.len());
        Some(self.value(self.existentials[i], self.returning(instance, site, exit)?))
    }

    /// The context a box would give its callee (`γ_b`), over the first `upto` existential formulas:
    /// the values known at its return ports, and those of the callee's present context.
    fn induced(&self, instance: InstanceId, site: BoxId, upto: usize) -> Vec<Truth> {
        let callee = self.graph.callee(instance, site);
        let mut context = self.contexts[callee.index()].clone();
        for exit in 0..self.rsm.exits(self.rsm.callee(site)).len() {
            let port = self.returning(instance, site, exit);
            for (i, &node) in self.existentials[..upto].iter().enumerate() {
                let value = &mut context[exit * self.existentials.len() + i];
                if *value == Truth::Unknown {
                    // where no run returns, any value will do
                    *value = port.map_or(Truth::False, |port| self.value(node, port));
                }
            }
        }
        context
    }

    /// Adds the values that the return ports of a box know and its callee's context does not (C in
    /// section 6.1.2), of the first `upto` existential formulas; returns the steps that took.
    pub(super) fn news_of(
        &self,
        instance: InstanceId,
        site: BoxId,
        upto: usize,
        found: &mut Vec<News>,
    ) -> usize {
        let callee = self.graph.callee(instance, site);
        if callee == NONE {
            return 1;
        }
        let (context, shift) = (&self.contexts[callee.index()], self.graph.shift(instance));
        let ports = self.rsm.ports(site);
        let steps = 1 + ports.len() * upto;
        for port in ports {
            if !self.reached[port.index()] || !matches!(self.rsm.kind(port), VertexKind::Return(_)) {
                continue;
            }
            let Some(exit) = self.rsm.exit_index(port) else { continue };
            for (i, &node) in self.existentials[..upto].iter().enumerate() {
                let place = self.place(exit, i);
                if context[place] == Truth::Unknown && self.value(node, shift.cell(port)).is_known() {
                    found.push(News { instance, site, place: place as u32 });
                }
            }
        }
        steps
    }

    /// Whether the return ports of a box know more than its callee's context.
    pub(super) fn is_contextualizable(&self, instance: InstanceId, site: BoxId) -> bool {
        let mut found = Vec::new();
        self.news_of(instance, site, self.existentials.len(), &mut found);
        !found.is_empty()
    }

    /// Whether a live box knows more than its callee at a place, of the first `upto` existential
    /// formulas.
    pub(super) fn is_news(&self, news: News, upto: usize) -> bool {
        let News { instance, site, place } = news;
        let callee = self.graph.callee(instance, site);
        callee != NONE
            && self.live[instance.index()]
            && place as usize % self.existentials.len() < upto
            && self.contexts[callee.index()][place as usize] == Truth::Unknown
            && self.returned(instance, site, place).is_some_and(Truth::is_known)
    }

    /// All that live boxes got to know since they were looked at last, and that their callees do
    /// not know, in order. It is to be contextualized or kept.
    pub(super) fn take_news(&mut self, upto: usize, budget: &mut Budget) -> Result<Vec<News>, Exhausted> {
        let mut found = Vec::new();
        let mut touched = std::mem::take(&mut self.touched);
        touched.sort_unstable();
        for &instance in &touched {
            self.is_touched[instance.index()] = false;
            if !self.live[instance.index()] {
                continue;
            }
            let boxes = self.rsm.boxes(self.graph.component(instance));
            let steps: usize = boxes.map(|site| self.news_of(instance, site, upto, &mut found)).sum();
            budget.spend(1 + steps)?;
            budget.grow(&mut self.lists, 2 * size_of::<News>() * found.len())?;
        }
        budget.spend(self.news.len())?;
        for news in std::mem::take(&mut self.news) {
            if self.is_news(news, upto) {
                found.push(news);
            }
        }
        budget.grow(&mut self.lists, 2 * size_of::<News>() * found.len())?;
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }

    /// Lets the boxes of an instance be looked at.
    pub(super) fn touch(&mut self, instance: InstanceId) {
        if !std::mem::replace(&mut self.is_touched[instance.index()], true) {
            self.touched.push(instance);
        }
    }

    /// Lets all live boxes be looked at.
    pub(super) fn touch_all(&mut self) {
        for instance in self.live_instances() {
            self.touch(instance);
        }
    }

    /// Gives the callee of a box an instance with the values known at its return ports (Algorithm
    /// 2), all of them or the new ones. [`settle`](Self::settle) must follow.
    pub(super) fn contextualize(
        &mut self,
        news: &[News],
        upto: usize,
        budget: &mut Budget,
    ) -> Result<(), Exhausted> {
        let Some(&News { instance, site, .. }) = news.first() else { return Ok(()) };
        let old = self.graph.callee(instance, site);
        budget.spend(news.len())?;
        // another box of the same round may have left it behind
        if old == NONE || !self.live[instance.index()] {
            return Ok(());
        }
        // an instance without other callers is not copied: the original would be left behind
        let is_alone = self.calls[old.index()] == 1;
        let is_covered = self.covered[old.index()] as usize >= upto;
        let mut known = Vec::new();
        if is_alone && is_covered {
            for &news in news.iter().filter(|&&news| self.is_news(news, upto)) {
                known.extend(self.returned(instance, site, news.place).map(|value| (news.place, value)));
            }
        } else {
            let context = self.induced(instance, site, upto);
            budget.spend(context.len())?;
            let old = &self.contexts[old.index()];
            let places = context.iter().zip(old).enumerate().filter(|(_, (new, old))| new != old);
            known.extend(places.map(|(place, (&value, _))| (place as u32, value)));
        }
        if known.is_empty() {
            return Ok(());
        }
        let component = self.graph.component(old);
        let shares = known.iter().map(|&(place, value)| share(component, place, value));
        let hash = shares.fold(self.hashes[old.index()], |hash, share| hash ^ share);
        let same = |other: InstanceId| {
            let mut context = self.contexts[old.index()].clone();
            for &(place, value) in &known {
                context[place as usize] = value;
            }
            self.graph.component(other) == component && self.contexts[other.index()] == context
        };
        if let Some(same) = self.by_context.find(hash, same) {
            self.redirect(instance, site, same);
            return Ok(());
        }
        self.made += 1;
        if is_alone {
            self.covered[old.index()] = self.covered[old.index()].max(upto as u32);
            self.learn(old, &known);
            return Ok(());
        }
        let fresh = self.copy(old, budget)?;
        self.covered.push(upto as u32);
        self.know(fresh, &known);
        self.by_context.insert(self.hashes[fresh.index()], fresh);
        self.redirect(instance, site, fresh);
        Ok(())
    }

    /// Adds an instance with the values and callees of another one. Nothing calls it yet.
    fn copy(&mut self, old: InstanceId, budget: &mut Budget) -> Result<InstanceId, Exhausted> {
        let component = self.graph.component(old);
        let fresh = InstanceId::new(self.graph.len());
        let cells = self.rsm.vertex_range(component).len();
        budget.spend(cells)?;
        let context = self.contexts[old.index()].clone();
        budget.charge(context.len() + bytes_of_calls(self.rsm, component) + INSTANCE)?;
        // Lists that grow side by side leave holes that the next one does not fit into: at first as
        // much as there was, later half of the present size (measured).
        let lost = bytes_per_cell(self.formula) * (self.rsm.vertex_count()).max(self.owners.capacity() / 2);
        budget.grow(&mut self.lost, lost)?;
        budget.reserve(&mut self.owners, cells)?;
        budget.reserve(&mut self.marks, cells)?;
        for values in &mut self.values {
            budget.reserve(values, cells)?;
        }
        let callees = self.graph.callees(old).to_vec();
        for &callee in callees.iter().filter(|&&callee| callee != NONE) {
            self.calls[callee.index()] += 1;
        }
        self.graph.push(component, callees.into_iter());
        self.live.push(true);
        self.enlist(fresh);
        self.contexts.push(context);
        self.hashes.push(self.hashes[old.index()]);
        self.calls.push(0);
        self.is_touched.push(false);
        self.looks.push(0);
        self.touch(fresh);
        self.owners.resize(self.owners.len() + cells, fresh);
        self.marks.resize(self.owners.len(), 0);
        let from = self.graph.first_cell(old);
        for values in &mut self.values {
            values.extend_from_within(from..from + cells);
        }
        Ok(fresh)
    }

    /// Where all callers of an instance know the same, writes it into the instance's own context:
    /// no copy is needed for values they agree on. Only the instances there were at the start learn
    /// in place; copies that did could be made again and again. Whether anything was new, and how
    /// many were asked.
    pub(super) fn adopt(
        &mut self,
        instance: InstanceId,
        places: impl Iterator<Item = u32>,
        budget: &mut Budget,
    ) -> Result<(bool, usize), Exhausted> {
        if instance.index() >= self.rsm.component_count() {
            return Ok((false, 0));
        }
        let mut known = Vec::new();
        let mut asked = 0;
        for place in places.filter(|&place| !self.contexts[instance.index()][place as usize].is_known()) {
            asked += 1;
            let mut values = self.callers(instance).filter_map(|port| {
                asked += 1;
                self.returned(port.caller, self.rsm.box_of(port.vertex)?, place)
            });
            let first = values.next().unwrap_or(Truth::Unknown);
            if first.is_known() && values.all(|value| value == first) {
                known.push((place, first));
            }
        }
        budget.spend(asked)?;
        if !known.is_empty() {
            self.learn(instance, &known);
        }
        Ok((!known.is_empty(), asked))
    }

    /// Adds values at the exits of an instance, and lets their consequences wait.
    pub(super) fn learn(&mut self, instance: InstanceId, known: &[(u32, Truth)]) {
        self.by_context.remove(self.hashes[instance.index()], instance);
        self.know(instance, known);
        self.by_context.insert(self.hashes[instance.index()], instance);
        let (shift, exits) = (self.graph.shift(instance), self.rsm.exits(self.graph.component(instance)));
        for &(place, _) in known {
            let (exit, i) =
                (place as usize / self.existentials.len(), place as usize % self.existentials.len());
            self.waiting.push(Waiting::new(self.existentials[i], shift.cell(exits[exit])));
        }
    }

    /// Changes the context of an instance.
    fn know(&mut self, instance: InstanceId, known: &[(u32, Truth)]) {
        let component = self.graph.component(instance);
        let (context, hash) = (&mut self.contexts[instance.index()], &mut self.hashes[instance.index()]);
        for &(place, value) in known {
            let old = std::mem::replace(&mut context[place as usize], value);
            debug_assert!(!old.is_known(), "what is known is known for good");
            *hash ^= share(component, place, value);
        }
        self.dirty.push(instance);
    }
}
