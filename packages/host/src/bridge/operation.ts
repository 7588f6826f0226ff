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

/** A turn as an agent can take it that knows no operations: what is asked for, in words. */
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

/** A host that only talks has one operation for that. Where there is no book, its question is not about one. */
function isTalk({ operation }: Turn): boolean {
  if (operation?.name !== 'continuity-ask' || operation.fields.range !== undefined) return false;
  return !isFile(join(projectOf(operation.fields.dir), 'book.yaml'));
}

/** A nib host starts its agent in the project. */
export function projectOf(dir: JsonValue | undefined): string {
  return resolve(typeof dir === 'string' ? dir : '.');
}

function isFile(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

/** The end of a turn with what its operation answers with, taken out of the words in which the agent has answered. */
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

/** The last message is the answer; only where it holds nothing are all of them looked through. */
function foundIn(said: readonly string[]): JsonValue | undefined {
  return jsonInText(said.at(-1) ?? '') ?? jsonInText(said.join('\n\n'));
}

/** What is named and is really there, inside the project: a host relies on it. */
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
