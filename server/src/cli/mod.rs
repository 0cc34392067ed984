//! The commands: each is a file with its arguments and one function, which returns what was found. Exit status and
//! errors are dealt with here, once.

mod board;
mod bundle;
mod compare;
mod doctor;
mod exec;
mod inspect;
mod run;
mod screen;
mod serve;
mod verify;

use std::{future::Future, path::PathBuf, process::ExitCode};

use anyhow::Context;
use clap::{ColorChoice, Parser, Subcommand};
use screen::Screen;

use crate::config::Config;

/// Grades code that makes 3D.
///
/// Exit status: 0 done; 1 done, and something that was checked does not hold; 2 the call was wrong; 3 we failed.
/// A failure of a model's program is a result: it exits 0.
#[derive(Debug, Parser)]
#[command(name = "meshmark", version, max_term_width = 100)]
struct Call {
    #[command(subcommand)]
    command: Command,

    /// Print one JSON document to stdout; logs and progress go to stderr
    #[arg(long, global = true)]
    json: bool,

    /// Print nothing for people but errors; the exit status tells the rest
    #[arg(long, global = true)]
    quiet: bool,

    /// Colours in what people read
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    color: ColorChoice,

    /// Limits and paths, where they are not the defaults
    #[arg(long, global = true, value_name = "meshmark.toml")]
    config: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
enum Command {
    Doctor(doctor::Args),
    Exec(exec::Args),
    Run(run::Args),
    Bundle(bundle::Args),
    Board(board::Args),
    Serve(serve::Args),
    Compare(compare::Args),
    Inspect(inspect::Args),
    Verify(verify::Args),
}

/// How a command that did its work ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    /// Nothing to object to.
    Done,
    /// Something that was checked does not hold.
    DoesNotHold,
}

/// Why a command did not do its work.
#[derive(Debug, thiserror::Error)]
enum Failure {
    /// The caller can mend it: a wrong argument, a file that isn't there or isn't what it should be.
    #[error("{0}")]
    Call(String),
    /// We failed.
    #[error(transparent)]
    Ours(#[from] anyhow::Error),
}

const WRONG_CALL: u8 = 2;
const OUR_FAILURE: u8 = 3;

/// Reads the arguments, runs the command and gives the process its exit status.
#[must_use]
pub fn main() -> ExitCode {
    let call = match Call::try_parse() {
        Ok(call) => call,
        Err(message) => {
            let status = if message.use_stderr() { WRONG_CALL } else { 0 };
            // Nobody is left to tell when even this can't be printed.
            let _ = message.print();
            return ExitCode::from(status);
        }
    };
    let screen = Screen::new(call.json, call.quiet, call.color);
    match dispatch(&call, &screen) {
        Ok(Verdict::Done) => ExitCode::SUCCESS,
        Ok(Verdict::DoesNotHold) => ExitCode::from(1),
        Err(failure) => {
            screen.error(&failure);
            ExitCode::from(match failure {
                Failure::Call(_) => WRONG_CALL,
                Failure::Ours(_) => OUR_FAILURE,
            })
        }
    }
}

fn dispatch(call: &Call, screen: &Screen) -> Result<Verdict, Failure> {
    let config = Config::load(call.config.as_deref()).map_err(|error| Failure::Call(format!("{error:#}")))?;
    match &call.command {
        Command::Doctor(args) => doctor::run(args, &config, screen),
        Command::Exec(args) => exec::run(args, config, screen),
        Command::Run(args) => run::run(args, config, screen),
        Command::Bundle(args) => bundle::run(args, screen),
        Command::Board(args) => board::run(args, screen),
        Command::Serve(args) => serve::run(args, config, screen),
        Command::Compare(args) => compare::run(args, screen),
        Command::Inspect(args) => inspect::run(args, screen),
        Command::Verify(args) => verify::run(args, &config, screen),
    }
}

/// Runs what waits for other processes or for the network.
fn in_runtime<T>(work: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    tokio::runtime::Runtime::new().context("no runtime could be started")?.block_on(work)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_arguments_are_consistent_and_every_command_has_an_example() {
        let mut call = Call::command();
        call.clone().debug_assert();
        for command in call.get_subcommands_mut() {
            let help = command.render_long_help().to_string();
            assert!(help.contains("Example"), "{}:\n{help}", command.get_name());
        }
    }
}
