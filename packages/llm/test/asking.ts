import { type ModelServer, type Replies, startModelServer } from '@plugboard/testkit';
import { askModel, loadAnthropic, loadOpenAICompatible, type Question, type Reply } from '../src/index.ts';

export const PROVIDERS = ['anthropic', 'openai'] as const;
export type Provider = (typeof PROVIDERS)[number];

/** A model on a scripted server, and what its listener heard. */
export interface Asking extends AsyncDisposable {
  readonly server: ModelServer;
  readonly heard: { readonly deltas: string[]; readonly thinking: string[]; readonly again: string[] };
  ask(question?: Partial<Question>): Promise<Reply>;
}

const TOOL = {
  name: 'read',
  description: 'Reads.',
  parameters: { type: 'object', properties: { filePath: { type: 'string' } } },
};

const RETRIED = new Set(['rate-limited', 'overloaded', 'unreachable', 'broken-off', 'silent']);

export async function startAsking(
  provider: Provider,
  replies: Replies,
  {
    mayRepeat = () => true,
    silenceMs = 30_000,
  }: { readonly mayRepeat?: (heard: Asking['heard']) => boolean; readonly silenceMs?: number } = {},
): Promise<Asking> {
  const server = await startModelServer(replies);
  const access = { model: 'm-1', baseUrl: server.baseUrl, apiKey: 'key-1' };
  const model = await (provider === 'anthropic' ? loadAnthropic(access) : loadOpenAICompatible(access));
  const heard: Asking['heard'] = { deltas: [], thinking: [], again: [] };
  const ask = (question: Partial<Question> = {}): Promise<Reply> =>
    askModel(
      {
        system: 'Be kind.',
        said: [{ role: 'user', text: 'hi' }],
        tools: [TOOL],
        signal: new AbortController().signal,
        listener: {
          delta: (kind, text) => void (kind === 'output' ? heard.deltas : heard.thinking).push(text),
          again: (reason, waitMs) => void heard.again.push(`${reason} ${waitMs}`),
        },
        ...question,
      },
      {
        model,
        settings: {},
        patience: { attempts: 3, firstWaitMs: 1, longestWaitMs: 2_000, retried: RETRIED },
        silenceMs,
        now: Date.now,
        describe: ({ kind, said }) => [kind, `${kind}: ${said}`],
        mayRepeat: () => mayRepeat(heard),
      },
    );
  return { server, heard, ask, [Symbol.asyncDispose]: () => server.close() };
}
