//! Regular expressions in the syntax of Go, as on the real server: braces may be literal, and classes are ASCII.
//!
//! See <https://pkg.go.dev/regexp/syntax>. An expression is translated for the regex crate; errors have the texts of Go.

#[cfg(test)]
mod tests;
mod translator;

pub(crate) use translator::compile;
