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
import { withConfinement } from './confinement.ts';
import { policyFor } from './policy.ts';
import type { Program } from './program.ts';
import type { Runner } from './run.ts';

/** The backend as a nib host can talk to it over the pipes. */
export function createHandler(runner: Runner, program: Program, cwd: string): Handler {
  return answering((turn, io) => {
    const root = projectOf(turn, cwd);
    if (turn.operation?.name === 'project-scaffold')
      return { files: writeGuide(root, 'CLAUDE.md', fieldOf(turn, 'project_name')) };
    return answer(turn, { root, runner, program }, io);
  });
}

interface Place {
  readonly root: string;
  readonly runner: Runner;
  readonly program: Program;
}

async function answer(turn: Turn, { root, runner, program }: Place, io: TurnIO): Promise<Result> {
  const name = turn.operation?.name ?? '';
  const wantsData = name === 'continuity-index';
  const schema = wantsData ? (turn.schema ?? { type: 'object' }) : undefined;
  const asArgument = schema !== undefined && fitsArgument(schema);
  const inWords = schema === undefined || asArgument ? '' : `\n\n${schemaPrompt(schema)}`;
  const { text, data } = await withConfinement(policyFor(turn, root), program, (confined) =>
    runner.run({
      args: [...pipeArguments(fieldOf(turn, 'effort'), asArgument ? schema : undefined), ...confined],
      prompt: operationPrompt(turn) + inWords,
      cwd: root,
      signal: io.signal,
      onStep: (step) => void io.progress(step),
    }),
  );
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
