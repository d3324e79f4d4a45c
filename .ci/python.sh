# shellcheck shell=bash
# Other people's Python libraries that tests use, in a folder for this project alone. Sourced.

libraries=$PWD/target/clients
if ! cmp -s tests/clients/requirements.txt "$libraries/requirements.txt"; then
  rm -rf "$libraries"
  python3 -m venv "$libraries"
  "$libraries/bin/pip" install --quiet --disable-pip-version-check --requirement tests/clients/requirements.txt
  cp tests/clients/requirements.txt "$libraries/"
fi
