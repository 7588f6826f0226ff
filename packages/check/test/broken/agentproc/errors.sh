#!/bin/sh
# Forgets the quotes of an error.
if [ -z "$AGENT_MESSAGE" ]; then
  echo "AGENT_ERROR:Say something."
  exit 1
fi
. "$(dirname "$0")/../../good/agentproc.sh"
