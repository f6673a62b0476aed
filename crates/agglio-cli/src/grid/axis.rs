//! An *axis* of a grid: a key with the values that it is to take.

use agglio::math::rng::Random;
use agglio::text::suggest::nearest;
use agglio_paper::grid::{linspace, logspace, ratio};
use anyhow::{Result, anyhow, bail};

/// More values than this are probably a typing error.
pub const MOST: usize = 10_000;

/// Functions that can be used in place of values, with their arguments.
const CALLS: [(&str, &str); 4] = [
    ("linspace", "linspace(FROM,TO,COUNT)"),
    ("logspace", "logspace(FROM,TO,COUNT)"),
    ("uniform", "uniform(FROM,TO)"),
    ("loguniform", "loguniform(FROM,TO)"),
];

/// A key and its values.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    pub key: String,
    pub values: Values,
}

/// The values of a key, as they are typed after the solver's name.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    List(Vec<String>),
    /// Any number between two, each as likely as the other, or its logarithm.
    Range {
        from: f64,
        to: f64,
        by_ratio: bool,
    },
}

impl Axis {
    /// `eta=1,linspace(2,5,4)`
    ///
    /// # Errors
    /// If there is no key or no value, or a call is not one.
    pub fn parse(typed: &str) -> Result<Axis> {
        let (key, values) = typed.split_once('=').unwrap_or((typed, ""));
        let (key, values) = (key.trim(), values.trim());
        if key.is_empty() || values.is_empty() {
            bail!("`{typed}` is not a key with its values; write `{}=V1,V2`", if key.is_empty() { "KEY" } else { key });
        }
        let values = parse(values).map_err(|why| anyhow!("`{typed}`: {why}"))?;
        Ok(Axis { key: key.to_owned(), values })
    }

    /// All values; none if there is a range of them.
    pub fn list(&self) -> Option<&[String]> {
        match &self.values {
            Values::List(list) => Some(list),
            Values::Range { .. } => None,
        }
    }
}

impl Values {
    /// A random value.
    pub fn draw(&self, random: &mut Random) -> String {
        let share = random.uniform();
        match self {
            Values::List(list) => list.get((share * list.len() as f64) as usize).cloned().unwrap_or_default(),
            &Values::Range { from, to, by_ratio: false } => rounded(from + share * (to - from)),
            &Values::Range { from, to, by_ratio: true } => rounded(ratio(from, to, share)),
        }
    }
}

fn parse(text: &str) -> Result<Values> {
    let mut list = Vec::new();
    let items = items(text);
    for item in &items {
        match called(item)? {
            None if item.is_empty() => bail!("a value is empty"),
            None => list.push((*item).to_owned()),
            Some(Values::List(more)) => list.extend(more),
            Some(range) if items.len() == 1 => return Ok(range),
            Some(_) => bail!("a range cannot be mixed with other values; leave one of them out"),
        }
    }
    Ok(Values::List(list))
}

/// The parts between commas that are not inside parentheses.
fn items(text: &str) -> Vec<&str> {
    let mut depth = 0_usize;
    let ends = |letter: char| {
        match letter {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        letter == ',' && depth == 0
    };
    text.split(ends).map(str::trim).collect()
}

/// The values that a call stands for; none if it is a value.
fn called(item: &str) -> Result<Option<Values>> {
    let Some((name, arguments)) = item.split_once('(') else { return Ok(None) };
    let names = CALLS.map(|(name, _)| name);
    let Some((name, form)) = CALLS.into_iter().find(|(known, _)| *known == name.trim()) else {
        let hint = nearest(name.trim(), &names).map(|near| format!("did you mean `{near}`? ")).unwrap_or_default();
        bail!("there is no `{name}(…)`; {hint}the functions are {}", names.join(", "));
    };
    let arguments =
        arguments.strip_suffix(')').ok_or_else(|| anyhow!("`{item}` has no closing parenthesis; write {form}"))?;
    let arguments: Vec<&str> = arguments.split(',').map(str::trim).collect();
    let by_ratio = name.starts_with("log");
    let values = match (name.ends_with("space"), arguments.as_slice()) {
        (true, &[from, to, count]) => {
            let (from, to) = ends(item, [from, to], by_ratio)?;
            Values::List(spaced(from, to, whole(item, count)?, by_ratio))
        }
        (false, &[from, to]) => {
            let (from, to) = ends(item, [from, to], by_ratio)?;
            if from >= to {
                bail!("`{item}`: the first number must be below the second");
            }
            if !(to - from).is_finite() {
                bail!("`{item}`: the numbers are too far apart");
            }
            Values::Range { from, to, by_ratio }
        }
        _ => bail!("`{item}` has {} arguments; write {form}", arguments.len()),
    };
    Ok(Some(values))
}

fn ends(item: &str, typed: [&str; 2], by_ratio: bool) -> Result<(f64, f64)> {
    let number = |typed: &str| match typed.parse::<f64>() {
        Ok(number) if !number.is_finite() => bail!("`{item}`: {number} is not finite"),
        Ok(number) if by_ratio && number <= 0.0 => bail!("`{item}`: {number} has no logarithm; ends must be above 0"),
        Ok(number) => Ok(number),
        Err(_) => bail!("`{item}`: `{typed}` is not a number"),
    };
    let [from, to] = typed;
    Ok((number(from)?, number(to)?))
}

fn whole(item: &str, typed: &str) -> Result<usize> {
    let count = typed.parse().ok().filter(|count| (1..=MOST).contains(count));
    count.ok_or_else(|| anyhow!("`{item}`: the count must be a whole number from 1 to {MOST}, not `{typed}`"))
}

/// `count` numbers, both ends among them, in equal steps or in equal ratios.
fn spaced(from: f64, to: f64, count: usize, by_ratio: bool) -> Vec<String> {
    match by_ratio {
        true => logspace(from, to, count).into_iter().map(rounded).collect(),
        false => linspace(from, to, count).into_iter().map(text).collect(),
    }
}

/// To 15 digits, which systems agree on whose powers differ in the last bit.
fn rounded(value: f64) -> String {
    text(format!("{value:.14e}").parse().unwrap_or(value))
}

/// The fewest digits that read back to the same number, and no dozens of zeros.
pub fn text(value: f64) -> String {
    let plain = value.to_string();
    if plain.len() <= 20 { plain } else { format!("{value:e}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(typed: &str) -> Vec<String> {
        match Axis::parse(typed).map(|axis| axis.values) {
            Ok(Values::List(list)) => list,
            other => panic!("{typed}: {other:?}"),
        }
    }

    #[test]
    fn lists_are_words_numbers_and_calls() {
        assert_eq!(list("scaling=none, standard"), ["none", "standard"]);
        assert_eq!(list(" eta = 1e-3,linspace(1, 2, 3),7"), ["1e-3", "1", "1.5", "2", "7"]);
        assert_eq!(list("tau0=logspace(1e-4,0.1,4)"), ["0.0001", "0.001", "0.01", "0.1"]);
        assert_eq!(list("eta=logspace(1e-300,1e300,3)"), ["1e-300", "1", "1e300"]);
        assert_eq!(list("batch=linspace(50,10,5)"), ["50", "40", "30", "20", "10"]);
        assert_eq!(list("eta=linspace(3,9,1)"), ["3"]);
        // as numpy prints it
        assert_eq!(list("eta=linspace(1,500,10)")[1..3], ["56.44444444444444", "111.88888888888889"]);
    }

    #[test]
    fn draws_are_within_their_range() {
        let mut random = Random::new(1, agglio::math::rng::Stream::Settings);
        for (typed, from, to) in [("eta=uniform(2,3)", 2.0, 3.0), ("eta=loguniform(1e-3,1e3)", 1e-3, 1e3)] {
            let values = Axis::parse(typed).map(|axis| axis.values).unwrap_or(Values::List(Vec::new()));
            let draws: Vec<f64> = (0..1000).filter_map(|_| values.draw(&mut random).parse().ok()).collect();
            assert!(draws.len() == 1000 && draws.iter().all(|draw| (from..=to).contains(draw)), "{typed}");
            let middle = draws.iter().filter(|&&draw| if typed.contains("log") { draw < 1.0 } else { draw < 2.5 });
            assert!((400..600).contains(&middle.count()), "{typed}");
        }
    }
}
