#!/bin/sh
# Writes Latin-1.
printf 'gr\374n\n'
. "$(dirname "$0")/../../good/agentproc.sh"
