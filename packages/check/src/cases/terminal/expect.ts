import { existsSync } from 'node:fs';
import { isObject, type JsonObject, parseJson } from '@plugboard/protocol';
import { demand, type Expectation, fail, PASS, skip, type Verdict } from '../../case.ts';
import { said } from '../../expect/process.ts';
import type { Sight } from '../../observe/sight.ts';
import type { Seen } from '../scene.ts';

/** A run shorter than this says nothing about flushing: there was no time to be early. */
const TELLING_MS = 2_000;

/** Output this close to the end came with it. */
const TOGETHER_MS = 100;

/** Lines that mean to be frames: JSON objects with a `type`. */
function framesOf({
  lines,
}: Sight): { readonly frame: JsonObject; readonly text: string; readonly at: number }[] {
  return lines.flatMap(({ text, at }) => {
    const parsed = text.trimStart().startsWith('{') ? parseJson(text) : undefined;
    return parsed?.ok && isObject(parsed.value) && 'type' in parsed.value
      ? [{ frame: parsed.value, text, at }]
      : [];
  });
}

/** Something is there for the user: text, a message, or an error. */
export const answers: Expectation<Seen> = {
  name: 'answers',
  look({ last }) {
    const frames = framesOf(last);
    const spoken = frames.some(({ frame }) => frame.type === 'message' || frame.type === 'error');
    const raw = last.lines.some(({ text }) => text.trim() !== '' && !frames.some((one) => one.text === text));
    return demand(spoken || raw, 'a message or error frame, or plain text, on stdout', said(last));
  },
};

/** Each frame is of a known type and its fields are of the right kind. */
export const saysProperFrames: Expectation<Seen> = {
  name: 'says proper frames',
  look({ last }) {
    for (const { frame, text } of framesOf(last)) {
      const problem = problemOf(frame);
      if (problem !== undefined) return fail(problem, text);
    }
    return PASS;
  },
};

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

/** What a message attaches is there, under an absolute path. */
export const attachesRealFiles: Expectation<Seen> = {
  name: 'attaches real files',
  look({ last }) {
    const paths = framesOf(last).flatMap(({ frame }) => (isStrings(frame.media) ? frame.media : []));
    if (paths.length === 0) return skip('it attached nothing');
    const stray = paths.find((path) => !path.startsWith('/') || !existsSync(path));
    return stray === undefined ? PASS : fail('absolute paths of files that exist', stray);
  },
};

/** An agent that says frames says nothing else. */
export const saysOnlyFrames: Expectation<Seen> = {
  name: 'says only frames',
  look({ last }) {
    const frames = new Set(framesOf(last).map(({ text }) => text));
    if (frames.size === 0) return skip('it answers in plain text');
    const stray = last.lines.find(({ text }) => text.trim() !== '' && !frames.has(text));
    return stray === undefined ? PASS : fail('nothing but frames on stdout', stray.text);
  },
};

/** Progress that comes together with the answer is no progress. */
export const flushes: Expectation<Seen> = {
  name: 'flushes each frame',
  look({ last }) {
    const first = framesOf(last).find(({ frame }) => frame.type === 'progress');
    if (first === undefined) return skip('it said no progress');
    if (last.endedAt < TELLING_MS) return skip('it was too quick to tell');
    const early = first.at < last.endedAt - TOGETHER_MS;
    return demand(
      early,
      'the progress frame to come before the process ends',
      `it came ${Math.round(last.endedAt - first.at)} ms before the end of a run of ${Math.round(last.endedAt)} ms`,
    );
  },
};

/** A process that fails says why in a frame. */
export const explainsFailure: Expectation<Seen> = {
  name: 'explains failure',
  look({ last }): Verdict {
    if (last.overdue || last.ending.exitCode === 0) return PASS;
    const explained = framesOf(last).some(({ frame }) => frame.type === 'error');
    return demand(explained, 'an error frame before a non-zero exit', said(last));
  },
};
