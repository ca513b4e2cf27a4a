#!/usr/bin/env bash
# Takes the pictures of this folder anew, whenever the web app looks or speaks differently.
# usage: docs/screenshots/renew.sh     needs: scripts/build --debug, scripts/install-dependencies web
set -euo pipefail
cd "$(dirname "$0")/../.."
. scripts/lib/say.sh
. scripts/lib/python.sh

python_with .build-python Tests/web/requirements.txt
export MEMO_BIN_DIR=$PWD/.build-dist-debug/bin MEMO_SCREEN_LANGUAGES="en ja ar" MEMO_SCREEN_SCALE=1
"$python" -W ignore Tests/run.py web/test_screens
for picture in compose-phone-light=en-offline-phone-light history-phone-dark=en-history-phone-dark \
    settings-phone-arabic=ar-settings-phone-light compose-phone-japanese=ja-offline-phone-light \
    history-phone-japanese=ja-history-phone-light settings-phone-japanese=ja-settings-phone-dark; do
    cp ".build-screenshots/${picture#*=}.png" "docs/screenshots/${picture%=*}.png"
done
