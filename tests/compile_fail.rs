//! What is not accepted, and what the user is told: each file of `tests/ui` beside its messages.
//!
//! After a change run with `TRYBUILD=overwrite`, read the differences in git, and commit them. The
//! messages are those of the toolchain that `rust-toolchain.toml` pins.

#[test]
fn messages() {
    trybuild::TestCases::new().compile_fail("tests/ui/*/*.rs");
}
