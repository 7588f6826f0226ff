import { problemOf } from '../../agentproc-common/limits.ts';
import { fillProgram } from '../../agentproc-common/program.ts';
import { sessionValues } from '../../agentproc-common/session.ts';
import type { Launch, LaunchContext, Refusal } from '../../contract/host-side.ts';
import { createTurn } from '../../model/turn.ts';
import type { AgentprocSettings } from './settings.ts';
import { turnVariables, withoutTurn } from './variables.ts';

const ADVICE = 'set `stdin: message` in the profile, use {{MESSAGE}} nowhere, and let the agent read stdin.';

/** How the process for a turn is started, or why no process can be given this turn. */
export function launch(
  settings: AgentprocSettings,
  context: LaunchContext,
  turn = createTurn({ id: '' }),
): Launch | Refusal {
  const values = { ...sessionValues(turn, context), MESSAGE: turn.text };
  const filled = fillProgram(settings, values, context);
  if ('refused' in filled) return filled;
  const program = { ...filled, env: { ...withoutTurn(filled.env), ...turnVariables(turn, settings) } };
  const problem = problemOf(program, ADVICE);
  return problem === undefined ? program : { refused: problem };
}
