#!/bin/sh
# Streams two pieces, or prints them where the host does not stream.
if [ -z "$AGENT_MESSAGE" ]; then
  echo 'AGENT_ERROR:"Say something."'
  exit 1
fi
if [ "$AGENT_STREAMING" = 0 ]; then
  echo "You said ${#AGENT_MESSAGE} characters."
else
  echo 'AGENT_PARTIAL:"You said "'
  echo "AGENT_PARTIAL:\"${#AGENT_MESSAGE} characters.\""
fi
echo "AGENT_SESSION:${AGENT_SESSION_ID:-sh-1}"
