#!/bin/sh
# Nothing but a body, in which no line looks like protocol.
printf 'You said: %s\n' "$AGENT_MESSAGE" | sed 's/^AGENT_[A-Z]*:/ &/'
