import { spawn } from 'node:child_process';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { onTestEnd, until } from '@plugboard/testkit';
import { expect, it } from 'vitest';
import { home } from './gateway.ts';

const BRIDGE = join(import.meta.dirname, '../../../examples/webhook/bridge.mjs');
const SECRET = `whsec_${Buffer.from('24 bytes that are secret').toString('base64')}`;

/** A port that nobody listens on now. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => void server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

it('examples/webhook/bridge.mjs lets people talk to an agent over a platform of its own', async () => {
  const [chatPort, hookPort] = await Promise.all([freePort(), freePort()]);
  await using place = home(
    `agents: { echo: { dialect: agentproc, command: ["/bin/sh", "-c", 'echo "heard $AGENT_MESSAGE"'] } }
channels: { webhook: { url: "http://127.0.0.1:${hookPort}/", private: true, secret: { file: secret.txt }, allow: ["*"] } }
server: { port: 0 }
`,
  );
  place.write(SECRET, 'secret.txt');
  const { url } = await place.up();
  const env = {
    ...process.env,
    GATEWAY: `${url}/hooks/webhook`,
    SECRET,
    CHAT_PORT: `${chatPort}`,
    HOOK_PORT: `${hookPort}`,
  };
  const bridge = spawn(process.execPath, [BRIDGE], { env, stdio: 'inherit' });
  onTestEnd(() => void bridge.kill());
  let read = '';
  const open = (): Promise<ReturnType<typeof connect>> =>
    new Promise((resolve, reject) => {
      const socket = connect(chatPort, '127.0.0.1', () => resolve(socket));
      socket.on('error', reject);
    });
  let person: ReturnType<typeof connect> | undefined;
  await until(async () => {
    person = await open().catch(() => undefined);
    return person !== undefined;
  }, 'the bridge to listen');
  person?.setEncoding('utf8').on('data', (text) => {
    read += text;
  });
  person?.write('good morning\n');
  await until(() => read.includes('\n'), 'the answer');
  expect(read).toBe('heard good morning\n');
  person?.destroy();
});
