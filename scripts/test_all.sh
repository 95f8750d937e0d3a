#!/usr/bin/env bash
# Installs what the tests need and runs all of them: `bash scripts/test_all.sh [--prepare]`, with --prepare no test.
#
# On Debian and Ubuntu it installs packages, as root or by sudo. Elsewhere, or without these rights, it says what is
# missing, and the tests that need it are left out. With CI=true anything missing is an error. Deno comes from npm.
# It is safe to repeat: what is there is left. The last line is `N passed, N failed`.
set -euo pipefail
cd "$(dirname "$0")/.."

deno_version=2.9.6
pgvector_min=0.8
cache="${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/svc-tests"
mkdir -p "$cache"

say() { printf '=== %s (%ss)\n' "$*" "$SECONDS"; }

missing=()
miss() {
  say "missing: $*"
  missing+=("$1")
}

as_root=
can_install() {
  command -v apt-get > /dev/null || return 1
  [ "$(id -u)" = 0 ] && return 0
  command -v sudo > /dev/null || return 1
  as_root=sudo
}

apt_updated=
apt_install() {
  if [ -z "$apt_updated" ]; then
    $as_root apt-get update -qq || return 1
    apt_updated=1
  fi
  # Services of the packages are not started: the tests start their own.
  local policy=/usr/sbin/policy-rc.d own=
  if [ ! -e "$policy" ]; then
    own=1
    printf '#!/bin/sh\nexit 101\n' | $as_root tee "$policy" > /dev/null
    $as_root chmod +x "$policy"
  fi
  local status=0
  $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" > "$cache/apt.log" 2>&1 || status=$?
  [ -z "$own" ] || $as_root rm -f "$policy"
  [ "$status" = 0 ] || tail -40 "$cache/apt.log"
  return "$status"
}

# --- Programs: a name on the path, then the package that brings it
has() { command -v "$1" > /dev/null || [ -x "/usr/sbin/$1" ]; }
pg_bin() { { ls -d /usr/lib/postgresql/*/bin 2> /dev/null || true; } | sort -t/ -k5 -n | while read -r dir; do if [ -x "$dir/postgres" ]; then echo "$dir"; fi; done | tail -1; }
chromium=chromium
if grep -qs '^ID=ubuntu' /etc/os-release; then chromium=chromium-browser; fi
lacking() {
  [ -n "$(pg_bin)" ] || has postgres || echo postgresql
  has redis-server || echo redis-server
  has chromium || has chromium-browser || has google-chrome || echo "$chromium"
  has haproxy || echo haproxy
  has pgbouncer || echo pgbouncer
  has faketime || echo faketime
  has promtool || echo prometheus
  has openssl || echo openssl
  has git || echo git
  has curl || echo curl
  has node || echo nodejs
  has npm || echo npm
  has python3 || echo python3
  python3 -c 'import ensurepip, venv' 2> /dev/null || echo python3-venv
}
packages="$(lacking)"
if [ -n "$packages" ] && can_install; then
  say "installing" $packages
  apt_install $packages || for package in $packages; do apt_install "$package" || true; done
fi
for package in $(lacking); do miss "$package"; done

# --- Deno, from npm
version_of() { "$1" --version 2> /dev/null | sed -n 's/^deno \([0-9.]*\).*/\1/p'; }
if ! has deno || [ "$(version_of deno)" != "$deno_version" ]; then
  if [ ! -x "$cache/bin/deno" ] || [ "$(version_of "$cache/bin/deno")" != "$deno_version" ]; then
    has npm || { echo "Cannot run the tests: install Deno $deno_version (https://deno.com), or npm" >&2; exit 1; }
    say "installing deno $deno_version from npm"
    npm install --silent --no-fund --no-audit --prefix "$cache/npm" "deno@$deno_version"
    mkdir -p "$cache/bin"
    # The package's own start script needs node each time; the program itself is in the package of the platform.
    ln -sf "$(find "$cache/npm/node_modules/@deno" -maxdepth 2 -name deno -type f | head -1)" "$cache/bin/deno"
  fi
  export PATH="$cache/bin:$PATH"
fi
say "$(deno --version | head -1)"

# --- pgvector: the package where its version will do, otherwise built from the source of Debian's next release
at_least() { [ "$(printf '%s\n%s\n' "$1" "$2" | sort -V | head -1)" = "$1" ]; }
pg_bin="$(pg_bin)"
pg_major="$(basename "$(dirname "${pg_bin:-/none/bin}")")"
control="/usr/share/postgresql/$pg_major/extension/vector.control"
pgvector() { sed -n "s/^default_version = '\(.*\)'/\1/p" "$control" 2> /dev/null || true; }
build_pgvector() (
  # A list of its own in a folder of its own: the machine's own lists stay as they are.
  build="$(mktemp -d)"
  chmod 755 "$build"
  trap 'rm -rf "$build"' EXIT
  cd "$build"
  mirror="$(grep -rhoE 'https?://[^ ]*/debian/?( |$)' /etc/apt/sources.list /etc/apt/sources.list.d 2> /dev/null | grep -v '^#' | head -1 | tr -d ' ' || true)"
  cat > source.sources << SOURCES
Types: deb-src
URIs: ${mirror:-http://deb.debian.org/debian}
Suites: trixie
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
SOURCES
  mkdir -p lists/partial
  apt_here=(-o "Dir::Etc::sourcelist=$build/source.sources" -o "Dir::Etc::sourceparts=-" -o "Dir::State::lists=$build/lists")
  apt-get "${apt_here[@]}" update -qq &&
    apt-get "${apt_here[@]}" source -qq --download-only pgvector &&
    mkdir source &&
    tar -xf pgvector_*.orig.tar.* -C source --strip-components=1 &&
    make -C source -j"$(nproc)" OPTFLAGS="" with_llvm=no PG_CONFIG="$pg_bin/pg_config" > make.log 2>&1 &&
    $as_root make -C source install with_llvm=no PG_CONFIG="$pg_bin/pg_config" > make.log 2>&1 ||
    { tail -40 make.log 2> /dev/null; return 1; }
)
if [ -n "$pg_bin" ] && ! at_least "$pgvector_min" "$(pgvector)" && can_install; then
  say "installing pgvector for PostgreSQL $pg_major"
  package="postgresql-$pg_major-pgvector"
  if at_least "$pgvector_min" "$(apt-cache policy "$package" 2> /dev/null | sed -n 's/^ *Candidate: \([0-9]\)/\1/p')"; then
    apt_install "$package" || true
  else
    apt_install build-essential dpkg-dev debian-archive-keyring "postgresql-server-dev-$pg_major" && build_pgvector || true
  fi
fi
if [ -n "$pg_bin" ]; then
  if at_least "$pgvector_min" "$(pgvector)"; then
    say "PostgreSQL $pg_major with pgvector $(pgvector)"
  else
    miss "pgvector (version $pgvector_min or later, for PostgreSQL $pg_major)"
  fi
fi

# --- Python: what clients/python/uv.lock names, exactly, in an environment of its own, and in its folder `crewai` another
# for CrewAI, which asks for older packages than the rest. The last file says that both are whole
uv_version=0.13.9
sync_python() {
  local into="$1"
  shift
  UV_PROJECT_ENVIRONMENT="$into" "$cache/uv/bin/uv" sync --quiet --project clients/python --python "$(command -v python3)" \
    --frozen --no-install-project "$@"
}
install_python() {
  [ -x "$cache/uv/bin/uv" ] && "$cache/uv/bin/uv" --version | grep -qF "uv $uv_version" || {
    python3 -m venv --clear "$cache/uv" && "$cache/uv/bin/pip" install --quiet --disable-pip-version-check "uv==$uv_version"
  } || return 1
  # Pyright fetches its own program when it first runs.
  sync_python "$python_env" --all-groups --all-extras --no-extra crewai &&
    sync_python "$python_env/crewai" --extra crewai &&
    "$python_env/bin/pyright" --version > /dev/null 2>&1 &&
    touch "$python_env/ready"
}
if has python3; then
  python_env="$cache/python-$(sha256sum clients/python/uv.lock | cut -c1-8)"
  if [ ! -e "$python_env/ready" ]; then
    say "installing the Python packages of clients/python"
    install_python || miss "the Python packages of clients/python"
  fi
fi

if [ ${#missing[@]} -gt 0 ] && [ "${CI:-}" = true ]; then
  echo "Cannot run all tests: ${missing[*]} could not be installed" >&2
  exit 1
fi

# --- The npm packages of the lock file, exactly
say "fetching the locked packages"
deno install --lock=deno.lock --frozen --quiet
[ "${1:-}" != --prepare ] || exit 0

# --- All checks and all tests
if [ -z "${SVC_TEST_DATA:-}" ] && [ -d ../shared/data ]; then
  SVC_TEST_DATA="$(cd ../shared/data && pwd)"
  export SVC_TEST_DATA
fi
if [ "${CI:-}" = true ]; then export SVC_TEST_STRICT=1; fi
say "deno task ok"
exec deno task --quiet ok
