//! A *checkpoint* is a file from which an interrupted fit is continued: the options, the runs of the loop that have
//! ended, and the state of the run that was under way.
//!
//! States and outcomes are saved bit for bit, as base64. Another version of the program may take other steps, so it does
//! not continue the fit.

use std::path::Path;

use base64::prelude::{BASE64_STANDARD, Engine};
use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::error::{Error, Result};
use crate::fit::Outcome;
use crate::math::rng::{Random, Stream};
use crate::oracle::{Batch, Memory, Oracle, Query, Want};
use crate::race::referee::{Decision, Judgement};
use crate::save::encoding::{decode, encode};
use crate::save::envelope::{CHECKPOINT, Envelope, Fields, digits};
use crate::spec::{KEYS, Spec};
use crate::text::{bounded, escape};

/// A longer value is not shown in a message.
const LONGEST_VALUE: usize = 60;

const ENVELOPE: Envelope = Envelope { format: CHECKPOINT, kind: "checkpoint file", version: 1, fields };

fn fields(version: u64) -> Option<Fields> {
    const FIELDS: [&str; 9] =
        ["format", "version", "agglio", "spec", "activation", "rows", "finished", "running", "checksum"];
    (version == 1).then_some(Fields { required: &FIELDS, optional: &[] })
}

/// The version of this program.
const PROGRAM: &str = env!("CARGO_PKG_VERSION");

/// The content of a checkpoint.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Checkpoint {
    /// The version of the program that wrote it.
    agglio: String,
    /// The options as they were given.
    spec: Spec,
    /// The name of the activation.
    activation: String,
    /// The fingerprint of the rows.
    rows: String,
    /// The runs that have ended, in order.
    pub(super) finished: Vec<Finished>,
    /// The run that was under way, if there was one.
    pub(super) running: Option<Running>,
}

/// A run of the loop that has ended.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Finished {
    #[serde(serialize_with = "write_packed", deserialize_with = "read_packed")]
    pub outcome: Outcome,
    /// Why a referee has ended it, if one has.
    pub decision: Option<Decision>,
    /// Rows visited so far, when it had ended.
    pub visited: u64,
}

/// A run of the loop that was under way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Running {
    /// What [`FitLoop::save`](crate::fit::FitLoop::save) returned.
    #[serde(serialize_with = "write_packed", deserialize_with = "read_packed")]
    pub state: Vec<u8>,
    /// The state of its referee, if it has one.
    #[serde(serialize_with = "write_packed", deserialize_with = "read_packed")]
    pub judgement: Judgement,
    /// Rows visited so far.
    pub visited: u64,
}

impl Checkpoint {
    /// The maximum size of a file in bytes. The largest states hold a number for each row, or a matrix of a million.
    pub const LARGEST: u64 = 1 << 30;

    /// A checkpoint before the first run of the loop.
    pub fn new(spec: &Spec, activation: &str, oracle: &dyn Oracle) -> Result<Checkpoint> {
        let (spec, rows) = (without_threads(spec), fingerprint(oracle)?);
        let (agglio, activation) = (PROGRAM.to_owned(), activation.to_owned());
        Ok(Checkpoint { agglio, spec, activation, rows, finished: Vec::new(), running: None })
    }

    /// Refuses a checkpoint of a fit with other options. The number of threads may differ.
    ///
    /// # Errors
    /// The first option that differs, with both values.
    pub fn require_spec(&self, spec: &Spec, activation: &str) -> Result<()> {
        let differ = |key: &str, then: &str, now: &str| {
            let values = match then.len().max(now.len()) > LONGEST_VALUE {
                true => "has another value now".to_owned(),
                false => format!("was `{then}` and is now `{now}`"),
            };
            Err(Error::data(format!("it is a checkpoint of a fit with other options: `{key}` {values}")))
        };
        if self.activation != activation {
            return differ("activation", &self.activation, activation);
        }
        for key in KEYS.iter().filter(|key| !["threads", "stream", "activation"].contains(&key.name)) {
            // an option that is not given has its default
            let value = |spec: &Spec| spec.get(key.name).map(|value| value.unwrap_or_else(|| key.default.to_owned()));
            let (then, now) = (value(&self.spec)?, value(spec)?);
            if then != now {
                return differ(key.name, &then, &now);
            }
        }
        Ok(())
    }

    /// Refuses a checkpoint of other rows.
    ///
    /// # Errors
    /// If the fingerprints differ, and those of the oracle.
    pub fn require_rows(&self, oracle: &dyn Oracle) -> Result<()> {
        match self.rows == fingerprint(oracle)? {
            true => Ok(()),
            false => Err(Error::data(
                "it is a checkpoint of a fit to another table (the rows, their order or the columns differ), or on a \
                 processor that rounds differently",
            )),
        }
    }

    /// The text of the file.
    ///
    /// # Errors
    /// If a state cannot be written.
    pub fn text(&self) -> Result<String> {
        ENVELOPE.seal(self).map_err(|why| Error::data(format!("the state of the fit cannot be saved: {why}")))
    }

    /// Parses the text of a file. Errors name `path`.
    ///
    /// # Errors
    /// If the text is not a checkpoint, if it was changed after it was written, or if another version of the program
    /// wrote it.
    pub fn parse(text: &str, path: &Path) -> Result<Checkpoint> {
        let open = |text| ENVELOPE.open(text).and_then(Checkpoint::of_this_program);
        open(text).map_err(|why| Error::file(path, escape::ends(&why)))
    }

    /// Reads a file.
    ///
    /// # Errors
    /// If it cannot be read or is larger than [`Checkpoint::LARGEST`], and as [`Checkpoint::parse`].
    pub fn load(path: &Path) -> Result<Checkpoint> {
        Checkpoint::parse(&bounded::read_up_to(Checkpoint::LARGEST, path, ENVELOPE.kind)?, path)
    }

    fn of_this_program(self) -> std::result::Result<Checkpoint, String> {
        match &*self.agglio {
            PROGRAM => Ok(self),
            other => Err(format!(
                "written by agglio {other}, and this is {PROGRAM}, whose steps may differ; continue with agglio {other}, \
                 or fit again"
            )),
        }
    }
}

/// The options that a fit depends on.
fn without_threads(spec: &Spec) -> Spec {
    spec.filtered(|key| key.name != "threads")
}

/// A checksum of the facts and of two numbers for each row, in the order of the rows: the residual at τ = 0 and a point with no
/// zeros, which depends on every covariate, and that at τ = 1 and zero, which depends on the label even where it is clipped.
fn fingerprint(oracle: &dyn Oracle) -> Result<String> {
    let mut random = Random::new(0, Stream::Start);
    let point: Vec<f64> = (0..oracle.dim()).map(|_| random.normal()).collect();
    let ask = |theta: &[f64], tau: f64| {
        let query = Query::at(theta, tau, Batch::All, Want::Gradient).remembering(Memory::Renew);
        oracle.ask(&query)?.gradient()
    };
    let answers = [ask(&point, 0.0)?, ask(&vec![0.0; oracle.dim()], 1.0)?];
    let numbers = answers.map(|answer| (answer.gradient, answer.remembered));
    Ok(digits(&encode(&(oracle.facts().digest()?, numbers))?))
}

/// Writes the bytes of a value as base64.
fn write_packed<T: Serialize, S: Serializer>(value: &T, serializer: S) -> std::result::Result<S::Ok, S::Error> {
    let bytes = encode(value).map_err(serde::ser::Error::custom)?;
    serializer.serialize_str(&BASE64_STANDARD.encode(bytes))
}

/// Reads a value from base64.
fn read_packed<'de, T: DeserializeOwned, D: Deserializer<'de>>(deserializer: D) -> std::result::Result<T, D::Error> {
    let text = String::deserialize(deserializer)?;
    decode(&BASE64_STANDARD.decode(text).map_err(D::Error::custom)?).map_err(D::Error::custom)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use std::sync::LazyLock;

    use proptest::prelude::*;

    use super::*;
    use crate::activation::named;
    use crate::model::Model;
    use crate::oracle::{Driver, Hessian, Problem, Shard};
    use crate::outcome::StopReason;
    use crate::rows::{Dense, Rows};

    const NAME: &str = "c.agglio";

    fn oracle(first: f64) -> Driver {
        let labels = vec![0.1, 0.4, 0.3, 0.6, 0.9, 0.8];
        let shard = Shard::new(Dense::new(vec![first, 2.0, 3.0, 4.0, 5.0, 6.0], 1, labels).unwrap().share());
        Driver::new(Box::new(shard), &Problem::new(named("sigmoid").unwrap())).unwrap()
    }

    /// A checkpoint with everything that one can have, and numbers that JSON does not have.
    fn checkpoint() -> Checkpoint {
        let oracle = oracle(1.0);
        let theta = vec![0.1, -1.0 / 3.0];
        let query = Query::at(&theta, 1.0, Batch::All, Want::Curvature(Hessian::Full));
        let model = oracle.ask(&query).unwrap().model().unwrap();
        let (tau, steps, matching_gradient) = (1.0, 7, Some(1e-12));
        let reason = StopReason::Gradient;
        let outcome = Outcome { theta, tau, reason, steps, first_loss: 0.7, model, multiplier: 0.0, matching_gradient };
        let spec = Spec { l2: Some(0.1), threads: Some(3), ..Spec::default() };
        let mut checkpoint = Checkpoint::new(&spec, "größe", &oracle).unwrap();
        let strange = Outcome { first_loss: f64::NAN, multiplier: f64::NEG_INFINITY, tau: -0.0, ..outcome.clone() };
        checkpoint.finished.push(Finished { outcome, decision: None, visited: 12 });
        checkpoint.finished.push(Finished { outcome: strange, decision: Some(Decision::Behind), visited: u64::MAX });
        let judgement = Judgement::default();
        checkpoint.running = Some(Running { state: (0..=255).collect(), judgement, visited: 34 });
        checkpoint
    }

    static TEXT: LazyLock<String> = LazyLock::new(|| checkpoint().text().unwrap());

    fn parse(text: &str) -> Result<Checkpoint> {
        Checkpoint::parse(text, Path::new(NAME))
    }

    fn refusal(text: &str) -> String {
        let why = parse(text).unwrap_err().to_string();
        why.strip_prefix(&format!("{NAME}: ")).unwrap().to_owned()
    }

    /// The text with another checksum, that of its lines.
    fn sealed(text: &str) -> String {
        let (covered, _) = text.split_at(text.rfind("crc64:").unwrap() + "crc64:".len());
        format!("{covered}{}\"\n}}\n", digits(covered.as_bytes()))
    }

    #[test]
    fn every_bit_is_read_back() {
        let (written, found) = (checkpoint(), parse(&TEXT).unwrap());
        assert_eq!(found.text().unwrap(), *TEXT);
        assert_eq!((&found.spec, &found.activation), (&written.spec, &written.activation));
        assert_eq!(found.running, written.running);
        for (found, written) in found.finished.iter().zip(&written.finished) {
            assert_eq!((found.decision, found.visited), (written.decision, written.visited));
            assert_eq!(encode(&found.outcome).unwrap(), encode(&written.outcome).unwrap());
        }
        let [_, strange] = &found.finished[..] else { panic!("{} runs", found.finished.len()) };
        assert!(strange.outcome.first_loss.is_nan() && strange.outcome.tau.is_sign_negative());
    }

    #[test]
    fn a_fingerprint_tells_other_rows() {
        let found = parse(&TEXT).unwrap();
        found.require_rows(&oracle(1.0)).unwrap();
        assert!(found.require_rows(&oracle(1.0 + 1e-9)).is_err());
        // clipped at τ = 0, and with the same sums
        let swapped = |labels: [f64; 2]| {
            let labels = vec![labels[0], labels[1], 0.3, 0.6, 0.9, 0.8];
            let rows = Dense::new(vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 1, labels).unwrap().share();
            let driver = Driver::new(Box::new(Shard::new(rows)), &Problem::new(named("sigmoid").unwrap())).unwrap();
            fingerprint(&driver).unwrap()
        };
        assert_ne!(swapped([-1.0, -2.0]), swapped([-2.0, -1.0]));
    }

    #[test]
    fn other_options_are_named() {
        let (found, spec) = (parse(&TEXT).unwrap(), Spec { l2: Some(0.1), ..Spec::default() });
        found.require_spec(&Spec { threads: Some(8), ..spec.clone() }, "größe").unwrap();
        let why = |spec: &Spec, activation| found.require_spec(spec, activation).unwrap_err().to_string();
        assert!(why(&Spec { l2: Some(0.2), ..spec.clone() }, "größe").contains("`l2` was `0.1` and is now `0.2`"));
        assert!(why(&Spec::default(), "größe").contains("`l2` was `0.1` and is now `0`"));
        assert!(why(&spec, "tanh").contains("`activation` was `größe` and is now `tanh`"));
        found.require_spec(&Spec { seed: Some(0), ..spec.clone() }, "größe").unwrap();
    }

    #[test]
    fn other_files_are_refused_by_what_they_are() {
        let model = include_str!("../../tests/it/fixtures/model-v2.json");
        assert_eq!(refusal(model), "not a checkpoint file: it is an agglio model");
        let why = Model::from_json(&TEXT, Path::new("m.json")).unwrap_err().to_string();
        assert_eq!(why, "m.json: not a model file: it is an agglio checkpoint");
        for text in ["", "{", "[]", "{}", "a,b\n1,2\n", "{\"format\": \"agglio checkpoint\"}"] {
            assert!(refusal(text).starts_with("not a checkpoint file: "), "{text}");
        }
    }

    #[test]
    fn changes_with_a_new_checksum_are_refused_by_what_they_say() {
        let state = BASE64_STANDARD.encode(encode(&(0..=255).collect::<Vec<u8>>()).unwrap());
        let program = format!("\"agglio\": \"{PROGRAM}\"");
        let cases = [
            ("\"version\": 1", "\"version\": 2", "written by a newer agglio (format version 2); upgrade agglio"),
            ("\"version\": 1", "\"version\": 0", "not a checkpoint file: unknown format version"),
            (&program, "\"agglio\": \"0.0.7\"", "written by agglio 0.0.7, and this is"),
            ("\"visited\": 34", "\"visited\": -1", "not a checkpoint file: invalid value"),
            ("\"visited\": 34", "\"visited\": 34,\n    \"more\": 1", "unknown field `more`"),
            ("\"running\":", "\"runing\":", "unknown field `runing` (did you mean `running`?)"),
            (&state, &state[..8], "not a checkpoint file: saved bytes do not have the expected form"),
            (&state, "never base64!", "not a checkpoint file: Invalid"),
        ];
        for (from, to, what) in cases {
            assert!(TEXT.contains(from), "{from}");
            let why = refusal(&sealed(&TEXT.replacen(from, to, 1)));
            assert!(why.contains(what), "{what}: {why}");
        }
        assert_eq!(sealed(&TEXT), *TEXT);
    }

    #[test]
    fn a_file_is_read_and_damage_in_it_is_told() {
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join(NAME);
        std::fs::write(&path, &*TEXT).unwrap();
        assert_eq!(Checkpoint::load(&path).unwrap().text().unwrap(), *TEXT);
        std::fs::write(&path, TEXT.replace("\"visited\": 34", "\"visited\": 35")).unwrap();
        let why = Checkpoint::load(&path).unwrap_err().to_string();
        assert!(why.contains("checksum mismatch: the file was changed or is incomplete"), "{why}");
        std::fs::File::create(&path).unwrap().set_len(Checkpoint::LARGEST + 1).unwrap();
        let why = Checkpoint::load(&path).unwrap_err().to_string();
        assert!(why.ends_with("larger than 1024 MiB: not a checkpoint file"), "{why}");
    }

    #[test]
    fn every_truncation_is_refused() {
        for length in (0..TEXT.len()).filter(|&length| TEXT.is_char_boundary(length)) {
            assert!(parse(&TEXT[..length]).is_err(), "{length} bytes");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(5000))]

        #[test]
        fn every_changed_byte_is_refused(at in any::<prop::sample::Index>(), change in 1_u8..) {
            let mut bytes = TEXT.clone().into_bytes();
            *at.get_mut(&mut bytes) ^= change;
            // what is not UTF-8 is refused by the reader
            if let Ok(text) = String::from_utf8(bytes) {
                prop_assert!(parse(&text).is_err());
            }
        }

        #[test]
        fn changed_bytes_with_a_new_checksum_never_panic(at in any::<prop::sample::Index>(), change in 1_u8..) {
            let mut bytes = TEXT.clone().into_bytes();
            *at.get_mut(&mut bytes) ^= change;
            if let Some(text) = String::from_utf8(bytes).ok().filter(|text| text.contains("crc64:")) {
                let _ = parse(&sealed(&text));
            }
        }
    }
}
