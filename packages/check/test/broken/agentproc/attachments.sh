#!/bin/sh
# Refuses what it cannot use.
if [ -n "$AGENT_ATTACHMENTS" ]; then
  echo 'AGENT_ERROR:"I cannot see."'
  exit 1
fi
. "$(dirname "$0")/../../good/agentproc.sh"
