import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
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
  parkAfterMs = 100,
): Promise<Measured> {
  const program = join(import.meta.dirname, 'program.ts');
  const child = spawn(
    process.execPath,
    [...FLAGS, program, JSON.stringify(argv), String(ballastMiB), dialect, String(parkAfterMs)],
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

/** One person with a session and an open event stream. */
export interface Person {
  /** Says something; resolves to the milliseconds until the end of its turn was on the stream. */
  ask(): Promise<number>;
  close(): void;
}

/*
 * HTTP by hand: whoever asks runs on the same two cores as what is measured, and Node's client takes as long for a turn as the
 * gateway's own HTTP does.
 */
export async function createPerson({ port, secret }: Measured): Promise<Person> {
  const line = await connected(port);
  const opening = await say(line, requestOf(secret, 'POST', '/api/sessions', '{}'));
  const { id } = JSON.parse(opening.slice(opening.indexOf(HEAD_END) + HEAD_END.length)) as { id: string };
  const message = requestOf(secret, 'POST', `/api/sessions/${id}/messages`, '{"text":"hello"}');
  const stream = await connected(port);
  let onEnd: (() => void) | undefined;
  await say(stream, requestOf(secret, 'GET', `/api/sessions/${id}/events`));
  stream.on('data', (chunk) => {
    if (chunk.includes('"type":"end"')) onEnd?.();
  });
  stream.resume();
  return {
    async ask() {
      const started = performance.now();
      const ended = new Promise<void>((resolve) => {
        onEnd = resolve;
      });
      await Promise.all([say(line, message), ended]);
      return performance.now() - started;
    },
    close() {
      line.destroy();
      stream.destroy();
    },
  };
}

const HEAD_END = '\r\n\r\n';

async function connected(port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
}

function requestOf(secret: string, method: string, path: string, body?: string): Buffer {
  const head = [
    `${method} ${path} HTTP/1.1`,
    'host: 127.0.0.1',
    `authorization: Bearer ${secret}`,
    'accept: application/json, text/event-stream',
    ...(body === undefined ? [] : ['content-type: application/json', `content-length: ${body.length}`]),
  ];
  return Buffer.from(`${head.join('\r\n')}${HEAD_END}${body ?? ''}`);
}

/** Sends a request; resolves to its answer, of an event stream to what came first. */
function say(socket: Socket, request: Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const take = (chunk: Buffer): void => {
      answer += chunk.toString('latin1');
      const length = Number(/content-length: (\d+)/i.exec(answer)?.[1] ?? 0);
      const head = answer.indexOf(HEAD_END);
      if (head < 0 || answer.length < head + HEAD_END.length + length) return;
      socket.off('data', take);
      if (answer.startsWith('HTTP/1.1 2')) resolve(answer);
      else reject(new Error(answer));
    };
    // Who has taken off the last listener has stopped the flow.
    socket.on('data', take).resume();
    socket.write(request);
  });
}
