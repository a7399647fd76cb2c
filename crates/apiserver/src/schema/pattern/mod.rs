//! Regular expressions as the real server reads them: the syntax of Go, in which braces may be literal and classes are of ASCII.
//!
//! See <https://pkg.go.dev/regexp/syntax>. An expression is rewritten for the regex crate; mistakes are reported in Go's words.

#[cfg(test)]
mod tests;
mod translator;

pub(super) use translator::compile;
