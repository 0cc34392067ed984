//! What a command shows: one JSON document for scripts, or lines for people.

use std::io::{self, IsTerminal, Write};

use clap::ColorChoice;
use serde::Serialize;

use super::Failure;

/// Where a command's words go, as the shared flags say.
pub(super) struct Screen {
    json: bool,
    quiet: bool,
    colors_out: bool,
    colors_err: bool,
}

impl Screen {
    pub(super) fn new(json: bool, quiet: bool, color: ColorChoice) -> Self {
        // https://no-color.org: any value but an empty one asks for none.
        let unwanted = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let colors = |terminal: bool| match color {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => terminal && !unwanted,
        };
        Self {
            json,
            quiet,
            colors_out: colors(io::stdout().is_terminal()),
            colors_err: colors(io::stderr().is_terminal()),
        }
    }

    /// Shows a result: `document` to scripts, `lines` to people.
    pub(super) fn result(&self, document: &impl Serialize, lines: impl FnOnce(&Self) -> String) -> Result<(), Failure> {
        let text = match (self.json, self.quiet) {
            (true, _) => serde_json::to_string_pretty(document).map_err(anyhow::Error::from)?,
            (false, false) => lines(self),
            (false, true) => return Ok(()),
        };
        match writeln!(io::stdout().lock(), "{}", text.trim_end()) {
            // Whoever reads has seen enough, as `head` has.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            other => Ok(other.map_err(anyhow::Error::from)?),
        }
    }

    /// Whether progress is shown; it goes to stderr.
    pub(super) fn talks(&self) -> bool {
        !self.quiet && io::stderr().is_terminal()
    }

    /// A line on stderr about something that people should know.
    pub(super) fn remark(&self, text: &str) {
        if !self.quiet {
            eprintln!("{text}");
        }
    }

    pub(super) fn error(&self, failure: &Failure) {
        let head = if self.colors_err { "\x1b[1;31merror:\x1b[0m" } else { "error:" };
        match failure {
            Failure::Call(message) => eprintln!("{head} {message}"),
            Failure::Ours(error) => eprintln!("{head} {error:#}"),
        }
    }

    /// Text that matters most.
    pub(super) fn strong(&self, text: &str) -> String {
        if self.colors_out { format!("\x1b[1m{text}\x1b[0m") } else { text.to_owned() }
    }

    /// Text that explains.
    pub(super) fn faint(&self, text: &str) -> String {
        if self.colors_out { format!("\x1b[2m{text}\x1b[0m") } else { text.to_owned() }
    }
}
