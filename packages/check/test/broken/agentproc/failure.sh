#!/bin/sh
# Fails with a smile.
if [ -z "$AGENT_MESSAGE" ]; then
  echo 'AGENT_ERROR:"Say something."'
  exit 0
fi
. "$(dirname "$0")/../../good/agentproc.sh"
