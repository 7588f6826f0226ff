#!/bin/sh
# Waits for something to be said.
[ -n "$AGENT_MESSAGE" ] || exec sleep 20
. "$(dirname "$0")/../../good/agentproc.sh"
