//! The `meshmark` command. Everything it does is in the library; here it only starts.

use std::process::ExitCode;

fn main() -> ExitCode {
    meshmark_server::cli::main()
}
