#!/bin/sh
# Uses a title as the id.
echo "AGENT_SESSION:my session"
AGENT_SESSION_ID="my session"
. "$(dirname "$0")/../../good/agentproc.sh"
