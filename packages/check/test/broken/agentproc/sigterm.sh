#!/bin/sh
# Sleeps through SIGTERM.
trap '' TERM
[ "$AGENT_MESSAGE" = 'Say good night in one short sentence.' ] && sleep 3
. "$(dirname "$0")/../../good/agentproc.sh"
