import type { Handler, Result, TurnIO } from '@plugboard/agent';
import {
  isObject,
  jsonInText,
  operationPrompt,
  schemaProblem,
  schemaPrompt,
  type Turn,
} from '@plugboard/protocol';
import { answering } from '../answering.ts';
import { BackendError } from '../failure.ts';
import { writeGuide } from '../guide.ts';
import { fieldOf, projectOf } from '../request.ts';
import { fitsArgument, pipeArguments } from './arguments.ts';
import type { Runner } from './run.ts';

/** The backend as a nib host can talk to it over the pipes. */
export function createHandler(runner: Runner, cwd: string): Handler {
  return answering((turn, io) => {
    const root = projectOf(turn, cwd);
    if (turn.operation?.name === 'project-scaffold')
      return { files: writeGuide(root, 'CLAUDE.md', fieldOf(turn, 'project_name')) };
    return answer(turn, root, runner, io);
  });
}

async function answer(turn: Turn, root: string, runner: Runner, io: TurnIO): Promise<Result> {
  const name = turn.operation?.name ?? '';
  const wantsData = name === 'continuity-index';
  const schema = wantsData ? (turn.schema ?? { type: 'object' }) : undefined;
  const asArgument = schema !== undefined && fitsArgument(schema);
  const inWords = schema === undefined || asArgument ? '' : `\n\n${schemaPrompt(schema)}`;
  const { text, data } = await runner.run({
    args: pipeArguments(name, fieldOf(turn, 'effort'), asArgument ? schema : undefined),
    prompt: operationPrompt(turn) + inWords,
    cwd: root,
    signal: io.signal,
    onStep: (step) => void io.progress(step),
  });
  if (schema === undefined) return { text };
  // One that does not know of schemas answers in text.
  const found = data ?? jsonInText(text);
  const problem = schemaProblem(found, schema);
  if (isObject(found) && problem === undefined) return { data: found };
  throw new BackendError(
    'no-data',
    `claude did not answer in the form asked for: ${problem ?? 'no JSON object'}.`,
  );
}
