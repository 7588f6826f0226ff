# Reads one line, says what its first argument holds, and ends.
import json
import sys

json.loads(sys.stdin.readline())
sys.stdout.write(sys.argv[1])
