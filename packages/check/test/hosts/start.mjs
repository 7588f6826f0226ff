import { spawn } from 'node:child_process';

/** How a small host does each thing; a broken one does one of them otherwise. */
export const manners = {
  hand: (stdin, input) => stdin.end(input),
  onInputError: (stdin) => stdin.on('error', () => {}),
  readStderr: (child, keep) => child.stderr.on('data', keep),
  ends: (child) =>
    new Promise((resolve) => {
      child.on('close', (code) => resolve(code));
      child.on('exit', (code) => setTimeout(resolve, 300, code));
    }),
  decode(onText) {
    const decoder = new TextDecoder();
    return (bytes) => onText(decoder.decode(bytes, { stream: true }));
  },
};

/** Starts an agent, hands it its input and gives its lines to `onLine`; resolves to how it ended. */
export async function start(agent, { env = process.env, input = '', onLine, timeoutSecs, ...own }) {
  const how = { ...manners, ...own };
  const child = spawn(agent, [], { env });
  const timer = timeoutSecs && setTimeout(() => child.kill('SIGKILL'), timeoutSecs * 1000);
  const stderr = [];
  let rest = '';
  how.onInputError(child.stdin);
  how.hand(child.stdin, input);
  how.readStderr(child, (bytes) => stderr.push(bytes));
  child.stdout.on(
    'data',
    how.decode((text) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop();
      for (const line of lines) onLine(line.replace(/\r$/, ''));
    }),
  );
  const code = await how.ends(child);
  clearTimeout(timer);
  if (rest !== '') onLine(rest);
  return { code, stderr: Buffer.concat(stderr).toString().trim() };
}

/** What stands on the command line: the agent, the message, the session and the time. */
export function commandLine() {
  const [agent, message = '', session = 'default', timeout = '30'] = process.argv.slice(2);
  return { agent, message, session, timeoutSecs: Number(timeout) };
}

/** Prints and leaves: a process that the agent left behind must not keep this one. */
export function leave(text, code) {
  process.stdout.write(text, () => process.exit(code));
}
