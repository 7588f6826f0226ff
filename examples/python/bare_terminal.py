#!/usr/bin/env python3
"""An agent without any helper, for hosts that speak Terminal Protocol v1: reads one line, prints two frames."""

import json
import sys

envelope = json.loads(sys.stdin.buffer.readline())
for frame in (
    {"type": "progress", "text": "Thinking"},
    {"type": "message", "text": "You said: " + envelope["text"]},
):
    print(json.dumps(frame), flush=True)
