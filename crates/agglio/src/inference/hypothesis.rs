//! A *linear hypothesis* says that a weighted sum of coefficients has a certain value.

use crate::error::{Error, Result};
use crate::inference::nested::Test;
use crate::inference::{Distribution, Inference};
use crate::math::linalg::{Symmetric, dot};
use crate::text::suggest::nearest;

/// `Σ weights_j·β_j = value`
#[derive(Clone, Debug, PartialEq)]
pub struct LinearHypothesis {
    /// One weight for each coefficient, and one for the intercept if there is one.
    pub weights: Vec<f64>,
    /// The value.
    pub value: f64,
}

impl LinearHypothesis {
    /// Reads hypotheses such as `x1 = x2`, `x1 = 0.5` or `2*x1 - x2 = 0, x3 = 1`.
    ///
    /// A name with spaces or signs may stand in backticks, as in `` `net income` ``. `names` are those of the coefficients in
    /// order, followed by that of the intercept if there is one, for example `(intercept)`.
    ///
    /// # Errors
    /// If the text cannot be read, with the place.
    ///
    /// ```
    /// use agglio::inference::LinearHypothesis;
    ///
    /// let names = ["x1", "x2", "(intercept)"].map(String::from);
    /// let read = LinearHypothesis::parse("x1 = 2*x2 + 0.5", &names)?;
    /// assert_eq!(read, [LinearHypothesis { weights: vec![1.0, -2.0, 0.0], value: 0.5 }]);
    /// # Ok::<(), agglio::Error>(())
    /// ```
    pub fn parse(text: &str, names: &[String]) -> Result<Vec<LinearHypothesis>> {
        let mut reader = Reader { text, rest: text, names };
        let mut read = Vec::new();
        loop {
            read.push(reader.equation()?);
            if reader.at_end() {
                return Ok(read);
            }
            if !reader.take(',') {
                return Err(reader.fault("a comma between hypotheses is expected"));
            }
        }
    }
}

/// A hypothesis as it is read from the left.
struct Reader<'t> {
    text: &'t str,
    rest: &'t str,
    names: &'t [String],
}

impl Reader<'_> {
    fn equation(&mut self) -> Result<LinearHypothesis> {
        let left = self.sum()?;
        if !self.take('=') {
            return Err(self.fault("`=` is expected"));
        }
        let right = self.sum()?;
        let weights: Vec<f64> = left.weights.iter().zip(&right.weights).map(|(left, right)| left - right).collect();
        if weights.iter().all(|weight| *weight == 0.0) {
            return Err(self.fault("no coefficient is left in the hypothesis before this place"));
        }
        // a sum holds its constants in `value`
        Ok(LinearHypothesis { weights, value: right.value - left.value })
    }

    fn sum(&mut self) -> Result<LinearHypothesis> {
        let mut sum = LinearHypothesis { weights: vec![0.0; self.names.len()], value: 0.0 };
        let mut sign = if self.take('-') { -1.0 } else { 1.0 };
        loop {
            self.term(sign, &mut sum)?;
            sign = match (self.take('+'), self.take('-')) {
                (true, false) => 1.0,
                (false, true) => -1.0,
                (true, true) => -1.0,
                (false, false) => return Ok(sum),
            };
        }
    }

    /// A number, a name, or their product in either order.
    fn term(&mut self, sign: f64, sum: &mut LinearHypothesis) -> Result<()> {
        let first = self.factor()?;
        let second = if self.take('*') { Some(self.factor()?) } else { None };
        let (weight, name) = match (first, second) {
            (Factor::Number(number), None) => {
                sum.value += sign * number;
                return Ok(());
            }
            (Factor::Name(name), None) => (1.0, name),
            (Factor::Number(number), Some(Factor::Name(name))) | (Factor::Name(name), Some(Factor::Number(number))) => {
                (number, name)
            }
            _ => return Err(self.fault("a product must be of a number and a coefficient")),
        };
        sum.weights[name] += sign * weight;
        Ok(())
    }

    fn factor(&mut self) -> Result<Factor> {
        self.rest = self.rest.trim_start();
        if let Some((quoted, rest)) = self.rest.strip_prefix('`').and_then(|rest| rest.split_once('`')) {
            let name = self.names.iter().position(|name| name == quoted).ok_or_else(|| self.unknown(quoted))?;
            self.rest = rest;
            return Ok(Factor::Name(name));
        }
        // the longest name, since names may contain signs and each other
        let fits = |name: &str| {
            let rest = self.rest.strip_prefix(name).filter(|_| !name.is_empty());
            rest.is_some_and(|rest| !name.ends_with(is_of_word) || !rest.starts_with(is_of_word))
        };
        let known = self.names.iter().enumerate().filter(|(_, name)| fits(name));
        if let Some((name, text)) = known.max_by_key(|(_, name)| name.len()) {
            self.rest = &self.rest[text.len()..];
            return Ok(Factor::Name(name));
        }
        let word = self.rest.split(|c: char| !is_of_word(c)).next().unwrap_or_default();
        let number = number(self.rest);
        match number.parse::<f64>() {
            Ok(value) if value.is_finite() => {
                self.rest = &self.rest[number.len()..];
                Ok(Factor::Number(value))
            }
            _ if word.is_empty() => Err(self.fault("a coefficient or a number is expected")),
            _ => Err(self.unknown(word)),
        }
    }

    /// Takes this sign, if it is next.
    fn take(&mut self, sign: char) -> bool {
        self.rest = self.rest.trim_start();
        self.rest.strip_prefix(sign).map(|rest| self.rest = rest).is_some()
    }

    fn at_end(&mut self) -> bool {
        self.rest = self.rest.trim_start();
        self.rest.is_empty()
    }

    fn fault(&self, what: &str) -> Error {
        let at = self.text.len() - self.rest.len();
        let read = self.text.get(..at).unwrap_or_default().trim_end();
        let place = if read.is_empty() { "at the beginning".to_owned() } else { format!("after `{read}`") };
        Error::parameter("the hypothesis", format!("`{}`", self.text), &format!("{place}, {what}"))
    }

    fn unknown(&self, word: &str) -> Error {
        let like = nearest(word, self.names);
        let like = like.map_or(String::new(), |like| format!(" (did you mean `{like}`?)"));
        self.fault(&format!("no coefficient is called `{word}`{like}"))
    }
}

enum Factor {
    Number(f64),
    Name(usize),
}

fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '.'
}

/// The beginning of the text that can be a number: digits, a point, and an exponent with its sign.
fn number(text: &str) -> &str {
    let mut before = ' ';
    let end = text.find(|c: char| {
        let part = c.is_ascii_digit() || c == '.' || "eE".contains(c) || ("+-".contains(c) && "eE".contains(before));
        before = c;
        !part
    });
    &text[..end.unwrap_or(text.len())]
}

impl Inference<'_> {
    /// `F = (Rβ − q)ᵀ·(R·V·Rᵀ)⁻¹·(Rβ − q)/m`
    ///
    /// Wald's test that m linear hypotheses Rβ = q all hold. F has m and [`Inference::degrees_of_freedom`] degrees of
    /// freedom.
    ///
    /// # Errors
    /// If a hypothesis has another number of weights than there are coefficients, or if the hypotheses contradict or
    /// repeat each other or concern only coefficients of constant columns.
    ///
    /// ```
    /// use agglio::{Options, activation::named, inference::{Covariance, LinearHypothesis}, rows::Dense};
    ///
    /// let x = vec![0.0, 1.0, 1.0, 0.5, 2.0, 0.2, 3.0, 1.5, 4.0, 1.0, 5.0, 0.1];
    /// let rows = Dense::new(x, 2, vec![0.05, 0.11, 0.31, 0.49, 0.78, 0.9])?;
    /// let fitted = Options::new(named("sigmoid")?).build()?.fit(&rows)?;
    /// let names = ["dose", "age", "(intercept)"].map(String::from);
    /// let test = fitted.inference(Covariance::Classical)??.wald_test(&LinearHypothesis::parse("dose = age", &names)?)?;
    /// assert!(test.p_value > 0.0 && test.p_value < 1.0);
    /// # Ok::<(), agglio::Error>(())
    /// ```
    ///
    /// Reference: Wald (1943).
    pub fn wald_test(&self, hypotheses: &[LinearHypothesis]) -> Result<Test> {
        let count = self.values.len();
        if let Some(wrong) = hypotheses.iter().find(|hypothesis| hypothesis.weights.len() != count) {
            let weights = wrong.weights.len();
            return Err(Error::data(format!("a hypothesis has {weights} weights for {count} coefficients")));
        }
        // the covariance of few clusters has as small a rank
        if let Some(clusters) = self.clusters.filter(|clusters| hypotheses.len() >= *clusters) {
            let most = match clusters {
                2 => "one equation".to_owned(),
                _ => format!("{} equations", clusters - 1),
            };
            let equations = hypotheses.len();
            return Err(Error::data(format!(
                "{clusters} clusters allow a test of {most} at most, and this one has {equations}"
            )));
        }
        let rows: Vec<Vec<f64>> =
            hypotheses.iter().map(|hypothesis| self.units.pull_back(&hypothesis.weights)).collect();
        let images: Vec<Vec<f64>> = rows.iter().map(|row| self.covariance.times(row)).collect();
        let mut variance = Symmetric::zero(rows.len());
        for (i, row) in rows.iter().enumerate() {
            images.iter().take(i + 1).enumerate().for_each(|(j, image)| variance.set(i, j, dot(row, image)));
        }
        let distances: Vec<f64> =
            hypotheses.iter().map(|hypothesis| dot(&hypothesis.weights, &self.values) - hypothesis.value).collect();
        let factor = variance.factor(&vec![0.0; rows.len()]).filter(|_| !rows.is_empty());
        let factor = factor.ok_or_else(|| {
            Error::data("the hypotheses repeat or contradict each other, or concern only columns that are constant")
        })?;
        let numerator = rows.len() as f64;
        let statistic = dot(&factor.solve(&distances), &distances) / numerator;
        Ok(Test::new(statistic, Distribution::F { numerator, denominator: self.degrees_of_freedom() }))
    }
}
