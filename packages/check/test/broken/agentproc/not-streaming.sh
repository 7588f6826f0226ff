#!/bin/sh
# Streams whether or not it is wanted.
AGENT_STREAMING=1
. "$(dirname "$0")/../../good/agentproc.sh"
