import type { Handler, Result, TurnIO } from '@plugboard/agent';
import {
  isObject,
  jsonInText,
  operationPrompt,
  schemaProblem,
  schemaPrompt,
  type Turn,
} from '@plugboard/protocol';
import { BackendError } from '../failure.ts';
import { writeGuide } from '../guide.ts';
import { reportBackendErrors } from '../report-backend-errors.ts';
import { getField, resolveProject } from '../request.ts';
import { createPipeArguments, fitsArgument } from './arguments.ts';
import type { ClaudeProgram } from './claude-program.ts';
import type { Runner } from './claude-runner.ts';
import { withConfinement } from './confinement.ts';
import { createPolicy } from './policy.ts';

/** The handler for pipe operations; conversations go to `runTalk`. */
export function createHandler(runner: Runner, program: ClaudeProgram, cwd: string): Handler {
  return reportBackendErrors((turn, io) => {
    const root = resolveProject(turn, cwd);
    if (turn.operation?.name === 'project-scaffold')
      return { files: writeGuide(root, 'CLAUDE.md', getField(turn, 'project_name')) };
    return answerTurn(turn, { root, runner, program }, io);
  });
}

interface TurnContext {
  readonly root: string;
  readonly runner: Runner;
  readonly program: ClaudeProgram;
}

async function answerTurn(turn: Turn, { root, runner, program }: TurnContext, io: TurnIO): Promise<Result> {
  const name = turn.operation?.name ?? '';
  const wantsData = name === 'continuity-index';
  const schema = wantsData ? (turn.schema ?? { type: 'object' }) : undefined;
  const asArgument = schema !== undefined && fitsArgument(schema);
  const inWords = schema === undefined || asArgument ? '' : `\n\n${schemaPrompt(schema)}`;
  const { text, data } = await withConfinement(createPolicy(turn, root), program, (confined) =>
    runner.run({
      args: [...createPipeArguments(getField(turn, 'effort'), asArgument ? schema : undefined), ...confined],
      prompt: operationPrompt(turn) + inWords,
      cwd: root,
      signal: io.signal,
      onStep: (step) => void io.progress(step),
    }),
  );
  if (schema === undefined) return { text };
  // A version of `claude` without `--json-schema` answers in text.
  const found = data ?? jsonInText(text);
  const problem = schemaProblem(found, schema);
  if (isObject(found) && problem === undefined) return { data: found };
  throw new BackendError(
    'no-data',
    `claude did not answer in the form asked for: ${problem ?? 'no JSON object'}.`,
  );
}
