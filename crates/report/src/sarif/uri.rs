//! Paths as references of RFC 3986.

use super::schema::ArtifactLocation;
use std::fmt::Write;

/// The name of the folder that relative references start from.
pub(super) const ROOT: &str = "%SRCROOT%";

/// The file at a path, relative to the root if it is below it. A path that leaves the root is made
/// absolute, if the root is known.
pub(super) fn artifact(path: &str, root: Option<&str>) -> ArtifactLocation {
    let slashed = slashed(path);
    let root = root.map(self::slashed);
    let root = root.as_deref().map(|root| root.trim_end_matches('/'));
    let below = root.and_then(|root| slashed.strip_prefix(root)?.strip_prefix('/'));
    let relative = below.unwrap_or(&slashed);
    if !is_absolute(relative)
        && let Some(normal) = normal(relative)
    {
        return ArtifactLocation { uri: encoded(&normal), uri_base_id: Some(ROOT) };
    }
    let absolute = match root {
        Some(root) if !is_absolute(relative) => absolute(&format!("{root}/{relative}")),
        _ => slashed.clone(),
    };
    if !is_absolute(&absolute) {
        // without a root, a path that leaves it is all that is known
        return ArtifactLocation { uri: encoded(&absolute), uri_base_id: Some(ROOT) };
    }
    let slash = if absolute.starts_with('/') { "" } else { "/" };
    ArtifactLocation { uri: format!("file://{slash}{}", encoded(&absolute)), uri_base_id: None }
}

/// The separators of Windows are slashes in a reference; elsewhere they are letters of a name.
fn slashed(path: &str) -> String {
    if cfg!(windows) { path.replace('\\', "/") } else { path.to_owned() }
}

fn is_absolute(path: &str) -> bool {
    let drive = path.as_bytes();
    path.starts_with('/')
        || cfg!(windows) && drive.len() > 2 && drive[0].is_ascii_alphabetic() && drive[1] == b':'
}

/// A relative path without `.` and `..`, unless it leaves where it starts.
fn normal(path: &str) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// An absolute path without `.` and `..`.
fn absolute(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => _ = parts.pop(),
            part => parts.push(part),
        }
    }
    let start = if path.starts_with('/') { "/" } else { "" };
    format!("{start}{}", parts.join("/"))
}

/// All but slashes and unreserved characters, encoded with percent signs.
fn encoded(path: &str) -> String {
    let mut uri = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(char::from(byte));
            }
            // writing to a string does not fail
            _ => _ = write!(uri, "%{byte:02X}"),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_references() {
        let check = |path: &str, root: Option<&str>, uri: &str, is_relative: bool| {
            let found = artifact(path, root);
            assert_eq!((&*found.uri, found.uri_base_id.is_some()), (uri, is_relative), "{path}");
        };
        let root = Some("/home/me/project");
        check("src/Main.java", root, "src/Main.java", true);
        check("./src/../a b.smv", root, "a%20b.smv", true);
        check("/home/me/project/a.rsm", root, "a.rsm", true);
        check("/home/me/projects/a.rsm", root, "file:///home/me/projects/a.rsm", false);
        check("../a.rsm", root, "file:///home/me/a.rsm", false);
        check("../a.rsm", None, "../a.rsm", true);
        check("/tmp/é#?.rsm", None, "file:///tmp/%C3%A9%23%3F.rsm", false);
        check("C:drive:letters", root, "C%3Adrive%3Aletters", true);
        check("<script>", root, "%3Cscript%3E", true);
    }
}
