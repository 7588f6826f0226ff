#!/bin/sh
# Proofs find nothing; there is nothing to talk about.
if [ -n "$NIB_AGENT_REQUEST_FILE" ] && [ -f "$NIB_AGENT_REQUEST_FILE" ]; then
  rm -f "$NIB_AGENT_REQUEST_FILE"
  echo "There is nobody to talk to." >&2
  exit 1
fi
operation=$(tr -d '\n' | sed 's/.*"operation": *"\([^"]*\)".*/\1/')
case "$operation" in
scene-proof | chapter-proof) printf '{"type":"success","operation":"%s","text":"No issues."}\n' "$operation" ;;
project-scaffold) echo '{"type":"success","operation":"project-scaffold","files":[]}' ;;
*) printf '{"type":"error","error":"There is no operation %s."}\n' "$operation" ;;
esac
