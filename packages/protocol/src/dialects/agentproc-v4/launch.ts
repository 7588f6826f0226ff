import { asciiJson } from '../../framing/json.ts';
import type { Turn } from '../../model/turn.ts';
import { nameOf, urlOf } from '../agentproc/attachments.ts';
import { problemOf } from '../agentproc/limits.ts';
import { mentions } from '../agentproc/placeholders.ts';
import { fillProgram } from '../agentproc/program.ts';
import { sessionValues } from '../agentproc/session.ts';
import type { Launch, LaunchContext, Refusal } from '../dialect.ts';
import { mayAsk } from './permission.ts';
import type { AgentprocV4Settings } from './settings.ts';
import { type TurnLine, VERSION } from './wire.ts';

/** The placeholders whose values come with a turn. */
const OF_THE_TURN = ['SESSION_ID', 'SESSION_NAME'];

/** How the process for a turn is started, or why no process can be given this turn. */
export function launch(turn: Turn, settings: AgentprocV4Settings, context: LaunchContext): Launch | Refusal {
  const program = fillProgram(settings, sessionValues(turn, context), context);
  if ('refused' in program) return program;
  const problem = problemOf(program, 'give the session a shorter name.');
  if (problem !== undefined) return { refused: problem };
  const asks = mayAsk(turn, settings);
  return {
    ...program,
    stdin: `${asciiJson(turnLine(turn, asks))}\n`,
    ...(asks ? { keepInputOpen: true } : {}),
  };
}

/** Whether a process can be started before its turn is known: nothing of the turn is in its templates. */
export function prewarms({ command, env, cwd }: AgentprocV4Settings): boolean {
  const tokens = 'argv' in command ? command.argv : [command.shell];
  return ![...tokens, ...Object.values(env), cwd ?? ''].some((token) => mentions(token, OF_THE_TURN));
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
