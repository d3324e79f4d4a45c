#!/usr/bin/env bash
# Upgrades from the last release to this commit and back, under load: builds the program of the release and runs the test
# with both. The last release is the last commit that changed migrations/released.txt, or the commit in LABS_TEST_RELEASE.
#
# Called by ./test. Needs Git, Rust and PostgreSQL.
set -euo pipefail
cd "$(dirname "$0")/.."
target=$(realpath "${CARGO_TARGET_DIR:-target}")
release=${LABS_TEST_RELEASE:-$(git log -1 --format=%H -- migrations/released.txt)}
sources=$target/former-sources
if [ "$(git rev-parse HEAD)" = "$release" ]; then
  echo "the last release is this commit: name an earlier one in LABS_TEST_RELEASE" >&2
  exit 1
fi
git worktree remove --force "$sources" 2>/dev/null || true
git worktree add --detach "$sources" "$release"
trap 'git worktree remove --force "$sources"' EXIT
# The pages are embedded; the test does not open them.
cp -r playground/packed "$sources/playground/"
# Without the lints of this step: a newer compiler may have more of them.
(cd "$sources" && env -u RUSTC_WORKSPACE_WRAPPER CARGO_TARGET_DIR="$target/former" cargo build --locked --bin labs)
LABS_TEST_FORMER="$target/former/debug/labs" cargo test --workspace --test tests --locked -- front::upgrade --nocapture
