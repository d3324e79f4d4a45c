# shellcheck shell=bash
# Other people's Python libraries that tests use, in a folder for this project alone. Sourced.

# python_libraries <folder>: installs the packages in the folder's requirements.txt and sets `libraries` to their path.
python_libraries() {
  libraries=$PWD/target/$(basename "$1")
  if cmp -s "$1/requirements.txt" "$libraries/requirements.txt"; then return; fi
  rm -rf "$libraries"
  python3 -m venv "$libraries"
  "$libraries/bin/pip" install --quiet --disable-pip-version-check --requirement "$1/requirements.txt"
  cp "$1/requirements.txt" "$libraries/"
}
