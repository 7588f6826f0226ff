import { nameOf, urlOf } from '../../agentproc-common/attachments.ts';
import { problemOf } from '../../agentproc-common/limits.ts';
import { mentions } from '../../agentproc-common/placeholders.ts';
import { fillProgram } from '../../agentproc-common/program.ts';
import { sessionValues } from '../../agentproc-common/session.ts';
import type { Launch, LaunchContext, Refusal } from '../../contract/host-side.ts';
import { asciiJson } from '../../framing/json.ts';
import { createTurn, type Turn } from '../../model/turn.ts';
import { mayAsk } from './permission.ts';
import type { AgentprocV4Settings } from './settings.ts';
import { type TurnLine, VERSION } from './wire.ts';

/** The placeholders whose values come with a turn. */
const OF_THE_TURN = ['SESSION_ID', 'SESSION_NAME'];

/** How the process for a turn is started, or why no process can be given this turn. */
export function launch(
  settings: AgentprocV4Settings,
  context: LaunchContext,
  turn = createTurn({ id: '' }),
): Launch | Refusal {
  const program = fillProgram(settings, sessionValues(turn, context), context);
  if ('refused' in program) return program;
  const problem = problemOf(program, 'give the session a shorter name.');
  return problem === undefined ? program : { refused: problem };
}

/** The turn as a JSON line. `keepOpen` where the agent may ask, because answers follow on stdin. */
export function opening(turn: Turn, settings: AgentprocV4Settings): { text: string; keepOpen: boolean } {
  const keepOpen = mayAsk(turn, settings);
  return { text: `${asciiJson(turnLine(turn, keepOpen))}\n`, keepOpen };
}

/**
 * Why no process can be started before its turn is known: a template of `command`, `env` or `cwd` mentions a
 * placeholder of the turn.
 */
export function prewarmProblem({ command, env, cwd }: AgentprocV4Settings): string | undefined {
  const tokens = 'argv' in command ? command.argv : [command.shell];
  const isFilled = [...tokens, ...Object.values(env), cwd ?? ''].some((token) =>
    mentions(token, OF_THE_TURN),
  );
  return isFilled ? 'this agent has the turn in its command, variables or directory' : undefined;
}

function turnLine({ text, session, attachments }: Turn, asks: boolean): TurnLine {
  const addressed = attachments.filter((one) => urlOf(one) !== '');
  const listed = addressed.map((one) => {
    const name = nameOf(one);
    return { kind: one.kind, url: urlOf(one), ...(name === '' ? {} : { name }) };
  });
  return {
    type: 'turn',
    message: text,
    session_id: session.agentId ?? '',
    protocol_version: VERSION,
    ...(session.name ? { session_name: session.name } : {}),
    ...(listed.length > 0 ? { attachments: listed } : {}),
    ...(asks ? { permission: true } : {}),
  };
}
