//! Tests of the generators.
