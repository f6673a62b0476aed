//! *Names* of activations, as users type them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use super::{
    Activation, Affine, Arctan, Cloglog, Exp, Expm1, Gelu, Gompertz, Identity, LeakySoftplus, Probit, Sigmoid, Silu,
    Softplus, Tanh,
};
use crate::error::{Error, ErrorKind, Result};
use crate::text::suggest::nearest;

/// The names that [`named`] accepts. `leaky-softplus` may be followed by its parameter, as in `leaky-softplus:0.3`.
pub const NAMES: &[&str] = &[
    "sigmoid",
    "softplus",
    "leaky-softplus",
    "silu",
    "gelu",
    "tanh",
    "probit",
    "exp",
    "identity",
    "arctan",
    "cloglog",
    "gompertz",
    "expm1",
];

/// Other names that [`named`] accepts, each with its name in [`NAMES`]: `logistic` is the distribution function, `logit` the
/// link of a generalised linear model whose inverse is the sigmoid, and `swish` the first name of SiLU.
pub const ALIASES: &[(&str, &str)] = &[("logistic", "sigmoid"), ("logit", "sigmoid"), ("swish", "silu")];

/// Activations with φ(τz) = τφ(z). Users ask for them, but graduation does not change them.
const HOMOGENEOUS: &[&str] = &["relu", "leaky-relu", "leaky_relu", "lrelu"];

/// The k of `leaky-softplus` if none is given, as in the experiments of the paper.
const DEFAULT_K: f64 = 0.2;

/// The activations that [`named`] has returned and that are still in use, by full name. Plans can share an oracle only
/// if they share their activation, so two calls with one name must return the same object.
static SHARED: Mutex<BTreeMap<String, Weak<dyn Activation>>> = Mutex::new(BTreeMap::new());

/// `name[:parameter]` → φ
///
/// Returns the activation of that name, and the same `Arc` as long as one is in use. [`ALIASES`] are accepted too.
/// Default: k = 0.2 for `leaky-softplus`, which also accepts `leaky-softplus:0.3` and `leaky-softplus:k=0.3`.
///
/// # Errors
///
/// [`ErrorKind::UnknownActivation`], with the most similar name; [`ErrorKind::Homogeneous`] for ReLU and leaky ReLU;
/// [`ErrorKind::Parameter`] for a parameter outside [0, 1], or for an activation without a parameter.
///
/// # Examples
///
/// ```
/// let phi = agglio::activation::named("leaky-softplus:0.3")?;
/// assert_eq!(phi.name(), "leaky-softplus:0.3");
/// assert_eq!(agglio::activation::named("logistic")?.name(), "sigmoid");
/// assert!(agglio::activation::named("sigmod").unwrap_err().to_string().contains("did you mean `sigmoid`"));
/// # Ok::<(), agglio::error::Error>(())
/// ```
pub fn named(name: &str) -> Result<Arc<dyn Activation>> {
    made(name).map(shared)
}

/// The name in [`NAMES`] for one of [`ALIASES`]; every other name as it is.
pub fn canonical(name: &str) -> &str {
    ALIASES.iter().find(|(alias, _)| *alias == name).map_or(name, |(_, name)| name)
}

/// The activation of this name that is already in use, or else `phi`. A full name shows every parameter, so two
/// activations with the same full name are equal.
fn shared(phi: Arc<dyn Activation>) -> Arc<dyn Activation> {
    // entries are inserted whole, so the map is consistent even after a thread has panicked
    let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = shared.get(&phi.name()).and_then(Weak::upgrade) {
        return known;
    }
    // otherwise a process that tries many parameters would keep an entry for each
    shared.retain(|_, known| known.strong_count() > 0);
    shared.insert(phi.name(), Arc::downgrade(&phi));
    phi
}

fn made(name: &str) -> Result<Arc<dyn Activation>> {
    if let Some((offset, scale, inner)) = affine_parts(name) {
        return Ok(Arc::new(Affine::new(made(inner)?, offset, scale)));
    }
    let (stem, parameter) = match name.split_once(':') {
        Some((stem, parameter)) => (stem, Some(parameter)),
        None => (name, None),
    };
    let phi: Arc<dyn Activation> = match canonical(stem) {
        "leaky-softplus" => return Ok(Arc::new(leaky_softplus(parameter)?)),
        "sigmoid" => Arc::new(Sigmoid),
        "softplus" => Arc::new(Softplus),
        "silu" => Arc::new(Silu),
        "gelu" => Arc::new(Gelu),
        "tanh" => Arc::new(Tanh),
        "arctan" => Arc::new(Arctan),
        "probit" => Arc::new(Probit),
        "cloglog" => Arc::new(Cloglog),
        "gompertz" => Arc::new(Gompertz),
        "exp" => Arc::new(Exp),
        "expm1" => Arc::new(Expm1),
        "identity" => Arc::new(Identity),
        _ => return Err(unknown(name, stem)),
    };
    match parameter {
        Some(value) => Err(Error::parameter(&format!("the parameter of {stem}"), quoted(value), "it takes none")),
        None => Ok(phi),
    }
}

/// Offset, scale and activation of a name like `0+100*sigmoid`; none if it is no such name.
pub(super) fn affine_parts(name: &str) -> Option<(f64, f64, &str)> {
    let (factors, inner) = name.split_once('*')?;
    let (offset, scale) = factors.rsplit_once('+')?;
    let number = |text: &str| text.parse::<f64>().ok().filter(|number| number.is_finite());
    Some((number(offset)?, number(scale).filter(|scale| *scale != 0.0)?, inner))
}

fn leaky_softplus(parameter: Option<&str>) -> Result<LeakySoftplus> {
    let Some(typed) = parameter else { return LeakySoftplus::new(DEFAULT_K) };
    let value = match typed.split_once('=') {
        Some((key, value)) if key.trim().eq_ignore_ascii_case("k") => value,
        _ => typed,
    };
    let allowed = "it must be a number between 0 and 1, as in `leaky-softplus:0.2`";
    let k: f64 = value.trim().parse().map_err(|_| Error::parameter("k of leaky-softplus", quoted(typed), allowed))?;
    LeakySoftplus::new(k)
}

fn unknown(name: &str, stem: &str) -> Error {
    let name = name.to_owned();
    if HOMOGENEOUS.iter().any(|known| known.eq_ignore_ascii_case(stem)) {
        return ErrorKind::Homogeneous { name, instead: "`softplus` or `leaky-softplus`, which are smooth" }.into();
    }
    ErrorKind::UnknownActivation { name, nearest: nearest(stem, NAMES).map(str::to_owned), known: NAMES.join(", ") }
        .into()
}

/// The value in quotes, so that an empty one can be seen.
fn quoted(value: &str) -> String {
    format!("`{value}`")
}
