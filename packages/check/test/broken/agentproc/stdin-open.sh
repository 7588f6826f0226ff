#!/bin/sh
# Waits for the end of input.
cat >/dev/null
. "$(dirname "$0")/../../good/agentproc.sh"
