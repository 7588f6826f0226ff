import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { commandLine, leave, start } from './start.mjs';

export const parts = {
  inputOf: (turn) => `${JSON.stringify(turn)}\n`,
  reply: (partials, result) => (partials === '' ? result : partials),
  remember: (memory, id) => id && writeFileSync(memory, id),
};

function frameOf(line) {
  try {
    return JSON.parse(line) ?? {};
  } catch {
    return {};
  }
}

/** A host of wire 0.4 for one turn, with some of its parts replaced. */
export async function run(replaced = {}) {
  const host = { ...parts, ...replaced };
  const { agent, message, session, timeoutSecs } = commandLine();
  const memory = `session-${session}.txt`;
  const id = existsSync(memory) ? readFileSync(memory, 'utf8') : '';
  const said = { partials: '', result: '', error: '', id: '' };
  const onLine = (line) => {
    const { type, text, message: why, session_id: given } = frameOf(line);
    if (typeof given === 'string') said.id ||= given;
    if (type === 'partial' && typeof text === 'string') said.partials += text;
    if (type === 'result') said.result = text;
    if (type === 'error') said.error = why;
  };
  const turn = { type: 'turn', message, session_id: id, protocol_version: '0.4' };
  const { code } = await start(agent, { input: host.inputOf(turn), onLine, timeoutSecs });
  host.remember(memory, said.id);
  leave(`${[host.reply(said.partials, said.result), said.error].join('\n')}\n`, code ? 1 : 0);
}
