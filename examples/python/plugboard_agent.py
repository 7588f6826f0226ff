"""Write an agent once; it answers in whichever dialect its host speaks.

One file, standard library only, Python 3.8 or newer: copy it next to your agent.

    from plugboard_agent import serve

    def answer(turn, io):
        return "You said: " + turn.text

    serve(answer)

A handler returns its reply, yields the pieces of one, or calls `io.reply`; it may be async. It may also return a dict
with `text`, `data`, `files` and `usage`. What it raises becomes the error of the turn. stdout belongs to the protocol:
whatever the agent prints, or a program that it starts, goes to stderr.
"""

import asyncio
import datetime
import inspect
import json
import os
import re
import secrets
import select
import signal
import sys
import threading
import time
import traceback
from dataclasses import dataclass, field, replace
from typing import Any, Dict, List, Optional
from urllib.parse import unquote

__all__ = ["serve", "Turn", "TurnIO", "Session", "Attachment", "Operation"]

WIND_UP_SECONDS = 2.0


# ── What a handler is given ──────────────────────────────────────────────────────────────────────────────────────────


@dataclass
class Attachment:
    """A file that came with a turn: `kind` is image, file, audio or video; it has a local path or a URL."""

    kind: str
    path: Optional[str] = None
    url: Optional[str] = None
    name: Optional[str] = None


@dataclass
class Session:
    """The conversation a turn belongs to; `agent_id` is the id that `io.session` gave in an earlier turn."""

    key: str = "default"
    agent_id: Optional[str] = None
    name: Optional[str] = None


@dataclass
class Operation:
    """A named request with fields of its own, from hosts that ask for one."""

    name: str
    fields: Dict[str, Any]


@dataclass
class Turn:
    """One request to the agent."""

    text: str = ""
    attachments: List[Attachment] = field(default_factory=list)
    session: Session = field(default_factory=Session)
    sender: Optional[str] = None
    channel: Optional[str] = None
    chat_id: Optional[str] = None
    operation: Optional[Operation] = None
    schema: Optional[Dict[str, Any]] = None
    extensions: Dict[str, Any] = field(default_factory=dict)


@dataclass
class End:
    """How a turn ended: `outcome` is success, error or cancelled."""

    outcome: str
    text: str
    error: Optional[str] = None
    code: Optional[str] = None
    result: Dict[str, Any] = field(default_factory=dict)
    milliseconds: int = 0


class Steering:
    """What the user has said since the turn began. Only a resident agent ever hears anything."""

    waiting = 0

    def take(self) -> Optional[Turn]:
        """All that waits as one turn, joined by blank lines, or None. The host is told."""
        return None


class TurnIO:
    """What a handler can say while it answers. After a cancelled turn nothing more is said."""

    def __init__(self, voice: "Voice", steering: Steering, on_end=lambda: None):
        self.steering = steering
        self.cancelled = False
        self.end: Optional[End] = None
        self._voice, self._lock, self._on_end = voice, voice.wire.lock, on_end
        self._preview = self._last = ""
        self._error: Optional[str] = None
        self._code: Optional[str] = None
        self._result: Dict[str, Any] = {}
        self._calls = 0
        self._started = time.monotonic()

    def reply(self, text: str, media=()) -> None:
        """A complete message. Media are absolute paths or URLs."""
        with self._lock:
            if self.end is None:
                streamed = self._preview != "" and self._preview == text
                self._preview, self._last = "", text
                self._voice.message(text, [os.fspath(one) for one in media], streamed)

    def delta(self, text: str) -> None:
        """A piece of the next message."""
        with self._lock:
            if self.end is None:
                self._preview += text
                self._voice.delta(text)

    def progress(self, text: str) -> None:
        """A status line that is not part of the answer."""
        self._say("progress", text)

    def log(self, text: str) -> None:
        """For the operator, not for the user."""
        self._say("log", text)

    def session(self, id: str) -> None:
        """The id under which you remember this conversation; the host gives it back with the next turn."""
        self._say("session", id)

    def tool(self, name: str, input: Any):
        """Says that a tool is called, before it runs; returns the way to say what came of it."""
        self._calls += 1
        call = "call_%d" % self._calls
        self._say("tool_call", call, name, input)
        return lambda content, is_error=False: self._say("tool_result", call, content, is_error)

    def error(self, message: str, code: Optional[str] = None) -> None:
        """Ends the turn as failed, with a sentence for the user."""
        self._error, self._code = message, code

    def _say(self, what: str, *words: Any) -> None:
        with self._lock:
            if self.end is None:
                getattr(self._voice, what)(*words)

    def _run(self, handler, turn: Turn) -> None:
        try:
            self._give(handler(turn, self))
            if self._preview:
                self.reply(self._preview)
        except BaseException as error:  # sys.exit() in a handler ends the turn, not a resident agent.
            if not self.cancelled:
                self._say("log", traceback.format_exc().rstrip(), "error")
                self._error = self._error or str(error) or type(error).__name__
        self._finish()

    def _give(self, answer: Any) -> None:
        if inspect.isawaitable(answer):
            answer = asyncio.run(_awaited(answer))
        if inspect.isasyncgen(answer):
            asyncio.run(self._stream(answer))
        elif isinstance(answer, str):
            self.reply(answer)
        elif isinstance(answer, dict):
            self._result = answer
            if answer.get("text"):
                self.reply(answer["text"])
        elif answer is not None:
            for piece in answer:
                self.delta(piece)
                if self.cancelled:
                    break

    async def _stream(self, pieces) -> None:
        async for piece in pieces:
            self.delta(piece)
            if self.cancelled:
                break

    def _finish(self, cancelled: bool = False) -> None:
        """Says the end, once. A cancelled turn ends now: a handler that pays no heed must not hold it up."""
        with self._lock:
            if self.end is not None:
                return
            self.cancelled = cancelled
            outcome = "cancelled" if cancelled else "success" if self._error is None else "error"
            milliseconds = round((time.monotonic() - self._started) * 1000)
            error = None if cancelled else self._error
            self.end = End(outcome, self._last, error, self._code, self._result, milliseconds)
            self._voice.end(self.end)
            self._on_end()


async def _awaited(answer):
    return await answer


# ── Bytes ────────────────────────────────────────────────────────────────────────────────────────────────────────────


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

    def line(self) -> Optional[str]:
        """The next line, or None at the end of input."""
        data = self._input.readline()
        if not data:
            return None
        data = data[:-1] if data.endswith(b"\n") else data
        return (data[:-1] if data.endswith(b"\r") else data).decode("utf-8", "replace")

    def rest(self) -> str:
        """All that is left of the input."""
        return self._input.read().decode("utf-8", "replace")

    def write(self, text: str) -> None:
        """Returns when the host has every byte. A host that has gone away is no error: there is nobody to tell."""
        with self.lock:
            left = memoryview(_encoded(text))
            while left and not self._gone:
                try:
                    left = left[os.write(self._output, left) :]
                except BlockingIOError:
                    select.select([], [self._output], [])
                except OSError:
                    self._gone = True

    def frame(self, value: Dict[str, Any]) -> None:
        """One JSON object as a line; fields that are None are left out."""
        self.write(_json({key: item for key, item in value.items() if item is not None}) + "\n")


def _encoded(text: str) -> bytes:
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:  # Half of a surrogate pair cannot be sent.
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode("utf-8")


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)


def _parse(text: str) -> Any:
    """Any JSON value; raises ValueError with a sentence."""
    try:
        return json.loads(text.lstrip("\ufeff"), object_pairs_hook=_object)
    except RecursionError:
        raise ValueError("JSON is nested too deeply.") from None
    except json.JSONDecodeError as error:
        raise ValueError("Not valid JSON: %s" % error) from None


def _object(pairs):
    # Parsers differ on which of two counts, so what a frame is must not be said twice.
    for name in ("type", "operation"):
        if sum(key == name for key, _ in pairs) > 1:
            raise ValueError("A frame says its `%s` twice." % name)
    return dict(pairs)


def _log(text: str) -> None:
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


def _variable(name: str) -> str:
    return os.fsencode(os.environ.get(name, "")).decode("utf-8", "replace")


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _name(path: str) -> str:
    return path.rsplit("/", 1)[-1]


def _paths(value: Any) -> List[str]:
    return [path for path in value if isinstance(path, str)] if isinstance(value, list) else []


# ── How a dialect says what happens ──────────────────────────────────────────────────────────────────────────────────


class Voice:
    """What a dialect has no form for goes to stderr; deltas are gathered, since the message after them says it all."""

    def __init__(self, wire: Wire):
        self.wire = wire
        self.preview = ""

    def delta(self, text: str) -> None:
        self.preview += text

    def message(self, text: str, media: List[str], streamed: bool) -> None:
        raise NotImplementedError

    def progress(self, text: str) -> None:
        _log(text)

    def log(self, text: str, level: str = "info") -> None:
        _log("%s: %s" % (level, text))

    def tool_call(self, call: str, name: str, input: Any) -> None:
        self.log("tool %s %s" % (name, _json(input)))

    def tool_result(self, call: str, content: str, is_error: bool) -> None:
        self.log("tool result%s: %s" % (" (error)" if is_error else "", content))

    def session(self, id: str) -> None:
        pass

    def end(self, end: End) -> None:
        raise NotImplementedError

    def exit_code(self, end: End) -> int:
        return 0 if end.outcome == "success" else 1

    def take_preview(self) -> str:
        preview, self.preview = self.preview, ""
        return preview


def _with_media(text: str, media: List[str]) -> str:
    """A message as text alone: the addresses of its media follow, one per line."""
    return "\n".join(part for part in [text, *media] if part)


class PlainVoice(Voice):
    """Talks to a person: at a terminal, through a pipe, or in an interactive nib operation."""

    mid_line = False

    def delta(self, text):
        self.mid_line = self.mid_line or text != ""
        self.wire.write(text)

    def message(self, text, media, streamed):
        rest = _with_media("" if streamed else text, media)
        begin = "\n" if self.mid_line or streamed else ""
        self.mid_line = False
        self.wire.write(begin + (rest + "\n" if rest or not streamed else ""))

    def progress(self, text):
        self.wire.write("… " + text + "\n")

    def end(self, end):
        self.wire.write("\n" if self.mid_line else "")
        self.mid_line = False
        if end.error is not None:
            _log(end.error)


class TerminalVoice(Voice):
    """Terminal Protocol v1, rich: one frame for each thing said."""

    def message(self, text, media, streamed):
        self.preview = ""
        self.wire.frame({"type": "message", "text": text, "media": media or None})

    def progress(self, text):
        self.wire.frame({"type": "progress", "text": text})

    def log(self, text, level="info"):
        self.wire.frame({"type": "log", "text": text, "level": level})

    def end(self, end):
        if self.preview:
            self.message(self.preview, [], False)
        if end.outcome == "cancelled":
            self.wire.frame({"type": "error", "text": "Cancelled.", "code": "cancelled"})
        elif end.outcome == "error":
            self.wire.frame({"type": "error", "text": end.error, "code": end.code})


class NibVoice(Voice):
    """nib over the pipes: everything said becomes the one object at the end."""

    def __init__(self, wire, operation: str):
        super().__init__(wire)
        self.operation, self.messages = operation, []

    def message(self, text, media, streamed):
        self.preview = ""
        self.messages.append(_with_media(text, media))

    def end(self, end):
        self.wire.frame(self._failed(end.error or "Cancelled.") if end.outcome != "success" else self._success(end))

    def _success(self, end):
        text = "\n\n".join(message for message in self.messages if message)
        answer = {"type": "success", "operation": self.operation}
        if self.operation == "project-scaffold":
            return {**answer, "files": end.result.get("files", [])}
        if self.operation != "continuity-index":
            return {**answer, "text": text}
        data = end.result.get("data")
        try:
            data = _parse(text) if data is None else data
        except ValueError:
            pass
        return {**answer, "data": data} if isinstance(data, dict) else self._failed("There is no JSON object to answer with.")

    @staticmethod
    def _failed(error: str):
        return {"type": "error", "error": error}

    def exit_code(self, end):
        return 0  # The answer itself says what went wrong.


class StreamingVoice(Voice):
    """What both AgentProc wires share: partials that a host joins into one text, messages apart by a blank line."""

    gap = False

    def partial(self, text: str) -> None:
        raise NotImplementedError

    def say_piece(self, text: str, before: str = "") -> None:
        self.preview += text
        self.partial(before + self._standing_off(text))

    def say_rest(self, text: str, media: List[str], streamed: bool) -> None:
        """Completes a message of which deltas may have said a part."""
        preview, whole = self.take_preview(), _with_media(text, media)
        said = text if streamed else preview
        if not whole.startswith(said):  # A preview that turns out wrong cannot be taken back.
            self.gap, said = True, ""
        self.partial(self._standing_off(whole[len(said) :]))
        self.gap = True

    def _standing_off(self, text: str) -> str:
        if not text or not self.gap:
            return text
        self.gap = False
        return "\n\n" + text

    def sentence(self, end: End) -> str:
        if end.error and end.error.strip():
            return end.error
        return "The turn was cancelled." if end.outcome == "cancelled" else "The agent reported an error."

    def exit_code(self, end):
        return {"success": 0, "error": 1}.get(end.outcome, 130)


class AgentprocVoice(StreamingVoice):
    """AgentProc 0.1: prefixed lines and a plain body."""

    def __init__(self, wire):
        super().__init__(wire)
        self.streaming = os.environ.get("AGENT_STREAMING") != "0"
        self.spoken_in = ""  # A host takes the body for the whole reply, so all messages must go the same way.

    def partial(self, text):
        if text and self.streaming:
            self.wire.write("AGENT_PARTIAL:" + _json(text) + "\n")

    def delta(self, text):
        self.say_piece(text)

    def message(self, text, media, streamed):
        in_partials = self.spoken_in != "body" if streamed else self.spoken_in == "partials"
        if self.streaming and in_partials:
            self.spoken_in = "partials"
            self.say_rest(text, media, streamed)
        else:
            self.preview = ""
            self.body(_with_media(text, media))

    def body(self, text: str) -> None:
        if text:
            # A line that looks like protocol gets a space in front; some hosts end a line at a lone CR as well.
            safe = re.sub(r"(?:^|(?<=[\r\n]))(?=AGENT_(?:SESSION|PARTIAL|ERROR):)", " ", text)
            self.wire.write(("\n" if self.spoken_in == "body" else "") + safe + "\n")
            self.spoken_in = "body"

    def session(self, id):
        if id and len(id) <= 256 and not re.search(r"[\s\x00-\x1f\x7f-\x9f:]", id):
            self.wire.write("AGENT_SESSION:" + id + "\n")
        else:
            self.log("A session id must not hold white space or a colon.", "warning")

    def end(self, end):
        if end.outcome != "success":
            self.wire.write("AGENT_ERROR:" + _json(self.sentence(end)) + "\n")


class AgentprocV4Voice(StreamingVoice):
    """AgentProc 0.4: JSON lines, the last of which is the result or the error."""

    def __init__(self, wire):
        super().__init__(wire)
        self.messages: List[str] = []
        self.streamed = False
        self.id: Optional[str] = None

    def partial(self, text):
        if text:
            self.wire.frame({"type": "partial", "text": text, "session_id": self.id})

    def delta(self, text):
        if text:
            # A host that shows partials does not show the result, so they must say everything.
            before = "" if self.streamed else "".join(message + "\n\n" for message in self.messages)
            self.streamed = True
            self.say_piece(text, before)

    def message(self, text, media, streamed):
        whole = _with_media(text, media)
        self.messages += [whole] if whole else []
        if self.streamed:
            self.say_rest(text, media, streamed)

    def session(self, id):
        if not id or len(id) > 256 or id in (".", "..") or re.search(r"[/\\\x00-\x1f\x7f-\x9f]", id):
            self.log("A session id must be a file name.", "warning")
        else:
            self.id = self.id or id

    def end(self, end):
        usage = end.result.get("usage")
        if end.outcome == "success":
            said = {"type": "result", "text": "\n\n".join(self.messages)}
        else:
            said = {"type": "error", "message": self.sentence(end)}
        self.wire.frame({**said, "usage": usage, "session_id": self.id})


class NuumVoice(Voice):
    """Nuum: one process for many turns; most lines name the agent's session."""

    def __init__(self, wire, session: str):
        super().__init__(wire)
        self.id, self.calling = session, 0

    def system(self, subtype: str, **fields: Any) -> None:
        self.wire.frame({"type": "system", "subtype": subtype, **fields})

    def assistant(self, block: Dict[str, Any]) -> None:
        message = {"role": "assistant", "content": [block], "model": "plugboard"}
        self.wire.frame({"type": "assistant", "message": message, "session_id": self.id})

    def message(self, text, media, streamed):
        self.preview = ""
        self.assistant({"type": "text", "text": _with_media(text, media)})

    def tool_call(self, call, name, input):
        self.calling += 1
        self.assistant({"type": "tool_use", "id": call, "name": name, "input": input})

    def tool_result(self, call, content, is_error):
        result = {"type": "tool_result", "tool_use_id": call, "content": content}
        self.system("tool_result", tool_result={**result, "is_error": True} if is_error else result)

    def session(self, id):
        self.id = id

    def end(self, end):
        unfinished = self.preview
        if unfinished:
            self.message(unfinished, [], False)
        is_error = end.outcome == "error"
        self.wire.frame(
            {
                "type": "result",
                "subtype": end.outcome,
                "duration_ms": end.milliseconds,
                "is_error": is_error,
                "num_turns": max(1, self.calling),
                "session_id": self.id,
                "result": end.error if is_error else end.text or unfinished,
                "usage": end.result.get("usage"),
            }
        )
        self.calling = 0


# ── How a dialect hands over a turn ──────────────────────────────────────────────────────────────────────────────────


def _linked(kind: Any, url: Any, name: Any) -> List[Attachment]:
    """An attachment named by URL; one of this machine becomes a path. Nothing when it is not complete."""
    if not _text(kind) or not _text(url):
        return []
    kind = kind if kind in ("image", "file", "audio", "video") else "file"
    if url.startswith("file:///"):
        return [Attachment(kind, path=unquote(url[7:]), name=_text(name) or None)]
    return [Attachment(kind, url=url, name=_text(name) or None)]


def _session(id: str, name: str) -> Session:
    name = name or "default"
    return Session(id, id, name) if id else Session(name, None, name)


def _agentproc_turn(wire: Wire) -> Turn:
    text = _variable("AGENT_MESSAGE")
    if os.environ.get("AGENT_MESSAGE_TRUNCATED") == "1":  # Only then: a host may leave stdin open.
        text = wire.rest() or text
    return Turn(
        text,
        _agentproc_attachments(),
        _session(_variable("AGENT_SESSION_ID"), _variable("AGENT_SESSION_NAME")),
        sender=_variable("AGENT_FROM_USER") or None,
    )


def _agentproc_attachments() -> List[Attachment]:
    try:
        listed = _parse(_variable("AGENT_ATTACHMENTS"))
    except ValueError:
        listed = None
    if not isinstance(listed, list):
        listed = [{"type": kind, "url": _variable("AGENT_%s_URL" % kind.upper())} for kind in ("image", "file")]
    entries = [one for one in listed if isinstance(one, dict)]
    return [found for one in entries for found in _linked(one.get("type"), one.get("url"), one.get("name"))]


def _v4_turn(value: Dict[str, Any]) -> Turn:
    listed = value.get("attachments")
    entries = [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
    files = [found for one in entries for found in _linked(one.get("kind"), one.get("url"), one.get("name"))]
    return Turn(value["message"], files, _session(_text(value.get("session_id")), _text(value.get("session_name"))))


IMAGES, AUDIO = ("jpg", "jpeg", "png", "gif", "webp"), ("mp3", "ogg", "m4a", "wav", "flac")
VIDEOS = ("mp4", "mov", "avi", "mkv", "webm")


def _at(path: str) -> Attachment:
    ending = _name(path).rsplit(".", 1)[-1].lower()
    kinds = [kind for kind, endings in (("image", IMAGES), ("audio", AUDIO), ("video", VIDEOS)) if ending in endings]
    return Attachment(kinds[0] if kinds else "file", path=path, name=_name(path))


def _terminal_turn(value: Dict[str, Any]) -> Turn:
    return Turn(
        value["text"],
        [_at(path) for path in _paths(value.get("media"))],
        Session(_text(value.get("session_key")) or "default"),
        channel=_text(value.get("channel")) or None,
        chat_id=_text(value.get("chat_id")) or None,
        extensions={name: value[name] for name in ("workspace", "user_data_dir", "providers") if name in value},
    )


def _nib_turn(source: str) -> Turn:
    """Raises ValueError when the source is no request."""
    value = _parse(source)
    name = value.get("operation") if isinstance(value, dict) else None
    if not _text(name):
        raise ValueError("A request must be a JSON object that names its `operation`.")
    fields = {key: item for key, item in value.items() if key != "operation"}
    schema = fields.pop("schema") if isinstance(fields.get("schema"), dict) else None
    directory, paths = _text(fields.get("dir")), _paths(fields.get("paths"))
    subject = [name, _text(fields.get("character_slug")), _text(fields.get("project_name")), *paths]
    spoken = " ".join(part for part in subject if part)
    files = [Attachment("file", path=os.path.join(directory, path), name=_name(path)) for path in paths]
    return Turn(
        _text(fields.get("question")) or _text(fields.get("context")) or spoken,
        files,
        _nib_session(fields.get("session"), directory),
        operation=Operation(name, fields),
        schema=schema,
    )


def _nib_session(value: Any, directory: str) -> Session:
    id = _text(value.get("id")) if isinstance(value, dict) else ""
    if not id:
        return Session("nib:" + directory if directory else "nib")
    return Session(id, id if value.get("resume") is True else None)


def _nuum_turn(value: Dict[str, Any]) -> Turn:
    """Raises ValueError with the complaint that the host gets to hear."""
    message = value.get("message")
    if not isinstance(message, dict) or message.get("role") != "user":
        raise ValueError('`message` must be an object whose `role` is "user".')
    content = message.get("content")
    if isinstance(content, list):
        blocks = [one for one in content if isinstance(one, dict) and one.get("type") == "text"]
        texts = [one["text"] for one in blocks if isinstance(one.get("text"), str)]
        content = "\n".join(texts) if texts else None
    if not isinstance(content, str):
        raise ValueError("`message.content` must be a string, or a list with a text block.")
    extensions = {key: item for key, item in value.items() if key not in ("type", "message")}
    return Turn(content, extensions=extensions)


# ── Serving ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def serve(handler, version: str = "0.0.0", tools=(), session: Optional[str] = None):
    """Serves the host that started this process, in whichever dialect it speaks, and ends the process: call it last.

    `version`, `tools` and `session` (the id of the one conversation) are what a resident agent says of itself.
    """
    agent = _Agent(handler)
    signal.signal(signal.SIGTERM, lambda *_: agent.terminate(143))
    signal.signal(signal.SIGINT, lambda *_: agent.terminate(130))
    sys.exit(_speak(agent, version, list(tools), session or "plugboard_" + secrets.token_hex(10)))


class _Agent:
    """The handler and the turn it is at. It works in a thread of its own, so that signals and input are heard."""

    def __init__(self, handler):
        self.handler = handler
        self.wire = Wire()
        self.changed = threading.Condition(self.wire.lock)
        self.current: Optional[TurnIO] = None
        self.queue: List[Turn] = []

    def start(self, turn: Turn, voice: Voice, steering: Steering, on_end=lambda: None) -> TurnIO:
        def ended():
            self.current = None
            on_end()
            self.changed.notify_all()

        io = self.current = TurnIO(voice, steering, ended)
        threading.Thread(target=io._run, args=(self.handler, turn), daemon=True).start()
        return io

    def ask(self, turn: Turn, voice: Voice) -> int:
        """Answers one turn; returns the exit code for it."""
        with self.changed:
            io = self.start(turn, voice, Steering())
            while io.end is None:
                self.changed.wait()
            return voice.exit_code(io.end)

    def terminate(self, code: int) -> None:
        # Not in the signal handler itself: the main thread may hold the lock, in the middle of a frame.
        threading.Thread(target=self._wind_up, args=(code,), daemon=True).start()

    def _wind_up(self, code: int) -> None:
        late = threading.Timer(WIND_UP_SECONDS, os._exit, (code,))
        late.daemon = True
        late.start()
        with self.wire.lock:
            self.queue.clear()
            if self.current is not None:
                self.current._finish(cancelled=True)
            os._exit(code)


def _speak(agent: _Agent, version: str, tools: List[str], session: str) -> int:
    wire = agent.wire
    if "--stdio" in sys.argv:
        return _Resident(agent, session).serve(version, tools)
    request = _take_request_file()
    if request is not None:
        return _serve_interactive(agent, request)
    if "AGENT_MESSAGE" in os.environ:
        return agent.ask(_agentproc_turn(wire), AgentprocVoice(wire))
    if wire.terminal:
        return _converse(agent, PlainVoice(wire), Session("terminal"), "terminal") and 0
    first = wire.line()
    value, source = _first_value(wire, first or "")
    if not isinstance(value, dict):
        return _serve_plain(agent, source)
    if isinstance(value.get("operation"), str):
        return _serve_nib(agent, source + "\n" + wire.rest())
    if value.get("type") == "turn" and isinstance(value.get("message"), str):
        return agent.ask(_v4_turn(value), AgentprocV4Voice(wire))
    if isinstance(value.get("version"), (int, float)) and isinstance(value.get("text"), str):
        return _serve_terminal(agent, value)
    if value.get("type") in ("user", "control"):
        return _Resident(agent, session).serve(version, tools, first)
    return _serve_plain(agent, source)


def _first_value(wire: Wire, first: str):
    """The JSON value that input begins with, else None; and the text that had to be read for it."""
    source = first
    if first.lstrip().startswith("{"):
        for more in (lambda: "", lambda: "\n" + wire.rest()):
            try:
                source += more()
                return _parse(source), source
            except ValueError:
                pass
    return None, source


def _take_request_file() -> Optional[str]:
    """The request that a host has left in a file. To delete it is the agent's duty."""
    path = os.environ.get("NIB_AGENT_REQUEST_FILE")
    try:
        with open(path or "", encoding="utf-8", errors="replace") as file:
            source = file.read()
        os.remove(path or "")
        return source
    except OSError:
        return None  # One that is gone belongs to the process that started this one.


def _serve_terminal(agent: _Agent, value: Dict[str, Any]) -> int:
    if value["version"] == 1:
        return agent.ask(_terminal_turn(value), TerminalVoice(agent.wire))
    agent.wire.frame({"type": "error", "text": "Only version 1 of the envelope is understood."})
    return 1


def _serve_nib(agent: _Agent, source: str) -> int:
    try:
        turn = _nib_turn(source)
    except ValueError as error:
        agent.wire.frame({"type": "error", "error": str(error)})
        return 0
    return agent.ask(turn, NibVoice(agent.wire, turn.operation.name if turn.operation else ""))


def _serve_interactive(agent: _Agent, source: str) -> int:
    try:
        turn = _nib_turn(source)
    except ValueError as error:
        _log(str(error))
        return 1
    voice = PlainVoice(agent.wire)
    code = agent.ask(turn, voice)
    return code or _converse(agent, voice, turn.session, None)


def _serve_plain(agent: _Agent, source: str) -> int:
    rest = agent.wire.rest()
    text = (source + "\n" + rest if rest else source).rstrip("\n")
    if not text.strip():
        return 0
    return agent.ask(Turn(text, session=Session("terminal"), channel="terminal"), PlainVoice(agent.wire))


def _converse(agent: _Agent, voice: Voice, session: Session, channel: Optional[str]) -> int:
    """A small conversation with the person at the terminal."""
    code = 0
    while True:
        agent.wire.write("> ")
        line = agent.wire.line()
        if line is None or line in ("/quit", "/exit"):
            return code
        if line.strip():
            code = agent.ask(Turn(line, session=session, channel=channel), voice)


class _Resident(Steering):
    """Answers Nuum turns for as long as input is open, then finishes what is left."""

    def __init__(self, agent: _Agent, session: str):
        self.agent, self.voice = agent, NuumVoice(agent.wire, session)

    def serve(self, version: str, tools: List[str], first: Optional[str] = None) -> int:
        self.voice.system("init", session_id=self.voice.id, version=version, tools=tools)
        line = self.agent.wire.line() if first is None else first
        while line is not None:
            if line.strip():
                self._receive(line)
            line = self.agent.wire.line()
        with self.agent.changed:
            while self.agent.current is not None:
                self.agent.changed.wait()
        return 0

    def _receive(self, line: str) -> None:
        try:
            value = _parse(line)
            kind = value.get("type") if isinstance(value, dict) else None
            if kind == "user":
                self._admit(_nuum_turn(value))
            elif kind == "control":
                self._control(value.get("action"))
            else:
                raise ValueError("Unknown type %s." % _json(kind))
        except ValueError as error:
            self.voice.system("error", message=str(error))

    def _control(self, action: Any) -> None:
        with self.agent.changed:
            running = self.agent.current
            if action == "heartbeat":
                self.voice.system("heartbeat_ack")
            elif action == "status":
                self.voice.system("status_response", running=running is not None, session_id=self.voice.id)
            elif action != "interrupt":
                raise ValueError("Unknown control action %s." % _json(action))
            elif running is None:
                raise ValueError("No turn is running.")
            else:
                running._finish(cancelled=True)

    def _admit(self, turn: Turn) -> None:
        with self.agent.changed:
            self.agent.queue.append(turn)
            if self.agent.current is None:
                self._start_next()
            else:
                self.voice.system("queued", position=len(self.agent.queue))

    def _start_next(self) -> None:
        if self.agent.queue:
            now = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="milliseconds")
            self.voice.system("turn_accepted", session_id=self.voice.id, timestamp=now.replace("+00:00", "Z"))
            self.agent.start(self.agent.queue.pop(0), self.voice, self, self._start_next)

    @property
    def waiting(self) -> int:
        return len(self.agent.queue)

    def take(self) -> Optional[Turn]:
        with self.agent.changed:
            taken = list(self.agent.queue)
            self.agent.queue.clear()
            if not taken:
                return None
            self.voice.system("injected", message_count=len(taken))
            return replace(taken[0], text="\n\n".join(turn.text for turn in taken))
