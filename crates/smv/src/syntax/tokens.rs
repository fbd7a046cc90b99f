//! Tokens, and which words are reserved.

use super::ast::{Binary, Bounded, ConstraintKind, Function, PropertyKind, Unary, VariableKind};
use super::psl;

/// The word a section starts with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Section {
    Module,
    Variables(VariableKind),
    Define,
    Constants,
    Call,
    Assign,
    Constraint(ConstraintKind),
    Compassion,
    Property(PropertyKind),
    Isa,
    /// One that NuSMV has and we do not.
    Unsupported,
}

/// A word or a sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token {
    Section(Section),
    Name,
    /// A name with letters that are not ASCII, which is none.
    Foreign,
    /// Digits.
    Number,
    /// `0ud8_12`.
    WordConstant,
    /// `1.5`, `1e3`, `f'1/2`.
    Real,
    True,
    False,
    Exit,
    This,
    /// `NAME`.
    NameOf,
    Boolean,
    Word,
    Array,
    Of,
    Process,
    Case,
    Esac,
    Next,
    Init,
    Function(Function),
    /// `!`, and the temporal operators; `-` is [`Token::Infix`].
    Prefix(Unary),
    Infix(Binary),
    /// `EBF`.
    Bounded(Bounded),
    /// `BU`.
    BoundedUntil,
    /// Words of PSL alone.
    Psl(psl::Word),
    /// `IN`.
    InContext,
    /// `typeof`.
    TypeOf,
    /// `MAX`, with `true`; `MIN`.
    Extreme(bool),
    Open,
    Close,
    OpenSquare,
    CloseSquare,
    OpenCurly,
    CloseCurly,
    Comma,
    Semicolon,
    Colon,
    Becomes,
    Dot,
    Question,
    /// A reserved word of NuSMV that is not supported.
    Unsupported,
    End,
}

/// Reserved words by their length, so that most names are recognised as such at a glance.
const WORDS: [&[(&str, Token)]; 11] = {
    use Section as S;
    use Token as T;
    [
        &[],
        &[
            ("A", T::Prefix(Unary::A)),
            ("E", T::Prefix(Unary::E)),
            ("F", T::Prefix(Unary::F)),
            ("G", T::Prefix(Unary::G)),
            ("H", T::Prefix(Unary::H)),
            ("O", T::Prefix(Unary::O)),
            ("S", T::Infix(Binary::Since)),
            ("T", T::Infix(Binary::Triggered)),
            ("U", T::Infix(Binary::Until)),
            ("V", T::Infix(Binary::Releases)),
            ("X", T::Prefix(Unary::X)),
            ("Y", T::Prefix(Unary::Y)),
            ("Z", T::Prefix(Unary::Z)),
        ],
        &[
            ("AF", T::Prefix(Unary::Af)),
            ("AG", T::Prefix(Unary::Ag)),
            ("AX", T::Prefix(Unary::Ax)),
            ("BU", T::BoundedUntil),
            ("EF", T::Prefix(Unary::Ef)),
            ("EG", T::Prefix(Unary::Eg)),
            ("EX", T::Prefix(Unary::Ex)),
            ("IN", T::InContext),
            ("in", T::Infix(Binary::In)),
            ("of", T::Of),
        ],
        &[
            ("ABF", T::Bounded(Bounded::Af)),
            ("ABG", T::Bounded(Bounded::Ag)),
            ("EBF", T::Bounded(Bounded::Ef)),
            ("EBG", T::Bounded(Bounded::Eg)),
            ("ISA", T::Section(S::Isa)),
            ("MAX", T::Extreme(true)),
            ("MIN", T::Extreme(false)),
            ("VAR", T::Section(S::Variables(VariableKind::State))),
            ("abs", T::Function(Function::Abs)),
            ("max", T::Function(Function::Max)),
            ("min", T::Function(Function::Min)),
            ("mod", T::Infix(Binary::Modulo)),
            ("xor", T::Infix(Binary::Xor)),
        ],
        &[
            ("CALL", T::Section(S::Call)),
            ("EXIT", T::Exit),
            ("INIT", T::Section(S::Constraint(ConstraintKind::Init))),
            ("IVAR", T::Section(S::Variables(VariableKind::Input))),
            ("NAME", T::NameOf),
            ("READ", T::Function(Function::Read)),
            ("SPEC", T::Section(S::Property(PropertyKind::Ctl))),
            ("TRUE", T::True),
            ("Word", T::Word),
            ("bool", T::Function(Function::Bool)),
            ("case", T::Case),
            ("esac", T::Esac),
            ("init", T::Init),
            ("next", T::Next),
            ("self", T::This),
            ("word", T::Word),
            ("xnor", T::Infix(Binary::Xnor)),
        ],
        &[
            ("FALSE", T::False),
            ("INVAR", T::Section(S::Constraint(ConstraintKind::Invar))),
            ("TRANS", T::Section(S::Constraint(ConstraintKind::Trans))),
            ("WRITE", T::Function(Function::Write)),
            ("array", T::Array),
            ("count", T::Function(Function::Count)),
            ("toint", T::Function(Function::ToInt)),
            ("union", T::Infix(Binary::Union)),
            ("word1", T::Function(Function::Word1)),
        ],
        &[
            ("ASSIGN", T::Section(S::Assign)),
            ("COMPID", T::Section(S::Unsupported)),
            ("CTLWFF", T::Section(S::Unsupported)),
            ("DEFINE", T::Section(S::Define)),
            ("LTLWFF", T::Section(S::Unsupported)),
            ("MODULE", T::Section(S::Module)),
            ("extend", T::Function(Function::Extend)),
            ("resize", T::Function(Function::Resize)),
            ("signed", T::Function(Function::Signed)),
            ("sizeof", T::Function(Function::Sizeof)),
            ("typeof", T::TypeOf),
        ],
        &[
            ("COMPUTE", T::Section(S::Property(PropertyKind::Compute))),
            ("COMPWFF", T::Section(S::Unsupported)),
            ("CTLSPEC", T::Section(S::Property(PropertyKind::Ctl))),
            ("JUSTICE", T::Section(S::Constraint(ConstraintKind::Justice))),
            ("LTLSPEC", T::Section(S::Property(PropertyKind::Ltl))),
            ("MDEFINE", T::Section(S::Define)),
            ("NEXTWFF", T::Section(S::Unsupported)),
            ("PSLSPEC", T::Section(S::Property(PropertyKind::Psl))),
            ("SIMPWFF", T::Section(S::Unsupported)),
            ("boolean", T::Boolean),
            ("process", T::Process),
            ("swconst", T::Function(Function::Swconst)),
            ("uwconst", T::Function(Function::Uwconst)),
        ],
        &[
            ("FAIRNESS", T::Section(S::Constraint(ConstraintKind::Justice))),
            ("unsigned", T::Function(Function::Unsigned)),
        ],
        &[
            ("CONSTANTS", T::Section(S::Constants)),
            ("FROZENVAR", T::Section(S::Variables(VariableKind::Frozen))),
            ("INVARSPEC", T::Section(S::Property(PropertyKind::Invariant))),
        ],
        &[
            ("COMPASSION", T::Section(S::Compassion)),
            ("CONSTARRAY", T::Function(Function::ConstArray)),
            ("CONSTRAINT", T::Section(S::Unsupported)),
        ],
    ]
};

/// The kind of a word: reserved, or a name.
pub(super) fn token_of(word: &str) -> Token {
    let Some(words) = WORDS.get(word.len()) else { return Token::Name };
    let first = word.as_bytes().first();
    words
        .iter()
        .find(|(reserved, _)| reserved.as_bytes().first() == first && *reserved == word)
        .map_or(Token::Name, |&(_, token)| token)
}

/// Words that nuXmv starts sections with and NuSMV takes for names.
pub(super) fn is_foreign_section(word: &str) -> bool {
    matches!(word, "FUN" | "GOTO" | "INVARTIME" | "ITYPE" | "PARSYNTH" | "TIME_DOMAIN" | "URGENT")
}

/// Words that start sections with hints for the abstractions of other tools; names in NuSMV.
const HINTS: [&str; 3] = ["MIRROR", "PRED", "PREDICATES"];

pub(super) fn is_hint(word: &str) -> bool {
    HINTS.contains(&word)
}

/// All words that start a section which is supported.
pub fn section_words() -> impl Iterator<Item = &'static str> {
    let is_section = |token| matches!(token, Token::Section(section) if section != Section::Unsupported);
    let words = WORDS.iter().copied().flatten();
    words.filter(move |&&(_, token)| is_section(token)).map(|&(word, _)| word).chain(HINTS)
}

/// Words that are types in nuXmv and names in NuSMV.
pub(super) fn is_foreign_type(word: &str) -> bool {
    matches!(word, "integer" | "Integer" | "real" | "Real" | "clock")
}

/// An alternative to a word that is not supported.
pub(super) fn instead_of(word: &str) -> Option<&'static str> {
    Some(match word {
        "CONSTRAINT" => "write `INVAR` or `TRANS`",
        "integer" | "Integer" => "give a range such as `0..7`, or words: `word[8]`",
        "real" | "Real" | "clock" => "only finite types are known: `boolean`, ranges, sets, words, arrays",
        _ => return None,
    })
}
