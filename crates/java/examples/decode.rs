//! Reads class files named on the command line, checks all code and reports counts and time.
#![allow(clippy::print_stdout, clippy::unwrap_used)]
use loris_java::{ClassInput, ClassOrigin, LoadOptions, Program};

fn main() {
    let start = std::time::Instant::now();
    let mut inputs = Vec::new();
    let mut work: Vec<std::path::PathBuf> = std::env::args().skip(1).map(Into::into).collect();
    let mut total = 0;
    while let Some(path) = work.pop() {
        if path.is_dir() {
            work.extend(std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        } else if path.extension().is_some_and(|extension| extension == "class") {
            let bytes = std::fs::read(&path).unwrap().into_boxed_slice();
            total += bytes.len();
            inputs.push(ClassInput {
                path: path.display().to_string(),
                origin: ClassOrigin::Application,
                bytes,
            });
        }
    }
    let read = start.elapsed();
    let loaded = Program::load(inputs, &LoadOptions::default());
    let parsed = start.elapsed();
    for problem in &loaded.problems {
        println!("{}: {}", problem.path, problem.error);
    }
    let program = &loaded.program;
    let (mut instructions, mut wrong) = (0, 0);
    for method in program.methods() {
        match program.body(method) {
            Ok(Some(body)) => instructions += body.instructions.len(),
            Ok(None) => {}
            Err(error) => {
                wrong += 1;
                println!("{}: {error}", program.method_name(method));
            }
        }
    }
    println!(
        "{} bytes, {} classes, {} methods, {instructions} instructions, {wrong} wrong; files {:?}, parse {:?}, check {:?}",
        total,
        program.classes().len(),
        program.method_count(),
        read,
        parsed.checked_sub(read).unwrap(),
        start.elapsed().checked_sub(parsed).unwrap()
    );
}
