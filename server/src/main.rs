//! The `meshmark` command.
fn main() {}
