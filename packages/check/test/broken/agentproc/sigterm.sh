#!/bin/sh
# Sleeps through SIGTERM.
trap '' TERM
[ "$AGENT_MESSAGE" = 'Say good night in one short sentence.' ] && sleep 2
. "$(dirname "$0")/../../good/agentproc.sh"
