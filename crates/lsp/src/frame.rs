//! The framing of messages: a header with `Content-Length`, a blank line, and as many bytes.

use std::io::{self, BufRead, Read, Write};

/// The longest message that is read.
pub(crate) const LONGEST: u64 = 64 << 20;
/// Longer messages than this end the session; those between the two limits are skipped.
const LONGEST_SKIPPED: u64 = 1 << 30;
/// The longest line of a header.
const LONGEST_LINE: u64 = 1 << 12;

/// What comes in.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Frame {
    /// The content of a message.
    Content(Vec<u8>),
    /// Something that is not a message, and why; the next message can be read.
    Skipped(String),
    /// Something after which no message can be found any more, and why.
    Broken(String),
    /// The end.
    End,
}

/// Reads the next message.
pub(crate) fn read_frame(input: &mut impl BufRead) -> io::Result<Frame> {
    let mut length: Option<Result<u64, String>> = None;
    let mut is_first = true;
    loop {
        let mut line = Vec::new();
        input.take(LONGEST_LINE).read_until(b'\n', &mut line)?;
        if !line.ends_with(b"\n") {
            return Ok(if line.len() as u64 == LONGEST_LINE {
                Frame::Broken("a line of the header is too long".to_owned())
            } else if is_first && line.is_empty() {
                Frame::End
            } else {
                Frame::Broken("the input ends within a header".to_owned())
            });
        }
        let line = String::from_utf8_lossy(&line);
        let line = line.trim_end_matches(['\r', '\n']);
        if line.is_empty() {
            if is_first {
                // a stray blank line between messages
                continue;
            }
            break;
        }
        is_first = false;
        if let Some((name, value)) = line.split_once(':')
            && name.trim().eq_ignore_ascii_case("content-length")
        {
            let value = value.trim();
            length = Some(value.parse().map_err(|_| format!("\"{value}\" is not a length")));
        }
    }
    let length = match length {
        None => return Ok(Frame::Skipped("the header has no Content-Length".to_owned())),
        Some(Err(why)) => return Ok(Frame::Skipped(why)),
        Some(Ok(length)) => length,
    };
    if length > LONGEST_SKIPPED {
        return Ok(Frame::Broken(format!("a message of {length} bytes is too long")));
    }
    if length > LONGEST {
        io::copy(&mut input.take(length), &mut io::sink())?;
        return Ok(Frame::Skipped(format!("a message of {length} bytes is too long")));
    }
    let mut content = Vec::new();
    input.take(length).read_to_end(&mut content)?;
    if (content.len() as u64) < length {
        return Ok(Frame::Broken("the input ends within a message".to_owned()));
    }
    Ok(Frame::Content(content))
}

/// Writes a message.
pub(crate) fn write_frame(output: &mut impl Write, content: &[u8]) -> io::Result<()> {
    write!(output, "Content-Length: {}\r\n\r\n", content.len())?;
    output.write_all(content)?;
    output.flush()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::{Frame, read_frame, write_frame};

    fn check(input: &str, expected: &[Frame]) {
        let mut bytes = input.as_bytes();
        for frame in expected {
            assert_eq!(read_frame(&mut bytes).unwrap(), *frame, "{input:?}");
        }
    }

    #[test]
    fn frames() {
        let content = |text: &str| Frame::Content(text.as_bytes().to_vec());
        let skipped = |text: &str| Frame::Skipped(text.to_owned());
        let broken = |text: &str| Frame::Broken(text.to_owned());
        check("Content-Length: 2\r\n\r\n{}", &[content("{}"), Frame::End]);
        check(
            "content-length:2\r\nContent-Type: x\r\n\r\n{}\r\nContent-Length: 0\r\n\r\n",
            &[content("{}"), content(""), Frame::End],
        );
        check(
            "Content-Type: x\r\n\r\nContent-Length: 2\r\n\r\n{}",
            &[skipped("the header has no Content-Length"), content("{}")],
        );
        check("Content-Length: -1\r\n\r\n", &[skipped("\"-1\" is not a length"), Frame::End]);
        check("Content-Length: 9\r\n\r\n{}", &[broken("the input ends within a message")]);
        check("Content-Length", &[broken("the input ends within a header")]);
        check(&"x".repeat(5000), &[broken("a line of the header is too long")]);
        check(
            "Content-Length: 18446744073709551615\r\n\r\n{}",
            &[broken("a message of 18446744073709551615 bytes is too long")],
        );
        let long =
            format!("Content-Length: 67108865\r\n\r\n{}Content-Length: 1\r\n\r\n1", " ".repeat(67_108_865));
        check(&long, &[skipped("a message of 67108865 bytes is too long"), content("1")]);
    }

    #[test]
    fn what_is_written_is_read() {
        let mut bytes = Vec::new();
        write_frame(&mut bytes, "\"ä\"".as_bytes()).unwrap();
        assert_eq!(bytes, "Content-Length: 4\r\n\r\n\"ä\"".as_bytes());
        assert_eq!(read_frame(&mut &*bytes).unwrap(), Frame::Content("\"ä\"".as_bytes().to_vec()));
    }
}
