import type { Turn } from '../../model/turn.ts';
import type { Launch, LaunchContext, Refusal } from '../dialect.ts';
import { problemOf } from './limits.ts';
import { fillProgram } from './program.ts';
import { sessionValues } from './session.ts';
import type { AgentprocSettings } from './settings.ts';
import { turnVariables, withoutTurn } from './variables.ts';

const ADVICE = 'set `stdin: message` in the profile, use {{MESSAGE}} nowhere, and let the agent read stdin.';

/** How the process for a turn is started, or why no process can be given this turn. */
export function launch(turn: Turn, settings: AgentprocSettings, context: LaunchContext): Launch | Refusal {
  const values = { ...sessionValues(turn, context), MESSAGE: turn.text };
  const filled = fillProgram(settings, values, context);
  if ('refused' in filled) return filled;
  const program = { ...filled, env: { ...withoutTurn(filled.env), ...turnVariables(turn, settings) } };
  const problem = problemOf(program, ADVICE);
  if (problem !== undefined) return { refused: problem };
  return {
    ...program,
    stdin: settings.stdin === 'message' ? turn.text : '',
  };
}
