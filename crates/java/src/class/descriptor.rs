//! Descriptors of methods: how many slots each parameter takes, and what is returned (JVMS, section
//! 4.3.3).

/// The parameters and the result of a method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Descriptor<'a> {
    /// The descriptor of each parameter.
    pub parameters: Vec<&'a str>,
    /// The descriptor of the result, `V` if there is none.
    pub result: &'a str,
}

/// How a value is returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Returned {
    /// Nothing.
    Nothing,
    /// A reference.
    Reference,
    /// A value of one slot that is not a reference.
    One,
    /// A value of two slots.
    Two,
}

impl<'a> Descriptor<'a> {
    /// Reads a descriptor; `None` if it is not one of a method.
    ///
    /// ```
    /// use loris_java::class::Descriptor;
    /// let method = Descriptor::of("([JLjava/lang/String;D)V").unwrap();
    /// assert_eq!(method.parameters, ["[J", "Ljava/lang/String;", "D"]);
    /// assert_eq!((method.slots(), method.result), (4, "V"));
    /// ```
    pub fn of(text: &'a str) -> Option<Self> {
        let mut rest = text.strip_prefix('(')?;
        let mut parameters = Vec::new();
        while !rest.starts_with(')') {
            let length = type_length(rest)?;
            let (parameter, after) = rest.split_at(length);
            parameters.push(parameter);
            rest = after;
        }
        let result = &rest[1..];
        (result == "V" || type_length(result) == Some(result.len())).then_some(Self { parameters, result })
    }

    /// How many slots the parameters take, without the receiver.
    pub fn slots(&self) -> usize {
        self.parameters.iter().map(|parameter| width(parameter)).sum()
    }

    /// How the result is returned.
    pub fn returned(&self) -> Returned {
        match self.result.as_bytes()[0] {
            b'V' => Returned::Nothing,
            b'L' | b'[' => Returned::Reference,
            b'J' | b'D' => Returned::Two,
            _ => Returned::One,
        }
    }
}

/// How many parameters a method has, how many slots they take without the receiver, and how many
/// the result takes: the same as by [`Descriptor::of`], without a list.
pub(crate) fn slots_of(text: &str) -> Option<(usize, usize, usize)> {
    let mut rest = text.strip_prefix('(')?;
    let (mut count, mut slots) = (0, 0);
    while !rest.starts_with(')') {
        let (parameter, after) = rest.split_at(type_length(rest)?);
        count += 1;
        slots += width(parameter);
        rest = after;
    }
    let result = &rest[1..];
    let pushed = if result == "V" { 0 } else { width(result) };
    (pushed == 0 || type_length(result) == Some(result.len())).then_some((count, slots, pushed))
}

/// How many slots a value of this type takes.
pub(crate) fn width(descriptor: &str) -> usize {
    if matches!(descriptor, "J" | "D") { 2 } else { 1 }
}

/// How many bytes the type takes that a text starts with.
fn type_length(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let dimensions = bytes.iter().take_while(|&&byte| byte == b'[').count();
    match bytes.get(dimensions)? {
        b'B' | b'C' | b'D' | b'F' | b'I' | b'J' | b'S' | b'Z' => Some(dimensions + 1),
        b'L' => text.find(';').map(|end| end + 1),
        _ => None,
    }
}

/// The length of a field's descriptor, if it is one.
pub(crate) fn is_type(text: &str) -> bool {
    type_length(text) == Some(text.len())
}

#[cfg(test)]
mod tests {
    use super::{Descriptor, Returned, is_type, slots_of};

    #[test]
    fn descriptors_are_read_and_refused() {
        for (text, expected) in [
            ("()V", Some((0, Returned::Nothing))),
            ("(JD[[J)[I", Some((5, Returned::Reference))),
            ("(Lé;)J", Some((1, Returned::Two))),
            ("(I)Z", Some((1, Returned::One))),
            ("(I", None),
            ("()", None),
            ("(L)V", None),
            ("(V)V", None),
            ("()VV", None),
            ("", None),
            ("I", None),
            ("([)V", None),
        ] {
            let read = Descriptor::of(text).map(|method| (method.slots(), method.returned()));
            assert_eq!(read, expected, "{text}");
            let pushed = |returned| match returned {
                Returned::Nothing => 0,
                Returned::Two => 2,
                Returned::Reference | Returned::One => 1,
            };
            let expected = expected.map(|(slots, returned)| (slots, pushed(returned)));
            assert_eq!(slots_of(text).map(|(_, slots, pushed)| (slots, pushed)), expected, "{text}");
        }
        assert!(is_type("[Ljava/lang/Object;") && !is_type("II") && !is_type(""));
    }
}
