//! Descriptors of class files as filter files write them.

/// The types of parameters, with commas between, and the type of the result; of a field, only the
/// latter.
pub(super) fn readable(descriptor: &str) -> (String, String) {
    let (parameters, result) = match descriptor.strip_prefix('(').and_then(|rest| rest.split_once(')')) {
        Some((parameters, result)) => (parameters, result),
        None => ("", descriptor),
    };
    let mut types = Vec::new();
    let mut rest = parameters;
    while !rest.is_empty() {
        let (one, after) = first(rest);
        types.push(one);
        rest = after;
    }
    (types.join(","), first(result).0)
}

/// The first type of a list, and what follows. Anything else ends the list.
fn first(text: &str) -> (String, &str) {
    let element = text.trim_start_matches('[');
    let dimensions = text.len() - element.len();
    let class = element.strip_prefix('L').and_then(|class| class.split_once(';'));
    let (name, rest) = if let Some((class, rest)) = class {
        (class.replace('/', "."), rest)
    } else {
        let name = match element.chars().next() {
            Some('B') => "byte",
            Some('C') => "char",
            Some('D') => "double",
            Some('F') => "float",
            Some('I') => "int",
            Some('J') => "long",
            Some('S') => "short",
            Some('V') => "void",
            Some('Z') => "boolean",
            _ => return (String::new(), ""),
        };
        (name.to_owned(), &element[1..])
    };
    (name + &"[]".repeat(dimensions), rest)
}

#[cfg(test)]
mod tests {
    use super::readable;

    #[test]
    fn descriptors() {
        let check = |descriptor: &str, parameters: &str, result: &str| {
            assert_eq!(readable(descriptor), (parameters.to_owned(), result.to_owned()), "{descriptor}");
        };
        check("(I[[Ljava/lang/String;J)V", "int,java.lang.String[][],long", "void");
        check("()[B", "", "byte[]");
        check("La/B$C;", "", "a.B$C");
        check("(Lbroken", "", "");
        check("", "", "");
    }
}
