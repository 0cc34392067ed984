//! `cargo verify`: sets up what is missing, then proves that everything holds.

use std::{process::ExitCode, time::Instant};

use anyhow::{Result, bail};
use meshmark_tests::{
    screen,
    setup::{self, Needs},
    stage::{STAGES, Stage},
    stamp::Stamp,
};

const HELP: &str = "\
cargo verify [--quick] [--again] [--only STAGE]...

Sets up what is missing, then runs every check and test. A stage that passed in this checkout is left
alone until something that it depends on changes.

  --quick        leave out what needs Blender or a browser
  --again        run every stage, changed or not
  --only STAGE   run just this stage; may be given several times
  --list         name the stages
";

#[derive(Default)]
struct Options {
    quick: bool,
    again: bool,
    list: bool,
    only: Vec<String>,
}

fn main() -> ExitCode {
    match options().and_then(|options| options.map_or(Ok(()), |options| verify(&options))) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("\n{error:#}");
            ExitCode::FAILURE
        }
    }
}

fn options() -> Result<Option<Options>> {
    use lexopt::prelude::*;
    let mut options = Options::default();
    let mut words = lexopt::Parser::from_env();
    while let Some(word) = words.next()? {
        match word {
            Long("quick") => options.quick = true,
            Long("again") => options.again = true,
            Long("list") => options.list = true,
            Long("only") => options.only.push(words.value()?.string()?),
            Short('h') | Long("help") => {
                print!("{HELP}");
                return Ok(None);
            }
            _ => bail!("{}\n\n{HELP}", word.unexpected()),
        }
    }
    if let Some(unknown) = options.only.iter().find(|name| STAGES.iter().all(|stage| stage.name != **name)) {
        let names: Vec<_> = STAGES.iter().map(|stage| stage.name).collect();
        bail!("there is no stage `{unknown}`; there are {}", names.join(", "));
    }
    Ok(Some(options))
}

fn verify(options: &Options) -> Result<()> {
    if options.list {
        for stage in STAGES {
            println!("{:<12}{}", stage.name, stage.proves);
        }
        return Ok(());
    }
    let start = Instant::now();
    let chosen = |stage: &&Stage| {
        if options.only.is_empty() {
            !(options.quick && stage.slow)
        } else {
            options.only.iter().any(|name| name == stage.name)
        }
    };
    let stages: Vec<_> = STAGES.iter().filter(chosen).collect();
    let needs = stages.iter().fold(Needs::default(), |needs, stage| needs.and(needed(stage, options.quick)));
    setup::make_sure_of(needs)?;
    let mut times = vec![("set-up", screen::seconds(start.elapsed()))];
    for stage in stages {
        // What a quick pass proved is less than what a whole one does.
        let key = if options.quick { format!("{}-quick", stage.name) } else { stage.name.to_owned() };
        let stamp = Stamp::new(&key, stage.source)?;
        screen::heading(&format!("{}: {}", stage.name, stage.proves));
        if !options.again && !stage.source.is_empty() && stamp.holds() {
            screen::say("passed before, and nothing that it depends on has changed");
            times.push((stage.name, "unchanged".to_owned()));
            continue;
        }
        let begun = Instant::now();
        (stage.run)(options.quick)?;
        stamp.press()?;
        times.push((stage.name, screen::seconds(begun.elapsed())));
    }
    screen::heading(&format!("Everything holds ({})", screen::seconds(start.elapsed())));
    for (name, time) in times {
        screen::say(&format!("{name:<12}{time}"));
    }
    Ok(())
}

fn needed(stage: &Stage, quick: bool) -> Needs {
    if quick { Needs { blender: false, browser: false, ..stage.needs } } else { stage.needs }
}
