import { randomUUID } from 'node:crypto';
import {
  createRandom,
  processesWith,
  SCRIPTED_ACP,
  SCRIPTED_CLAUDE,
  SCRIPTED_CODEX,
  SEED,
  until,
} from '@plugboard/testkit';
import { expect, it } from 'vitest';
import { type Home, home, type Up } from './gateway.ts';

/** Agents that ask before they run a command, by the dialect that they speak; they share the questions evenly. */
const ASKING: Readonly<Record<string, readonly string[]>> = {
  claude: SCRIPTED_CLAUDE,
  acp: SCRIPTED_ACP,
  codex: SCRIPTED_CODEX,
};

/** How many questions are broken off, answered late, or answered by two at once. */
const QUESTIONS = 500;
const AT_A_TIME = 12;

interface Ask {
  readonly id: string;
  readonly sessionId: string;
  readonly state: string;
  readonly question: { readonly options: readonly { readonly id: string; readonly effect?: string }[] };
}

type Act = (up: Up, ask: Ask) => Promise<unknown>;

const answerWith = async (up: Up, { id, question: { options } }: Ask, effect: string): Promise<number> => {
  const option = options.find((one) => one.effect?.startsWith(effect))?.id;
  return (await up.api('POST', `/api/asks/${id}`, { option })).status;
};
const stop = (up: Up, { sessionId }: Ask) => up.api('POST', `/api/sessions/${sessionId}/stop`, {});

/** What may happen to a question that is open. Statuses below 300 are answers that were taken. */
const ACTS: Readonly<Record<string, Act>> = {
  answered: async (up, ask) => expect(await answerWith(up, ask, 'deny')).toBe(202),
  async answeredByTwo(up, ask) {
    const statuses = await Promise.all([answerWith(up, ask, 'allow'), answerWith(up, ask, 'deny')]);
    expect(statuses.filter((status) => status < 300)).toHaveLength(1);
  },
  async stoppedAndAnsweredLate(up, ask) {
    await stop(up, ask);
    await until(async () => (await stateOf(up, ask)) !== 'open', 'the question to be withdrawn');
    expect(await answerWith(up, ask, 'allow')).toBe(409);
  },
  stoppedWhileAnswered: (up, ask) => Promise.all([answerWith(up, ask, 'allow'), stop(up, ask)]),
  async killed(_up, { id }) {
    const [pid] = processesWith(MARK).filter((one) => hash(`${id}${one}`) % 2 === 0);
    if (pid !== undefined) process.kill(pid, 'SIGKILL');
  },
  async left() {},
};

const MARK = `plugboard-questions-${process.pid}`;

it(`none is left open and none is answered twice, whatever is killed, stopped or answered late (seed ${SEED})`, async () => {
  const random = createRandom(SEED);
  await using place = home(configuration());
  let up = await place.up();
  const counts: Record<string, number> = {};
  for (let asked = 0; asked < QUESTIONS; asked += AT_A_TIME) {
    const asks = await askAll(up, random);
    const isKilled = random() < 0.5;
    const acts = asks.map((ask) => ({ ask, name: pick(Object.keys(ACTS), random) }));
    for (const { name } of acts) counts[name] = (counts[name] ?? 0) + 1;
    const acting = Promise.all(acts.map(({ ask, name }) => act(up, name, ask, isKilled)));
    if (isKilled) {
      await new Promise((resolve) => setTimeout(resolve, random() * 60));
      await up.end('SIGKILL');
      await acting;
      up = await place.up();
    } else await acting;
    await expectAllOver(up, place, asks, acts);
  }
  console.log(`questions: ${JSON.stringify(counts)}`);
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  expect(total).toBeGreaterThanOrEqual(QUESTIONS);
});

/** Two agents of each dialect: the question of one waits for a person, that of the other runs out of time. */
function configuration(): string {
  const agents = Object.entries(ASKING).flatMap(([dialect, command]) =>
    [30, 0.3].map((seconds) => {
      const words = JSON.stringify([...command, MARK]);
      const approvals = `approvals: { default: ask, timeout_secs: ${seconds} }`;
      return `  ${dialect}-${seconds === 30 ? 'waits' : 'expires'}: { dialect: ${dialect}, command: ${words}, ${approvals} }`;
    }),
  );
  return `server: { requests_per_minute: 1000000 }\nagents:\n${agents.join('\n')}\nlimits: { agents: ${AT_A_TIME}, resident: ${AT_A_TIME} }\n`;
}

/** Begins sessions, and waits until each has a question. Those that expire may have expired. */
async function askAll(up: Up, random: () => number): Promise<Ask[]> {
  const dialects = Object.keys(ASKING);
  const sessions = await Promise.all(
    Array.from({ length: AT_A_TIME }, async (_, index) => {
      const dialect = dialects[index % dialects.length];
      const agent = `${dialect}-${random() < 0.8 ? 'waits' : 'expires'}`;
      const { json } = await up.api<{ id: string }>('POST', '/api/sessions', { agent });
      await up.api('POST', `/api/sessions/${json.id}/messages`, { text: `run touch ${randomUUID()}` });
      return json.id;
    }),
  );
  const asks: Ask[] = [];
  await until(
    async () => {
      const all = await Promise.all(sessions.map((session) => asksOf(up, session)));
      asks.splice(0, asks.length, ...all.flat());
      return asks.length === AT_A_TIME;
    },
    'each agent to ask',
    30_000,
  );
  return asks;
}

async function asksOf(up: Up, session: string): Promise<readonly Ask[]> {
  return (await read<{ asks: Ask[] }>(up, `/api/asks?session=${session}`)).asks;
}

async function stateOf(up: Up, { id }: Ask): Promise<string> {
  return (await read<Ask>(up, `/api/asks/${id}`)).state;
}

async function read<T>(up: Up, path: string): Promise<T> {
  const { status, json } = await up.api<T>('GET', path);
  if (status !== 200) throw new Error(`${path} answered ${status}: ${JSON.stringify(json)}`);
  return json;
}

/**
 * A gateway that is killed meanwhile may refuse what is tried, and so may a question that has run out of time (`expired`)
 * or whose agent another act has killed (`void`).
 */
async function act(up: Up, name: string, ask: Ask, isKilled: boolean): Promise<void> {
  const isOver = (await stateOf(up, ask).catch(() => 'killed')) !== 'open';
  try {
    await ACTS[name]?.(up, ask);
  } catch (error) {
    if (!isKilled && !isOver && !['expired', 'void'].includes(await stateOf(up, ask))) throw error;
  }
}

async function expectAllOver(
  up: Up,
  place: Home,
  asks: readonly Ask[],
  acts: readonly { readonly ask: Ask; readonly name: string }[],
): Promise<void> {
  // A question that was left alone waits for its time; here it is stopped, as its person would do.
  await Promise.all(acts.filter(({ name }) => name === 'left').map(({ ask }) => stop(up, ask)));
  for (const { ask, name } of acts)
    if (name === 'killed' && (await stateOf(up, ask)) === 'open') await stop(up, ask);
  for (const ask of asks) {
    await until(
      async () => {
        const session = await read<{ state: string }>(up, `/api/sessions/${ask.sessionId}`);
        return session.state === 'idle' && (await stateOf(up, ask)) !== 'open';
      },
      `the end of question ${ask.id}: ${await stateOf(up, ask)} in ${place.path}`,
      20_000,
    );
    const { events } = await read<{ events: { event: { type: string } }[] }>(
      up,
      `/api/sessions/${ask.sessionId}/events?after=0`,
    );
    const endings = events.filter(({ event }) => event.type === 'ask-ended');
    expect(endings.length, `endings of question ${ask.id}`).toBeLessThanOrEqual(1);
    expect(events.filter(({ event }) => event.type === 'end')).toHaveLength(1);
  }
  expect((await read<{ asks: Ask[] }>(up, '/api/asks?state=open')).asks).toEqual([]);
}

function pick<T>(items: readonly T[], random: () => number): T {
  return items[Math.floor(random() * items.length)] as T;
}

function hash(text: string): number {
  return [...text].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) >>> 0, 7);
}
