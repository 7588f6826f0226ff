import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type ModelReply, type ModelRequest, startModelServer } from '@plugboard/testkit';
import { buildAll } from '../../scripts/build/all.ts';
import { WORKSPACE } from '../agents/agents.ts';
import type { Part, Report } from '../method/report.ts';
import { NUUM } from '../nuum/agent.ts';
import { type Billed, createCacheAccount } from '../nuum/cache.ts';

/** One way to use the agent: how many turns, and what its model does in each step of one. */
interface Case {
  readonly name: string;
  readonly turns: number;
  /** What the model answers to the `step`th question of a turn, from 0. */
  readonly reply: (turn: number, step: number) => ModelReply;
  /** Of the same questions without any cache. */
  readonly atMost: number;
}

const FILE_CHARS = 12_000;
const READS = 60;

const answer = (turn: number): ModelReply => ({
  text: `This is answer ${turn}. ${'It has some words. '.repeat(20)}`,
});
const read = (turn: number, step: number): ModelReply => ({
  text: `I read file ${step}.`,
  calls: [
    { id: `toolu_${turn}_${step}`, name: 'read', input: { filePath: `file-${(turn + step) % 10}.txt` } },
  ],
});
const readMany = (turn: number, step: number, count: number): ModelReply => ({
  calls: Array.from({ length: count }, (_, index) => ({
    id: `toolu_${turn}_${step}_${index}`,
    name: 'read',
    input: { filePath: `file-${index % 10}.txt`, limit: 20 },
  })),
});
const changePresent = (turn: number, step: number): ModelReply => {
  const calls = [
    { name: 'set_mission', input: { mission: `Mission ${turn}` } },
    { name: 'set_status', input: { status: `Step ${turn} of many` } },
    { name: 'update_todos', input: { todos: [{ content: `Thing ${turn}`, status: 'pending' }] } },
  ];
  return { calls: calls.map((call, index) => ({ ...call, id: `toolu_${turn}_${step}_${index}` })) };
};

const CASES: readonly Case[] = [
  { name: 'plain turns', turns: 40, reply: answer, atMost: 0.25 },
  {
    name: `long turns: ${READS / 3} reads each`,
    turns: 6,
    reply: (turn, step) => (step < READS / 3 ? read(turn, step) : answer(turn)),
    atMost: 0.35,
  },
  {
    name: `above limits.room: ${READS} reads each`,
    turns: 4,
    reply: (turn, step) => (step < READS ? read(turn, step) : answer(turn)),
    atMost: 0.35,
  },
  {
    name: 'mission, status and todos change',
    turns: 20,
    reply: (turn, step) => (step === 0 ? changePresent(turn, step) : answer(turn)),
    atMost: 0.35,
  },
  {
    name: '14 calls at once, three times a turn',
    turns: 8,
    reply: (turn, step) => (step < 3 ? readMany(turn, step, 14) : answer(turn)),
    atMost: 0.35,
  },
];

/** What the prompts of the resident agent cost with a cache like Anthropic's, and how much of each is the one before. */
export const nuumCache: Part = {
  name: 'nuum-cache',
  async run(quick): Promise<Report> {
    if (!existsSync(NUUM)) await buildAll();
    const measured = [];
    for (const one of CASES) measured.push({ ...one, ...(await measure(one, quick)) });
    return {
      tables: [
        {
          title: 'Prompts of the resident agent',
          head: [
            'case',
            'questions',
            'tokens each',
            'reuse in a turn',
            'reuse from turn to turn',
            'cost ÷ no cache',
          ],
          rows: measured.map(({ name, questions, tokens, inTurn, toTurn, cost }) => [
            ...[name, questions, tokens, inTurn, toTurn, cost],
          ]),
        },
      ],
      bars: measured.flatMap(({ name, inTurn, toTurn, cost, atMost }) => [
        ...(Number.isNaN(inTurn)
          ? []
          : [{ name: `prompts, ${name}: reuse in a turn`, measured: inTurn, atLeast: 0.95 }]),
        { name: `prompts, ${name}: reuse from turn to turn`, measured: toTurn, atLeast: 0.85 },
        { name: `prompts, ${name}: cost ÷ no cache`, measured: cost, atMost },
      ]),
    };
  },
};

interface Measured {
  readonly questions: number;
  readonly tokens: number;
  readonly inTurn: number;
  readonly toTurn: number;
  readonly cost: number;
}

async function measure({ turns, reply }: Case, quick: boolean): Promise<Measured> {
  const account = createCacheAccount(() => performance.now());
  const billed: { readonly first: boolean; readonly bill: Billed }[] = [];
  let [turn, step] = [0, 0];
  const server = await startModelServer((request) => {
    if (!isOfTurn(request)) return { text: 'Nothing to keep.' };
    billed.push({ first: step === 0, bill: account.bill(request.body) });
    return reply(turn, step++);
  });
  const say = await startAgent(server.baseUrl);
  for (turn = 0; turn < (quick ? Math.ceil(turns / 2) : turns); turn++) {
    step = 0;
    await say(`This is message ${turn}, with some words to it.`);
  }
  await say(undefined);
  await server.close();
  const reuse = (first: boolean): number =>
    mean(
      billed.flatMap((one) => (one.first === first && one.bill.reuse !== undefined ? [one.bill.reuse] : [])),
    );
  const total = (of: (bill: Billed) => number): number => billed.reduce((sum, { bill }) => sum + of(bill), 0);
  return {
    questions: billed.length,
    tokens: Math.round(total(({ tokens }) => tokens) / billed.length),
    inTurn: reuse(false),
    toTurn: reuse(true),
    cost: total(({ cost }) => cost) / total(({ tokens }) => tokens),
  };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Distillation asks beside the turns, and about something else. */
function isOfTurn({ body }: ModelRequest): boolean {
  return body.tools?.some(({ name }: { name: string }) => name === 'bash') === true;
}

/** Starts the built agent; resolves to a way to have a turn, or to end it. */
async function startAgent(baseUrl: string): Promise<(text: string | undefined) => Promise<void>> {
  const directory = mkdtempSync(join(WORKSPACE, 'nuum-cache-'));
  mkdirSync(directory, { recursive: true });
  for (let index = 0; index < 10; index++) {
    const line = `Line of file ${index}, with words that say something about it.\n`;
    writeFileSync(join(directory, `file-${index}.txt`), line.repeat(FILE_CHARS / line.length));
  }
  const child = spawn(process.execPath, [NUUM, '--stdio', '--db', join(directory, 'memory.db')], {
    stdio: ['pipe', 'pipe', 'inherit'],
    cwd: directory,
    env: { ...process.env, NUUM_MODEL: 'anthropic:m', NUUM_BASE_URL: baseUrl, NUUM_API_KEY: 'none' },
  });
  const lines = createInterface({ input: child.stdout });
  let done = (): void => {};
  lines.on('line', (line) => {
    if (JSON.parse(line).type === 'result') done();
  });
  await once(lines, 'line');
  return async (text) => {
    if (text === undefined) {
      child.stdin.end();
      await once(child, 'exit');
      return;
    }
    const ended = new Promise<void>((resolve) => {
      done = resolve;
    });
    child.stdin.write(`${JSON.stringify({ type: 'user', message: { role: 'user', content: text } })}\n`);
    await ended;
  };
}
