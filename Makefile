# One profile for everything: the first `cargo run --release` has then built most of it, and numerics are fast.
SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.PHONY: test lint docs unit examples

LOG := target/test.log

# fmt, clippy, rustdoc, all tests, doc tests, README snippets and examples; ends with `N passed, 0 failed`
test: lint docs unit examples
	@awk '/^test result:/ { passed += $$4; failed += $$6 } END { print passed " passed, " failed " failed"; exit failed > 0 }' $(LOG)

lint:
	cargo fmt --all --check
	cargo clippy --release --workspace --all-targets -- -D warnings

docs:
	RUSTDOCFLAGS="-D warnings" cargo doc --release --workspace --no-deps

unit:
	@mkdir -p $(dir $(LOG))
	cargo test --release --workspace 2>&1 | tee $(LOG)

# every example must run to its end
examples:
	@for example in crates/agglio/examples/*.rs; do \
		name=$$(basename $$example .rs); echo "example $$name"; \
		cargo run --release --quiet -p agglio --example $$name > /dev/null; \
	done
