//! SMV: any text is read without a panic, problems lie within it, what is printed reads back, and
//! making its states ends in a machine or in a reason. The same as the plain test
//! `crates/smv/tests/corpus.rs` does with files.

#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../../crates/smv/tests/common/anything.rs"]
mod anything;

fuzz_target!(|text: &str| anything::anything(text));
