# The fits of real_data.py by R's nls: Rscript real_data.R > real_data.json
# DNase, Puromycin and Orange come with R. By default nls stops when an angle is 1e-5; here it runs on to 1e-7.

control <- nls.control(tol = 1e-7, maxiter = 200, minFactor = 1e-10)

fit <- function(formula, data) {
  first <- nls(formula, data)
  again <- nls(formula, data, start = as.list(coef(first)), control = control)
  rows <- coef(summary(again))
  one <- function(name) sprintf('"%s": [%.12g, %.12g]', name, rows[name, 1], rows[name, 2])
  paste0("{", paste(sapply(rownames(rows), one), collapse = ", "), "}")
}

fits <- c(
  DNase = fit(density ~ SSlogis(log(conc), Asym, xmid, scal), subset(DNase, Run == 1)),
  Puromycin = fit(rate ~ SSmicmen(conc, Vm, K), subset(Puromycin, state == "treated")),
  Orange = fit(circumference ~ SSlogis(age, Asym, xmid, scal), subset(Orange, Tree == 3))
)
cat("{\n", paste(sprintf(' "%s": %s', names(fits), fits), collapse = ",\n"), "\n}\n", sep = "")
