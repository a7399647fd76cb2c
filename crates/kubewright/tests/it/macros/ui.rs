//! The errors of programs in `tests/ui` that must not compile. `TRYBUILD=overwrite` updates them.

// REC-2, REC-3, REC-4, REC-5, INJ-4, FNL-1, STAGE-9, HALT-2, HALT-8, RES-04, RES-05, RES-06, RES-07, RES-08, FPIPE-13, DEP-11, DEP-17, COND-08,
// MUST-01, MUST-02, MUST-04, MUST-05
#[test]
fn invalid_reconcilers_fail_to_compile_with_errors_at_the_cause() {
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}
