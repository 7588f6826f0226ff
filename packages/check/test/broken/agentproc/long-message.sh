#!/bin/sh
# Has no time for long messages.
[ ${#AGENT_MESSAGE} -gt 10000 ] && exit 0
. "$(dirname "$0")/../../good/agentproc.sh"
