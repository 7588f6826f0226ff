import { statSync } from 'node:fs';
import { isObject, type JsonObject, parseJson } from '@plugboard/protocol';
import {
  createFailure,
  createSkip,
  createVerdict,
  type Expectation,
  PASS,
  type Verdict,
} from '../../case.ts';
import { describeRun, flushesEarly } from '../../expect/process.ts';
import type { Sight } from '../../observe/sight.ts';
import type { Seen } from '../scene.ts';

/** Lines that are JSON objects with a `type`, whether or not the type is known. */
function framesOf({ lines }: Sight): { readonly frame: JsonObject; readonly text: string }[] {
  return lines.flatMap(({ text }) => {
    const parsed = text.trimStart().startsWith('{') ? parseJson(text) : undefined;
    return parsed?.ok && isObject(parsed.value) && 'type' in parsed.value
      ? [{ frame: parsed.value, text }]
      : [];
  });
}

/** Stdout has plain text, a `message` or an `error` frame: the user sees an answer. */
export const answers: Expectation<Seen> = {
  name: 'answers',
  look({ last }) {
    const spoken = framesOf(last).some(({ frame }) => frame.type === 'message' || frame.type === 'error');
    return createVerdict(
      spoken || plainLinesOf(last).length > 0,
      'a message or error frame, or plain text, on stdout',
      describeRun(last),
    );
  },
};

/** No frame has a `problemOf`, and no plain line matches `BROKEN_FRAME`. */
export const saysProperFrames: Expectation<Seen> = {
  name: 'says proper frames',
  look({ last }) {
    for (const { frame, text } of framesOf(last)) {
      const problem = problemOf(frame);
      if (problem !== undefined) return createFailure(problem, text);
    }
    const broken = BROKEN_FRAME.exec(plainLinesOf(last).join('\n'));
    return broken === null
      ? PASS
      : createFailure('one whole JSON object on each line that begins a frame', broken[0]);
  },
};

/** Start of a frame in plain lines: the frame was cut off, spans several lines, or shares its line with another one. */
const BROKEN_FRAME = /^\uFEFF?\s*\{\s*"type"\s*:\s*"(?:message|progress|error|log)".*/m;

function plainLinesOf(sight: Sight): string[] {
  const frames = new Set(framesOf(sight).map(({ text }) => text));
  return sight.lines.flatMap(({ text }) => (text.trim() === '' || frames.has(text) ? [] : [text]));
}

const LEVELS = ['debug', 'info', 'warning', 'error'];

function problemOf({ type, text, media, code, level }: JsonObject): string | undefined {
  if (type !== 'message' && type !== 'progress' && type !== 'error' && type !== 'log') {
    return '`type` to be message, progress, error or log';
  }
  if (typeof text !== 'string') return '`text` to be a string in every frame';
  if (type === 'message' && media !== undefined && !isStrings(media))
    return '`media` to be a list of strings';
  if (type === 'error' && code !== undefined && typeof code !== 'string') return '`code` to be a string';
  if (type === 'log' && level !== undefined && !LEVELS.includes(String(level))) {
    return `\`level\` to be one of ${LEVELS.join(', ')}`;
  }
  return undefined;
}

function isStrings(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((entry) => typeof entry === 'string');
}

/** Each path in `media` is absolute and names an existing file. */
export const attachesRealFiles: Expectation<Seen> = {
  name: 'attaches real files',
  look({ last }) {
    const paths = framesOf(last).flatMap(({ frame }) => (isStrings(frame.media) ? frame.media : []));
    if (paths.length === 0) return createSkip('it attached nothing');
    const stray = paths.find((path) => !path.startsWith('/') || !isFile(path));
    return stray === undefined ? PASS : createFailure('absolute paths of files that exist', stray);
  },
};

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

/** An agent that writes frames writes no plain lines: hosts show them to the user at the end. */
export const saysOnlyFrames: Expectation<Seen> = {
  name: 'says only frames',
  look({ last }) {
    if (framesOf(last).length === 0) return createSkip('it answers in plain text');
    const [stray] = plainLinesOf(last);
    return stray === undefined ? PASS : createFailure('nothing but frames on stdout', stray);
  },
};

/** A `progress` frame comes before the process ends. */
export const flushes: Expectation<Seen> = flushesEarly('progress', isProgress);

function isProgress(line: string): boolean {
  const parsed = parseJson(line);
  return parsed.ok && isObject(parsed.value) && parsed.value.type === 'progress';
}

/** An `error` frame comes with every non-zero exit code. */
export const explainsFailure: Expectation<Seen> = {
  name: 'explains failure',
  look({ last }): Verdict {
    if (last.overdue) return PASS;
    if (last.ending.exitCode === 0)
      return createVerdict(last.lines.length > 0, 'an answer, or an error frame', describeRun(last));
    const explained = framesOf(last).some(({ frame }) => frame.type === 'error');
    return createVerdict(explained, 'an error frame before a non-zero exit', describeRun(last));
  },
};

/** Only `log` frames follow the first `error` frame. */
export const endsWithError: Expectation<Seen> = {
  name: 'ends with its error',
  look({ last }) {
    const frames = framesOf(last);
    const at = frames.findIndex(({ frame }) => frame.type === 'error');
    if (at === -1) return createSkip('it said no error');
    const later = frames.slice(at + 1).find(({ frame }) => frame.type !== 'log');
    return later === undefined ? PASS : createFailure('nothing after the error frame', later.text);
  },
};

/** A non-zero exit code without an `error` frame is appended to the answer by hosts. */
export const exitsAsItAnswers: Expectation<Seen> = {
  name: 'exits as it answers',
  look({ last }) {
    if (last.overdue) return createSkip('it did not end');
    const failed = framesOf(last).some(({ frame }) => frame.type === 'error');
    return createVerdict(
      failed || last.ending.exitCode === 0,
      'exit code 0 without an error frame',
      describeRun(last),
    );
  },
};
