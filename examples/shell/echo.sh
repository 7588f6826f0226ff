#!/bin/sh
answer() { printf 'You said: %s' "$TURN_TEXT"; }

. "$(dirname -- "$0")/plugboard_agent.sh"
