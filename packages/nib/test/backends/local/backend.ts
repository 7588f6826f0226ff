import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AgentEffect, type JsonObject, nib, type Turn } from '@plugboard/protocol';
import { type ModelServer, type Replies, startModelServer } from '@plugboard/testkit';
import { type BackendEnv, createHandler } from '../../../src/backends/local/handler.ts';
import { createAsk } from '../../../src/backends/local/model/ask.ts';
import { resolveSettings } from '../../../src/backends/local/settings.ts';
import { type Novel, novel } from '../start-program.ts';

/** What came of a turn. */
export interface Answered {
  readonly text: string;
  readonly deltas: string;
  readonly steps: readonly string[];
  readonly error?: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever was answered.
  readonly result: any;
}

/** The backend inside this process, with a scripted server and a small novel. */
export interface Backend extends AsyncDisposable {
  readonly novel: Novel;
  readonly server: ModelServer;
  /** Asks for an operation, as a host does. */
  ask(operation: string, fields?: JsonObject): Promise<Answered>;
  /** Says something in the conversation that goes on. */
  say(text: string): Promise<Answered>;
  read(path: string): string;
}

const QUICK = { attempts: 3, firstWaitMs: 1, longestWaitMs: 50 };

/** Opens the backend; with the same `novel` it finds what an earlier one has kept. */
export async function openBackend(
  replies: Replies,
  environment: Record<string, string> = {},
  existing?: Novel,
): Promise<Backend> {
  const server = await startModelServer(replies);
  const place = existing ?? novel();
  const world: BackendEnv = {
    cwd: place.root,
    environment: { PATH: '' },
    state: join(place.root, '..', 'state', 'nib'),
    now: () => Date.UTC(2026, 0, 2),
    show: (text) => text,
    settings: async () =>
      resolveSettings({ NIB_LOCAL_ENDPOINT: server.baseUrl, NIB_LOCAL_MODEL: 'm', ...environment }, {}),
    ask: (settings) => createAsk(settings, { fetch: globalThis.fetch, now: Date.now, patience: QUICK }),
  };
  const handler = createHandler(world);
  const answer = (turn: Turn): Promise<Answered> => answered(handler, turn);
  return {
    novel: place,
    server,
    ask: (operation, fields = {}) => answer(turnFor({ operation, dir: place.root, ...fields })),
    say: (text) => answer({ id: 's', text, attachments: [], session: { key: 's' } }),
    read: (path) => readFileSync(join(place.root, path), 'utf8'),
    async [Symbol.asyncDispose]() {
      await server.close();
      if (existing === undefined) place[Symbol.dispose]();
    },
  };
}

/** The turn that the SDK would make of a request. */
function turnFor(request: JsonObject): Turn {
  const state = nib.agent.initial({ environment: {}, nextTurnId: () => 't' });
  const out: AgentEffect[] = [];
  nib.agent.step(state, { type: 'line', text: JSON.stringify(request) }, out);
  nib.agent.step(state, { type: 'input-end' }, out);
  const [first] = out;
  if (first?.type !== 'turn') throw new Error(JSON.stringify(first));
  return first.turn;
}

async function answered(handler: ReturnType<typeof createHandler>, turn: Turn): Promise<Answered> {
  const steps: string[] = [];
  let deltas = '';
  let error: string | undefined;
  const io = {
    signal: new AbortController().signal,
    delta: async (text: string) => {
      deltas += text;
    },
    progress: async (text: string) => void steps.push(text),
    log: async (text: string) => void steps.push(text),
    error: (message: string) => {
      error = message;
    },
  } as unknown as Parameters<typeof handler>[1];
  const result = await handler(turn, io);
  const text = typeof result === 'string' ? result : deltas;
  return { text, deltas, steps, result, ...(error === undefined ? {} : { error }) };
}
