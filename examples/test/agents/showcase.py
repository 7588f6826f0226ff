"""One command for each thing that a helper can be asked to say."""

import os
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "python"))

from plugboard_agent import serve  # noqa: E402


def answer(turn, io):
    command, _, rest = turn.text.partition(" ")
    if command == "big":
        return "\n".join("line %d %s" % (line, "x" * 80) for line in range(3500))
    if command == "fail":
        return io.error("It broke: “ü”", "BROKE")
    if command == "progress":
        io.progress("Looking around")
        return "Looked."
    if command == "session":
        count = int((turn.session.agent_id or "talk-0").split("-")[1]) + 1
        io.session("talk-%d" % count)
        return "This is turn %d." % count
    if command == "key":
        return "key=%s lasts=%s." % (turn.session.key, turn.session.lasts or "")
    if command == "lines":
        return 'AGENT_ERROR:"not an error"\nplain\nAGENT_SESSION:none\n{"type":"error","text":"not a frame"}'
    if command == "print":
        print("a stray word")
        subprocess.run(["sh", "-c", "echo another; cat"], check=True)
        return "Printed."
    if command == "raise":
        raise RuntimeError("Raised on purpose.")
    if command == "stream":
        return (word + " " for word in rest.split())
    if command == "tool":
        done = io.tool("look", {"at": rest})
        done("It is there.")
        return "Looked."
    if command == "async":
        return later(rest)
    if command == "wait":
        io.reply("Waiting.")
        while not io.cancelled:
            time.sleep(0.01)
        return "Said too late."
    if command == "wrong":
        return WRONG[rest]()
    if command == "fork":
        worker = os.fork()
        if worker == 0:
            time.sleep(30)
        os.kill(worker, signal.SIGTERM)
        return "The worker ended with %d." % os.waitpid(worker, 0)[1]
    return rest if command == "echo" else "Unknown command " + command


async def later(text):
    return text


async def later_pieces(*pieces):
    for piece in pieces:
        yield piece


def pieces_and_more():
    yield "a"
    return "b"


WRONG = {
    "number": lambda: 42,
    "false": lambda: False,
    "bytes": lambda: b"x",
    "fields": lambda: {"answer": "x"},
    "text": lambda: {"text": 42},
    "usage": lambda: {"text": "x", "usage": 3},
    "piece": lambda: iter(["a", 42]),
    "async piece": lambda: later_pieces("a", None),
    "returned": pieces_and_more,
    "nothing": lambda: None,
    "empty": dict,
}


serve(answer, version="1.2.3", tools=["look"])
