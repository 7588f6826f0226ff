import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createPerson, type Measured, startMeasured } from './gateway/client.ts';

/*
 * `node bench/soak.ts [--minutes 10] [--people 12]`: people talk to a gateway whose agents crash, hang, flood and fork at
 * random. Every message must come to an end; memory, descriptors and processes must be as many at the end as they were
 * once everything was in use. Ends with 1 when something leaks.
 */
const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '10' }, people: { type: 'string', default: '12' } },
});
const minutes = Number(values.minutes);

/** One of these at random: what agents do to those who run them. */
const AGENT = `
read -r line
case $(( $(od -An -N1 -tu1 /dev/urandom) % 8 )) in
  0) exit 3 ;;
  1) echo '{"type":"message","text":"half'; kill -9 $$ ;;
  2) i=0; while [ $i -lt 2000 ]; do echo '{"type":"progress","text":"flood"}'; i=$((i+1)); done; echo done ;;
  3) i=0; while [ $i -lt 500 ]; do echo 'noise on stderr, a line of some length to fill the pipe' >&2; i=$((i+1)); done; echo loud ;;
  4) sleep 30 & echo 'left a child behind' ;;
  5) head -c 200000 /dev/urandom; echo ;;
  6) sleep 0.2; echo slow ;;
  *) echo '{"type":"message","text":"fine"}' ;;
esac`;

interface Look {
  readonly at: number;
  readonly rss: number;
  readonly descriptors: number;
  readonly processes: number;
}

const gateway = await startMeasured(['/bin/sh', '-c', AGENT]);
const until = performance.now() + minutes * 60_000;
let answered = 0;
const looks: Look[] = [];
const people = Array.from({ length: Number(values.people) }, () => live(gateway));
while (performance.now() < until) {
  await sleep(Math.min(5_000, minutes * 2_000));
  looks.push(look(gateway));
  const { rss, descriptors, processes } = looks.at(-1) ?? look(gateway);
  process.stderr.write(
    `${answered} turns, ${mib(rss)} MiB, ${descriptors} descriptors, ${processes} processes\n`,
  );
}
await Promise.all(people);
await sleep(3_000);
const last = look(gateway);
await gateway.stop();
report();

/** Talks, leaves, comes back, until the time is over. */
async function live(measured: Measured): Promise<void> {
  while (performance.now() < until) {
    const person = await createPerson(measured);
    for (let turns = 0; turns < 40 && performance.now() < until; turns += 1) {
      await within(person.ask());
      answered += 1;
    }
    person.close();
  }
}

async function within(turn: Promise<unknown>): Promise<void> {
  const late = sleep(60_000, 'late', { ref: false });
  if ((await Promise.race([turn, late])) === 'late')
    throw new Error('A message was not answered within a minute.');
}

function look({ child }: Measured): Look {
  const pid = child.pid ?? 0;
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const rss = Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) * 1024;
  const descriptors = readdirSync(`/proc/${pid}/fd`).length;
  return { at: performance.now(), rss, descriptors, processes: descendants(pid).length };
}

function descendants(pid: number): number[] {
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => parentOf(name) === pid)
    .map(Number);
  return [...children, ...children.flatMap(descendants)];
}

function parentOf(pid: string): number {
  try {
    return Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[1]);
  } catch {
    return 0;
  }
}

/** Compares the last quarter with the second one: by then everything has been used that will be. */
function report(): void {
  const quarter = Math.floor(looks.length / 4);
  const mean = (part: readonly Look[], of: (one: Look) => number): number =>
    part.reduce((sum, one) => sum + of(one), 0) / Math.max(1, part.length);
  const early = looks.slice(quarter, 2 * quarter);
  const late = looks.slice(-quarter);
  const growth = mean(late, ({ rss }) => rss) - mean(early, ({ rss }) => rss);
  const descriptors = mean(late, (one) => one.descriptors) - mean(early, (one) => one.descriptors);
  process.stdout.write(
    `${answered} turns in ${minutes} minutes. Memory grew by ${mib(growth)} MiB from the second quarter to the last, ` +
      `descriptors by ${descriptors.toFixed(1)}. At rest: ${mib(last.rss)} MiB, ${last.descriptors} descriptors, ` +
      `${last.processes} processes (the helper is one).\n`,
  );
  const leaks = growth > 24 * 2 ** 20 || descriptors > 10 || last.processes > 1;
  process.exit(leaks ? 1 : 0);
}

function mib(bytes: number): string {
  return (bytes / 2 ** 20).toFixed(1);
}
