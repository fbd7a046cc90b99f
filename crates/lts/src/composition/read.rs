//! Reads a composition file and reports all problems at once. Linear in the text.

use super::lexer::{Token, tokens};
use super::net::read_net;
use super::{Description, LocatedWord, Part, SyncRule};
use loris_base::{Budget, Diagnostic, Diagnostics, Exhausted, LONGEST_NAME, Stopped, nearest};

/// Reads the description of a composition: our language, or a list of processes in JSON as it
/// comes with the nets of the Model Checking Contest. No other file is read.
///
/// ```
/// use loris_base::Budget;
/// use loris_lts::read_composition;
/// let text = b"part a = one.aut\n  rename go -> start\npart b = \"other part.aut\"\nhide start\n";
/// let description = read_composition(text, &mut Budget::unlimited()).expect("well-formed");
/// assert_eq!(description.parts[1].path.text, "other part.aut");
/// ```
///
/// # Errors
/// All problems with their byte offsets, or that a limit was reached.
pub fn read_composition(text: &[u8], budget: &mut Budget) -> Result<Description, Stopped> {
    let text = std::str::from_utf8(text)
        .map_err(|error| Diagnostic::error(error.valid_up_to() as u64, 1, "this is not UTF-8"))?;
    if text.trim_start_matches('\u{feff}').trim_start().starts_with('{') {
        return read_net(text, budget);
    }
    let mut reader = Reader { found: Description::default(), problems: Diagnostics::default() };
    let mut line = Vec::new();
    let mut at = if text.starts_with('\u{feff}') { 3 } else { 0 };
    for piece in text[at..].split_inclusive('\n') {
        budget.spend(1 + piece.len() / 16)?;
        // names are kept, each with its place
        budget.charge(2 * piece.len())?;
        match tokens(piece, at) {
            Ok(more) => line.extend(more),
            Err(problem) => {
                reader.problems.push(problem);
                line.clear();
            }
        }
        at += piece.len();
        // a list goes on after a comma
        if !matches!(line.last(), Some(Token::Comma(_))) {
            reader.statement(std::mem::take(&mut line), budget)?;
        }
    }
    reader.statement(line, budget)?;
    reader.distinct();
    if reader.found.parts.is_empty() && !reader.problems.has_errors() {
        let problem = Diagnostic::error(0, 0, "the composition has no part");
        reader.problems.push(problem.help("write `part NAME = FILE`"));
    }
    reader.problems.into_result(reader.found).map_err(Stopped::Wrong)
}

const WORDS: [(&str, &str); 6] = [
    ("part", "part NAME = FILE"),
    ("rename", "rename OLD -> NEW, …"),
    ("relabel", "relabel OLD -> NEW, …"),
    ("extra", "extra ACTION, …"),
    ("hide", "hide ACTION, …"),
    ("sync", "sync PART.ACTION | PART.ACTION -> ACTION"),
];

struct Reader {
    found: Description,
    problems: Diagnostics,
}

impl Reader {
    fn statement(&mut self, line: Vec<Token>, budget: &mut Budget) -> Result<(), Exhausted> {
        budget.spend(line.len())?;
        let mut line =
            Line { end: line.last().map_or(0, Token::offset), tokens: line.into_iter().peekable() };
        let Some(first) = line.tokens.next() else { return Ok(()) };
        let form = match &first {
            Token::Word(word, false) => WORDS.iter().find(|(name, _)| *name == word.text),
            _ => None,
        };
        let Some(&(keyword, form)) = form else {
            let problem = Diagnostic::error(
                first.offset(),
                if let Token::Word(word, _) = &first { word.length } else { 1 },
                format!("expected a statement, found {}", first.shown()),
            );
            let near = match &first {
                Token::Word(word, _) => nearest(&word.text, WORDS.iter().map(|(name, _)| *name)),
                _ => None,
            };
            let words = WORDS.map(|(name, _)| format!("`{name}`")).join(", ");
            self.problems.push(match near {
                Some(near) => problem.help(format!("did you mean `{near}`?")),
                None => problem.help(format!("statements start with {words}")),
            });
            return Ok(());
        };
        if let Err(problem) = self.parsed(keyword, first.offset(), &mut line) {
            self.problems.push(problem.help(format!("write `{form}`")));
        }
        Ok(())
    }

    fn parsed(&mut self, keyword: &str, at: u64, line: &mut Line) -> Result<(), Diagnostic> {
        let is_of_part = matches!(keyword, "rename" | "relabel" | "extra");
        if is_of_part && self.found.parts.is_empty() {
            return Err(Diagnostic::error(
                at,
                keyword.len(),
                format!("`{keyword}` belongs to the part before it, and there is none"),
            ));
        }
        match keyword {
            "part" => {
                let name = line.word("the name of a part")?;
                line.equals()?;
                let path = line.word("a file")?;
                line.end()?;
                self.found.parts.push(Part::new(name, path));
            }
            "rename" | "relabel" => {
                let mut pairs = Vec::new();
                loop {
                    let old = line.word("a name")?;
                    line.arrow()?;
                    pairs.push((old, line.word("a new name")?));
                    if !line.comma() {
                        break;
                    }
                }
                line.end()?;
                if let Some(part) = self.found.parts.last_mut() {
                    if keyword == "rename" { &mut part.renamed } else { &mut part.relabelled }.extend(pairs);
                }
            }
            "extra" | "hide" => {
                let mut actions = vec![line.word("an action")?];
                while line.comma() {
                    actions.push(line.word("an action")?);
                }
                line.end()?;
                match self.found.parts.last_mut() {
                    Some(part) if keyword == "extra" => part.extra.extend(actions),
                    _ => self.found.hidden.extend(actions),
                }
            }
            _ => {
                let mut members = vec![line.member()?];
                while line.bar() {
                    members.push(line.member()?);
                }
                line.arrow()?;
                let result = line.word("an action")?;
                line.end()?;
                self.found.rules.push(SyncRule { members, result });
            }
        }
        Ok(())
    }

    /// Names of parts are distinct.
    fn distinct(&mut self) {
        let mut names: Vec<&LocatedWord> = self.found.parts.iter().map(|part| &part.name).collect();
        names.sort_by(|one, other| (&one.text, one.offset).cmp(&(&other.text, other.offset)));
        for pair in names.windows(2).filter(|pair| pair[0].text == pair[1].text) {
            let name = loris_base::visible_name(&pair[1].text).into_owned();
            self.problems.push(pair[1].error(format!("there are two parts with the name {name}")));
        }
    }
}

/// The rest of a statement.
struct Line {
    tokens: std::iter::Peekable<std::vec::IntoIter<Token>>,
    /// where the last token starts
    end: u64,
}

impl Line {
    fn expected(&mut self, what: &str) -> Diagnostic {
        match self.tokens.peek() {
            Some(token) => {
                let length = if let Token::Word(word, _) = token { word.length } else { 1 };
                Diagnostic::error(token.offset(), length, format!("expected {what}, found {}", token.shown()))
            }
            None => Diagnostic::error(self.end, 0, format!("expected {what} after this")),
        }
    }

    fn word(&mut self, what: &str) -> Result<LocatedWord, Diagnostic> {
        match self.tokens.next_if(|token| matches!(token, Token::Word(..))) {
            Some(Token::Word(word, _)) if word.text.is_empty() => Err(word.error(format!("{what} is empty"))),
            Some(Token::Word(word, _)) if word.text.len() > LONGEST_NAME => {
                Err(word.error("this name is longer than 1 MiB"))
            }
            Some(Token::Word(word, _)) => Ok(word),
            _ => Err(self.expected(what)),
        }
    }

    fn is(&mut self, sign: impl Fn(&Token) -> bool) -> bool {
        self.tokens.next_if(sign).is_some()
    }

    fn comma(&mut self) -> bool {
        self.is(|token| matches!(token, Token::Comma(_)))
    }

    fn bar(&mut self) -> bool {
        self.is(|token| matches!(token, Token::Bar(_)))
    }

    fn equals(&mut self) -> Result<(), Diagnostic> {
        if self.is(|token| matches!(token, Token::Equals(_))) { Ok(()) } else { Err(self.expected("`=`")) }
    }

    fn arrow(&mut self) -> Result<(), Diagnostic> {
        if self.is(|token| matches!(token, Token::Arrow(_))) { Ok(()) } else { Err(self.expected("`->`")) }
    }

    fn end(&mut self) -> Result<(), Diagnostic> {
        if self.tokens.peek().is_none() { Ok(()) } else { Err(self.expected("the end of the line")) }
    }

    /// A part and one of its actions, with a dot between them; either may be in quotes.
    fn member(&mut self) -> Result<(LocatedWord, LocatedWord), Diagnostic> {
        const WHAT: &str = "a part and its action, as in `part.action`";
        let is_quoted = matches!(self.tokens.peek(), Some(Token::Word(_, true)));
        let first = self.word(WHAT)?;
        let end = |word: &LocatedWord| word.offset + word.length as u64;
        let after = |tokens: &mut Self, at: u64| {
            let adjacent = |token: &Token| matches!(token, Token::Word(word, _) if word.offset == at);
            match tokens.tokens.next_if(adjacent) {
                Some(Token::Word(word, is_quoted)) => Some((word, is_quoted)),
                _ => None,
            }
        };
        let piece = |word: &LocatedWord, from: usize, to: usize| LocatedWord {
            text: word.text[from..to].to_owned(),
            offset: word.offset + from as u64,
            length: to - from,
        };
        // "part".action, "part"."action", part.action, part."action"
        let (part, rest) = if is_quoted {
            let Some((rest, false)) = after(self, end(&first)) else {
                return Err(first.error(expected(WHAT)));
            };
            if !rest.text.starts_with('.') {
                return Err(rest.error(expected(WHAT)));
            }
            (first, piece(&rest, 1, rest.text.len()))
        } else {
            let Some(dot) = first.text.find('.').filter(|&dot| dot > 0) else {
                return Err(first.error(expected(WHAT)));
            };
            (piece(&first, 0, dot), piece(&first, dot + 1, first.text.len()))
        };
        if !rest.text.is_empty() {
            return Ok((part, rest));
        }
        match after(self, end(&rest)) {
            Some((action, _)) if !action.text.is_empty() => Ok((part, action)),
            _ => Err(part.error(expected(WHAT))),
        }
    }
}

fn expected(what: &str) -> String {
    format!("expected {what}")
}
