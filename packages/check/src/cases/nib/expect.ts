import { existsSync } from 'node:fs';
import { isAbsolute, join, relative } from 'node:path';
import { isObject, type JsonObject, parseJson, schemaProblem } from '@plugboard/protocol';
import { demand, type Expectation, fail, PASS, skip, type Verdict } from '../../case.ts';
import { said } from '../../expect/process.ts';
import type { Sight } from '../../observe/sight.ts';
import type { Seen } from '../scene.ts';
import { INDEX_SCHEMA } from './starts.ts';

function stdoutOf({ lines }: Sight): string {
  return lines.map(({ text }) => text).join('\n');
}

/** The one object on stdout, if that is what there is. */
function answerOf(sight: Sight): JsonObject | undefined {
  const parsed = parseJson(stdoutOf(sight));
  return parsed.ok && isObject(parsed.value) ? parsed.value : undefined;
}

function successOf(sight: Sight): JsonObject | undefined {
  const answer = answerOf(sight);
  return sight.ending.exitCode === 0 && answer?.type === 'success' ? answer : undefined;
}

/** One object that says success or error; or a process that fails and says why on stderr. */
export const givesOneAnswer: Expectation<Seen> = {
  name: 'gives one answer',
  look({ last }) {
    if (last.overdue) return fail('an answer', `it was still running; ${said(last)}`);
    if (last.ending.exitCode !== 0) {
      if (answerOf(last)?.type === 'success') return fail('exit code 0 after a success', said(last));
      return demand(last.stderr.trim() !== '', 'a reason on stderr when the exit code is not 0', said(last));
    }
    const type = answerOf(last)?.type;
    return demand(
      type === 'success' || type === 'error',
      'exactly one JSON object of type success or error on stdout',
      said(last),
    );
  },
};

type Content = 'text' | 'data' | 'files';

/** A success repeats the operation and carries what that operation answers with; an error says what is wrong. */
export function isWellFormed(operation: string, content: Content): Expectation<Seen> {
  return {
    name: 'is well-formed',
    look({ last }) {
      const answer = last.ending.exitCode === 0 ? answerOf(last) : undefined;
      if (answer === undefined) return PASS;
      const problem =
        answer.type === 'error' ? errorProblem(answer) : successProblem(answer, operation, content);
      return problem === undefined ? PASS : fail(problem, stdoutOf(last));
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

/** It is at work: one that fails at everything keeps to the letter of the protocol and is of no use. */
export const succeeds: Expectation<Seen> = {
  name: 'succeeds',
  look({ first, last }) {
    if (last.ending.exitCode === 0 && answerOf(last) === undefined)
      return skip('its answer could not be read');
    const worked = successOf(first) !== undefined || successOf(last) !== undefined;
    return demand(worked, 'an object of type success', said(last));
  },
};

/** Something that cannot be done is not reported as done. */
export const refuses: Expectation<Seen> = {
  name: 'refuses',
  look: ({ last }) =>
    demand(
      last.ending.exitCode !== 0 || answerOf(last)?.type === 'error',
      'an error object, or a non-zero exit code',
      said(last),
    ),
};

/** It is refused in words that the host can show. */
export const refusesInWords: Expectation<Seen> = {
  name: 'refuses in words',
  look({ last }) {
    if (successOf(last) !== undefined) return skip('it did not refuse');
    const inWords = last.ending.exitCode === 0 && answerOf(last)?.type === 'error';
    return demand(inWords, '{"type":"error","error":"…"} and exit code 0', said(last));
  },
};

/** The structured answer is what the schema asks for. */
export const conformsToSchema: Expectation<Seen> = {
  name: 'conforms to the schema',
  look({ last }) {
    const answer = successOf(last);
    if (answer === undefined) return skip('it did not answer with data');
    const problem = schemaProblem(answer.data, INDEX_SCHEMA);
    return problem === undefined
      ? PASS
      : fail('data that conforms to the schema', `${problem}: ${stdoutOf(last)}`);
  },
};

/** Files that were written lie in the project, under the names that were given. */
export const wroteTheFiles: Expectation<Seen> = {
  name: 'wrote the files',
  look({ last }): Verdict {
    const files = successOf(last)?.files;
    if (!Array.isArray(files) || files.length === 0) return skip('it wrote no files');
    const stray = files.find((path) => typeof path !== 'string' || !isInside(last.place.directory, path));
    return stray === undefined
      ? PASS
      : fail('relative paths, inside the project, of files that exist', String(stray));
  },
};

function isInside(directory: string, path: string): boolean {
  const full = join(directory, path);
  return !isAbsolute(path) && !relative(directory, full).startsWith('..') && existsSync(full);
}

/** The files that an answer lists. */
export function listedFiles(sight: Sight): readonly string[] | undefined {
  const files = successOf(sight)?.files;
  return Array.isArray(files) ? files.map(String) : undefined;
}

/** A conversation that fails says why where the user sees it. */
export const failsInWords: Expectation<Seen> = {
  name: 'fails in words',
  look: ({ last }) =>
    demand(
      last.overdue || last.ending.exitCode === 0 || last.stderr.trim() !== '',
      'a reason on stderr when the exit code is not 0',
      said(last),
    ),
};

/** Stdout is the terminal of the user. */
export const saysNoJson: Expectation<Seen> = {
  name: 'says no JSON',
  look({ last }) {
    const type = answerOf(last)?.type;
    return demand(
      type !== 'success' && type !== 'error',
      'no JSON response in a conversation',
      stdoutOf(last),
    );
  },
};

/** What may be said to an agent in its second conversation must not break it when it could have the first one. */
export const endsLikeFirst: Expectation<Seen> = {
  name: 'ends like the first conversation',
  look: ({ first, last }) =>
    demand(
      first.ending.exitCode !== 0 || last.ending.exitCode === 0,
      'exit code 0, as in the first one',
      said(last),
    ),
};

/** The file of an interactive request is the agent's to delete. */
export const takesTheFile: Expectation<Seen> = {
  name: 'takes the request file',
  look: ({ last }) =>
    demand(
      !last.requestFileLeft,
      'the request file to be read and deleted',
      `it is still there; ${said(last)}`,
    ),
};
