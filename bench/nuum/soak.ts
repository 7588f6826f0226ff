import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { WORKSPACE } from '../agents/agents.ts';
import { type MeasuredNuum, startNuum } from './agent.ts';

/*
 * `node bench/nuum/soak.ts [--turns 10000]`: one resident agent answers so many turns in a row. Most are words, some call
 * tools, some start a program or set an alarm, and what is in view is distilled all along. What the process takes is looked
 * at a hundred times. Ends with 1 when it takes more and more: memory by 5 % from the second quarter to the last, or any
 * descriptor more than before.
 */
const { values } = parseArgs({ options: { turns: { type: 'string', default: '10000' } } });
const turns = Number(values.turns);
if (!Number.isSafeInteger(turns) || turns < 100) {
  process.stderr.write('--turns must be a number of 100 or more.\n');
  process.exit(2);
}

const SCRIPT = `
rules:
  - { when: "^look", calls: [{ name: list_tasks }, { name: recall, input: { query: "plain words" } }] }
  - { when: "^run", calls: [{ name: bash, input: { command: "echo a program" } }] }
  - { when: "^wake", calls: [{ name: set_alarm, input: { in: 0s, note: soak } }] }
  - { after: result, text: "That is what came of it." }
  - for: distil
    calls: [{ name: keep, input: { context: "Plain words were said.", facts: ["It was a soak."] } }]
otherwise: { text: "You said something, and this is a plain answer to it." }
`;

/** Long enough that what is in view is distilled every few hundred turns. */
const WORDS = 'plain words that say nothing new, again and again. '.repeat(6);

interface Look {
  readonly rss: number;
  readonly descriptors: number;
}

const agent = await startNuum(join(WORKSPACE, 'soak.db'), SCRIPT);
const looks: Look[] = [];
const began = performance.now();
for (let turn = 1; turn <= turns; turn += 1) {
  await agent.turn(`${kindOf(turn)} ${turn} ${WORDS}`);
  if (turn % Math.floor(turns / 100) === 0) looks.push(look(agent));
  if (turn % Math.ceil(turns / 10) === 0) {
    const { rss, descriptors } = look(agent);
    process.stderr.write(`${turn} turns, ${rss.toFixed(1)} MiB, ${descriptors} descriptors\n`);
  }
}
const seconds = (performance.now() - began) / 1_000;
await agent.end();
process.exitCode = report();

function kindOf(turn: number): string {
  if (turn % 500 === 0) return 'wake';
  if (turn % 100 === 0) return 'run';
  return turn % 10 === 0 ? 'look' : 'talk';
}

function look({ rssMiB, descriptors }: MeasuredNuum): Look {
  return { rss: rssMiB(), descriptors: descriptors() };
}

/** Compares the last quarter with the second one: by then everything has been used that will be. */
function report(): number {
  const quarter = Math.floor(looks.length / 4);
  const early = looks.slice(quarter, 2 * quarter);
  const late = looks.slice(-quarter);
  const growth = mean(late.map(({ rss }) => rss)) / mean(early.map(({ rss }) => rss)) - 1;
  const more =
    Math.min(...late.map(({ descriptors }) => descriptors)) -
    Math.min(...early.map(({ descriptors }) => descriptors));
  process.stdout.write(
    `${turns} turns in ${seconds.toFixed(0)} s, ${((seconds * 1_000) / turns).toFixed(2)} ms each. ` +
      `Memory ${mean(early.map(({ rss }) => rss)).toFixed(1)} MiB in the second quarter, ` +
      `${mean(late.map(({ rss }) => rss)).toFixed(1)} MiB in the last (${(growth * 100).toFixed(1)} %); ` +
      `descriptors ${more >= 0 ? '+' : ''}${more}.\n`,
  );
  return growth > 0.05 || more > 0 ? 1 : 0;
}

function mean(all: readonly number[]): number {
  return all.reduce((sum, one) => sum + one, 0) / Math.max(1, all.length);
}
