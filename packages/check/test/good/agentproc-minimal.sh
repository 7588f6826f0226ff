#!/bin/sh
# Nothing but a body.
echo "You said: $AGENT_MESSAGE"
