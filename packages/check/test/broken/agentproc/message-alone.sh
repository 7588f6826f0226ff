#!/bin/sh
# Cannot do without a session name.
: "${AGENT_SESSION_NAME:?is not set}"
. "$(dirname "$0")/../../good/agentproc.sh"
