#!/usr/bin/env python3
"""A resident agent that can be told more while it works, and be interrupted."""

import time

from plugboard_agent import serve


def answer(turn, io):
    heard = [turn.text]
    # An agent that works in steps looks up between them. This one waits for a second message, as long as it is let.
    while len(heard) < 2 and not io.cancelled:
        more = io.steering.take()
        heard += [more.text] if more else []
        time.sleep(0.01)
    return "I was told: " + ", ".join(heard) + "."


serve(answer, version="1.0.0")
