//! `cargo demo`: sets up what is missing, builds the pages and serves them.

use std::process::ExitCode;

use anyhow::{Result, bail};
use meshmark_tests::{
    build, screen,
    setup::{self, Needs},
};

const HELP: &str = "\
cargo demo [--no-serve]

Sets up what is missing, builds the command line and the pages, and serves the pages until Ctrl-C.

  --no-serve   end after the build
";

fn main() -> ExitCode {
    match serve_wanted().and_then(|wanted| wanted.map_or(Ok(()), demo)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("\n{error:#}");
            ExitCode::FAILURE
        }
    }
}

fn serve_wanted() -> Result<Option<bool>> {
    use lexopt::prelude::*;
    let mut serve = true;
    let mut words = lexopt::Parser::from_env();
    while let Some(word) = words.next()? {
        match word {
            Long("no-serve") => serve = false,
            Short('h') | Long("help") => {
                print!("{HELP}");
                return Ok(None);
            }
            _ => bail!("{}\n\n{HELP}", word.unexpected()),
        }
    }
    Ok(Some(serve))
}

fn demo(serve: bool) -> Result<()> {
    setup::make_sure_of(Needs { wasm: true, node: true, ..Needs::default() })?;
    screen::heading("Build");
    let program = build::program()?;
    build::wasm()?;
    let pages = screen::step("building the pages", "which compare meshes and open bundles", build::pages)?;
    screen::heading("Ready");
    screen::say(&format!("the command line: {} --help", program.display()));
    screen::say(&format!("the pages:        {}  (any static host can serve them)", pages.display()));
    if !serve {
        return Ok(());
    }
    let mut preview = build::npm();
    preview.args(["exec", "--", "vite", "preview", "--outDir"]).arg(&pages).args(["--host", "127.0.0.1"]);
    screen::openly(&mut preview)
}
