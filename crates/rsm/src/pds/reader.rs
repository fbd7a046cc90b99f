//! A pushdown system in the format of `PuMoC`, taken in line by line.

use super::atoms::{self, Atoms, Mention};
use super::batch::Batch;
use super::block::{Block, Other};
use super::intern::Interner;
use super::items::{INITIAL, RULE, configuration, element, end_of_line, open, unescaped};
use super::long::{self, LongWord};
use super::rules::Packed;
use super::scan::{Name, Problem, Scanner, Token, unknown};
use super::{CarriedProperty, Configuration, Control, Pds, StackSymbol, StackWord};
use crate::account::{CHUNK, names_ahead};
use crate::ids::NONE;

use loris_base::{Budget, Diagnostic, Diagnostics, Exhausted, Idx, NameKey, Stopped, TOGETHER};

/// The first line of files that this crate writes. They may name symbols that no rule has.
pub(super) const OURS: &str = "# written by loris";

/// The number of a name for which there is no room.
const NO_ROOM: u32 = NONE - 1;

/// The system read so far.
#[derive(Default)]
pub(super) struct Reader {
    pub(super) controls: Interner,
    pub(super) symbols: Interner,
    pub(super) pds: Pds,
    pub(super) long: Vec<LongWord>,
    pub(super) atoms: Atoms,
    initial: Vec<(Mention, Vec<Mention>)>,
    /// the lines before the part at hand, and before the first initial configuration
    lines: usize,
    first_line: usize,
    renamed: Vec<(Mention, String)>,
    /// for the names of the block at hand, their numbers
    control_numbers: Vec<u32>,
    symbol_numbers: Vec<u32>,
    ours: bool,
    pub(super) problems: Diagnostics,
    /// bytes that are declared, and where the next ones are
    held: usize,
    declared: usize,
    /// why the budget ended within a line
    stopped: Option<Exhausted>,
}

impl Reader {
    /// Takes a block that was scanned, with its text.
    ///
    /// # Errors
    /// That the budget is used up.
    pub(super) fn block(&mut self, block: &Block, text: &str, budget: &mut Budget) -> Result<(), Exhausted> {
        budget.look()?;
        self.declare(block.rules.len(), text.len(), budget)?;
        // number 0 is that of no name
        self.control_numbers.clear();
        self.control_numbers.push(NONE);
        self.symbol_numbers.clear();
        self.symbol_numbers.push(NONE);
        let mut next = 0;
        for other in &block.others {
            self.rules(block, text, next, other);
            next = other.rules;
            self.other_line(block, text, other.at, budget)?;
        }
        let (rules, controls, symbols) = (block.rules.len(), block.controls.len(), block.symbols.len());
        self.rules(block, text, next, &Other { at: 0, rules, controls, symbols });
        if self.initial.is_empty() {
            self.lines += text.matches('\n').count();
        }
        Ok(())
    }

    /// Reads a line that is not a plain rule.
    fn other_line(
        &mut self,
        block: &Block,
        text: &str,
        at: usize,
        budget: &mut Budget,
    ) -> Result<(), Exhausted> {
        let mut scanner = Scanner::within(text, block.base, at);
        let mut batch = Batch::new(text, block.base);
        self.next(&scanner, budget)?;
        if let Err(problem) = self.line(&mut scanner, &mut batch, budget) {
            if let Some(why) = self.stopped {
                return Err(why);
            }
            self.problems.push(problem.into());
        }
        if let Some(problem) = scanner.too_long() {
            self.problems.push(problem);
        }
        self.flush(&mut batch);
        Ok(())
    }

    /// Adds the rules of a block from this number up to a line, with the names that come before
    /// that line.
    fn rules(&mut self, block: &Block, text: &str, next: usize, end: &Other) {
        let from = self.control_numbers.len() - 1;
        let names = block.controls.list()[from..end.controls].iter().zip(&block.control_keys[from..]);
        for (name, &key) in names {
            let number = self.controls.merge(key, &text[name.range()]);
            self.control_numbers.push(number.unwrap_or(NO_ROOM));
        }
        let from = self.symbol_numbers.len() - 1;
        let names = &block.symbols.list()[from..end.symbols];
        let keys = &block.symbol_keys[from..end.symbols];
        for (names, keys) in names.chunks(TOGETHER).zip(keys.chunks(TOGETHER)) {
            self.symbols.names.look_ahead(keys.iter().map(|key| key.hash()));
            for (name, &key) in names.iter().zip(keys) {
                let number = self.symbols.merge(key, &text[name.range()]);
                self.symbol_numbers.push(number.unwrap_or(NO_ROOM));
            }
        }
        let (controls, symbols) = (&self.control_numbers, &self.symbol_numbers);
        for rule in &block.rules[next..end.rules] {
            let offset = block.base + rule.offset as usize;
            let rule = Packed {
                control: controls[rule.control as usize],
                symbol: symbols[rule.symbol as usize],
                to: controls[rule.to as usize],
                top: symbols[rule.top as usize],
                below: symbols[rule.below as usize],
                offset: u32::try_from(offset).unwrap_or(u32::MAX),
            };
            if [rule.control, rule.symbol, rule.to, rule.top, rule.below].contains(&NO_ROOM) {
                let message = "all names together are longer than 4 GiB";
                self.problems.push(Diagnostic::error(offset as u64, 1, message));
            } else {
                self.pds.rules.add(rule);
            }
        }
    }

    /// Declares the memory that the next stretch of the text may add, if it starts here.
    #[inline]
    pub(super) fn next(&mut self, scanner: &Scanner, budget: &mut Budget) -> Result<(), Exhausted> {
        if scanner.offset() < self.declared {
            return Ok(());
        }
        let stretch = scanner.left().min(CHUNK);
        self.declared = scanner.offset() + stretch;
        budget.look()?;
        self.declare(stretch / 8, stretch, budget)
    }

    /// Declares the memory that this many more rules, in so much text, may add.
    fn declare(&mut self, rules: usize, text: usize, budget: &mut Budget) -> Result<(), Exhausted> {
        let bytes = self.pds.rules.bytes_ahead(rules)
            + names_ahead(&self.controls.names, text)
            + names_ahead(&self.symbols.names, text)
            + self.atoms.bytes_ahead(rules, text)
            + self.long.len() * size_of::<LongWord>();
        budget.grow(&mut self.held, bytes)
    }

    fn line<'t>(
        &mut self,
        scanner: &mut Scanner<'t>,
        batch: &mut Batch<'t>,
        budget: &mut Budget,
    ) -> Result<(), Problem> {
        match scanner.peek() {
            Some(b'#') => self.comment(scanner),
            Some(b'(') => {
                let start = scanner.offset();
                let (control, stack) = configuration(scanner)?;
                if self.initial.is_empty() {
                    self.first_line = 1 + self.lines + scanner.lines_before(start);
                } else {
                    let line = self.first_line;
                    let problem =
                        Diagnostic::error(start as u64, 1, "there is a second initial configuration");
                    self.problems.push(problem.help(format!("the first one is in line {line}")));
                }
                self.add_start(control, &stack);
                end_of_line(scanner, INITIAL)
            }
            _ => {
                let name = scanner.name();
                scanner.blanks();
                if name.text == "ATOMS" && scanner.peek() != Some(b'<') {
                    self.atoms(scanner, budget)
                } else {
                    self.rule(scanner, batch, name)
                }
            }
        }
    }

    /// Notes an initial configuration.
    fn add_start(&mut self, control: Token, stack: &[Token]) {
        let mentions = &mut self.atoms.mentions;
        let control = mentions.add(control);
        self.initial.push((control, stack.iter().map(|&symbol| mentions.add(symbol)).collect()));
    }

    fn rule<'t>(
        &mut self,
        scanner: &mut Scanner<'t>,
        batch: &mut Batch<'t>,
        control: Token<'t>,
    ) -> Result<(), Problem> {
        if control.text.is_empty() {
            return Err(scanner.unexpected("a rule, `ATOMS` or `(`").help(RULE));
        }
        open(scanner)?;
        let symbol = scanner.name();
        if symbol.text.is_empty() {
            return Err(scanner.unexpected("a stack symbol").help(RULE));
        }
        if !scanner.take(b'>') {
            return Err(scanner.unexpected("`>` after the one symbol a rule rewrites").help(RULE));
        }
        if !scanner.take_all("-->") {
            return Err(scanner.unexpected("`-->`").help(RULE));
        }
        let to = scanner.name();
        if to.text.is_empty() {
            return Err(scanner.unexpected("a control state").help(RULE));
        }
        open(scanner)?;
        let (top, below) = (scanner.name(), scanner.name());
        let mut more = Vec::new();
        while !scanner.take(b'>') {
            let next = scanner.name();
            if next.text.is_empty() {
                return Err(scanner.unexpected("a stack symbol or `>`").help(RULE));
            }
            if more.len() > long::LONGEST {
                return Err(long::too_long(next));
            }
            more.push(next);
        }
        end_of_line(scanner, RULE)?;
        if more.is_empty() {
            let names = [symbol.into(), top.into(), below.into()];
            self.add_rule(control.into(), to.into(), names, batch)
        } else {
            self.add_long_rule([control, symbol, to, top, below], &more, batch)
        }
    }

    /// Adds a rule from a control state to another, with the names of its symbol and of at most two
    /// in their place, where these are not empty.
    #[inline]
    pub(super) fn add_rule<'t>(
        &mut self,
        control: Name<'t>,
        to: Name<'t>,
        names: [Name<'t>; 3],
        batch: &mut Batch<'t>,
    ) -> Result<(), Problem> {
        let offset = u32::try_from(control.offset).unwrap_or(u32::MAX);
        let (control, to) = (self.control(control, batch)?, self.control(to, batch)?);
        let (control, to) = (control.index() as u32, to.index() as u32);
        batch.push((control, to), offset, names);
        if batch.is_full() {
            self.flush(batch);
        }
        Ok(())
    }

    /// Numbers the symbols of the rules at hand.
    pub(super) fn flush(&mut self, batch: &mut Batch) {
        self.symbols.names.look_ahead(batch.hashes());
        for line in &batch.lines {
            let [symbol, top, below] = line.names;
            let mut number = |name: Name, key: NameKey| {
                if name.text.is_empty() {
                    return Some(NONE);
                }
                let symbol: StackSymbol = self.symbols.number_of(key, name.text, || batch.text(name))?;
                Some(symbol.index() as u32)
            };
            let numbers =
                [number(symbol, line.keys[0]), number(top, line.keys[1]), number(below, line.keys[2])];
            let [Some(symbol), Some(top), Some(below)] = numbers else {
                self.problems.push(too_many(batch.text(line.names[0]), line.names[0].offset).into());
                continue;
            };
            let (control, to, offset) = (line.control, line.to, line.offset);
            self.pds.rules.add(Packed { control, symbol, to, top, below, offset });
        }
        batch.lines.clear();
    }

    /// Adds a rule that pushes more than two symbols.
    #[cold]
    pub(super) fn add_long_rule<'t>(
        &mut self,
        [control, symbol, to, top, below]: [Token<'t>; 5],
        more: &[Token<'t>],
        batch: &mut Batch<'t>,
    ) -> Result<(), Problem> {
        if more.len() + 2 > long::LONGEST {
            return Err(long::too_long(more[long::LONGEST - 2]));
        }
        let names = [symbol.into(), top.into(), below.into()];
        self.add_rule(control.into(), to.into(), names, batch)?;
        self.flush(batch);
        let rule = self.pds.rules.len() - 1;
        let mut symbols = Vec::with_capacity(2 + more.len());
        if let StackWord::Push(top, below) = self.pds.rules.get(rule).word {
            symbols.extend([top, below]);
        }
        for &token in more {
            symbols.push(self.symbol(token)?);
        }
        self.long.push(LongWord { rule, symbols });
        Ok(())
    }

    #[inline]
    fn control(&mut self, name: Name, batch: &Batch) -> Result<Control, Problem> {
        let number = self.controls.number(name.text, || batch.text(name));
        number.ok_or_else(|| too_many(batch.text(name), name.offset))
    }

    #[inline]
    fn symbol(&mut self, token: Token) -> Result<StackSymbol, Problem> {
        let number = self.symbols.number(token.text.as_bytes(), || token.text);
        number.ok_or_else(|| too_many(token.text, token.offset))
    }

    fn atoms(&mut self, scanner: &mut Scanner, budget: &mut Budget) -> Result<(), Problem> {
        const HELP: &str = "write a label, then the control states that carry it: `ATOMS p q, r`";
        let first = element(scanner)?.ok_or_else(|| scanner.unexpected("a name after `ATOMS`").help(HELP))?;
        let mut rest = 0;
        self.atoms.start(first);
        while !scanner.at_end_of_line() {
            if scanner.take(b',') {
                continue;
            }
            // one line may be most of a file
            if let Err(why) = self.next(scanner, budget) {
                self.stopped = Some(why);
                return Err(Problem::from(Diagnostic::global(why.to_string())));
            }
            let next = element(scanner)?.ok_or_else(|| scanner.unexpected("a name").help(HELP))?;
            self.atoms.push(next);
            rest += 1;
        }
        if rest == 0 {
            return Err(scanner.unexpected("a second name after `ATOMS`").help(HELP));
        }
        Ok(())
    }

    /// Skips a comment, or reads the data for which the format has no other place.
    fn comment(&mut self, scanner: &mut Scanner) -> Result<(), Problem> {
        let start = scanner.offset();
        scanner.take(b'#');
        scanner.blanks();
        if scanner.take_all("loris initial ") {
            scanner.blanks();
            let (control, stack) = configuration(scanner)?;
            self.add_start(control, &stack);
            return end_of_line(scanner, INITIAL);
        }
        if scanner.take_all("loris label ") {
            let name = scanner.name();
            scanner.blanks();
            let from = scanner.offset();
            scanner.skip_line();
            let name = self.atoms.mentions.add(name);
            self.renamed.push((name, unescaped(scanner.since(from).trim_end_matches('\r'))));
            return Ok(());
        }
        if scanner.take_all("property ") {
            let logic = scanner.name();
            if let Some(name) = logic.text.strip_suffix(':') {
                scanner.blanks();
                let from = scanner.offset();
                scanner.skip_line();
                let (logic, text) = (name.to_owned(), scanner.since(from).trim_end().to_owned());
                self.pds.properties.push(CarriedProperty { logic, text, offset: from as u64 });
                return Ok(());
            }
        }
        scanner.skip_line();
        self.ours |= scanner.since(start).trim_end() == OURS;
        Ok(())
    }

    pub(super) fn finish(mut self, budget: &mut Budget) -> Result<Pds, Stopped> {
        // after a line that could not be read, a name may only seem to be unknown
        let broken = self.problems.has_errors();
        if self.initial.is_empty() && !broken {
            let problem = Diagnostic::global("there is no initial configuration");
            self.problems.push(problem.help(INITIAL));
        }
        for (control, stack) in std::mem::take(&mut self.initial) {
            if let Err(problem) = self.add_initial(control, &stack, broken) {
                self.problems.push(problem.into());
            }
        }
        self.pds.rules.shrink_to_fit();
        self.pds.controls = self.controls.names;
        self.pds.symbols = self.symbols.names;
        atoms::resolve(&self.atoms, &mut self.pds, self.ours, broken, &mut self.problems);
        atoms::rename(&mut self.pds, &self.renamed, &self.atoms.mentions, &mut self.problems);
        drop(self.atoms);
        match long::split(&mut self.pds, &self.long, budget)? {
            Ok(fresh) => long::copy_labels(&mut self.pds, &fresh),
            Err(problem) => self.problems.push(problem.into()),
        }
        budget.release(self.held);
        budget.charge(self.pds.bytes())?;
        Ok(self.problems.into_result(self.pds)?)
    }

    /// The bytes that are declared.
    pub(super) fn held(&self) -> usize {
        self.held
    }

    fn add_initial(&mut self, control: Mention, stack: &[Mention], broken: bool) -> Result<(), Problem> {
        let mentions = &self.atoms.mentions;
        let control = mentions.token(control);
        let stack = stack.iter().map(|&symbol| mentions.token(symbol));
        // a bottom of the stack that is never met needs no rule
        if !self.ours && !self.pds.rules.is_empty() && !broken {
            unknown(&self.controls.names, control, "control state", &mut self.problems);
            let top = stack.clone().take(1);
            top.for_each(|top| unknown(&self.symbols.names, top, "stack symbol", &mut self.problems));
        }
        let offset = control.offset as u64;
        let number = self.controls.number(control.text.as_bytes(), || control.text);
        let control = number.ok_or_else(|| too_many(control.text, control.offset))?;
        let stack = stack.map(|token| {
            let number = self.symbols.number(token.text.as_bytes(), || token.text);
            number.ok_or_else(|| too_many(token.text, token.offset))
        });
        let stack = stack.collect::<Result<_, _>>()?;
        self.pds.initial.push(Configuration { control, stack, offset });
        Ok(())
    }
}

#[cold]
fn too_many(text: &str, offset: usize) -> Problem {
    Problem::from(Token { text, offset }.problem("all names together are longer than 4 GiB"))
}
