//! What rules about objects are written with: keys, places where objects come from, calls that make
//! events, and events of every rule. The reader of rules files and the editor, which offers and
//! explains what can be written, share these tables.

use super::table::{At, Happening};
use loris_java::objects::MethodPattern;

/// A form of a place or of a call that makes an event.
#[derive(Clone, Copy, Debug)]
pub struct Form {
    /// The word it starts with: `on-true`.
    pub word: &'static str,
    /// What follows the word.
    parts: &'static [Part],
    /// What it stands for, in a sentence without a full stop.
    pub about: &'static str,
    /// An example.
    pub example: &'static str,
}

/// What follows the word of a form.
#[derive(Clone, Copy, Debug)]
enum Part {
    /// A pattern for classes.
    Class,
    /// A pattern for methods.
    Method,
    /// Names of methods, at least one.
    Names,
    /// The number of a slot.
    Slot,
    /// A number, `true` or `false`.
    Value,
    /// `()`.
    Empty,
}

impl Form {
    /// How it is written: `argument C.m 0`.
    pub fn written(&self) -> String {
        let parts = self.parts.iter().map(|part| match part {
            Part::Class => " C",
            Part::Method => " C.m",
            Part::Names => " m n",
            Part::Slot => " 0",
            Part::Value => " true",
            Part::Empty => " ()",
        });
        self.word.chars().chain(parts.flat_map(str::chars)).collect()
    }

    /// Whether something follows its word.
    pub fn takes_more(&self) -> bool {
        !self.parts.is_empty()
    }

    fn fits(&self, words: &[&str]) -> bool {
        let Some((first, rest)) = words.split_first() else { return false };
        let is_list = matches!(self.parts, [Part::Names]);
        *first == self.word
            && (rest.len() == self.parts.len() || is_list && !rest.is_empty())
            && rest.iter().zip(self.parts).all(|(word, part)| (*word == "()") == matches!(part, Part::Empty))
    }
}

/// Makes what a form stands for of the words after the first.
type Make<T> = fn(&[&str]) -> Result<T, String>;

const fn form(
    word: &'static str,
    parts: &'static [Part],
    about: &'static str,
    example: &'static str,
) -> Form {
    Form { word, parts, about, example }
}

/// Forms of places where objects come from.
const PLACES: [(Form, Make<At>); 13] = [
    (form("resource", &[], "What the resource model says has to be closed", "resource"), |_| {
        Ok(At::Resource)
    }),
    (
        form(
            "promised",
            &[],
            "A parameter that an annotation such as `@WillClose` says is closed",
            "promised",
        ),
        |_| Ok(At::Promised),
    ),
    (
        form("new", &[Part::Class], "What `new` makes of this class or a subclass", "new com.acme.Job"),
        |words| Ok(At::New(words[0].to_owned())),
    ),
    (
        form(
            "new",
            &[Part::Class, Part::Empty],
            "What `new` makes by the constructor without parameters",
            "new java.net.Socket ()",
        ),
        |words| Ok(At::Plain(words[0].to_owned())),
    ),
    (
        form("result", &[Part::Method], "What the method returns", "result com.acme.Store.openCursor"),
        |words| Ok(At::Result(MethodPattern::new(words[0]))),
    ),
    (
        form(
            "child",
            &[Part::Method],
            "What the method returns, which dies with the receiver",
            "child java.sql.Connection.createStatement",
        ),
        |words| Ok(At::Child(MethodPattern::new(words[0]))),
    ),
    (form("on", &[Part::Method], "The receiver of the call", "on com.acme.Job.start"), |words| {
        Ok(At::On(MethodPattern::new(words[0])))
    }),
    (
        form(
            "on-true",
            &[Part::Method],
            "The receiver of the call, if it returns true",
            "on-true java.util.concurrent.locks.Lock.tryLock",
        ),
        |words| Ok(At::OnTrue(MethodPattern::new(words[0]))),
    ),
    (
        form(
            "on-false",
            &[Part::Method],
            "The receiver of the call, if it returns false",
            "on-false java.util.concurrent.locks.Lock.tryLock",
        ),
        |words| Ok(At::OnFalse(MethodPattern::new(words[0]))),
    ),
    (
        form(
            "on-throw",
            &[Part::Method],
            "The receiver of the call, if it throws an exception",
            "on-throw java.util.concurrent.locks.Lock.lockInterruptibly",
        ),
        |words| Ok(At::OnThrow(MethodPattern::new(words[0]))),
    ),
    (
        form(
            "entry-on",
            &[Part::Method],
            "The receiver of the call, from the entry of the calling method on",
            "entry-on com.acme.Job.stop",
        ),
        |words| Ok(At::EntryOn(MethodPattern::new(words[0]))),
    ),
    (
        form(
            "argument",
            &[Part::Method, Part::Slot],
            "An argument of the call, by its slot",
            "argument com.acme.Pool.give 0",
        ),
        |words| Ok(At::Argument(MethodPattern::new(words[0]), slot(words[1])?)),
    ),
    (
        form(
            "with",
            &[Part::Names],
            "What `new` makes of a class of the program that has these methods",
            "with open close",
        ),
        |words| Ok(At::With(words.iter().map(|&word| word.to_owned()).collect())),
    ),
];

/// Forms of calls that make events.
const EVENTS: [(Form, Make<Happening>); 11] = [
    (form("on", &[Part::Method], "The method is called on the object", "on com.acme.Job.stop"), |words| {
        Ok(Happening::On(MethodPattern::new(words[0]), None))
    }),
    (
        form(
            "on",
            &[Part::Method, Part::Value],
            "The method is called on the object, with this constant as its last argument",
            "on setSecure true",
        ),
        |words| Ok(Happening::On(MethodPattern::new(words[0]), Some(number(words[1])?))),
    ),
    (
        form(
            "on-not",
            &[Part::Method, Part::Value],
            "The method is called on the object, and its last argument is not known to be this constant",
            "on-not setSecure false",
        ),
        |words| Ok(Happening::OnNot(MethodPattern::new(words[0]), number(words[1])?)),
    ),
    (
        form(
            "on",
            &[Part::Method, Part::Empty],
            "The method is called on the object, without arguments",
            "on java.security.MessageDigest.digest ()",
        ),
        |words| Ok(Happening::Plain(MethodPattern::new(words[0]))),
    ),
    (
        form("pass", &[Part::Method], "The object is an argument of the call", "pass *.closeQuietly"),
        |words| Ok(Happening::Pass(MethodPattern::new(words[0]), None)),
    ),
    (
        form(
            "pass",
            &[Part::Method, Part::Slot],
            "The object is the argument of the call at this slot",
            "pass java.util.Arrays.fill 0",
        ),
        |words| Ok(Happening::Pass(MethodPattern::new(words[0]), Some(slot(words[1])?))),
    ),
    (
        form(
            "pass-child",
            &[Part::Method, Part::Slot],
            "What was made from the object is the argument of the call at this slot",
            "pass-child javax.sql.DataSource.getConnection 1",
        ),
        |words| Ok(Happening::PassChild(MethodPattern::new(words[0]), slot(words[1])?)),
    ),
    (
        form("parent", &[Part::Method], "The method is called on the parent of the object", "parent close"),
        |words| Ok(Happening::Parent(MethodPattern::new(words[0]))),
    ),
    (
        form(
            "inside",
            &[Part::Method],
            "One of the object's own methods calls the method on it",
            "inside close",
        ),
        |words| Ok(Happening::Inside(MethodPattern::new(words[0]))),
    ),
    (
        form(
            "child",
            &[Part::Method],
            "The method is called on what was made from the object",
            "child java.util.stream.BaseStream.close",
        ),
        |words| Ok(Happening::Child(MethodPattern::new(words[0]))),
    ),
    (
        form("any", &[Part::Method], "The method is called, on whatever object", "any java.lang.System.gc"),
        |words| Ok(Happening::Any(MethodPattern::new(words[0]))),
    ),
];

/// Events of every rule, and what they mean.
pub const BUILT_IN: [(&str, &str); 12] = [
    ("opened", "The object is there: its constructor or factory has returned"),
    ("received", "The object is there, because a called method made it"),
    ("fresh", "The object is there, and the method of the site has made it itself"),
    ("thrown", "An exception is thrown"),
    ("left", "The method of the site is left without passing the object on"),
    ("lost", "The last reference to the object is dropped"),
    ("returned", "The object is returned"),
    ("handed", "The object itself is returned, or a wrapper of it"),
    ("owned", "An owner holds the object"),
    ("overwritten", "The field or element that held the object holds something else, and nothing else does"),
    ("escaped", "The object went where it cannot be followed"),
    ("call", "Any call"),
];

/// Keys of `[rule.object]`, and what they mean.
pub const KEYS: [(&str, &str); 13] = [
    ("at", "Where objects come from: a list of places"),
    ("property", "A formula of CTL about each object, over the events"),
    ("events", "For each event the calls that make it; usually the table `[rule.object.events]`"),
    ("settled", "Callers of a method that returns an object are looked at, unless this is true of it"),
    ("returns", "The same as `settled`, as a whole formula"),
    ("unless", "Another rule: places where that one is broken are left out"),
    ("unchecked", "Whether any call may throw an exception that nobody declares"),
    ("except", "Methods in which objects are not looked for"),
    ("asked", "Methods: an object made from something that one of them is called on is not looked at"),
    ("elsewhere", "An event that another method of the class may be there for"),
    ("again", "An event after which the one that may happen elsewhere has to happen once more"),
    ("offence", "The event that findings point at, rather than at where the object comes from"),
    ("within", "Classes in whose subtypes objects are looked for, if not in all"),
];

/// The forms of places, in `at`.
///
/// ```
/// use loris_rules::objects::places;
/// let form = places().find(|form| form.word == "argument").expect("it is one");
/// assert_eq!(form.written(), "argument C.m 0");
/// ```
pub fn places() -> impl Iterator<Item = &'static Form> {
    PLACES.iter().map(|(form, _)| form)
}

/// The forms of calls that make events, in `[rule.object.events]`.
///
/// ```
/// use loris_rules::objects::events;
/// assert!(events().any(|form| form.written() == "on C.m ()"));
/// ```
pub fn events() -> impl Iterator<Item = &'static Form> {
    EVENTS.iter().map(|(form, _)| form)
}

/// Reads a text in one of some forms.
fn read<T>(text: &str, forms: &[(Form, Make<T>)], what: &str) -> Result<T, String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    if let Some((_, make)) = forms.iter().find(|(form, _)| form.fits(&words)) {
        return make(&words[1..]);
    }
    let mut known: Vec<String> = forms.iter().map(|(form, _)| format!("`{}`", form.written())).collect();
    let last = known.pop().unwrap_or_default();
    Err(format!("`{text}` is not {what}: {} or {last}", known.join(", ")))
}

impl At {
    /// Reads a place.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        read(text, &PLACES, "a place where objects come from")
    }
}

impl Happening {
    /// Reads a call that makes an event.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        read(text, &EVENTS, "a call that makes an event")
    }
}

fn slot(word: &str) -> Result<u8, String> {
    word.parse().map_err(|_| format!("`{word}` is not a number of a slot"))
}

fn number(word: &str) -> Result<i32, String> {
    match word {
        "true" => Ok(1),
        "false" => Ok(0),
        word => word.parse().map_err(|_| format!("`{word}` is not a number")),
    }
}

#[cfg(test)]
mod tests {
    use super::{At, EVENTS, Happening, PLACES};

    #[test]
    fn examples_are_of_their_forms() {
        for (number, (form, _)) in PLACES.iter().enumerate() {
            let words: Vec<&str> = form.example.split_whitespace().collect();
            assert_eq!(PLACES.iter().position(|(form, _)| form.fits(&words)), Some(number), "{form:?}");
            At::read(form.example).expect(form.example);
        }
        for (number, (form, _)) in EVENTS.iter().enumerate() {
            let words: Vec<&str> = form.example.split_whitespace().collect();
            assert_eq!(EVENTS.iter().position(|(form, _)| form.fits(&words)), Some(number), "{form:?}");
            Happening::read(form.example).expect(form.example);
        }
    }

    /// The page has each form with its example.
    #[test]
    fn forms_are_documented() {
        let page = include_str!("../../../../docs/objects.md");
        for form in super::places().chain(super::events()) {
            assert!(page.contains(&format!("`{}`", form.example)), "{}", form.example);
        }
    }

    #[test]
    fn wrong_forms_are_named() {
        let problem = |text: &str| At::read(text).expect_err(text);
        assert!(problem("resalt C.m").starts_with("`resalt C.m` is not a place where objects come from: "));
        assert!(problem("with").ends_with("`argument C.m 0` or `with m n`"));
        assert_eq!(problem("argument C.m x"), "`x` is not a number of a slot");
        assert!(problem("resource x").contains("is not a place"));
        assert_eq!(Happening::read("on C.m maybe").expect_err("no value"), "`maybe` is not a number");
        assert!(Happening::read("on").is_err() && Happening::read("").is_err());
        assert_eq!(
            Happening::read("on a.B.c ()").ok(),
            Some(Happening::Plain(super::MethodPattern::new("a.B.c")))
        );
    }
}
