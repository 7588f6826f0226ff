# Reads one line, says what its first argument holds, and ends.
read -r line
printf '%s' "$1"
