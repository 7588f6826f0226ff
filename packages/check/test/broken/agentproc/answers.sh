#!/bin/sh
# Does not say hello.
[ "$AGENT_MESSAGE" = "Say hello in one short sentence." ] && exit 0
. "$(dirname "$0")/../../good/agentproc.sh"
