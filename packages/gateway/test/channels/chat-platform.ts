import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** What somebody says, as the platform hands it to whoever asks. */
export interface Update {
  readonly id: number;
  readonly place: string;
  readonly sender: string;
  readonly text: string;
  readonly file?: string;
  /** The key of a button that was pressed. */
  readonly press?: string;
  /** What the message replies to. */
  readonly repliesTo?: string;
  /** Set in a group. */
  readonly group?: { readonly place: string; readonly addressed: boolean };
}

/** What people see. */
export interface Shown {
  readonly id: string;
  readonly place: string;
  text: string;
  readonly kind: string;
  /** The names of files, with what is in them. */
  readonly media: readonly string[];
  /** What the sender calls it. */
  readonly key: string;
  buttons: readonly { readonly key: string; readonly label: string }[];
}

export interface Call {
  readonly at: number;
  readonly path: string;
  readonly place: string;
  readonly text: string;
}

/**
 * What the platform does with a call instead of what it should: `cut` takes it and breaks the connection, `lose` breaks the
 * connection and has not taken it, `hang` never answers.
 */
export type Trouble = 'cut' | 'lose' | 'hang' | { readonly status: number; readonly body?: object };

type Body = Record<'place' | 'text' | 'kind' | 'key' | 'id', string> & {
  readonly media?: readonly string[];
  readonly buttons?: Shown['buttons'];
};

/** A chat platform over HTTP, with everything that goes wrong on real ones. */
export interface ChatPlatform {
  readonly url: string;
  readonly shown: readonly Shown[];
  /** Everything that was asked of it, but for updates. */
  readonly calls: readonly Call[];
  /** Updates up to this one will not be handed out again. */
  readonly acknowledged: number;
  /** Somebody says something. */
  say(place: string, text: string, more?: Partial<Update>): Update;
  /** What happens to the next calls that match; to those that send something, when nothing else is said. */
  trouble(trouble: Trouble, times?: number, matches?: (call: Call) => boolean): void;
  /** Somebody deletes what they see. */
  remove(id: string): void;
  /** Nobody can connect. */
  down(): Promise<void>;
  up(): Promise<void>;
  /** What is seen in a place. */
  texts(place: string): string[];
}

interface World {
  readonly shown: Shown[];
  readonly calls: Call[];
  readonly updates: Update[];
  readonly troubles: { trouble: Trouble; times: number; matches: (call: Call) => boolean }[];
  acknowledged: number;
}

export async function startChatPlatform(): Promise<ChatPlatform & AsyncDisposable> {
  const world: World = { shown: [], calls: [], updates: [], troubles: [], acknowledged: 0 };
  const server = createServer(
    (request, response) => void handle(world, request, response).catch(() => response.destroy()),
  );
  const listen = (port: number): Promise<void> =>
    new Promise((resolve) => void server.listen(port, '127.0.0.1', resolve));
  await listen(0);
  const { port } = server.address() as AddressInfo;
  const down = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return {
    url: `http://127.0.0.1:${port}`,
    shown: world.shown,
    calls: world.calls,
    get acknowledged() {
      return world.acknowledged;
    },
    say(place, text, more = {}) {
      const update = { sender: 'ada', ...more, id: world.updates.length + 1, place, text };
      world.updates.push(update);
      return update;
    },
    trouble(trouble, times = 1, matches = ({ path }) => path === '/send') {
      world.troubles.push({ trouble, times, matches });
    },
    remove(id) {
      world.shown.splice(
        world.shown.findIndex((one) => one.id === id),
        1,
      );
    },
    down,
    up: () => listen(port),
    texts: (place) => world.shown.filter((one) => one.place === place).map(({ text }) => text),
    [Symbol.asyncDispose]: down,
  };
}

async function handle(world: World, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://platform');
  if (url.pathname === '/updates') return give(world, Number(url.searchParams.get('after')), response);
  const body = JSON.parse(await textOf(request)) as Body;
  const call: Call = { at: performance.now(), path: url.pathname, place: body.place, text: body.text };
  world.calls.push(call);
  const trouble = troubleFor(world, call);
  if (trouble === 'hang') return;
  if (trouble === 'lose') return void response.destroy();
  if (typeof trouble === 'object') return answer(response, trouble.status, trouble.body ?? {});
  const [status, result] = done(world, url.pathname, body);
  if (trouble === 'cut') response.destroy();
  else answer(response, status, result);
}

function troubleFor({ troubles }: World, call: Call): Trouble | undefined {
  const found = troubles.find(({ times, matches }) => times > 0 && matches(call));
  if (found === undefined) return undefined;
  found.times -= 1;
  return found.trouble;
}

/** To ask for what comes after a number is to acknowledge everything up to it. */
async function give(world: World, after: number, response: ServerResponse): Promise<void> {
  world.acknowledged = Math.max(world.acknowledged, after);
  const next = world.updates.filter(({ id }) => id > world.acknowledged).slice(0, 10);
  if (next.length === 0) await sleep(5, undefined, { ref: false });
  answer(response, 200, { updates: next });
}

function done({ shown }: World, path: string, body: Body): [status: number, result: object] {
  if (path === '/typing') return [200, {}];
  if (path === '/find') return [200, { found: shown.find(({ key }) => key === body.key)?.id }];
  if (path === '/edit') {
    const found = shown.find(({ id }) => id === body.id);
    if (found !== undefined) Object.assign(found, { text: body.text, buttons: body.buttons ?? [] });
    return found === undefined ? [404, {}] : [200, {}];
  }
  const { place, text, kind, key, media = [], buttons = [] } = body;
  const id = `p${shown.length + 1}`;
  shown.push({ id, place, text, kind, key, media, buttons });
  return [200, { id }];
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { connection: 'close' }).end(JSON.stringify(body));
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk;
  return text;
}
