//! The declarations of the Java platform, from the classes of a JDK.

use anyhow::{Context, bail};
use loris_java::{ClassInput, ClassOrigin, LoadOptions, Program};
use std::io::{Cursor, Write};
use std::path::{Path, PathBuf};

/// Where they go.
const TARGET: &str = "crates/java/data/platform.zip";

pub(crate) fn write(words: &[String]) -> anyhow::Result<()> {
    let [folder] = words else { bail!("java-api takes the folder with the classes of a JDK's modules") };
    let mut modules: Vec<PathBuf> = Vec::new();
    for entry in std::fs::read_dir(folder).with_context(|| folder.clone())? {
        let path = entry?.path();
        if path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("java.")) {
            modules.push(path);
        }
    }
    modules.sort();
    let mut inputs = Vec::new();
    for module in &modules {
        classes(module, &mut inputs)?;
    }
    let loaded = Program::load(inputs, &LoadOptions::default());
    if let Some(problem) = loaded.problems.first() {
        bail!("{}: {}", problem.path, problem.error);
    }
    let text = loris_java::declarations(&loaded.program);
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default()
        .compression_method(zip::CompressionMethod::Deflated)
        .compression_level(Some(9))
        .last_modified_time(zip::DateTime::default());
    writer.start_file("platform.txt", options)?;
    writer.write_all(text.as_bytes())?;
    let bytes = writer.finish()?.into_inner();
    std::fs::write(TARGET, &bytes).context(TARGET)?;
    println!("{} lines, {} bytes; {} bytes deflated", text.lines().count(), text.len(), bytes.len());
    Ok(())
}

/// Reads the class files under a folder.
fn classes(folder: &Path, inputs: &mut Vec<ClassInput>) -> anyhow::Result<()> {
    let mut work = vec![folder.to_owned()];
    while let Some(path) = work.pop() {
        if path.is_dir() {
            for entry in std::fs::read_dir(&path)? {
                work.push(entry?.path());
            }
        } else if path.extension().is_some_and(|extension| extension == "class") {
            let bytes = std::fs::read(&path)?.into();
            inputs.push(ClassInput { path: path.display().to_string(), origin: ClassOrigin::Library, bytes });
        }
    }
    Ok(())
}
