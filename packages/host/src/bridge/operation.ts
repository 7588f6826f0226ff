import { lstatSync } from 'node:fs';
import { isAbsolute, join, relative, resolve } from 'node:path';
import {
  type End,
  isObject,
  type JsonValue,
  jsonInText,
  operationNamed,
  operationPrompt,
  schemaProblem,
  schemaPrompt,
  type Turn,
} from '@plugboard/protocol';

/** Rewrites an operation as a prompt, for an agent without `capabilities.operations`. */
export function inWords(turn: Turn): Turn {
  const { operation, schema } = turn;
  if (operation === undefined || isTalk(turn)) return turn;
  const wantsData = operationNamed(operation.name).answer === 'data';
  const form =
    schema === undefined
      ? wantsData
        ? 'Answer with one JSON object and nothing else.'
        : ''
      : schemaPrompt(schema);
  return { ...turn, text: [operationPrompt(turn), form].filter((part) => part !== '').join('\n\n') };
}

/**
 * `continuity-ask` is also the operation for plain talk. Without a `book.yaml` in the project, its question is passed
 * on unchanged.
 */
function isTalk({ operation }: Turn): boolean {
  if (operation?.name !== 'continuity-ask' || operation.fields.range !== undefined) return false;
  return !isFile(join(projectOf(operation.fields.dir), 'book.yaml'));
}

/** The `dir` of the operation. A nib host starts its agent in the project, so the default is the working directory. */
export function projectOf(dir: JsonValue | undefined): string {
  return resolve(typeof dir === 'string' ? dir : '.');
}

function isFile(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

/** Completes an `End` with the data or files of its operation, extracted from the agent's messages. */
export function withAnswer(turn: Turn, end: End, said: readonly string[]): End {
  if (turn.operation === undefined || end.outcome !== 'success') return end;
  switch (operationNamed(turn.operation.name).answer) {
    case 'text':
      return end;
    case 'data':
      return withData(turn, turn.operation.name, end, said);
    case 'files':
      return { ...end, files: end.files ?? filesIn(said, projectOf(turn.operation.fields.dir)) };
  }
}

function withData({ schema }: Turn, operation: string, end: End, said: readonly string[]): End {
  const data = end.data ?? foundIn(said);
  const problem = data === undefined ? undefined : schemaProblem(data, schema ?? {});
  if (isObject(data) && problem === undefined) return { ...end, data };
  const why = problem === undefined ? '' : `: ${problem}`;
  const message = `The agent did not answer with the JSON object that ${operation} asks for${why}.`;
  return { ...end, outcome: 'error', error: { message, code: 'no-data' } };
}

/** Searches the last message first, and all messages only if it holds no JSON. */
function foundIn(said: readonly string[]): JsonValue | undefined {
  return jsonInText(said.at(-1) ?? '') ?? jsonInText(said.join('\n\n'));
}

/** The files of the answer that exist inside `project`: a host opens them without a further check. */
function filesIn(said: readonly string[], project: string): readonly string[] {
  const answer = foundIn(said);
  const named = isObject(answer) ? answer.files : answer;
  if (!Array.isArray(named)) return [];
  const paths = named
    .filter((path) => typeof path === 'string')
    .map((path) => relative(project, resolve(project, path)));
  return [...new Set(paths)].filter((path) => isInside(path) && isFile(join(project, path)));
}

function isInside(path: string): boolean {
  return path !== '' && path !== '..' && !path.startsWith('../') && !isAbsolute(path);
}
