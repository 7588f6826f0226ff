import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What somebody says, as the platform hands it to whoever asks. */
export interface Update {
  readonly id: number;
  readonly place: string;
  readonly text: string;
}

/** What people see. */
export interface Visible {
  readonly place: string;
  readonly text: string;
  readonly kind: string;
}

/** A chat platform of a few lines, outside the process that is killed: what it has seen is the truth. */
export interface Platform {
  readonly url: string;
  readonly updates: readonly Update[];
  readonly visible: readonly Visible[];
  /** Updates that were acknowledged: the platform will not hand them out again. */
  readonly acknowledged: number;
  close(): Promise<void>;
}

export async function startPlatform(updates: readonly Update[]): Promise<Platform> {
  const visible: Visible[] = [];
  let acknowledged = 0;
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://platform');
    if (url.pathname === '/updates') {
      // To ask for what comes after a number is to acknowledge everything up to it.
      acknowledged = Math.max(acknowledged, Number(url.searchParams.get('after')));
      return answer(response, updates.filter(({ id }) => id > acknowledged).slice(0, 1));
    }
    visible.push(JSON.parse(await textOf(request)) as Visible);
    answer(response, { id: visible.length });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    updates,
    visible,
    get acknowledged() {
      return acknowledged;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function answer(response: ServerResponse, body: unknown): void {
  response.end(JSON.stringify(body));
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk;
  return text;
}
