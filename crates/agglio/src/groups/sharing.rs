//! *Sharing* says which parameters all groups have in common.

use crate::error::{Error, ErrorKind, Result};
use crate::outcome::Noise;
use crate::plan::Plan;
use crate::solver::Solver;
use crate::text::join::quoted;
use crate::text::suggest::nearest;

/// Other names of parameters.
const SLOPE: &str = "slope";
const INTERCEPT: &str = "intercept";

/// Which parameters all groups share, in the order of [`Plan::parameter_names`]. The others are each group's own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sharing {
    shares: Vec<bool>,
}

impl Sharing {
    /// Whether each parameter is shared.
    pub fn shares(&self) -> &[bool] {
        &self.shares
    }

    /// Number of parameters that a group has for itself.
    pub fn own(&self) -> usize {
        self.shares.iter().filter(|shared| !**shared).count()
    }

    /// Number of parameters of this number of groups.
    pub fn parameters(&self, groups: usize) -> usize {
        self.shares.len() - self.own() + groups * self.own()
    }
}

impl Plan {
    /// The parameters of these names, which are those of [`Plan::parameter_names`], `slope` for the coefficient of the only
    /// covariate, and `intercept`.
    ///
    /// # Errors
    /// If a name is unknown, with the names that can be shared, or as [`Plan::require_sharing`].
    ///
    /// ```
    /// use agglio::{Options, activation::named, spec::{Entry, Pair}};
    ///
    /// let plan = Options::new(named("sigmoid")?).range(Pair(Entry::Fixed(0.0), Entry::Free)).build()?;
    /// let sharing = plan.sharing(&["log(dose)".into()], &["slope".into(), "upper".into()])?;
    /// assert_eq!(sharing.shares(), [true, false, true]);
    /// assert!(plan.sharing(&["log(dose)".into()], &["lower".into()]).is_err());
    /// # Ok::<(), agglio::Error>(())
    /// ```
    pub fn sharing(&self, covariates: &[String], names: &[String]) -> Result<Sharing> {
        self.require_sharing(names)?;
        let parameters = self.parameter_names(covariates);
        let mut shares = vec![false; parameters.len()];
        for name in names {
            let place = parameters.iter().position(|own| own == name).or_else(|| match name.as_str() {
                SLOPE if covariates.len() == 1 => Some(0),
                INTERCEPT => self.has_intercept().then_some(covariates.len()),
                _ => None,
            });
            match place.and_then(|place| shares.get_mut(place)) {
                Some(shared) => *shared = true,
                None => return Err(unknown(name, &parameters, covariates.len() == 1)),
            }
        }
        Ok(Sharing { shares })
    }

    /// Checks what can be checked before the covariates are known.
    ///
    /// # Errors
    /// If a name is that of a parameter that the plan does not leave free, if there is no name, or if the plan has an option
    /// that a joint fit of groups does not take.
    pub fn require_sharing(&self, names: &[String]) -> Result<()> {
        let (spec, settings) = (self.spec(), &self.rules().settings);
        let other = "a parameter that groups share";
        let refused = [
            (
                spec.solver() != Solver::Auto,
                "a solver of its own",
                "the joint fit has its own steps: use solver `auto`",
            ),
            (
                !matches!(spec.noise, None | Some(Noise::Post)) || settings.tau_max < 1.0,
                "noise `pre` or `auto`, or a last temperature below 1",
                "the joint fit is least squares on the response: use noise `post`",
            ),
            (spec.l2.is_some_and(|l2| l2 > 0.0), "`l2`", "a penalty biases what is shared"),
            (settings.radius.is_some(), "`radius`", "a bound biases what is shared"),
        ];
        if let Some((_, one, reason)) = refused.into_iter().find(|(applies, ..)| *applies) {
            return Err(ErrorKind::Incompatible { one: other.into(), other: one.into(), reason: reason.into() }.into());
        }
        if names.is_empty() {
            return Err(Error::parameter("share", "empty", "it must name a parameter"));
        }
        let free = spec.free_response();
        let response = |name: &&String| ["lower", "upper", "offset", "scale"].contains(&name.as_str());
        match names.iter().filter(response).find(|name| !free.contains(&name.as_str())) {
            None => Ok(()),
            Some(fixed) => {
                let key = if ["lower", "upper"].contains(&fixed.as_str()) { "range" } else { "affine" };
                let allowed =
                    format!("`{fixed}` is not fitted, so there is nothing to share: leave it free with `{key}`");
                Err(Error::parameter("share", format!("`{fixed}`"), &allowed))
            }
        }
    }
}

fn unknown(name: &str, parameters: &[String], has_slope: bool) -> Error {
    let slope = has_slope.then_some(SLOPE);
    let known: Vec<&str> = parameters.iter().map(String::as_str).chain(slope).collect();
    let near = nearest(name, &known).map_or(String::new(), |near| format!("did you mean `{near}`? "));
    let known = quoted(known, "and");
    Error::parameter("share", format!("`{name}`"), &format!("{near}the parameters that can be shared are {known}"))
}
