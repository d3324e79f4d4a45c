#!/usr/bin/env bash
# Makes what is delivered, in dist/: the program, the symbols that a debugger wants, what both halves of the program are
# made of (CycloneDX), and SHA256SUMS.
set -euo pipefail
cd "$(dirname "$0")/.."
export SQLX_OFFLINE=true
# shellcheck source=.ci/machine.sh
. .ci/machine.sh
# shellcheck source=.ci/pages.sh
. .ci/pages.sh
# The largest program that is delivered, in bytes.
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

# Functions of the same code are one, where the linker can (LLD, which Rust brings for this machine only).
folding=()
if [ "$(uname -m)" = x86_64 ]; then folding=(-- -C "link-arg=-Wl,--icf=all"); fi
cargo rustc --profile dist --locked --bin labs "${folding[@]}"
rm -rf dist
mkdir dist
# A debugger finds the symbols by their file's name and checksum, which the program bears.
objcopy --only-keep-debug --compress-debug-sections=zlib "$target/dist/labs" dist/labs.debug
objcopy --strip-all --add-gnu-debuglink=dist/labs.debug "$target/dist/labs" dist/labs
size=$(stat --format %s dist/labs)
if [ "$size" -gt "$LARGEST" ]; then stop "the program has $size bytes, and may have $LARGEST."; fi

# The crates that are linked in. The tool writes a file beside each manifest of the workspace; the program's is kept.
if [ ! -x "target/tools/cargo-cyclonedx-$CYCLONEDX/bin/cargo-cyclonedx" ]; then
  cargo install --quiet --locked --root "target/tools/cargo-cyclonedx-$CYCLONEDX" "cargo-cyclonedx@$CYCLONEDX"
fi
PATH="$PWD/target/tools/cargo-cyclonedx-$CYCLONEDX/bin:$PATH" SOURCE_DATE_EPOCH=$(git log -1 --format=%ct) \
  cargo cyclonedx --quiet --format json --spec-version 1.5 --no-build-deps --override-filename labs-crates.cdx
# Where it was built is nobody's.
sed "s|$PWD|/labs|g" labs-crates.cdx.json >dist/labs-crates.cdx.json
find . \( -path ./dist -o -path ./target -o -name node_modules \) -prune -o -name labs-crates.cdx.json -exec rm {} +
# The packages of the pages that it carries.
(cd playground && npm sbom --omit dev --sbom-format cyclonedx) >dist/labs-pages.cdx.json

(cd dist && sha256sum labs labs.debug labs-crates.cdx.json labs-pages.cdx.json >SHA256SUMS)
ls -l dist
