import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** So that what is measured as memory is what is kept, and not how generously the collector was built. */
const FLAGS = ['--max-semi-space-size=8'];

/** A gateway that was started to be measured. */
export interface Measured {
  readonly port: number;
  readonly secret: string;
  readonly child: ChildProcess;
  stop(): Promise<void>;
}

export async function startMeasured(
  argv: readonly string[],
  ballastMiB = 0,
  dialect = 'terminal',
): Promise<Measured> {
  const program = join(import.meta.dirname, 'program.ts');
  const child = spawn(
    process.execPath,
    [...FLAGS, program, JSON.stringify(argv), String(ballastMiB), dialect],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  const { port, secret } = JSON.parse(line) as { port: number; secret: string };
  return {
    port,
    secret,
    child,
    async stop() {
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}

const connections = new Agent({ keepAlive: true, maxSockets: 256 });

/** One person with a session and an open event stream. */
export interface Person {
  /** Says something; resolves to the milliseconds until the end of its turn was on the stream. */
  ask(): Promise<number>;
  close(): void;
}

export async function createPerson({ port, secret }: Measured): Promise<Person> {
  const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' };
  const post = (path: string, body: unknown): Promise<string> =>
    new Promise((resolve, reject) => {
      const text = JSON.stringify(body);
      const outgoing = request(
        {
          port,
          host: '127.0.0.1',
          path,
          method: 'POST',
          agent: connections,
          headers: { ...headers, 'content-length': Buffer.byteLength(text) },
        },
        (response) => {
          let said = '';
          response.setEncoding('utf8').on('data', (chunk) => {
            said += chunk;
          });
          response.on('end', () =>
            (response.statusCode ?? 500) < 300 ? resolve(said) : reject(new Error(said)),
          );
        },
      );
      outgoing.on('error', reject);
      outgoing.end(text);
    });
  const { id } = JSON.parse(await post('/api/sessions', {})) as { id: string };
  let onEnd: (() => void) | undefined;
  const stream = request({
    port,
    host: '127.0.0.1',
    path: `/api/sessions/${id}/events`,
    headers: { ...headers, accept: 'text/event-stream' },
  });
  stream.on('error', () => {});
  stream.end();
  const [response] = (await once(stream, 'response')) as [import('node:http').IncomingMessage];
  response.on('data', (chunk: Buffer) => {
    if (chunk.includes('"type":"end"')) onEnd?.();
  });
  response.on('error', () => {});
  return {
    async ask() {
      const started = performance.now();
      const ended = new Promise<void>((resolve) => {
        onEnd = resolve;
      });
      await Promise.all([post(`/api/sessions/${id}/messages`, { text: 'hello' }), ended]);
      return performance.now() - started;
    },
    close: () => stream.destroy(),
  };
}
