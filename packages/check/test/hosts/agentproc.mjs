import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { commandLine, leave, start } from './start.mjs';

export const parts = {
  base: () => Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('AGENT_'))),
  variables: (message, id) => ({
    AGENT_MESSAGE: message,
    AGENT_SESSION_ID: id,
    AGENT_SESSION_NAME: 'default',
    AGENT_FROM_USER: '',
    AGENT_STREAMING: '1',
    AGENT_PROTOCOL_VERSION: '0.1',
  }),
  payload(text) {
    try {
      return String(JSON.parse(text));
    } catch {
      return text;
    }
  },
  isSession: (line) => line.startsWith('AGENT_SESSION:'),
  nextId: (_before, id) => id,
  reply: (body, error) => (error === undefined ? body : [error]),
};

/** An AgentProc host for one turn, with some of its parts replaced. */
export async function run(replaced = {}) {
  const host = { ...parts, ...replaced };
  const { agent, message, session, timeoutSecs } = commandLine();
  const memory = `session-${session}.txt`;
  const id = existsSync(memory) ? readFileSync(memory, 'utf8') : '';
  const body = [];
  let partials = '';
  let next = '';
  let error;
  const onLine = (line) => {
    if (host.isSession(line)) next = host.nextId(next, line.slice(14).trim());
    else if (line.startsWith('AGENT_PARTIAL:')) partials += host.payload(line.slice(14));
    else if (line.startsWith('AGENT_ERROR:')) error = host.payload(line.slice(12));
    else body.push(line);
  };
  const env = { ...host.base(), ...host.variables(message, id) };
  const { code } = await start(agent, { env, onLine, timeoutSecs });
  if (next !== '') writeFileSync(memory, next);
  const failed = error === undefined && code !== 0 ? ['The agent failed.'] : [];
  leave(
    `${[partials, ...host.reply(body, error), ...failed].filter((part, at) => at > 0 || part !== '').join('\n')}\n`,
    code ? 1 : 0,
  );
}
