import { mkdirSync } from 'node:fs';
import { commandLine, leave, start } from './start.mjs';

export const parts = {
  inputOf: (envelope) => `${JSON.stringify(envelope)}\n`,
  logOf: ({ text }) => void text,
  onMessage: (shown, text) => shown.push(text),
  onError: (_shown, text) => text,
  finalText: (_shown, raw) => raw.join('\n'),
  manners: {},
};

function frameOf(line) {
  try {
    const value = JSON.parse(line);
    return typeof value === 'object' && value !== null && 'type' in value ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A terminal host for one turn, with some of its parts replaced. */
export async function run(replaced = {}) {
  const host = { ...parts, ...replaced };
  const { agent, message, session, timeoutSecs } = commandLine();
  const directory = `${process.cwd()}/users/${session}`;
  mkdirSync(directory, { recursive: true });
  const envelope = {
    version: 1,
    text: message,
    channel: 'cli',
    chat_id: session,
    session_key: `cli:${session}`,
    workspace: process.cwd(),
    user_data_dir: directory,
  };
  const shown = [];
  const raw = [];
  let error = '';
  const onLine = (line) => {
    const frame = frameOf(line);
    if (frame === undefined) raw.push(line);
    else if (frame.type === 'message' && typeof frame.text === 'string') host.onMessage(shown, frame.text);
    else if (frame.type === 'error') error = host.onError(shown, frame.text);
    else if (frame.type === 'log') host.logOf(frame);
  };
  const { code, stderr } = await start(agent, {
    input: host.inputOf(envelope),
    onLine,
    timeoutSecs,
    ...host.manners,
  });
  const final = [
    ...shown,
    host.finalText(shown, raw),
    error,
    stderr && `STDERR: ${stderr}`,
    code ? `Exit code: ${code}` : '',
  ];
  leave(`${final.filter((part) => part !== '').join('\n')}\n`, code ? 1 : 0);
}
