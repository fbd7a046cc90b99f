//! Tests of reading and writing RSM JSON.
