//! Addresses of documents and paths of files.

use std::fmt::Write;
use std::path::{Path, PathBuf};

/// The path of a `file:` address; of another one, something that no file is called.
pub(crate) fn path_of(uri: &str) -> PathBuf {
    let Some(rest) = uri.strip_prefix("file://") else {
        return PathBuf::from(format!("/dev/null/{}", decoded(uri)));
    };
    // the name of a host is followed by the path
    let path = rest.find('/').map_or(rest, |start| &rest[start..]);
    let path = decoded(path);
    let bytes = path.as_bytes();
    // `/c:/folder` is a path with a drive
    let has_drive = cfg!(windows) && bytes.len() > 2 && bytes[1].is_ascii_alphabetic() && bytes[2] == b':';
    PathBuf::from(if has_drive { &path[1..] } else { &path })
}

/// The `file:` address of a path.
pub(crate) fn uri_of(path: &Path) -> String {
    let path = path.to_string_lossy();
    let path = if cfg!(windows) { path.replace('\\', "/") } else { path.into_owned() };
    let mut uri = String::from(if path.starts_with('/') { "file://" } else { "file:///" });
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            _ = write!(uri, "%{byte:02X}");
        }
    }
    uri
}

fn decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut found = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let digit = |at: usize| bytes.get(at).and_then(|&byte| char::from(byte).to_digit(16));
        match (bytes[at], digit(at + 1), digit(at + 2)) {
            (b'%', Some(high), Some(low)) => {
                found.push((16 * high + low) as u8);
                at += 3;
            }
            (byte, ..) => {
                found.push(byte);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&found).into_owned()
}

#[cfg(test)]
mod tests {
    use super::{path_of, uri_of};
    use std::path::Path;

    #[test]
    #[cfg(unix)]
    fn there_and_back() {
        for (uri, path) in [
            ("file:///a/b%20c/%C3%A4.smv", "/a/b c/ä.smv"),
            ("file:///a/100%25", "/a/100%"),
            ("file:///x~y", "/x~y"),
        ] {
            assert_eq!(path_of(uri), Path::new(path));
            assert_eq!(uri_of(Path::new(path)), uri);
        }
        assert_eq!(path_of("file:///a%"), Path::new("/a%"));
        assert_eq!(path_of("file://host/a"), Path::new("/a"));
        assert_eq!(path_of("file:///c%3A/a"), Path::new("/c:/a"));
        assert!(!path_of("untitled:Untitled-1.smv").exists());
    }
}
