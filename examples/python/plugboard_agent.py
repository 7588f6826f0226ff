"""Write an agent once; it answers in whichever dialect its host speaks.

One file, standard library only, Python 3.8 or newer: copy it next to your agent.

    from plugboard_agent import serve

    def answer(turn, io):
        return "You said: " + turn.text

    serve(answer)

A turn has `text`; `attachments`, each with `kind` (image, file, audio, video), `path` or `url`, and `name`; `session`
with `key`, `agent_id` (what `io.session` said in an earlier turn), `name` and `lasts` (how long `key` is valid: `turn`,
`process`, or None for ever); and, where the host says them, `sender`,
`channel`, `chat_id`, `operation` with `name` and `fields`, `schema`, and `extensions`, a dict of other fields.

A handler returns its reply, yields the pieces of one, or calls `io.reply`; it may be async. It may also return a dict
with `text`, `data`, `files` and `usage`. What it raises becomes the error of the turn. stdout belongs to the protocol:
once `serve` is called, whatever the agent prints, or a program that it starts, goes to stderr. What is printed before
that reaches the host and breaks the protocol: print it with `file=sys.stderr`.
"""

import datetime
import json
import os
import re
import select
import signal
import sys
import threading
import time
import traceback
from types import SimpleNamespace
from urllib.parse import unquote

__all__ = ["serve"]

WIND_UP_SECONDS = 2.0

OPERATIONS = (
    "scene-proof chapter-proof scene-critique chapter-critique manuscript-critique voice-check continuity-check "
    "continuity-ask continuity-index character-talk project-scaffold manuscript-search"
).split()


def serve(handler, version="0.0.0", tools=(), session=None):
    """Serves the host that started this process, in whichever dialect it speaks, and ends the process: call it last.

    `version`, `tools` and `session` (the id of its one conversation) are what a resident agent says of itself.
    """
    agent = Agent(handler)
    on_end_signal(agent.wind_up)
    resident = Resident(agent, version, list(tools), session or "plugboard_" + os.urandom(10).hex())
    sys.exit(speak(agent, resident))


def speak(agent, resident):
    """Finds out the dialect, first by what the host has set, then by the first line of input; returns the exit code."""
    wire = agent.wire
    own = sys.argv[: sys.argv.index("--")] if "--" in sys.argv else sys.argv  # The rest is for a program that it starts.
    if "--stdio" in own:
        return resident.serve()
    request = take_request_file()
    if request is not None:
        return serve_interactive(agent, request)
    if "AGENT_MESSAGE" in os.environ:
        return agent.ask(agentproc_turn(wire), AgentprocVoice(wire))
    if wire.terminal:
        return converse(agent, PlainVoice(wire), new_session("process"))
    first, blank = wire.first_line()
    source = first
    value = parse_or_none(source)
    if value is None and first.lstrip().startswith("{"):
        source = first + "\n" + wire.rest()
        value = parse_or_none(source)
        if value is None and re.match(r'\s*\{\s*"', source):  # Half a request is nothing that a person has said.
            return refuse_half(wire, source)
    if not isinstance(value, dict):
        return serve_plain(agent, blank + source)
    if isinstance(value.get("operation"), str):
        return serve_nib(agent, source + "\n" + wire.rest())
    if value.get("type") == "turn" and isinstance(value.get("message"), str):
        return agent.ask(v4_turn(value), AgentprocV4Voice(wire))
    if isinstance(value.get("version"), (int, float)) and isinstance(value.get("text"), str):
        return serve_terminal(agent, value)
    if value.get("type") in ("user", "control"):
        return resident.serve(first)
    return serve_plain(agent, blank + source)


def refuse_half(wire, source):
    """Tells the host in its own words, where enough of the request has come to tell whose it is."""
    sentence = "The request is not valid JSON: it seems to have been cut off."
    if re.search(r'"operation"\s*:', source):
        wire.frame({"type": "error", "error": sentence})
    elif re.search(r'"type"\s*:\s*"turn"', source):
        wire.frame({"type": "error", "message": sentence})
    elif re.search(r'"version"\s*:', source):
        wire.frame({"type": "error", "text": sentence})
    else:
        log(sentence)
    return 1


# ── The turn, as a handler sees it ──────────────────────────────────────────────────────────────────────────


class TurnIO:
    """What a handler can say while it answers. Once `cancelled` is true, nothing that is said reaches anybody."""

    def __init__(self, voice, steering, on_end):
        self.steering = steering
        self.cancelled = False
        self.end = None
        self._voice, self._lock, self._on_end = voice, voice.wire.lock, on_end
        self._preview = self._last = ""
        self._error = self._code = None
        self._result = {}
        self._usage = None
        self._calls = 0
        self._started = time.monotonic()

    def reply(self, text, media=()):
        """A complete message. Media are absolute paths or URLs."""
        with self._lock:
            preview, self._preview, self._last = self._preview, "", text
            self._say("message", text, [os.fspath(one) for one in media], preview)

    def delta(self, text):
        """A piece of the next message."""
        with self._lock:
            self._preview += text
            self._say("delta", text)

    def progress(self, text):
        """A status line that is not part of the answer."""
        self._say("progress", text)

    def log(self, text):
        """For the operator, not for the user."""
        self._say("log", text)

    def session(self, id):
        """The id under which you remember this conversation; the host gives it back with the next turn."""
        self._say("session", id)

    def usage(self, used):
        """What the turn has used so far, in all, as a dict of numbers; told with its end."""
        self._usage = used

    def tool(self, name, input):
        """Says that a tool is called, before it runs; returns the way to say what came of it."""
        self._calls += 1
        call = "call_%d" % self._calls
        self._say("tool_call", call, name, input)
        return lambda content, is_error=False: self._say("tool_result", call, content, is_error)

    def error(self, message, code=None):
        """Ends the turn as failed, with a sentence for the user."""
        self._error, self._code = message, code

    def _say(self, what, *words):
        with self._lock:
            if self.end is None:
                getattr(self._voice, what)(*words)

    def _run(self, handler, turn):
        try:
            self._give(handler(turn, self))
            if self._preview:
                self.reply(self._preview)
        except BaseException as error:  # sys.exit() in a handler ends the turn, not a resident agent.
            self._say("log", traceback.format_exc().rstrip(), "error")
            self._error = self._error or str(error) or type(error).__name__
        self._finish()

    def _give(self, answer):
        if hasattr(answer, "__await__") or hasattr(answer, "__aiter__"):
            import asyncio  # Here, because it takes longer to load than all else together.

            answer = asyncio.run(answer if hasattr(answer, "__await__") else self._stream(answer))
        if isinstance(answer, str):
            self.reply(answer)
        elif isinstance(answer, dict):
            self._result = checked_result(answer)
            if answer.get("text") is not None:
                self.reply(answer["text"])
        elif answer is not None:
            for piece in until_returned(answer):
                self.delta(checked_piece(piece))
                if self.cancelled:
                    break

    async def _stream(self, pieces):
        async for piece in pieces:
            self.delta(checked_piece(piece))
            if self.cancelled:
                break

    def _finish(self, cancelled=False):
        """Says the end, once. A cancelled turn ends now: a handler that pays no heed must not hold it up."""
        with self._lock:
            if self.end is not None:
                return
            self.cancelled = cancelled
            if self._preview and not self._voice.streams:
                self.reply(self._preview)
            end = SimpleNamespace(text=self._last, code=self._code, result={"usage": self._usage, **self._result})
            end.outcome = "cancelled" if cancelled else "success" if self._error is None else "error"
            end.error = None if cancelled else self._error
            end.milliseconds = round((time.monotonic() - self._started) * 1000)
            self._voice.end(end)
            self.end = end
            self._on_end()


MAY_RETURN = "it may return text, a dict with text, data, files or usage, pieces of text to stream, or nothing."


def checked_result(answer):
    """The dict, if it is one that a handler may return. A wrong one must not look like an empty answer."""
    fields = ("text", "data", "files", "usage")
    if answer and not any(field in answer for field in fields):
        names = ", ".join(str(name) for name in list(answer)[:5])
        raise TypeError("The handler returned a dict with only %s; %s" % (names, MAY_RETURN))
    for field, kinds, expected in (("text", str, "a str"), ("files", (list, tuple), "a list"), ("usage", dict, "a dict")):
        value = answer.get(field)
        if value is not None and not isinstance(value, kinds):
            wrong = "The handler returned a dict whose %s is of the type %s; it must be %s."
            raise TypeError(wrong % (field, type(value).__name__, expected))
    return answer


def until_returned(pieces):
    """The pieces of an answer, one by one; what a generator returns in the end would reach nobody."""
    if isinstance(pieces, (bytes, bytearray, memoryview)) or not hasattr(pieces, "__iter__"):
        raise TypeError("The handler returned a value of the type %s; %s" % (type(pieces).__name__, MAY_RETURN))
    returned = yield from pieces
    if returned is not None:
        wrong = "The handler is a generator and returned a value of the type %s; yield what is to be said."
        raise TypeError(wrong % type(returned).__name__)


def checked_piece(piece):
    if not isinstance(piece, str):
        raise TypeError("The handler yielded a value of the type %s; it may yield text." % type(piece).__name__)
    return piece


class NoSteering:
    """For hosts that have no way to say anything during a turn."""

    waiting = 0

    def take(self):
        return None


def make_turn(text, attachments, session, **more):
    optional = dict.fromkeys(("sender", "channel", "chat_id", "operation", "schema"))
    fields = {**optional, "extensions": {}, **more}
    return SimpleNamespace(text=text, attachments=list(attachments), session=session, **fields)


def make_session(key, agent_id=None, name=None, lasts=None):
    return SimpleNamespace(key=key, agent_id=agent_id, name=name, lasts=lasts)


def new_session(lasts, name=None):
    """A session that its host has no name for; its key is that of no other."""
    return make_session("new-" + os.urandom(16).hex(), name=name, lasts=lasts)


def make_attachment(kind, path=None, url=None, name=None):
    return SimpleNamespace(kind=kind, path=path, url=url, name=name)


class Agent:
    """The handler and the turn it is at. It works in a thread of its own, so that signals and input are heard."""

    def __init__(self, handler):
        self.handler, self.wire = handler, Wire()
        self.changed = threading.Condition(self.wire.lock)
        self.current, self.queue = None, []

    def start(self, turn, voice, steering, on_end=lambda: None):
        def ended():
            self.current = None
            on_end()
            self.changed.notify_all()

        io = self.current = TurnIO(voice, steering, ended)
        threading.Thread(target=io._run, args=(self.handler, turn), daemon=True).start()
        return io

    def ask(self, turn, voice):
        """Answers one turn; returns the exit code for it."""
        with self.changed:
            io = self.start(turn, voice, NoSteering())
            while io.end is None:
                self.changed.wait()
            return voice.exit_code(io.end)

    def wind_up(self, code):
        """Says the end of the turn and ends the process; never returns."""
        late = threading.Timer(WIND_UP_SECONDS, os._exit, (code,))
        late.daemon = True
        late.start()
        with self.wire.lock:
            self.queue.clear()
            if self.current is not None:
                self.current._finish(cancelled=True)
            os._exit(code)


END_SIGNALS = (signal.SIGTERM, signal.SIGINT)


def on_end_signal(wind_up):
    """Calls `wind_up` with an exit code, in a thread of its own, when the process is told to end.

    Python runs a signal handler when its main thread next looks up, and that thread waits for input or for a lock: a
    signal that comes just before it begins to wait would not be heard. What the signal itself writes to a pipe is.
    """
    heard, written = os.pipe()
    os.set_blocking(written, False)
    for number in END_SIGNALS:
        signal.signal(number, lambda *_: None)
    signal.set_wakeup_fd(written, warn_on_full_buffer=False)
    # One that reaches a new process before it has forgotten them would be heard here, through the same pipe.
    os.register_at_fork(
        before=lambda: signal.pthread_sigmask(signal.SIG_BLOCK, END_SIGNALS),
        after_in_parent=lambda: signal.pthread_sigmask(signal.SIG_UNBLOCK, END_SIGNALS),
        after_in_child=forget_end_signals,
    )
    threading.Thread(target=await_end_signal, args=(heard, wind_up), daemon=True).start()


def await_end_signal(heard, wind_up):
    number = None
    while number not in END_SIGNALS:  # The agent may listen to other signals, which are written too.
        number = os.read(heard, 1)[0]
    wind_up(128 + number)


def forget_end_signals():
    """In a child that was forked, such as a worker of multiprocessing: what ends it is not the end of the agent."""
    signal.set_wakeup_fd(-1)
    for number in END_SIGNALS:
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, END_SIGNALS)


# ── Bytes ───────────────────────────────────────────────────────────────────────────────────────────────────


class Wire:
    """stdin and stdout, taken over for the protocol: UTF-8 in any locale, LF alone ends a line."""

    def __init__(self):
        self.lock = threading.RLock()
        self.terminal = os.isatty(0)
        self._gone = False
        sys.stdout.flush()
        sys.stderr.reconfigure(encoding="utf-8", errors="backslashreplace")
        sys.stdout = sys.stderr
        # The descriptors too, so that programs the agent starts neither write to the host nor read its input.
        self._output, self._input = os.dup(1), os.fdopen(os.dup(0), "rb")
        os.dup2(2, 1)
        if not self.terminal:
            nothing = os.open(os.devnull, os.O_RDONLY)
            os.dup2(nothing, 0)
            os.close(nothing)

    def line(self):
        """The next line, or None at the end of input."""
        data = self._input.readline()
        if not data:
            return None
        data = data[:-1] if data.endswith(b"\n") else data
        return (data[:-1] if data.endswith(b"\r") else data).decode("utf-8", "replace")

    def first_line(self):
        """The first line that is not blank, without a byte order mark, and the blank lines before it."""
        line, blank = self.line(), ""
        while line is not None and not line.strip("\ufeff \t\r"):
            line, blank = self.line(), blank + line + "\n"
        mark = (blank + (line or "")).startswith("\ufeff")
        return (line or "").lstrip("\ufeff") if mark else line or "", blank.lstrip("\ufeff")

    def rest(self):
        """All that is left of the input."""
        return self._input.read().decode("utf-8", "replace")

    def write(self, text):
        """Returns when the host has every byte. A host that has gone away is no error: there is nobody to tell."""
        with self.lock:
            left = memoryview(encoded(text))
            while left and not self._gone:
                try:
                    left = left[os.write(self._output, left) :]
                except BlockingIOError:
                    select.select([], [self._output], [])
                except OSError:
                    self._gone = True

    def frame(self, value):
        """One JSON object as a line; fields that are None are left out."""
        self.write(to_json({key: item for key, item in value.items() if item is not None}) + "\n")


def encoded(text):
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:  # Half of a surrogate pair cannot be sent.
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode("utf-8")


def to_json(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)


def parse(text):
    """Any JSON value; raises ValueError with a sentence."""
    try:
        return json.loads(text.lstrip("\ufeff"), object_pairs_hook=unambiguous)
    except RecursionError:
        raise ValueError("JSON is nested too deeply.") from None
    except json.JSONDecodeError as error:
        raise ValueError("Not valid JSON: %s" % error) from None


def unambiguous(pairs):
    # Parsers differ on which of two counts, so what a frame is must not be said twice.
    for name in ("type", "operation"):
        if sum(key == name for key, _ in pairs) > 1:
            raise ValueError("A frame says its `%s` twice." % name)
    return dict(pairs)


def parse_or_none(text):
    try:
        return parse(text)
    except ValueError:
        return None


def text_of(value):
    return value if isinstance(value, str) else ""


def strings_of(value):
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def variable(name):
    return os.fsencode(os.environ.get(name, "")).decode("utf-8", "replace")


def base_name(path):
    return path.rsplit("/", 1)[-1]


def with_media(text, media):
    """A message as text alone: the addresses of its media follow, one per line."""
    return "\n".join(part for part in [text, *media] if part)


def log(text):
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


class Voice:
    """How a dialect says what happens in a turn; what it has no form for goes to stderr, for the operator."""

    streams = False  # Whether deltas are said. Where they are not, the message that follows them says it all.

    def __init__(self, wire):
        self.wire = wire

    def delta(self, text):
        pass

    def progress(self, text):
        log(text)

    def log(self, text, level="info"):
        log("%s: %s" % (level, text))

    def tool_call(self, call, name, input):
        self.log("tool %s %s" % (name, to_json(input)))

    def tool_result(self, call, content, is_error):
        self.log("tool result%s: %s" % (" (error)" if is_error else "", content))

    def session(self, id):
        pass

    def exit_code(self, end):
        return 0 if end.outcome == "success" else 1


# ── Plain text, with a person: at a terminal, through a pipe, or in an interactive nib operation ────────────


class PlainVoice(Voice):
    streams = True
    mid_line = False

    def delta(self, text):
        self.mid_line = self.mid_line or text != ""
        self.wire.write(text)

    def message(self, text, media, preview):
        rest = with_media("" if preview and preview == text else text, media)
        self.wire.write(("\n" if self.mid_line else "") + (rest + "\n" if rest or not preview else ""))
        self.mid_line = False

    def progress(self, text):
        """Only for a person who types: what is piped on is the answer alone."""
        if self.wire.terminal:
            self.wire.write("… " + text + "\n")
        else:
            log(text)

    def end(self, end):
        self.wire.write("\n" if self.mid_line else "")
        self.mid_line = False
        if end.error is not None:
            log(end.error)


def serve_plain(agent, source):
    rest = agent.wire.rest()
    text = (source + "\n" + rest if rest else source).rstrip("\n")
    if not text.strip():
        return 0
    return agent.ask(make_turn(text, [], new_session("process"), channel="terminal"), PlainVoice(agent.wire))


def converse(agent, voice, session):
    """One turn for each line typed; returns the exit code of the last."""
    code = 0
    while True:
        agent.wire.write("> ")
        line = agent.wire.line()
        if line is None or line in ("/quit", "/exit"):
            return code
        if line.strip():
            code = agent.ask(make_turn(line, [], session, channel="terminal"), voice)


# ── Terminal Protocol v1: an envelope on stdin, a frame for each thing said ─────────────────────────────────


KINDS = {"image": "jpg jpeg png gif webp", "video": "mp4 mov avi mkv webm", "audio": "mp3 ogg m4a wav flac"}


def serve_terminal(agent, envelope):
    if envelope["version"] == 1:
        return agent.ask(terminal_turn(envelope), TerminalVoice(agent.wire))
    agent.wire.frame({"type": "error", "text": "Only version 1 of the envelope is understood."})
    return 1


def terminal_turn(envelope):
    return make_turn(
        envelope["text"],
        [make_attachment(kind_of(path), path, name=base_name(path)) for path in strings_of(envelope.get("media"))],
        terminal_session(envelope),
        channel=text_of(envelope.get("channel")) or None,
        chat_id=text_of(envelope.get("chat_id")) or None,
        extensions={name: envelope[name] for name in ("workspace", "user_data_dir", "providers") if name in envelope},
    )


def terminal_session(envelope):
    key, channel, chat = (text_of(envelope.get(name)) for name in ("session_key", "channel", "chat_id"))
    if not key and not chat:
        return new_session("turn")
    return make_session(key or channel + ":" + chat)


def kind_of(path):
    ending = base_name(path).rsplit(".", 1)[-1].lower()
    return next((kind for kind, endings in KINDS.items() if ending in endings.split()), "file")


class TerminalVoice(Voice):
    def message(self, text, media, preview):
        """Only absolute paths have a place of their own; what lies elsewhere follows the text."""
        paths = [one for one in media if one.startswith("/")]
        text = with_media(text, [one for one in media if not one.startswith("/")])
        self.wire.frame({"type": "message", "text": text, "media": paths or None})

    def progress(self, text):
        self.wire.frame({"type": "progress", "text": text})

    def log(self, text, level="info"):
        self.wire.frame({"type": "log", "text": text, "level": level})

    def end(self, end):
        if end.outcome == "cancelled":
            self.wire.frame({"type": "error", "text": "Cancelled.", "code": "cancelled"})
        elif end.outcome == "error":
            self.wire.frame({"type": "error", "text": end.error, "code": end.code})


# ── AgentProc: 0.1 has variables, prefixed lines and a body; 0.4 has a JSON line in and JSON lines out ──────


def agentproc_turn(wire):
    text = variable("AGENT_MESSAGE")
    if variable("AGENT_MESSAGE_TRUNCATED") == "1":  # Only then: a host may leave stdin open.
        text = wire.rest() or text
    listed = parse_or_none(variable("AGENT_ATTACHMENTS"))
    if not isinstance(listed, list):
        listed = [{"type": kind, "url": variable("AGENT_%s_URL" % kind.upper())} for kind in ("image", "file")]
    session = agentproc_session(variable("AGENT_SESSION_ID"), variable("AGENT_SESSION_NAME"))
    return make_turn(text, linked(listed, "type"), session, sender=variable("AGENT_FROM_USER") or None)


def v4_turn(value):
    session = agentproc_session(text_of(value.get("session_id")), text_of(value.get("session_name")))
    return make_turn(value["message"], linked(value.get("attachments"), "kind"), session)


def agentproc_session(id, name):
    name = name or "default"
    return make_session(id, id, name, "turn") if id else new_session("turn", name)


def linked(entries, kind_key):
    """Attachments named by URL; those of this machine get a path. What is not complete is left out."""
    found = []
    for entry in entries if isinstance(entries, list) else []:
        if not isinstance(entry, dict) or not text_of(entry.get(kind_key)) or not text_of(entry.get("url")):
            continue
        kind, url, name = entry[kind_key], entry["url"], text_of(entry.get("name")) or None
        kind = kind if kind in ("image", "audio", "video") else "file"
        where = {"path": unquote(url[7:])} if url.startswith("file:///") else {"url": url}
        found.append(make_attachment(kind, name=name, **where))
    return found


class StreamingVoice(Voice):
    """What both have in common: partials that a host joins into one text, messages apart by a blank line."""

    streams = True
    gap = False

    def say_piece(self, text):
        if text:
            self.partial("\n\n" + text if self.gap else text)
            self.gap = False

    def say_rest(self, whole, preview):
        """Completes a message. A preview that turns out wrong cannot be taken back: all of it follows."""
        right = whole.startswith(preview)
        self.gap = self.gap or not right
        self.say_piece(whole[len(preview) :] if right else whole)
        self.gap = True

    def sentence(self, end):
        if end.error and end.error.strip():
            return end.error
        return "The turn was cancelled." if end.outcome == "cancelled" else "The agent reported an error."

    def exit_code(self, end):
        return {"success": 0, "error": 1, "cancelled": 130}[end.outcome]


class AgentprocVoice(StreamingVoice):
    def __init__(self, wire):
        super().__init__(wire)
        self.streams = variable("AGENT_STREAMING") != "0"
        self.spoken_in = ""  # A host takes the body for the whole reply, so all messages must go the same way.

    def partial(self, text):
        self.wire.write("AGENT_PARTIAL:" + to_json(text) + "\n")

    def delta(self, text):
        if self.streams:
            self.say_piece(text)

    def message(self, text, media, preview):
        streamed = preview != "" and preview == text and self.spoken_in != "body"
        if self.streams and (streamed or self.spoken_in == "partials"):
            self.spoken_in = "partials"
            self.say_rest(with_media(text, media), preview)
        elif text or media:
            # A line that looks like protocol gets a space in front; some hosts end a line at a lone CR as well.
            looks = r"(?:^|(?<=[\r\n]))(?=AGENT_(?:SESSION|PARTIAL|ERROR):)"
            body = re.sub(looks, " ", with_media(text, media))
            self.wire.write(("\n" if self.spoken_in == "body" else "") + body + "\n")
            self.spoken_in = "body"

    def session(self, id):
        if id and len(id) <= 4096 and not re.search(r"[\s\x00-\x1f\x7f-\x9f:]", id):
            self.wire.write("AGENT_SESSION:" + id + "\n")
        else:
            self.log("A session id must not hold white space or a colon.", "warning")

    def end(self, end):
        if end.outcome != "success":
            self.wire.write("AGENT_ERROR:" + to_json(self.sentence(end)) + "\n")


class AgentprocV4Voice(StreamingVoice):
    id = None

    def __init__(self, wire):
        super().__init__(wire)
        self.messages, self.streamed = [], False

    def partial(self, text):
        self.wire.frame({"type": "partial", "text": text, "session_id": self.id})

    def delta(self, text):
        # A host that shows partials does not show the result, so they must say everything.
        for message in [] if self.streamed else self.messages:
            self.say_rest(message, "")
        self.streamed = True
        self.say_piece(text)

    def message(self, text, media, preview):
        self.messages.append(with_media(text, media))
        if self.streamed:
            self.say_rest(self.messages[-1], preview)

    def session(self, id):
        if not id or len(id) > 4096 or id in (".", "..") or re.search(r"[/\\\x00-\x1f\x7f-\x9f]", id):
            self.log("A session id must be a file name.", "warning")
        else:
            self.id = self.id or id

    def end(self, end):
        text = "\n\n".join(message for message in self.messages if message)
        failed = {"type": "error", "message": self.sentence(end)}
        said = {"type": "result", "text": text} if end.outcome == "success" else failed
        self.wire.frame({**said, "usage": end.result.get("usage"), "session_id": self.id})


# ── nib: one object in, one object out; or a request in a file, and the terminal ────────────────────────────


def take_request_file():
    """The request that a host has left in a file, which it is the agent's duty to delete."""
    path = os.environ.get("NIB_AGENT_REQUEST_FILE", "")
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            source = file.read()
        os.remove(path)
        return source
    except OSError:
        return None  # One that is gone belongs to the process that started this one.


def serve_nib(agent, source):
    try:
        turn = nib_turn(source)
    except ValueError as error:
        agent.wire.frame({"type": "error", "error": str(error)})
        return 0
    return agent.ask(turn, NibVoice(agent.wire, turn.operation.name))


def serve_interactive(agent, source):
    try:
        turn = nib_turn(source)
    except ValueError as error:
        log(str(error))
        return 1
    voice = PlainVoice(agent.wire)
    return agent.ask(turn, voice) or converse(agent, voice, turn.session)


def nib_turn(source):
    """Raises ValueError when the source is no request."""
    value = parse(source)
    name = text_of(value.get("operation")) if isinstance(value, dict) else ""
    if not name:
        raise ValueError("A request must be a JSON object that names its `operation`.")
    if name not in OPERATIONS:  # What nobody has heard of must not be reported as done.
        raise ValueError(f"unknown operation: {name}")
    fields = {key: item for key, item in value.items() if key != "operation"}
    schema = fields.pop("schema") if isinstance(fields.get("schema"), dict) else None
    root, paths = text_of(fields.get("dir")), strings_of(fields.get("paths"))
    described = [name, text_of(fields.get("character_slug")), text_of(fields.get("project_name")), *paths]
    return make_turn(
        text_of(fields.get("question")) or text_of(fields.get("context")) or " ".join(filter(None, described)),
        [make_attachment("file", os.path.join(root, path), name=base_name(path)) for path in paths],
        nib_session(fields.get("session"), root),
        operation=SimpleNamespace(name=name, fields=fields),
        schema=schema,
    )


def nib_session(value, root):
    id = text_of(value.get("id")) if isinstance(value, dict) else ""
    project = "nib:" + root if root else "nib"
    if not id:
        return make_session(project)
    # Two projects may give their conversations the same id.
    return make_session(project + ":" + id if root else id, id if value.get("resume") is True else None)


class NibVoice(Voice):
    def __init__(self, wire, operation):
        super().__init__(wire)
        self.operation, self.messages = operation, []

    def message(self, text, media, preview):
        self.messages.append(with_media(text, media))

    def end(self, end):
        text = "\n\n".join(message for message in self.messages if message)
        answer = {"type": "success", "operation": self.operation}
        if end.outcome != "success":
            answer = {"type": "error", "error": end.error or "Cancelled."}
        elif self.operation == "project-scaffold":
            answer["files"] = end.result.get("files", [])
        elif self.operation != "continuity-index":
            answer["text"] = text
        else:
            answer["data"] = end.result.get("data", parse_or_none(text))
            if not isinstance(answer["data"], dict):
                answer = {"type": "error", "error": "The agent did not answer with a JSON object."}
        self.wire.frame(answer)

    def exit_code(self, end):
        return 0  # The answer itself says what went wrong.


# ── Nuum: one process for many turns, JSON lines both ways ──────────────────────────────────────────────────


class Resident:
    """Answers turns for as long as input is open, then finishes what is left. It is also the steering of its turns."""

    def __init__(self, agent, version, tools, session):
        self.agent, self.voice = agent, NuumVoice(agent.wire, session)
        self.about = {"version": version, "tools": tools}

    def serve(self, line=""):
        self.voice.system("init", session_id=self.voice.id, **self.about)
        while line is not None:
            if line.strip():
                self._receive(line)
            line = self.agent.wire.line()
        with self.agent.changed:
            while self.agent.current is not None:
                self.agent.changed.wait()
        return 0

    def _receive(self, line):
        try:
            value = parse(line)
            kind = value.get("type") if isinstance(value, dict) else None
            if kind not in ("user", "control"):
                raise ValueError("Unknown type %s." % to_json(kind))
            with self.agent.changed:
                self._admit(nuum_turn(value, make_session(self.voice.id, lasts="process"))) if kind == "user" else self._control(value.get("action"))
        except ValueError as error:
            self.voice.system("error", message=str(error))

    def _control(self, action):
        running = self.agent.current
        if action == "heartbeat":
            self.voice.system("heartbeat_ack")
        elif action == "status":
            self.voice.system("status_response", running=running is not None, session_id=self.voice.id)
        elif action != "interrupt":
            raise ValueError("Unknown control action %s." % to_json(action))
        elif running is None:
            raise ValueError("No turn is running.")
        else:
            running._finish(cancelled=True)

    def _admit(self, turn):
        self.agent.queue.append(turn)
        if self.agent.current is None:
            self._start_next()
        else:
            self.voice.system("queued", position=len(self.agent.queue))

    def _start_next(self):
        if self.agent.queue:
            now = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="milliseconds")
            self.voice.system("turn_accepted", session_id=self.voice.id, timestamp=now.replace("+00:00", "Z"))
            self.agent.start(self.agent.queue.pop(0), self.voice, self, self._start_next)

    @property
    def waiting(self):
        """How many messages wait."""
        return len(self.agent.queue)

    def take(self):
        """All that the user has said since the turn began as one turn, or None. The host is told."""
        with self.agent.changed:
            taken, self.agent.queue = self.agent.queue, []
            if not taken:
                return None
            self.voice.system("injected", message_count=len(taken))
            taken[0].text = "\n\n".join(turn.text for turn in taken)
            return taken[0]


def nuum_turn(value, session):
    """Raises ValueError with the complaint that the host gets to hear."""
    message = value.get("message")
    if not isinstance(message, dict) or message.get("role") != "user":
        raise ValueError('`message` must be an object whose `role` is "user".')
    content = message.get("content")
    if isinstance(content, list):
        blocks = [block for block in content if isinstance(block, dict) and block.get("type") == "text"]
        content = "\n".join(strings_of([block.get("text") for block in blocks])) if blocks else None
    if not isinstance(content, str):
        raise ValueError("`message.content` must be a string, or a list with a text block.")
    return make_turn(content, [], session, extensions={key: value[key] for key in value if key not in ("type", "message")})


class NuumVoice(Voice):
    def __init__(self, wire, session):
        super().__init__(wire)
        self.id, self.calling = session, 0

    def system(self, subtype, **fields):
        self.wire.frame({"type": "system", "subtype": subtype, **fields})

    def assistant(self, **block):
        message = {"role": "assistant", "content": [block], "model": "plugboard"}
        self.wire.frame({"type": "assistant", "message": message, "session_id": self.id})

    def progress(self, text):
        self.system("progress", message=text, session_id=self.id)

    def message(self, text, media, preview):
        self.assistant(type="text", text=with_media(text, media))

    def tool_call(self, call, name, input):
        self.calling += 1
        self.assistant(type="tool_use", id=call, name=name, input=input)

    def tool_result(self, call, content, is_error):
        result = {"type": "tool_result", "tool_use_id": call, "content": content}
        self.system("tool_result", tool_result={**result, "is_error": True} if is_error else result)

    def end(self, end):
        is_error = end.outcome == "error"
        self.wire.frame(
            {
                "type": "result",
                "subtype": end.outcome,
                "duration_ms": end.milliseconds,
                "is_error": is_error,
                "num_turns": max(1, self.calling),
                "session_id": self.id,
                "result": end.error if is_error else end.text,
                "usage": end.result.get("usage"),
            }
        )
        self.calling = 0
