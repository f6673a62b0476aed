# What R's package broom would put into its columns, computed by the functions of R that it calls, for answer.rs: lm for augment,
# glm for the deviance of shares, nls for glance.
# Run: Rscript broom.R > broom.json
source_of <- function(x) paste0("[", paste(format(as.numeric(x), digits = 17), collapse = ", "), "]")
object <- function(...) {
  fields <- list(...)
  paste0("{", paste0("\"", names(fields), "\": ", unlist(fields), collapse = ", "), "}")
}

cars <- data.frame(y = mtcars$mpg, wt = mtcars$wt, hp = mtcars$hp / 100, w = mtcars$carb)
line <- lm(y ~ wt + hp, cars, weights = w)
augment <- object(
  .fitted = source_of(fitted(line)), .resid = source_of(residuals(line)),
  .se.fit = source_of(predict(line, se.fit = TRUE)$se.fit), .hat = source_of(hatvalues(line)),
  .std.resid = source_of(rstandard(line)), .cooksd = source_of(cooks.distance(line)))

share <- suppressWarnings(glm(y / 40 ~ wt + hp, quasibinomial, cars, weights = w, epsilon = 1e-15, maxit = 100))
curve <- nls(y / 40 ~ plogis(a + b * wt + c * hp), cars, start = list(a = 2, b = -0.7, c = 0), weights = w,
             control = nls.control(maxiter = 500, tol = 1e-7, minFactor = 1e-12))
glance <- object(
  sigma = source_of(sigma(curve)), logLik = source_of(logLik(curve)), AIC = source_of(AIC(curve)),
  BIC = source_of(BIC(curve)), deviance = source_of(deviance(curve)), df.residual = source_of(df.residual(curve)),
  nobs = source_of(nobs(curve)))

cat(object(columns = do.call(object, lapply(cars, source_of)), augment = augment, glance = glance,
           deviance = format(deviance(share), digits = 17)), "\n", sep = "")
