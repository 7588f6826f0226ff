import { isObject, type JsonObject, type JsonValue, parseJson } from '@plugboard/protocol';
import { createFailure, createSkip, createVerdict, type Expectation, PASS } from '../../case.ts';
import { describeRun, flushesEarly } from '../../expect/process.ts';
import type { Sight } from '../../observe/sight.ts';
import type { Seen } from '../scene.ts';

interface Frame {
  readonly frame: JsonObject;
  readonly text: string;
}

function framesOf({ lines }: Sight): Frame[] {
  return lines.flatMap(({ text }) => {
    const parsed = parseJson(text);
    return parsed.ok && isObject(parsed.value) ? [{ frame: parsed.value, text }] : [];
  });
}

function isEnding({ frame }: Frame): boolean {
  return frame.type === 'result' || frame.type === 'error';
}

/** Stdout has a `partial`, `result` or `error` frame: the user sees an answer. */
export const answers: Expectation<Seen> = {
  name: 'answers',
  look({ last }) {
    const spoken = framesOf(last).some((one) => isEnding(one) || one.frame.type === 'partial');
    return createVerdict(spoken, 'a partial, a result or an error on stdout', describeRun(last));
  },
};

/** Each line is a frame of a known `type` with its required fields (see `isFrame`). */
export const saysProperFrames: Expectation<Seen> = {
  name: 'says proper frames',
  look({ last }) {
    const stray = last.lines.find(({ text }) => text.trim() !== '' && !isFrame(text));
    return stray === undefined
      ? PASS
      : createFailure(
          'nothing but partial, result, error and permission_request objects, each with its text',
          stray.text,
        );
  },
};

function isFrame(text: string): boolean {
  const parsed = parseJson(text);
  if (!parsed.ok || !isObject(parsed.value)) return false;
  const { type, text: words, message, session_id: session } = parsed.value;
  if (session !== undefined && session !== null && typeof session !== 'string') return false;
  if (type === 'partial') return typeof words === 'string';
  if (type === 'result') return typeof words === 'string' && isUsage(parsed.value.usage);
  if (type === 'error') return typeof message === 'string' && isUsage(parsed.value.usage);
  return type === 'permission_request' && isRequest(parsed.value);
}

function isUsage(usage: JsonValue | undefined): boolean {
  if (usage === undefined || usage === null) return true;
  return (
    isObject(usage) && Object.values(usage).every((count) => count === null || typeof count === 'number')
  );
}

function isRequest({ request_id: id, tool_name: tool, input }: JsonObject): boolean {
  return typeof id === 'string' && /^[^\s\p{Cc}]+$/u.test(id) && typeof tool === 'string' && isObject(input);
}

function requestsOf(sight: Sight): Frame[] {
  return framesOf(sight).filter(({ frame }) => frame.type === 'permission_request');
}

/** Without `permission` in the turn, stdin is closed and a `permission_request` gets no response. */
export const asksWhenOffered: Expectation<Seen> = {
  name: 'asks for permission only when offered',
  look({ last }) {
    const [request] = requestsOf(last);
    return request === undefined
      ? PASS
      : createFailure('no permission_request without `permission`', request.text);
  },
};

/** Each `permission_request` has its three fields, and no two have the same `request_id`. */
export const asksProperly: Expectation<Seen> = {
  name: 'asks for permission properly',
  look({ last }) {
    const requests = requestsOf(last);
    if (requests.length === 0) return createSkip('it asked for no permission');
    const bad = requests.find(({ frame }) => !isRequest(frame));
    if (bad !== undefined)
      return createFailure('`request_id` without white space, `tool_name` and an `input` object', bad.text);
    const ids = requests.map(({ frame }) => frame.request_id);
    return createVerdict(
      new Set(ids).size === ids.length,
      'a `request_id` of its own for each request',
      ids.join(', '),
    );
  },
};

/** A turn has at most one `result`. */
export const endsOnce: Expectation<Seen> = {
  name: 'ends once',
  look({ last }) {
    const results = framesOf(last).filter(({ frame }) => frame.type === 'result');
    return createVerdict(
      results.length <= 1,
      'one result',
      `${results.length}: ${results.map(({ text }) => text).join(' ')}`,
    );
  },
};

/** Hosts drop a `partial` after the `result`; an `error` after it turns the outcome into a failure. */
export const endsWithResult: Expectation<Seen> = {
  name: 'ends with its result',
  look({ last }) {
    const frames = framesOf(last);
    const at = frames.findIndex(({ frame }) => frame.type === 'result');
    if (at === -1) return createSkip('it said no result');
    const later = frames.slice(at + 1).find(({ frame }) => frame.type !== 'result');
    return later === undefined ? PASS : createFailure('nothing after the result', later.text);
  },
};

function idsOf(sight: Sight): string[] {
  return framesOf(sight).flatMap(({ frame }) =>
    typeof frame.session_id === 'string' ? [frame.session_id] : [],
  );
}

/** Hosts may use `session_id` as a file name: no slashes, no control characters, at most 4096 characters. */
export const givesProperSession: Expectation<Seen> = {
  name: 'gives a proper session id',
  look({ last }) {
    const ids = idsOf(last).filter((id) => id !== '');
    if (ids.length === 0) return createSkip('it gave no session id');
    const bad = ids.find((id) => id === '.' || id === '..' || id.length > 4096 || /[/\\\p{Cc}]/u.test(id));
    return bad === undefined
      ? PASS
      : createFailure('a session id without slashes and control characters, not `.` or `..`', bad);
  },
};

/** `session_id` is the same in all frames of a turn. */
export const keepsSession: Expectation<Seen> = {
  name: 'keeps its session id',
  look({ last }) {
    const ids = new Set(idsOf(last).filter((id) => id !== ''));
    if (ids.size === 0) return createSkip('it gave no session id');
    return createVerdict(ids.size === 1, 'the same session id in every frame', [...ids].join(', '));
  },
};

/** An `error` frame and a non-zero exit code come together or not at all. */
export const failsConsistently: Expectation<Seen> = {
  name: 'fails consistently',
  look({ last }) {
    const failed = framesOf(last).some(({ frame }) => frame.type === 'error');
    if (last.overdue || failed === (last.ending.exitCode !== 0)) return PASS;
    return failed
      ? createFailure('a non-zero exit code after an error', describeRun(last))
      : createFailure('an error object before a non-zero exit', describeRun(last));
  },
};

/** A non-zero exit code without an `error` frame is shown to the user as a failure. */
export const exitsAsItAnswers: Expectation<Seen> = {
  name: 'exits as it answers',
  look({ last }) {
    if (last.overdue) return createSkip('it did not end');
    const failed = framesOf(last).some(({ frame }) => frame.type === 'error');
    return createVerdict(
      failed || last.ending.exitCode === 0,
      'exit code 0 without an error',
      describeRun(last),
    );
  },
};

/** A `partial` frame comes before the process ends. */
export const flushes: Expectation<Seen> = flushesEarly('partial', (line) =>
  /"type"\s*:\s*"partial"/.test(line),
);
