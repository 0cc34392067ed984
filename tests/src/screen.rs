//! What people see of a long command: one line when a step begins to cost time, one with its time when it is
//! over, and the whole output of whatever failed.

use std::{
    fs::{self, File},
    io::{self, IsTerminal, Write},
    path::Path,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail};

use crate::place;

/// A heading.
pub fn heading(text: &str) {
    println!("\n{}", bold(text));
}

/// A line about something that needed no work, or a result.
pub fn say(text: &str) {
    println!("  {text}");
}

/// Runs a step that takes a while: says what it does and why, then how long it took.
///
/// # Errors
/// The step's own.
pub fn step<T>(what: &str, why: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    print!("  {what} ({why}) ... ");
    io::stdout().flush()?;
    let start = Instant::now();
    let result = work();
    println!("{}", if result.is_ok() { seconds(start.elapsed()) } else { "failed".to_owned() });
    result
}

/// Runs a command quietly. Its output goes to a log in the cache, and to the error when it fails.
///
/// # Errors
/// When it can't be started or doesn't succeed; the message has the end of its output.
pub fn quietly(command: &mut Command) -> Result<()> {
    const SHOWN_LINES: usize = 40;
    let log = place::cache().join("last-step.log");
    fs::create_dir_all(place::cache())?;
    let file = File::create(&log)?;
    let status = command
        .stdin(Stdio::null())
        .stdout(file.try_clone()?)
        .stderr(file)
        .status()
        .with_context(|| format!("`{}` could not be started", line(command)))?;
    if !status.success() {
        let text = String::from_utf8_lossy(&fs::read(&log)?).into_owned();
        let lines: Vec<_> = text.lines().collect();
        let end = lines[lines.len().saturating_sub(SHOWN_LINES)..].join("\n");
        bail!("`{}` ended with {status}:\n{end}\n(whole output: {})", line(command), log.display());
    }
    Ok(())
}

/// Runs a command that talks to the user itself.
///
/// # Errors
/// When it can't be started or doesn't succeed.
pub fn openly(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("`{}` could not be started", line(command)))?;
    if !status.success() {
        bail!("`{}` ended with {status}", line(command));
    }
    Ok(())
}

/// Whether a program of this name is on the path.
#[must_use]
pub fn has_program(name: &str) -> bool {
    std::env::var_os("PATH").is_some_and(|path| std::env::split_paths(&path).any(|folder| folder.join(name).is_file()))
}

/// A duration for people: `0.8 s`, `42 s`, `3 min 05 s`.
#[must_use]
pub fn seconds(time: Duration) -> String {
    match time.as_secs() {
        0..10 => format!("{:.1} s", time.as_secs_f64()),
        s @ 10..120 => format!("{s} s"),
        s => format!("{} min {:02} s", s / 60, s % 60),
    }
}

/// A command as one would type it.
#[must_use]
pub fn line(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_name().unwrap_or(command.get_program());
    std::iter::once(program)
        .chain(command.get_args())
        .map(|word| word.to_string_lossy().into_owned())
        .collect::<Vec<_>>()
        .join(" ")
}

fn bold(text: &str) -> String {
    if io::stdout().is_terminal() { format!("\x1b[1m{text}\x1b[0m") } else { text.to_owned() }
}
