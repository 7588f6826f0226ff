#!/bin/sh
# Is silent about sessions it does not know.
[ "$AGENT_SESSION_ID" = check-never-seen-before ] && exit 0
. "$(dirname "$0")/../../good/agentproc.sh"
