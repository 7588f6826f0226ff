#!/bin/sh
# Forgets the quotes of a partial.
[ -z "$AGENT_MESSAGE" ] || [ "$AGENT_STREAMING" = 0 ] || echo 'AGENT_PARTIAL:Well, '
. "$(dirname "$0")/../../good/agentproc.sh"
