import { join } from 'node:path';
import { openAcp } from '../agents/acp-client.ts';
import { openAcpx } from '../agents/acpx.ts';
import { answerers, TERMINAL_FRAMES } from '../agents/agents.ts';
import { bareTurn } from '../agents/turns.ts';
import { createPerson, startMeasured } from '../gateway/client.ts';
import type { Bar, Part, Report, Table } from '../method/report.ts';
import { interleave, medianOf, ratioOf } from '../method/rounds.ts';

/** Milliseconds between the pieces of an answer: as quick as the quickest models, and none. */
const PAUSES = [5, 0];

const AGENT = join(import.meta.dirname, '../agents/acp.js');
const PLUGBOARD = join(import.meta.dirname, '../../packages/cli/bin/plugboard.js');

/** A turn in the Agent Client Protocol: through the gateway, and through `plugboard serve --as acp`. */
export const acp: Part = {
  name: 'acp',
  async run(quick): Promise<Report> {
    const live = await measureLive(quick);
    const served = await measureServed(quick);
    const client = await measureClient(quick);
    return { tables: [live.table, served.table, client], bars: [...live.bars, ...served.bars] };
  },
};

/** An agent that stays, asked by the client of the official SDK and by a person at the gateway. */
async function measureLive(quick: boolean) {
  const rows: Table['rows'][number][] = [];
  const bars: Bar[] = [];
  for (const pause of PAUSES) {
    const command = [process.execPath, AGENT, String(pause)];
    const direct = await openAcp(command);
    const gateway = await startMeasured(command, 0, 'acp', 600_000);
    const person = await createPerson(gateway);
    const samples = await interleave(
      {
        sdk: async () => ({ done: await direct.ask() }),
        gateway: async () => ({ done: await person.ask() }),
      },
      { rounds: quick ? 10 : 100, warmUp: quick ? 5 : 40 },
    );
    person.close();
    await gateway.stop();
    await direct.close();
    const measured = ratioOf(samples, 'gateway', 'sdk', 'done');
    rows.push([
      `${pause} ms`,
      medianOf(samples, 'sdk', 'done'),
      medianOf(samples, 'gateway', 'done'),
      measured,
    ]);
    if (pause > 0)
      bars.push({ name: `live ACP turn, ${pause} ms a piece: gateway ÷ SDK`, measured, atMost: 1.2 });
  }
  const head = ['20 pieces, each after', 'SDK ms', 'durable through the gateway ms', 'gateway ÷ SDK'];
  return { table: { title: 'A live ACP turn', head, rows } satisfies Table, bars };
}

/** A terminal agent behind `plugboard serve --as acp`, against the same agent started by hand. */
async function measureServed(quick: boolean) {
  const rows: Table['rows'][number][] = [];
  const bars: Bar[] = [];
  for (const [language, argv] of Object.entries(answerers())) {
    const command = [...argv, TERMINAL_FRAMES];
    const served = await openAcp([
      ...[process.execPath, PLUGBOARD, 'serve', '--as', 'acp', '--dialect', 'terminal', '--'],
      ...command,
    ]);
    const samples = await interleave(
      {
        bare: async () => ({ done: (await bareTurn(command)).done ?? Number.NaN }),
        served: async () => ({ done: await served.ask() }),
      },
      { rounds: quick ? 10 : 100, warmUp: quick ? 5 : 40 },
    );
    await served.close();
    const measured = ratioOf(samples, 'served', 'bare', 'done');
    rows.push([language, medianOf(samples, 'bare', 'done'), medianOf(samples, 'served', 'done'), measured]);
    bars.push({ name: `serve --as acp, ${language}: served ÷ bare turn`, measured, atMost: 1.1 });
  }
  const head = ['agent', 'bare ms', 'served ms', 'served ÷ bare'];
  return { table: { title: 'A terminal agent in an editor', head, rows } satisfies Table, bars };
}

/** The same agent behind acpx, a client that people have: each prompt is a command, and its agent stays. */
async function measureClient(quick: boolean): Promise<Table> {
  const [pause = 0] = PAUSES;
  const command = [process.execPath, AGENT, String(pause)];
  const session = await openAcpx(command);
  const gateway = await startMeasured(command, 0, 'acp', 600_000);
  const person = await createPerson(gateway);
  const samples = await interleave(
    {
      acpx: async () => ({ done: await session.ask() }),
      gateway: async () => ({ done: await person.ask() }),
    },
    { rounds: quick ? 2 : 10, warmUp: 2 },
  );
  person.close();
  await gateway.stop();
  await session.close();
  const row = [
    `${pause} ms`,
    medianOf(samples, 'acpx', 'done'),
    medianOf(samples, 'gateway', 'done'),
    ratioOf(samples, 'gateway', 'acpx', 'done'),
  ];
  const head = [
    '20 pieces, each after',
    '`acpx prompt` ms',
    'durable through the gateway ms',
    'gateway ÷ acpx',
  ];
  return { title: 'A live ACP turn by acpx', head, rows: [row] };
}
