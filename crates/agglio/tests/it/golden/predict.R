# Predictions with intervals, and doses of responses, by lm, glm and nls of R: Rscript predict.R K401K.csv > predict.json
#
# `linear`: lm of the dose-response data on log10(dose). Its calibration is that of Seber and Wild (1989), section 5.9, which
# the package investr calls Wald's: the gradient of (y - a)/b is that of deriv(), and with `prediction` the variance of one
# response is added to the covariance of the coefficients.
# `elisa`: nls of the first run of DNase (Pinheiro and Bates, 2000) with SSlogis over the logarithm of the concentration, whose
# inverse is xmid - scal * log(asym/y - 1), differentiated by deriv().
# `shares`: glm of the 401(k) data with a quasi-binomial family: linear predictors and means.
args <- commandArgs(TRUE)
level <- 0.9
json <- function(x) paste0("[", paste(sprintf("%.17g", x), collapse = ","), "]")
rows <- function(m) paste0("[", paste(apply(m, 1, json), collapse = ",\n   "), "]")

# the dose of each response: value, standard error and ends on the scale of x
doses <- function(inverse, coefficients, V, sigma, df, ys, of) {
  one <- function(y) {
    at <- eval(inverse, c(as.list(coefficients), y = y))
    g <- attr(at, "gradient")
    W <- rbind(cbind(V, 0), 0)
    if (of == "prediction") W[nrow(W), ncol(W)] <- sigma^2
    se <- sqrt(drop(g %*% W %*% t(g)))
    c(at, se, at - qt((1 + level) / 2, df) * se, at + qt((1 + level) / 2, df) * se)
  }
  t(sapply(ys, one))
}

x <- c(-2, -1.5, -1, -0.4, 0, 0.3, 1, 1.4, 2, 2.2)
y <- c(0.31, 0.42, 0.7, 0.93, 1.01, 1.22, 1.44, 1.71, 1.86, 2.06)
linear <- lm(y ~ x)
line <- deriv(~ (y - a) / b, c("a", "b", "y"))
own <- setNames(coef(linear), c("a", "b"))
at <- data.frame(x = c(-3, 0, 0.77, 4))
answers <- c(0.2, 1, 1.37, 2.5)

DNase1 <- subset(DNase, Run == 1)
begin <- nls(density ~ SSlogis(log(conc), Asym, xmid, scal), DNase1)
# to the last digits, beyond which no step is possible
exact <- nls.control(tol = 1e-14, warnOnly = TRUE)
elisa <- nls(density ~ SSlogis(log(conc), Asym, xmid, scal), DNase1, start = coef(begin), control = exact)
curve <- deriv(~ xmid - scal * log(Asym / y - 1), c("Asym", "xmid", "scal", "y"))
densities <- c(0.1, 0.5, 1.2, 2.0)

k <- read.csv(args[1])
shares <- glm(participation ~ ., quasibinomial, k, control = glm.control(epsilon = 1e-14, maxit = 100))
few <- k[c(1, 2, 500, 1534), ]
link <- predict(shares, few, se.fit = TRUE)
mean <- predict(shares, few, type = "response", se.fit = TRUE)

cat(sprintf('{"level": %g,\n"linear": {"x": %s, "y": %s, "at": %s, "responses": %s,\n', level, json(x), json(y), json(at$x), json(answers)))
for (of in c("confidence", "prediction")) {
  intervals <- predict(linear, at, interval = of, level = level)
  cat(sprintf(' "%s": %s,\n', of, rows(intervals)))
  cat(sprintf(' "inverse_%s": %s,\n', of, rows(doses(line, own, vcov(linear), sigma(linear), df.residual(linear), answers, of))))
}
cat(sprintf(' "std_error": %s},\n', json(predict(linear, at, se.fit = TRUE)$se.fit)))
cat(sprintf('"elisa": {"conc": %s, "density": %s, "responses": %s,\n', json(DNase1$conc), json(DNase1$density), json(densities)))
for (of in c("confidence", "prediction")) {
  cat(sprintf(' "inverse_%s": %s,\n', of, rows(doses(curve, coef(elisa), vcov(elisa), sigma(elisa), df.residual(elisa), densities, of))))
}
cat(sprintf(' "coefficients": %s},\n', json(coef(elisa))))
cat(sprintf('"shares": {"rows": [0, 1, 499, 1533], "linear": %s,\n "mean": %s,\n "dispersion": %.17g}}\n',
            rows(cbind(link$fit, link$se.fit)), rows(cbind(mean$fit, mean$se.fit)), summary(shares)$dispersion))
