#!/usr/bin/env python3
from plugboard_agent import serve


def answer(turn, io):
    return "You said: " + turn.text


serve(answer, version="1.0.0")
