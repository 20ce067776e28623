#!/bin/sh
# Makes .venv from requirements.lock. Does nothing when it is whole and current, brings it up to date in place
# when the lock changed, and starts from scratch when an earlier try was cut off or the folder was moved.
# Called by make with TORCH (the pinned version) and TORCH_ARGS (more arguments for pip, for torch alone).
set -eu

# Always this checkout, wherever it is called from: what follows removes a .venv.
cd -- "${0%/*}/.."
[ -f requirements.lock ] && [ -f pyproject.toml ] || {
    printf 'set-up: %s is not a checkout of the tutor; run make in one.\n' "$(pwd)" >&2
    exit 1
}

stamp=.venv/.setup-stamp
here="python env of $(pwd)"
want="$here, torch $TORCH, $(cat requirements.lock pyproject.toml | cksum)"
have=$(cat "$stamp" 2>/dev/null || true)

[ "$have" = "$want" ] && .venv/bin/python -c 'import tutor' 2>/dev/null && exit 0

stop() {
    printf 'set-up: %s\n' "$1" >&2
    exit 1
}

find_python() {
    old='' bare=''
    for name in ${PYTHON:-} python3 python3.13 python3.12 python3.11; do
        version=$("$name" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null) || continue
        if ! "$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            old="$old $name is $version."
        elif ! "$name" -c 'import ensurepip, venv' 2>/dev/null; then
            bare=$name
        else
            return 0
        fi
    done
    [ -z "$bare" ] || stop "$bare cannot make virtual environments. On Debian or Ubuntu: sudo apt install python3-venv ($bare-venv if it is not the system's Python). Then run make again."
    stop "Python 3.11 or newer is needed.$old On Debian 12, Ubuntu 24.04 or newer: sudo apt install python3 python3-venv. Then run make again, or name one: make setup PYTHON=/path/to/python3.11"
}

rm -f "$stamp"
case $have in
"$want") have='' ;; # it should be whole, and its Python does not start
"$here,"*) .venv/bin/python -m pip --version >/dev/null 2>&1 || have='' ;;
*) have='' ;;
esac
if [ -z "$have" ]; then
    find_python
    printf 'set-up: a fresh .venv with %s (Python %s)\n' "$name" "$version"
    rm -rf .venv
    "$name" -m venv .venv || stop "$name could not make .venv; its words are above."
fi

pip() {
    .venv/bin/python -m pip --disable-pip-version-check --no-input "$@"
}
again='Mend what is named above (most often the network or a full disk), then run make again.'

printf 'set-up: torch %s\n' "$TORCH"
# shellcheck disable=SC2086 # TORCH_ARGS is a list of arguments
pip install --no-deps ${TORCH_ARGS:-} "torch==$TORCH" || stop "torch could not be installed. $again"
printf 'set-up: the locked libraries, about 110 (a few minutes)\n'
pip install --quiet --no-deps --require-hashes -r requirements.lock || stop "the libraries could not be installed. $again"
printf 'set-up: the tutor itself\n'
pip install --quiet --no-deps --no-build-isolation --editable . || stop "the tutor could not be installed. $again"
.venv/bin/python -c 'import torch' || stop "this build of torch does not start here, most often because it is the one for graphics cards. Take the CPU build: make setup TORCH_ARGS='--index-url ADDRESS', with the address that PyTorch's own page names for pip and CPU."

printf '%s\n' "$want" >"$stamp.new"
mv "$stamp.new" "$stamp"
