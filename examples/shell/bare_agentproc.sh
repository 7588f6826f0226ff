#!/bin/sh
# An agent without any helper, for hosts that speak AgentProc 0.1. A line that looks like protocol gets a space in front.
printf 'You said: %s\n' "$AGENT_MESSAGE" | sed 's/^AGENT_[A-Z]*:/ &/'
