import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  createRandom,
  type FakePlatform,
  otherPlace,
  type PlatformName,
  SEED,
  until,
} from '@plugboard/testkit';
import { type PlatformsBench, startPlatforms } from './bench.ts';

/** A turn that a crash interrupts is not asked again (`on_crash: fail`): its people are told. */
const CONFIG = {
  agents: {
    echo: {
      dialect: 'terminal',
      command: [
        '/bin/sh',
        '-c',
        'read -r line; sleep 0.05; printf "%s" "$line" | sed \'s/.*"text":"\\([^"]*\\)".*/re \\1/\'',
      ],
      protocol: 'rich',
    },
  },
};

/** Conversations on each platform. */
const PLACES = 3;

interface Sent {
  readonly platform: PlatformName;
  readonly place: string;
  readonly id: string;
  readonly text: string;
}

/** What went wrong, and how much was tried. */
export interface Outcome {
  readonly kills: number;
  readonly messages: number;
  readonly unknown: number;
  readonly interrupted: number;
  /** Messages that their platform gave up: Slack gives them a few times, and Discord does not find all of a gap. */
  readonly unkept: readonly string[];
  readonly problems: readonly string[];
}

/**
 * Kills the gateway `kills` times at random moments while people write on all platforms, then lets it come to rest. Each
 * message that a platform was told to be kept is answered once, or its delivery is marked as unknown, or its turn as
 * interrupted, of which its people are told.
 */
export async function killAtRandom(kills: number): Promise<Outcome> {
  await using bench = await startPlatforms(CONFIG);
  const random = createRandom(SEED);
  const sent: Sent[] = [];
  await (await bench.upAndReady()).end();
  for (let kill = 0; kill < kills; kill += 1) {
    const up = await bench.up();
    for (const [platform, fake] of bench.platforms) sent.push(sayOne(platform, fake, random, sent.length));
    await sleep(random() * 400);
    for (const [platform, fake] of bench.platforms) sent.push(sayOne(platform, fake, random, sent.length));
    await sleep(random() * 200);
    await up.end('SIGKILL');
  }
  const up = await bench.up();
  const unkept = await waitForKept(bench, sent);
  await until(() => isAtRest(bench), 'the gateway to come to rest', 60_000);
  await up.end();
  const marks = readMarks(bench);
  const { unknown, interrupted } = marks;
  return {
    kills,
    messages: sent.length,
    unknown: unknown.length,
    interrupted: interrupted.length,
    unkept: unkept.map(({ platform, place, text }) => `${text} on ${platform} in ${place}`),
    problems: judge(bench, sent, marks),
  };
}

function sayOne(platform: PlatformName, fake: FakePlatform, random: () => number, number: number): Sent {
  const text = `m${number}`;
  const which = Math.floor(random() * PLACES);
  const place = which === 0 ? fake.place : otherPlace(platform, which);
  const id = fake.say(text, { place });
  return { platform, place, id, text };
}

/** Waits until the platforms know that all messages are kept, or nothing has changed for a while. Resolves to the others. */
async function waitForKept(bench: PlatformsBench, sent: readonly Sent[]): Promise<readonly Sent[]> {
  let left = sent;
  let quietSince = performance.now();
  while (left.length > 0 && performance.now() - quietSince < PATIENCE_MS) {
    await sleep(50);
    const now = left.filter((one) => !isAcknowledged(bench, one));
    if (now.length < left.length) quietSince = performance.now();
    left = now;
  }
  return left;
}

/** Longer than the delays after which the fakes give a message again. */
const PATIENCE_MS = 20_000;

function isAcknowledged({ platforms }: PlatformsBench, { platform, id }: Sent): boolean {
  return platforms.get(platform)?.isAcknowledged(id) === true;
}

function readStore<T>({ home }: PlatformsBench, query: string): T[] {
  const database = new DatabaseSync(join(home.data, 'plugboard.db'), { readOnly: true });
  try {
    return database.prepare(query).all() as T[];
  } finally {
    database.close();
  }
}

function isAtRest(bench: PlatformsBench): boolean {
  const [left] = readStore<{ left: number }>(
    bench,
    `select (select count(*) from deliveries where state in ('pending', 'sending'))
          + (select count(*) from messages where state = 'waiting')
          + (select count(*) from turns where state = 'running') as left`,
  );
  return left?.left === 0;
}

/** What the gateway itself says that it cannot vouch for. */
interface Marks {
  /** Texts of deliveries that may have arrived; the operator settles them. */
  readonly unknown: readonly string[];
  /** Texts of messages whose turn a crash has interrupted. */
  readonly interrupted: readonly string[];
  /** Deliveries of the notice about an interrupted turn. */
  readonly notices: number;
}

function readMarks(bench: PlatformsBench): Marks {
  const textsOf = (query: string): string[] =>
    readStore<{ body: string }>(bench, query).map(({ body }) => (JSON.parse(body) as { text: string }).text);
  return {
    unknown: textsOf(`select body from deliveries where state = 'unknown'`),
    interrupted: textsOf(
      `select e.body from turns t join messages m on m.seq = t.message
       join events e on e.session = m.session and e.number = m.number where t.state = 'interrupted'`,
    ),
    notices: textsOf('select body from deliveries').filter((text) => text.startsWith(INTERRUPTED)).length,
  };
}

/** The beginning of the notice about an interrupted turn. */
const INTERRUPTED = 'I was interrupted by a restart';

function judge({ platforms }: PlatformsBench, sent: readonly Sent[], marks: Marks): string[] {
  const problems = sent.flatMap(({ platform, place, id, text }) => {
    const shown = platforms.get(platform)?.shown(place) ?? [];
    const answers = shown.filter((message) => message.text === `re ${text}`).length;
    const isMarked = marks.unknown.includes(`re ${text}`) || marks.interrupted.includes(text);
    if (answers > 1) return [`${text} on ${platform} was answered ${answers} times.`];
    const isKept = platforms.get(platform)?.isAcknowledged(id) === true;
    return isKept && answers === 0 && !isMarked
      ? [`${text} on ${platform} was not answered, and nothing says so.`]
      : [];
  });
  const { interrupted, notices } = marks;
  const untold =
    interrupted.length === notices ? [] : [`${interrupted.length} interrupted turns, ${notices} notices.`];
  return [...problems, ...untold, ...orderProblems(platforms)];
}

/** In each place, answers come in the order of the messages. */
function orderProblems(platforms: PlatformsBench['platforms']): string[] {
  return [...platforms].flatMap(([name, fake]) =>
    [fake.place, ...Array.from({ length: PLACES - 1 }, (_, at) => otherPlace(name, at + 1))].flatMap(
      (place) => {
        const numbers = fake
          .shown(place)
          .flatMap(({ text }) => /^re m(\d+)$/.exec(text)?.[1] ?? [])
          .map(Number);
        const isSorted = numbers.every((number, at) => at === 0 || number > (numbers[at - 1] ?? 0));
        return isSorted ? [] : [`Answers on ${name} in ${place} are out of order: ${numbers.join(' ')}`];
      },
    ),
  );
}
