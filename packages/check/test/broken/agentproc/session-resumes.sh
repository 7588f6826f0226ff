#!/bin/sh
# Forgets its own sessions.
if [ "$AGENT_SESSION_ID" = sh-1 ]; then
  echo 'AGENT_ERROR:"Who are you?"'
  exit 1
fi
. "$(dirname "$0")/../../good/agentproc.sh"
