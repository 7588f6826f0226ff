import { commandLine, leave, start } from './start.mjs';

export const parts = {
  environment: () => ({ ...process.env, NIB_AGENT_REQUEST_FILE: '' }),
  matches: (answer, operation) => answer.operation === operation,
  parse: (text) => JSON.parse(text),
};

function textOf(host, output, operation) {
  const answer = host.parse(output);
  if (answer.type === 'error') throw new Error(answer.error);
  if (!host.matches(answer, operation)) throw new Error(`That was the answer to ${answer.operation}.`);
  return answer.text;
}

/** A nib host that asks one question, with some of its parts replaced. */
export async function run(replaced = {}) {
  const host = { ...parts, ...replaced };
  const { agent: question, message: timeout } = commandLine();
  const request = { operation: 'continuity-ask', dir: process.cwd(), question };
  const lines = [];
  const { code, stderr } = await start(`nib-agent-${process.env.NIB_AGENT}`, {
    env: host.environment(),
    input: JSON.stringify(request),
    onLine: (line) => lines.push(line),
    timeoutSecs: Number(timeout),
  });
  try {
    if (code !== 0) throw new Error(stderr || `Exit code ${code}.`);
    leave(`${textOf(host, lines.join('\n'), request.operation)}\n`, 0);
  } catch (error) {
    process.stderr.write(`${error.message}\n`);
    leave('', 1);
  }
}
