//! The page: one file that needs no other, and shows text as text.

use std::collections::HashSet;

use agglio_paper::figure::Figure;
use agglio_paper::page::Page;

use crate::markup::Markup;
use crate::{fig1, samples};

pub fn html() -> String {
    let facts =
        [("command".to_owned(), "agglio paper <all> & more".to_owned()), ("seeds".to_owned(), "0 to 4".to_owned())];
    let figures: Vec<Figure> = samples::all().into_iter().chain([fig1::quick()]).collect();
    Page { figures: &figures, facts: &facts, gap: Some("Ended early.") }.html().unwrap()
}

/// The page without what HTML leaves unclosed, which is in its head.
fn body(html: &str) -> Markup {
    let (_, body) = html.split_once("</head>").unwrap();
    Markup::parse(body.trim().strip_suffix("</html>").unwrap())
}

#[test]
fn it_needs_nothing_from_elsewhere() {
    let html = html();
    assert!(!html.contains("<script") && !html.contains("@import") && !html.contains("url(http"));
    let body = body(&html);
    for link in body.all("href").chain(body.all("src")) {
        assert!(!link.contains("//") && !link.starts_with('/'), "{link}");
    }
    // rules of one picture would hold for all others
    assert_eq!(html.matches("<style").count(), 1);
    let addresses = html.matches("http").count();
    assert_eq!(addresses, html.matches("xmlns=\"http://www.w3.org/2000/svg\"").count());
}

#[test]
fn names_inside_it_are_unique_and_lead_somewhere() {
    let body = body(&html());
    let ids: Vec<&str> = body.all("id").collect();
    let unique: HashSet<&str> = ids.iter().copied().collect();
    assert_eq!(ids.len(), unique.len(), "{ids:?}");
    let inner = body.all("href").filter_map(|link| link.strip_prefix('#'));
    let clips = body.all("clip-path").map(|clip| clip.strip_prefix("url(#").unwrap().strip_suffix(')').unwrap());
    let labels = body.all("aria-labelledby");
    for name in inner.chain(clips).chain(labels) {
        assert!(unique.contains(name), "{name}");
    }
}

#[test]
fn it_tells_everything() {
    let html = html();
    let body = body(&html);
    assert!(html.starts_with("<!doctype html>\n<html lang=\"en\">"));
    for words in [
        "9 of 14 claims held, 3 failed, 2 undecided",
        "Claims that failed or are undecided",
        "agglio paper <all> & more",
        "Ended early.",
        "Every feature: η, τ, β, σ, ℓ & <tags>",
        "A caption with <tags> & an ampersand.",
        "200 … 400",
        "<b>SGD</b>",
        "0.25 (0.125 … never)",
        "1.23e6",
        "at most 5e-16",
        "the published code evaluates the loss inside the timed loop",
        "1.2 s",
    ] {
        assert!(body.text.contains(words), "{words}");
    }
    // a ratio to what never came
    assert!(html.contains(r#"<td class="number">∞</td><td class="bound">at least 2</td>"#));
    // failed claims come first, and the verdict is in the first column
    let (head, rows) = html.split_once("<caption>Claims</caption>").unwrap().1.split_once("</thead>").unwrap();
    assert!(head.contains(r#"<tr><th scope="col">verdict</th><th scope="col">claim</th>"#), "{head}");
    assert!(rows.trim_start().starts_with("<tbody>\n<tr><td><span class=\"no\">failed</span></td>"), "{rows}");
    let [failed, open, held, given] = ["failed", "undecided", "held", "by construction"]
        .map(|verdict| rows.find(&format!(">{verdict}</span>")).unwrap());
    assert!(failed < open && open < held && held < given);
    // what stands above a column is where the column is
    assert!(html.contains(r#"<th scope="col">solver</th><th scope="col" class="number">error</th>"#));
    // a header for every column and row
    assert!(
        body.elements.iter().filter(|(name, _)| name == "th").all(|(_, of)| of.iter().any(|(key, _)| key == "scope"))
    );
}
