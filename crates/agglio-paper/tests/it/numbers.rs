//! Numbers in files come back to the same bits.

use agglio_paper::figure::{Content, Figure, Line};
use agglio_paper::numbers::{claims, csv, json};
use serde_json::Value;

use crate::samples;

/// The fields of the rows below the header, quotes undone.
fn rows(text: &str) -> Vec<Vec<String>> {
    let mut rows = vec![vec![String::new()]];
    let mut is_quoted = false;
    for c in text.chars() {
        let fields = rows.last_mut().unwrap();
        match c {
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => fields.push(String::new()),
            '\n' if !is_quoted => rows.push(vec![String::new()]),
            c => fields.last_mut().unwrap().push(c),
        }
    }
    assert_eq!(rows.pop(), Some(vec![String::new()]), "the last line ends");
    rows
}

fn lines(figure: &Figure) -> Vec<(&str, &Line)> {
    let mut all = Vec::new();
    for panel in &figure.panels {
        if let Content::Lines(lines) = &panel.content {
            all.extend(lines.iter().map(|line| (panel.title.as_str(), line)));
        }
    }
    all
}

#[test]
fn points_of_lines_come_back() {
    let figure = samples::stress();
    let rows = rows(&csv(&figure));
    assert_eq!(rows[0].join(","), "panel,series,x,median,lower,upper");
    let mut found = rows[1..].iter();
    for (panel, line) in lines(&figure) {
        for i in 0..line.x.len() {
            let row = found.next().unwrap();
            assert_eq!((row[0].as_str(), row[1].as_str()), (panel, line.name.as_str()));
            let values = row[2..].iter().map(|field| field.parse::<f64>().unwrap().to_bits());
            let expected = [line.x[i], line.y[i], line.lower[i], line.upper[i]].map(f64::to_bits);
            assert_eq!(values.collect::<Vec<_>>(), expected);
        }
    }
    assert_eq!(found.next(), None);
}

#[test]
fn surfaces_have_a_second_coordinate() {
    let figure = samples::everything();
    let rows = rows(&csv(&figure));
    assert_eq!(rows[0].join(","), "panel,series,x,y,median,lower,upper");
    assert!(rows.iter().all(|row| row.len() == 7));
    let Content::Surface(surface) = &figure.panels[3].content else { panic!("a surface") };
    let heights = rows.iter().filter(|row| row[0] == "a surface");
    let heights: Vec<u64> = heights.map(|row| row[4].parse::<f64>().unwrap().to_bits()).collect();
    let expected: Vec<u64> = surface.z.iter().flatten().map(|z| z.to_bits()).collect();
    assert_eq!(heights, expected);
    // gaps stay gaps
    assert!(rows.iter().any(|row| row[1] == "GD" && row[4] == "NaN"));
}

#[test]
fn without_a_picture_tables_are_the_numbers() {
    let figure = Figure { panels: Vec::new(), ..samples::everything() };
    let rows = rows(&csv(&figure));
    assert_eq!(rows[0].join(","), "table,row,column,value,low,high");
    assert_eq!(rows[1].join(","), "Final errors,1,solver,GD,,");
    assert_eq!(rows[3].join(","), "Final errors,1,seconds,0.25,0.125,inf");
    assert_eq!(rows.len(), 7);
}

#[test]
fn objects_have_everything() {
    let figure = samples::everything();
    let object: Value = serde_json::from_str(&json(&figure)).unwrap();
    assert_eq!((&object["name"], &object["seconds"]), (&"everything".into(), &1.25.into()));
    let line = &object["panels"][0]["content"]["lines"][0];
    assert_eq!((line["y"][0].as_f64(), &line["y"][4]), (Some(4e-16), &Value::Null));
    let first = &object["claims"][0];
    assert_eq!((&first["held"], first["bound"]["at_most"].as_f64()), (&true.into(), Some(5e-16)));
    assert!((first["margin"].as_f64().unwrap() - 5.0 / 4.4).abs() < 1e-12);
    let never = &object["claims"][2];
    assert_eq!((&never["held"], &never["value"], &never["margin"]), (&false.into(), &Value::Null, &Value::Null));
    let verdicts: Vec<&str> =
        object["claims"].as_array().unwrap().iter().map(|one| one["verdict"].as_str().unwrap()).collect();
    assert_eq!(verdicts, ["held", "failed", "undecided", "undecided", "by construction", "held"]);
}

#[test]
fn claims_of_all_figures_are_one_table() {
    let rows = rows(&claims(&[samples::everything(), samples::alone(), samples::everything()]));
    let columns = "verdict,figure,source,statement,measured,value,bound,limit,lower,upper,margin,remark";
    assert_eq!(rows[0].join(","), columns);
    assert_eq!(rows.len(), 13);
    // those that failed first
    let verdicts: Vec<&str> = rows[1..].iter().map(|row| row[0].as_str()).collect();
    let (failed, open, held, given) = ("failed", "undecided", "held", "by construction");
    assert_eq!(verdicts, [failed, failed, open, open, open, open, held, held, held, held, given, given]);
    assert_eq!(rows[1][3], "faster than <all> others");
    assert_eq!((rows[1][6].as_str(), rows[1][7].as_str(), rows[1][8].as_str()), ("at least", "2.0", ""));
    assert_eq!((rows[4][8].as_str(), rows[4][9].as_str()), ("0.75", "1.25"));
}
