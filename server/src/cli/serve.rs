//! `meshmark serve`: pages, bundles and trials over HTTP.

use std::{env, net::SocketAddr, path::PathBuf, sync::Arc};

use anyhow::Context;
use meshmark_core::protocol::CHAMFER_UPRIGHT;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use super::{Failure, Verdict, screen::Screen};
use crate::{
    api::{self, App, Guard},
    config::Config,
    pipeline::{
        self,
        run::jobs,
        trial::{Workshop, machine},
        trials::Trials,
    },
    runner::{Execution, Views},
    store::Bundles,
};

/// Serve the pages, bundles, and trials for pages and scripts
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  meshmark serve --runs runs/\n  MESHMARK_TOKEN=… meshmark serve --listen 0.0.0.0:8317\n\n\
    Programs are run for requests from this machine; for others only with a token."
)]
pub(super) struct Args {
    /// Address and port; port 0 takes a free one
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<String>,

    /// The folder of the bundles (*.run.zip); submitted trials are kept in it
    #[arg(long, value_name = "DIR")]
    runs: Option<PathBuf>,

    /// The folder of the built pages
    #[arg(long, value_name = "DIR")]
    pages: Option<PathBuf>,
}

pub(super) fn run(args: &Args, mut config: Config, screen: &Screen) -> Result<Verdict, Failure> {
    config.serve.listen = args.listen.clone().unwrap_or(config.serve.listen);
    config.serve.runs = args.runs.clone().unwrap_or(config.serve.runs);
    config.serve.pages = args.pages.clone().or(config.serve.pages);
    let address: SocketAddr = config.serve.listen.parse().map_err(|_| {
        Failure::Call(format!("{:?} is no address with a port, such as 127.0.0.1:8317", config.serve.listen))
    })?;
    super::in_runtime(serve(&config, address, screen))
}

async fn serve(config: &Config, address: SocketAddr, screen: &Screen) -> Result<Verdict, Failure> {
    let pages = config.pages();
    if !pages.join("index.html").is_file() {
        screen.remark(&format!("there are no pages in {}: `cargo demo` in a checkout builds them", pages.display()));
    }
    let token = env::var(&config.serve.token_env).ok().filter(|token| !token.is_empty());
    let shutdown = CancellationToken::new();
    let (trials, why_not) = match trials(config, address, token.is_some(), &shutdown).await {
        Ok(trials) => (Some(trials), String::new()),
        Err(why_not) => {
            screen.remark(&format!("programs are not run: {why_not}"));
            (None, why_not)
        }
    };
    let listener = TcpListener::bind(address).await;
    let listener = listener.map_err(|error| Failure::Call(format!("{address} can't be listened on: {error}")))?;
    let url = format!("http://{}/", listener.local_addr().context("the socket has no address")?);
    let runs = config.serve.runs.clone();
    let app = App { trials, why_not, bundles: Bundles::of(&runs), runs, pages, guard: Guard { token } };
    screen.result(&serde_json::json!({ "url": url }), |screen| format!("{} (Ctrl-C ends it)", screen.strong(&url)))?;
    let ended = async move {
        // Without this signal there is nothing to wait for.
        let _ = tokio::signal::ctrl_c().await;
        shutdown.cancel();
    };
    axum::serve(listener, api::router(app)).with_graceful_shutdown(ended).await.context("the server failed")?;
    Ok(Verdict::Done)
}

/// The queue of trials, or why programs are not run.
async fn trials(
    config: &Config,
    address: SocketAddr,
    has_token: bool,
    shutdown: &CancellationToken,
) -> Result<Arc<Trials>, String> {
    if !address.ip().is_loopback() && !has_token {
        return Err(format!(
            "this server listens on {} and has no token; set {} to let those who know it run programs",
            address.ip(),
            config.serve.token_env
        ));
    }
    let runner = pipeline::blender(config).await.map_err(|error| format!("{error:#}"))?;
    let jobs = jobs(config, runner.facts().memory_bytes);
    let workshop = Workshop {
        runner,
        execution: Execution::Meshmark,
        views: Views::Quick,
        measures: vec![CHAMFER_UPRIGHT.to_owned()],
        machine: machine(),
    };
    let folder = config.serve.runs.join("trials");
    Trials::open(&folder, workshop, jobs, config.serve.queue, shutdown.clone()).map_err(|error| format!("{error:#}"))
}
