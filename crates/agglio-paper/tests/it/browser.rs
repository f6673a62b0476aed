//! The page in a browser: no error, nothing wider than the window, no letters cut off or on top of each other.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::page;

const BROWSERS: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "chrome"];
const PATIENCE: Duration = Duration::from_secs(120);
const FLAGS: [&str; 13] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--allow-file-access-from-files",
    "--enable-logging=stderr",
    "--virtual-time-budget=10000",
    "--dump-dom",
];

/// A page around the page, which looks at it through a window of a width and writes down what it finds.
const WRAPPER: &str = r##"<!doctype html><html lang="en"><meta charset="utf-8"><title>look</title><link rel="icon" href="data:,">
<iframe id="window" style="width:WIDTHpx;height:900px;border:0" src="index.html"></iframe><pre id="found"></pre>
<script>
const text = node => node.textContent;
const apart = (a, b) => a.right < b.left + 1 || b.right < a.left + 1 || a.bottom < b.top + 3 || b.bottom < a.top + 3;
const level = node => !/rotate\((?!-?90)/.test(node.getAttribute("transform") || "");
addEventListener("load", () => {
  const page = document.getElementById("window").contentDocument;
  const root = page.documentElement;
  const found = { overflow: root.scrollWidth - root.clientWidth, pictures: 0, cut: [], overlapping: [], sideways: [] };
  for (const svg of page.querySelectorAll("svg")) {
    found.pictures += 1;
    const frame = svg.getBoundingClientRect();
    const words = [...svg.querySelectorAll("text")].map(node => [node, node.getBoundingClientRect()]);
    for (const [node, box] of words) {
      if (box.left < frame.left || box.right > frame.right || box.top < frame.top || box.bottom > frame.bottom) found.cut.push(text(node));
    }
    const upright = words.filter(([node]) => level(node));
    upright.forEach(([one, a], i) => upright.slice(i + 1).forEach(([other, b]) => {
      if (!apart(a, b)) found.overlapping.push([text(one), text(other)]);
    }));
  }
  for (const node of page.querySelectorAll("body *")) {
    const box = node.getBoundingClientRect();
    if (box.right > WIDTH + 1 && !node.closest(".box")) found.sideways.push(node.tagName);
  }
  document.getElementById("found").textContent = JSON.stringify(found);
});
</script></html>"##;

fn on_path() -> Option<PathBuf> {
    let folders: Vec<PathBuf> = env::split_paths(&env::var_os("PATH")?).collect();
    BROWSERS.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name))).find(|path| path.is_file())
}

/// What a browser prints and says about a page.
fn open(browser: &Path, page: &Path) -> (String, String) {
    let profile = tempfile::tempdir().unwrap();
    let logs = [profile.path().join("out"), profile.path().join("err")];
    let [out, err] = logs.each_ref().map(|log| Stdio::from(fs::File::create(log).unwrap()));
    let mut child = Command::new(browser)
        .args(FLAGS)
        .arg(format!("--user-data-dir={}", profile.path().join("profile").display()))
        .arg(format!("file://{}", page.display()))
        .stdout(out)
        .stderr(err)
        .spawn()
        .unwrap();
    let begun = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if begun.elapsed() > PATIENCE {
            child.kill().unwrap();
            panic!("the browser does not end: {}", fs::read_to_string(&logs[1]).unwrap_or_default());
        }
        sleep(Duration::from_millis(50));
    }
    let [out, err] = logs.map(|log| String::from_utf8_lossy(&fs::read(log).unwrap()).into_owned());
    (out, err)
}

#[test]
fn the_page_is_whole_at_any_width() {
    let Some(browser) = on_path() else {
        assert!(env::var_os("CI").is_none(), "no browser: install chromium");
        println!("skipped: there is no chromium");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("index.html"), page::html()).unwrap();
    for width in [400, 1600] {
        let wrapper = folder.path().join("wrapper.html");
        fs::write(&wrapper, WRAPPER.replace("WIDTH", &width.to_string())).unwrap();
        let (dom, said) = open(&browser, &wrapper);
        let console: Vec<&str> = said.lines().filter(|line| line.contains("CONSOLE")).collect();
        assert!(console.is_empty(), "{console:#?}");
        let found = dom.split_once("<pre id=\"found\">").and_then(|(_, rest)| rest.split_once("</pre>"));
        let found = found.unwrap_or_else(|| panic!("nothing found: {dom}\n{said}")).0;
        let found = found.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
        let found: Value = serde_json::from_str(&found).unwrap_or_else(|why| panic!("{why}: {found}\n{said}"));
        assert_eq!(found["overflow"], 0, "at {width}: {found:#}");
        assert_eq!(found["pictures"], 6, "{found:#}");
        for wrong in ["cut", "overlapping", "sideways"] {
            assert_eq!(found[wrong].as_array().map(Vec::len), Some(0), "{wrong} at {width}: {found:#}");
        }
    }
}
