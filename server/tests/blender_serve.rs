//! `meshmark serve` as a process of its own, with real trials: what is accepted ends exactly once, through cancelling,
//! crowding and a kill.

use std::{
    collections::BTreeMap,
    io::{BufRead, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
    time::Duration,
};

use reqwest::{Client, StatusCode};
use serde_json::{Value, json};

const CUBE: &str = "import bpy\nbpy.ops.mesh.primitive_cube_add()\n";
const ENDLESS: &str = "while True:\n    pass\n";

struct Server {
    child: Child,
    url: String,
}

impl Server {
    /// Starts one on a free port and waits until it says where.
    fn start(runs: &Path, settings: &str) -> Self {
        let config = runs.join("meshmark.toml");
        std::fs::write(&config, settings).unwrap();
        let mut child = Command::new(env!("CARGO_BIN_EXE_meshmark"))
            .args(["serve", "--listen", "127.0.0.1:0", "--runs"])
            .arg(runs)
            .arg("--config")
            .arg(config)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let url = line.split_whitespace().next().expect("it says where it is").to_owned();
        Self { child, url }
    }

    fn at(&self, path: &str) -> String {
        format!("{}api/v1/{path}", self.url)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

async fn submit(client: &Client, server: &Server, program: &str) -> reqwest::Response {
    let body = json!({ "program": program, "views": "none" });
    client.post(server.at("trials")).json(&body).send().await.unwrap()
}

async fn get(client: &Client, url: String) -> Value {
    client.get(url).send().await.unwrap().json().await.unwrap()
}

async fn ended(client: &Client, server: &Server, id: &str) -> Value {
    loop {
        let trial = get(client, server.at(&format!("trials/{id}"))).await;
        if !["queued", "running"].contains(&trial["state"].as_str().unwrap()) {
            return trial;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn fifty_trials_survive_cancelling_and_a_kill() {
    let runs = tempfile::tempdir().unwrap();
    let settings = "[serve]\nqueue = 60\n[limits]\nscript_wall_s = 60\n";
    let mut server = Server::start(runs.path(), settings);
    let client = Client::new();
    let submissions = (0..50).map(|_| submit(&client, &server, CUBE));
    let mut ids = Vec::new();
    for response in futures_util::future::join_all(submissions).await {
        assert_eq!(response.status(), StatusCode::ACCEPTED);
        ids.push(response.json::<Value>().await.unwrap()["id"].as_str().unwrap().to_owned());
    }
    // Cancelled while they wait.
    for id in &ids[40..45] {
        assert!(client.delete(server.at(&format!("trials/{id}"))).send().await.unwrap().status().is_success());
    }
    for id in &ids[40..45] {
        assert_eq!(ended(&client, &server, id).await["state"], "cancelled");
    }
    // Some are done, some run, some wait.
    loop {
        let mut done = 0;
        for id in &ids {
            done += usize::from(get(&client, server.at(&format!("trials/{id}"))).await["state"] == "done");
        }
        if done >= 4 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    server.child.kill().unwrap();
    server.child.wait().unwrap();

    let server = Server::start(runs.path(), settings);
    let mut states: BTreeMap<String, usize> = BTreeMap::new();
    for id in &ids {
        let trial = get(&client, server.at(&format!("trials/{id}"))).await;
        let state = trial["state"].as_str().unwrap_or_else(|| panic!("{id} is lost: {trial}")).to_owned();
        if state == "done" {
            assert_eq!(trial["outcome"]["status"], "OK", "{trial}");
        }
        *states.entry(state).or_default() += 1;
    }
    assert_eq!(states.values().sum::<usize>(), 50);
    assert_eq!(states.get("cancelled"), Some(&5), "{states:?}");
    assert!(states["done"] >= 4 && states["interrupted"] >= 1, "{states:?}");
    assert_eq!(states.len(), 3, "{states:?}");
    // And it goes on working.
    let id = submit(&client, &server, CUBE).await.json::<Value>().await.unwrap()["id"].as_str().unwrap().to_owned();
    assert_eq!(ended(&client, &server, &id).await["state"], "done");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_trial_is_followed_to_its_artifacts_and_refusals_help() {
    let runs = tempfile::tempdir().unwrap();
    let server = Server::start(runs.path(), "[serve]\nqueue = 1\n[run]\njobs = 1\n");
    let client = Client::new();

    let accepted = submit(&client, &server, CUBE).await.json::<Value>().await.unwrap();
    let events = client.get(format!("{}{}", server.url, accepted["events"].as_str().unwrap())).send().await.unwrap();
    let told = events.text().await.unwrap();
    let names: Vec<_> = told.lines().filter_map(|line| line.strip_prefix("event: ")).collect();
    assert_eq!(names.last(), Some(&"done"), "{told}");
    let id = accepted["id"].as_str().unwrap();
    let trial = ended(&client, &server, id).await;
    assert_eq!(trial["artifacts"], json!(["mesh.glb", "log.txt"]));
    let mesh = client.get(server.at(&format!("trials/{id}/artifacts/mesh.glb"))).send().await.unwrap();
    assert_eq!(mesh.headers()["content-type"], "model/gltf-binary");
    let mesh = mesh.bytes().await.unwrap();
    assert!(mesh.starts_with(b"glTF"));

    // Its own mesh as a reference: the distance is 0.
    let reference = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, &mesh);
    let body =
        json!({ "program": { "entry": "a.py", "files": { "a.py": CUBE } }, "views": "none", "reference": reference });
    let again = client.post(server.at("trials")).json(&body).send().await.unwrap().json::<Value>().await.unwrap();
    let again = ended(&client, &server, again["id"].as_str().unwrap()).await;
    assert_eq!(again["measurements"][0]["value"], 0.0, "{again}");

    // One runs, one waits, no more fit.
    let running =
        submit(&client, &server, ENDLESS).await.json::<Value>().await.unwrap()["id"].as_str().unwrap().to_owned();
    while get(&client, server.at(&format!("trials/{running}"))).await["state"] == "queued" {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert_eq!(submit(&client, &server, CUBE).await.status(), StatusCode::ACCEPTED);
    let full = submit(&client, &server, CUBE).await;
    assert_eq!(full.status(), StatusCode::TOO_MANY_REQUESTS);
    assert!(full.headers().contains_key("retry-after"));
    assert_eq!(full.headers()["content-type"], "application/problem+json");
    client.delete(server.at(&format!("trials/{running}"))).send().await.unwrap();
    assert_eq!(ended(&client, &server, &running).await["state"], "cancelled");

    for (body, said) in [
        (json!({ "program": { "entry": "b.py", "files": {} } }), "b.py"),
        (json!({ "program": "", "views": "pretty" }), "quick"),
        (json!({ "program": "", "protocol": "exec/other@1" }), "exec/meshmark@1"),
        (json!({ "program": "", "measures": ["beauty"] }), "chamfer/upright@1"),
        (json!({ "program": "", "reference": "§" }), "base 64"),
        (json!({ "program": "", "task": { "run": "0", "item": "Chair_seed0" } }), "Chair_seed0"),
        (json!({ "programme": "" }), "programme"),
    ] {
        let response = client.post(server.at("trials")).json(&body).send().await.unwrap();
        assert!(response.status().is_client_error());
        let problem = response.json::<Value>().await.unwrap();
        assert!(problem["detail"].as_str().unwrap().contains(said), "{body}: {problem}");
    }
    let foreign =
        client.post(server.at("trials")).header("origin", "https://elsewhere.example").json(&json!({ "program": "" }));
    assert_eq!(foreign.send().await.unwrap().status(), StatusCode::FORBIDDEN);
    let missing = client.get(format!("{}runs/trials/{id}/result.json", server.url)).send().await.unwrap();
    assert_eq!(missing.status(), StatusCode::NOT_FOUND, "only bundles are given out");
    assert_eq!(get(&client, server.at("health")).await["execution"], true);
}
