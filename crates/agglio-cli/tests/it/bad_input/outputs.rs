//! Files that cannot be written, or should not be.

use super::{Case, Group, case};

fn fit(input: &'static str, words: &str) -> Case {
    case(input, format!("fit data.csv --target y {words}"))
}

pub fn group() -> Group {
    let simulate = "simulate --rows 5 --features 2 --activation sigmoid";
    let cases = vec![
        fit("a model that exists", "--model model.json").refused(["model.json: the file exists; pass --force"]),
        fit("a model that exists, to be replaced", "--model model.json --force"),
        fit("a trace that exists", "--model new.json --trace weights.json").refused(["weights.json: the file exists"]),
        fit("a folder that does not exist", "--model nowhere/m.json").refused(["nowhere/m.json", "folder"]),
        fit("a folder as file", "--model .").refused(["folder"]),
        fit("a file that ends like a folder", "--model new/").refused(["not the name of a file"]),
        fit("a name that is too long", &format!("--model {}", "m".repeat(300))).refused(["too long"]),
        fit("a model on standard output", "--model -").refused(["name a file"]),
        fit("model and trace in one file", "--model new.json --trace ./new.json")
            .refused(["new.json", "the same file"]),
        fit("the data as model", "--model data.csv --force").refused(["data.csv: the same file"]),
        fit("the start as model", "--solver gd --init weights.json --model weights.json --force")
            .refused(["weights.json: the same file"]),
        fit("a folder that cannot be written to", "--model /proc/m.json")
            .refused(["/proc/m.json: the folder /proc cannot be written to"]),
        fit("a full disk", "--trace /dev/full").refused(["/dev/full: No space left"]),
        case("predictions that exist", "predict model.json data.csv -o old.csv")
            .file("old.csv", "")
            .refused(["old.csv: the file exists"]),
        case("the data as predictions", "predict model.json data.csv -o data.csv --force")
            .refused(["data.csv: the same file"]),
        case("the model as predictions", "predict model.json data.csv -o model.json --force")
            .refused(["only CSV is written so far"]),
        case("predictions in another format", "predict model.json data.csv -o new.parquet")
            .refused(["only CSV is written so far"]),
        case("data that exists", format!("{simulate} -o data.csv")).refused(["data.csv: the file exists"]),
        case("a truth that exists", format!("{simulate} -o new.csv --truth weights.json"))
            .refused(["weights.json: the file exists"]),
        case("data in another format", format!("{simulate} -o new.npy")).refused(["only CSV is written so far"]),
        case("data without a file", simulate).refused(["-o"]),
        case("a file as folder", "paper fig1 --out data.csv").refused(["data.csv: it is a file; name a folder"]),
        case("a folder below a file", "paper fig1 --out data.csv/figures").refused(["data.csv/figures: "]),
        case("a folder for figures that cannot be made", "paper fig1 --out /proc/figures").refused(["/proc/figures: "]),
        case("a folder for figures that cannot be written to", "paper fig1 --out /proc")
            .refused(["/proc/index.html: the folder /proc cannot be written to"]),
        case("figures without a folder", "paper fig1").refused(["--out"]),
    ];
    Group { title: "Output files", cases }
}
