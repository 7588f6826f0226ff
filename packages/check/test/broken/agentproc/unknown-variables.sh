#!/bin/sh
# Compares versions.
if [ "$AGENT_PROTOCOL_VERSION" = 0.9 ]; then
  echo 'AGENT_ERROR:"I only know 0.1."'
  exit 1
fi
. "$(dirname "$0")/../../good/agentproc.sh"
