//! Tests of pushdown systems: both ways, and problems of texts.

#![allow(clippy::unwrap_used, reason = "a test that panics has failed")]

mod bisimulation;
mod blocks;
mod oracle;
mod texts;
