#!/usr/bin/env bash
# Builds the release artefacts in dist/: the binary, its debug symbols, the bills of materials of its Rust and its npm
# packages (CycloneDX), and SHA256SUMS.
set -euo pipefail
cd "$(dirname "$0")/.."
export SQLX_OFFLINE=true
# shellcheck source=.ci/machine.sh
. .ci/machine.sh
# shellcheck source=.ci/pages.sh
. .ci/pages.sh
# Maximum size of the delivered binary, in bytes.
LARGEST=60000000
CYCLONEDX=0.5.9
target=${CARGO_TARGET_DIR:-target}

if is_macos; then stop "what is delivered is made on Linux, for Linux."; fi
need_rust
need_node
have objcopy || need "objcopy" binutils ""
get_missing
get_newer_node
if pages_are_stale; then pages_build; fi
pages_packages playground

# Merges functions with identical code if the linker supports it (LLD, which Rust ships only for this architecture).
folding=()
if [ "$(uname -m)" = x86_64 ]; then folding=(-- -C "link-arg=-Wl,--icf=all"); fi
cargo rustc --profile dist --locked --bin labs "${folding[@]}"
rm -rf dist
mkdir dist
# The binary records the file name and the checksum of the symbols; a debugger finds them by both.
objcopy --only-keep-debug --compress-debug-sections=zlib "$target/dist/labs" dist/labs.debug
objcopy --strip-all --add-gnu-debuglink=dist/labs.debug "$target/dist/labs" dist/labs
size=$(stat --format %s dist/labs)
if [ "$size" -gt "$LARGEST" ]; then stop "the program has $size bytes, and may have $LARGEST."; fi

# Lists the linked crates. The tool writes one file next to each manifest of the workspace; only the file of the binary
# is kept.
if [ ! -x "target/tools/cargo-cyclonedx-$CYCLONEDX/bin/cargo-cyclonedx" ]; then
  cargo install --quiet --locked --root "target/tools/cargo-cyclonedx-$CYCLONEDX" "cargo-cyclonedx@$CYCLONEDX"
fi
PATH="$PWD/target/tools/cargo-cyclonedx-$CYCLONEDX/bin:$PATH" SOURCE_DATE_EPOCH=$(git log -1 --format=%ct) \
  cargo cyclonedx --quiet --format json --spec-version 1.5 --no-build-deps --override-filename labs-crates.cdx
# Removes the build path from the file.
sed "s|$PWD|/labs|g" labs-crates.cdx.json >dist/labs-crates.cdx.json
find . \( -path ./dist -o -path ./target -o -name node_modules \) -prune -o -name labs-crates.cdx.json -exec rm {} +
# Lists the npm packages of the embedded pages.
(cd playground && npm sbom --omit dev --sbom-format cyclonedx) >dist/labs-pages.cdx.json

(cd dist && sha256sum labs labs.debug labs-crates.cdx.json labs-pages.cdx.json >SHA256SUMS)
ls -l dist
