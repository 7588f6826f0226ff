import { existsSync } from 'node:fs';
import { isAbsolute, join, relative } from 'node:path';
import { isObject, type JsonObject, parseJson, schemaProblem } from '@plugboard/protocol';
import {
  createFailure,
  createSkip,
  createVerdict,
  type Expectation,
  PASS,
  type Verdict,
} from '../../case.ts';
import { describeRun } from '../../expect/process.ts';
import type { Sight } from '../../observe/sight.ts';
import type { Seen } from '../scene.ts';
import { INDEX_SCHEMA } from './starts.ts';

function stdoutOf({ lines }: Sight): string {
  return lines.map(({ text }) => text).join('\n');
}

/** The JSON object on stdout; `undefined` if stdout is not exactly one object. */
function answerOf(sight: Sight): JsonObject | undefined {
  const parsed = parseJson(stdoutOf(sight));
  return parsed.ok && isObject(parsed.value) ? parsed.value : undefined;
}

function successOf(sight: Sight): JsonObject | undefined {
  const answer = answerOf(sight);
  return sight.ending.exitCode === 0 && answer?.type === 'success' ? answer : undefined;
}

/** Either one `success` or `error` object with exit code 0, or a non-zero exit code with a reason on stderr. */
export const givesOneAnswer: Expectation<Seen> = {
  name: 'gives one answer',
  look({ last }) {
    if (last.overdue) return createFailure('an answer', `it was still running; ${describeRun(last)}`);
    if (last.ending.exitCode !== 0) {
      if (answerOf(last)?.type === 'success')
        return createFailure('exit code 0 after a success', describeRun(last));
      return createVerdict(
        last.stderr.trim() !== '',
        'a reason on stderr when the exit code is not 0',
        describeRun(last),
      );
    }
    const type = answerOf(last)?.type;
    return createVerdict(
      type === 'success' || type === 'error',
      'exactly one JSON object of type success or error on stdout',
      describeRun(last),
    );
  },
};

type Content = 'text' | 'data' | 'files';

/** A `success` has the same `operation` and a field `content`; an `error` has a sentence in `error`. */
export function isWellFormed(operation: string, content: Content): Expectation<Seen> {
  return {
    name: 'is well-formed',
    look({ last }) {
      const answer = last.ending.exitCode === 0 ? answerOf(last) : undefined;
      if (answer === undefined) return PASS;
      const problem =
        answer.type === 'error' ? errorProblem(answer) : successProblem(answer, operation, content);
      return problem === undefined ? PASS : createFailure(problem, stdoutOf(last));
    },
  };
}

function errorProblem({ error }: JsonObject): string | undefined {
  return typeof error === 'string' && error !== '' ? undefined : '`error` to be a sentence';
}

function successProblem(answer: JsonObject, operation: string, content: Content): string | undefined {
  if (answer.operation !== operation) return `\`operation\` to be ${operation}`;
  const value = answer[content];
  if (content === 'text') return typeof value === 'string' ? undefined : '`text` to be a string';
  if (content === 'data') return isObject(value) ? undefined : '`data` to be an object';
  const isPaths = Array.isArray(value) && value.every((path) => typeof path === 'string');
  return isPaths ? undefined : '`files` to be a list of strings';
}

/** One of two answers is a `success`: an agent that only ever answers `error` follows the protocol and is useless. */
export const succeeds: Expectation<Seen> = {
  name: 'succeeds',
  look({ first, last }) {
    if (last.ending.exitCode === 0 && answerOf(last) === undefined)
      return createSkip('its answer could not be read');
    const worked = successOf(first) !== undefined || successOf(last) !== undefined;
    return createVerdict(worked, 'an object of type success', describeRun(last));
  },
};

/** An unknown operation gets an `error` or a non-zero exit code, never a `success`. */
export const refuses: Expectation<Seen> = {
  name: 'refuses',
  look: ({ last }) =>
    createVerdict(
      last.ending.exitCode !== 0 || answerOf(last)?.type === 'error',
      'an error object, or a non-zero exit code',
      describeRun(last),
    ),
};

/** An unknown operation gets an `error` object and exit code 0, so that the host can show its sentence. */
export const refusesInWords: Expectation<Seen> = {
  name: 'refuses in words',
  look({ last }) {
    if (successOf(last) !== undefined) return createSkip('it did not refuse');
    const inWords = last.ending.exitCode === 0 && answerOf(last)?.type === 'error';
    return createVerdict(inWords, '{"type":"error","error":"…"} and exit code 0', describeRun(last));
  },
};

/** `data` of a `success` conforms to `INDEX_SCHEMA`. */
export const conformsToSchema: Expectation<Seen> = {
  name: 'conforms to the schema',
  look({ last }) {
    const answer = successOf(last);
    if (answer === undefined) return createSkip('it did not answer with data');
    const problem = schemaProblem(answer.data, INDEX_SCHEMA);
    return problem === undefined
      ? PASS
      : createFailure('data that conforms to the schema', `${problem}: ${stdoutOf(last)}`);
  },
};

/** Each path in `files` is relative and names an existing file inside the project. */
export const wroteTheFiles: Expectation<Seen> = {
  name: 'wrote the files',
  look({ last }): Verdict {
    const files = successOf(last)?.files;
    if (!Array.isArray(files) || files.length === 0) return createSkip('it wrote no files');
    const stray = files.find((path) => typeof path !== 'string' || !isInside(last.place.directory, path));
    return stray === undefined
      ? PASS
      : createFailure('relative paths, inside the project, of files that exist', String(stray));
  },
};

function isInside(directory: string, path: string): boolean {
  const full = join(directory, path);
  return !isAbsolute(path) && !relative(directory, full).startsWith('..') && existsSync(full);
}

/** `files` of a `success`; `undefined` without one. */
export function listedFiles(sight: Sight): readonly string[] | undefined {
  const files = successOf(sight)?.files;
  return Array.isArray(files) ? files.map(String) : undefined;
}

/** An interactive operation with a non-zero exit code gives its reason on stderr. */
export const failsInWords: Expectation<Seen> = {
  name: 'fails in words',
  look: ({ last }) =>
    createVerdict(
      last.overdue || last.ending.exitCode === 0 || last.stderr.trim() !== '',
      'a reason on stderr when the exit code is not 0',
      describeRun(last),
    ),
};

/** Stdout of an interactive operation is the terminal of the user, so it holds no `success` or `error` object. */
export const saysNoJson: Expectation<Seen> = {
  name: 'says no JSON',
  look({ last }) {
    const type = answerOf(last)?.type;
    return createVerdict(
      type !== 'success' && type !== 'error',
      'no JSON response in a conversation',
      stdoutOf(last),
    );
  },
};

/** If the first conversation ended with exit code 0, the second one with `resume` or `new` does so too. */
export const endsLikeFirst: Expectation<Seen> = {
  name: 'ends like the first conversation',
  look: ({ first, last }) =>
    createVerdict(
      first.ending.exitCode !== 0 || last.ending.exitCode === 0,
      'exit code 0, as in the first one',
      describeRun(last),
    ),
};

/** The agent must delete the file of `NIB_AGENT_REQUEST_FILE`. */
export const takesTheFile: Expectation<Seen> = {
  name: 'takes the request file',
  look: ({ last }) =>
    createVerdict(
      !last.requestFileLeft,
      'the request file to be read and deleted',
      `it is still there; ${describeRun(last)}`,
    ),
};
