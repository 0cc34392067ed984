//! `cargo demo`: sets up what is missing, evaluates the sample programs in sandboxed Blender and shows the result.

use std::{
    env,
    fs::{self, File},
    io::{self, BufRead, BufReader, IsTerminal, Read},
    net::{SocketAddr, TcpListener},
    os::unix::process::CommandExt,
    path::Path,
    process::{Child, Command, ExitCode, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail};
use meshmark_tests::{
    build, place,
    sample::{self, Sample},
    screen,
    setup::{self, Needs},
};

const HELP: &str = "\
cargo demo [--no-serve]

Sets up what is missing, evaluates the bundled sample programs in sandboxed Blender, and opens the
result in a browser. In a terminal the pages are served until Ctrl-C; elsewhere the server is left
running and its process is named.

  --no-serve   end after the evaluation
";

/// The port of `meshmark serve`; another one is taken when it is in use.
const PORT: u16 = 8317;

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
    let start = Instant::now();
    setup::make_sure_of(Needs { wasm: true, node: true, blender: true, browser: false })?;
    screen::heading("Build");
    let program = screen::step("building meshmark", "the command line and server", build::program)?;
    screen::step("building the wasm modules", "scores and views, for the browser", build::wasm)?;
    let pages = screen::step("building the pages", "which open the result", build::pages)?;
    screen::heading("Evaluation of the sample programs");
    let sample = sample::evaluate(&program)?;
    screen::heading(&format!("Done in {}", screen::seconds(start.elapsed())));
    screen::say(&format!("the run, in one file: {}", sample.bundle.display()));
    screen::say(&format!("check it:             {} verify {}", program.display(), sample.bundle.display()));
    if serve { show(&program, &pages, &sample) } else { Ok(()) }
}

fn show(program: &Path, pages: &Path, sample: &Sample) -> Result<()> {
    let address = free_address()?;
    let mut server = Command::new(program);
    server
        .args(["serve", "--listen"])
        .arg(address.to_string())
        .arg("--pages")
        .arg(pages)
        .arg("--runs")
        .arg(&sample.runs);
    let url = format!("http://{address}/");
    if io::stdout().is_terminal() {
        screen::say(&format!("the pages:            {url}  (Ctrl-C ends the server)"));
        let mut child = server.spawn().context("`meshmark serve` could not be started")?;
        wait_for(address, &mut child)?;
        open(&url);
        child.wait()?;
        return Ok(());
    }
    let log = place::demo().join("serve.log");
    fs::create_dir_all(place::demo())?;
    let file = File::create(&log)?;
    // A group of its own: it outlives whatever called us, as said below.
    let mut child = server
        .stdin(Stdio::null())
        .stdout(file.try_clone()?)
        .stderr(file)
        .process_group(0)
        .spawn()
        .context("`meshmark serve` could not be started")?;
    if let Err(error) = wait_for(address, &mut child) {
        let mut text = String::new();
        File::open(&log)?.take(2_000).read_to_string(&mut text)?;
        return Err(error.context(text));
    }
    screen::say(&format!("the pages:            {url}"));
    screen::say(&format!("the server goes on:   `kill {}` ends it", child.id()));
    Ok(())
}

/// The usual address, or another free one when somebody has it.
fn free_address() -> Result<SocketAddr> {
    let listener = TcpListener::bind(("127.0.0.1", PORT)).or_else(|_| TcpListener::bind(("127.0.0.1", 0)));
    Ok(listener.context("no port of 127.0.0.1 is free")?.local_addr()?)
}

/// Waits until the server answers, or is seen to have ended.
fn wait_for(address: SocketAddr, server: &mut Child) -> Result<()> {
    const PATIENCE: Duration = Duration::from_secs(60);
    let start = Instant::now();
    while start.elapsed() < PATIENCE {
        if let Some(status) = server.try_wait()? {
            bail!("`meshmark serve` ended with {status}");
        }
        if answers(address).unwrap_or(false) {
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    server.kill()?;
    bail!("`meshmark serve` did not answer within {} s", PATIENCE.as_secs())
}

fn answers(address: SocketAddr) -> io::Result<bool> {
    use std::io::Write;
    let mut stream = std::net::TcpStream::connect_timeout(&address, Duration::from_secs(1))?;
    stream.set_read_timeout(Some(Duration::from_secs(2)))?;
    write!(stream, "GET /api/v1/health HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n")?;
    let mut first = String::new();
    BufReader::new(stream).read_line(&mut first)?;
    Ok(first.contains(" 200 "))
}

/// Opens a browser where there is one to see; elsewhere the address was said.
fn open(url: &str) {
    let (opener, visible) = if cfg!(target_os = "macos") {
        ("open", true)
    } else {
        ("xdg-open", env::var_os("DISPLAY").is_some() || env::var_os("WAYLAND_DISPLAY").is_some())
    };
    if visible && screen::has_program(opener) {
        // Nothing depends on it: whoever has no such program has the address.
        let _ = Command::new(opener).arg(url).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    }
}
