# Nested models of R's own data, fitted by nls and glm and compared by anova, for compare.rs.
# The likelihood-ratio statistics are those of logLik.
# Run: Rscript nested.R > nested.json
options(digits = 17)
number <- function(x) ifelse(is.finite(x), format(x, digits = 17), "null")
list_of <- function(x) paste0("[", paste(number(x), collapse = ", "), "]")
text <- function(x) paste0("\"", x, "\"")
object <- function(...) {
  fields <- list(...)
  paste0("{", paste0(text(names(fields)), ": ", unlist(fields), collapse = ", "), "}")
}

# the models in order of their number of parameters; each is tested against the next one
pair <- function(name, data, models) {
  table <- do.call(anova, unname(models))
  lines <- sapply(models, function(m) object(
    parameters = length(coef(m)), rss = number(deviance(m)), df = df.residual(m),
    log_likelihood = number(as.numeric(logLik(m))), aic = number(AIC(m)), bic = number(BIC(m))))
  likelihood <- sapply(models, function(m) as.numeric(logLik(m)))
  size <- sapply(models, function(m) length(coef(m)))
  ratio <- 2 * diff(likelihood)
  object(
    columns = do.call(object, lapply(data, list_of)),
    models = paste0("[", paste(lines, collapse = ", "), "]"),
    f = list_of(table[["F value"]][-1]), p = list_of(table[["Pr(>F)"]][-1]),
    ratio = list_of(ratio), ratio_p = list_of(pchisq(ratio, diff(size), lower.tail = FALSE)))
}

tight <- nls.control(maxiter = 500, tol = 1e-7, minFactor = 1e-12)

# growth: asymptotes 0 and free, then both free
one <- subset(DNase, Run == 1, c("conc", "density"))
one$lconc <- log(one$conc)
three <- nls(density ~ Asym * plogis(b + w * lconc), one, start = list(Asym = 2.3, b = -1.5, w = 1), control = tight)
four <- nls(density ~ lower + (Asym - lower) * plogis(b + w * lconc), one,
            start = list(Asym = 2.3, b = -1.5, w = 1, lower = 0), control = tight)
growth <- pair("growth", one[c("conc", "density")], list(three, four))

# kinetics: Michaelis-Menten, then the Hill equation
treated <- subset(Puromycin, state == "treated", c("conc", "rate"))
treated$lconc <- log(treated$conc)
simple <- nls(rate ~ Vm * plogis(b + lconc), treated, start = list(Vm = 200, b = 2.7), control = tight)
hill <- nls(rate ~ Vm * plogis(b + w * lconc), treated, start = list(Vm = 200, b = 2.7, w = 1), control = tight)
kinetics <- pair("kinetics", treated[c("conc", "rate")], list(simple, hill))

# covariates: none, one and two further terms under a logistic curve, with weights
cars <- data.frame(share = mtcars$mpg / 40, wt = mtcars$wt, hp = mtcars$hp / 100, qsec = mtcars$qsec, weight = mtcars$carb)
first <- nls(share ~ plogis(a + b * wt), cars, start = list(a = 2, b = -0.7), weights = weight, control = tight)
second <- nls(share ~ plogis(a + b * wt + c * hp), cars, start = list(a = 2, b = -0.7, c = 0), weights = weight,
              control = tight)
third <- nls(share ~ plogis(a + b * wt + c * hp + d * qsec + e * wt * hp), cars,
             start = list(a = 2, b = -0.7, c = 0, d = 0, e = 0), weights = weight, control = tight)
terms <- pair("terms", cars, list(first, second, third))

# shares and zeros and ones: analysis of deviance with Pearson's dispersion, and the likelihood ratio of a binary response
shares <- function(y, family, test) {
  data <- data.frame(y = y, wt = mtcars$wt, hp = mtcars$hp / 100)
  small <- suppressWarnings(glm(y ~ wt, family, data, epsilon = 1e-15, maxit = 100))
  large <- suppressWarnings(glm(y ~ wt + hp, family, data, epsilon = 1e-15, maxit = 100))
  table <- suppressWarnings(anova(small, large, test = test))
  list(data, table)
}
fractional <- shares(mtcars$mpg / 40, quasibinomial, "F")
binary_f <- shares(mtcars$am, quasibinomial, "F")
binary <- shares(mtcars$am, binomial, "Chisq")
columns <- function(result) do.call(object, lapply(result[[1]], list_of))
quasi <- object(columns = columns(fractional), f = number(fractional[[2]][2, "F"]), p = number(fractional[[2]][2, "Pr(>F)"]))
zeros <- object(columns = columns(binary), f = number(binary_f[[2]][2, "F"]), p = number(binary_f[[2]][2, "Pr(>F)"]),
                ratio = number(binary[[2]][2, "Deviance"]), ratio_p = number(binary[[2]][2, "Pr(>Chi)"]))

cat(object(growth = growth, kinetics = kinetics, terms = terms, shares = quasi, binary = zeros), "\n", sep = "")
