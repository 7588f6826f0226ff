"""Its main thread is not woken by SIGTERM, as when the signal comes just before that thread begins to wait."""

import os
import signal
import sys
import threading

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "python"))

from plugboard_agent import serve  # noqa: E402


def answer(turn, io):
    io.reply("Waiting.")
    threading.Event().wait()


threading.Thread(target=threading.Event().wait, daemon=True).start()
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
serve(answer)
