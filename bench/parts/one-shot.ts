import { join } from 'node:path';
import { type OpenAgent, open } from '@plugboard/host';
import { createSpawner, type Spawner } from '@plugboard/process';
import { run as runAgentproc } from 'agentproc/src/runner.js';
import {
  AGENTPROC_FRAMES,
  agentprocProfile,
  answerers,
  TERMINAL_FRAMES,
  terminalProfile,
  WORKSPACE,
} from '../agents/agents.ts';
import { AGENTPROC_LINE, bareTurn, hostTurn } from '../agents/turns.ts';
import type { Bar, Part, Report, Table } from '../method/report.ts';
import {
  type Cases,
  interleave,
  medianOf,
  ratioOf,
  type Sample,
  type Samples,
  workIn,
} from '../method/rounds.ts';

const BAR = 1.03;

/** Interpreters take ten times as long to start as everything else does, so fewer rounds say as much. */
const ROUNDS: Readonly<Record<string, number>> = { C: 300, sh: 300, Python: 100, Node: 100 };

/** So many turns of each kind before the first that counts; what the first language has compiled the others find. */
const TURNS_BEFORE: Readonly<Record<string, number>> = { C: 1000 };

/** A whole turn, from the call to the end of the process, against starting the same program by hand. */
export const oneShot: Part = {
  name: 'one-shot',
  async run(quick): Promise<Report> {
    const rows: Table['rows'][number][] = [];
    const bars: Bar[] = [];
    const spawner = await createSpawner({ cacheDirectory: join(WORKSPACE, 'cache') });
    for (const [language, argv] of Object.entries(answerers())) {
      const { direct, helped, v4 } = trials(argv, spawner);
      const bySelf = await measure(language, direct, quick);
      const byHelper = await measure(language, helped, quick);
      const newer = await measure(language, v4, quick);
      const ours = ratioOf(bySelf, 'ours', 'bare', 'done');
      const through = ratioOf(byHelper, 'ours', 'bare', 'done');
      rows.push([
        language,
        medianOf(bySelf, 'bare', 'done'),
        ours,
        through,
        ratioOf(newer, 'ours', 'bare', 'done'),
        ratioOf(newer, 'agentproc', 'bare', 'done'),
        ratioOf(newer, 'ours', 'agentproc', 'done'),
      ]);
      const name = `one-shot turn, ${language}: ours`;
      bars.push({ name: `${name} ÷ bare spawn`, measured: ours, atMost: BAR });
      bars.push({ name: `${name} through the helper ÷ bare spawn`, measured: through, atMost: BAR });
    }
    await spawner.close();
    const head = ['agent', 'bare ms', 'ours ÷ bare', 'ours, helper ÷ bare'];
    const peers = ['v4: ours ÷ bare', 'v4: agentproc ÷ bare', 'v4: ours ÷ agentproc'];
    return { tables: [{ title: 'One-shot turn, start to end', head: [...head, ...peers], rows }], bars };
  },
};

async function measure(language: string, cases: Cases, quick: boolean): Promise<Samples> {
  await workIn(cases, quick ? 5 : (TURNS_BEFORE[language] ?? 10));
  return interleave(cases, { rounds: quick ? 8 : (ROUNDS[language] ?? 60), warmUp: 1 });
}

/**
 * What is compared takes turns with nothing else: of seven ways in one row, the one that shares its code with most others
 * would find it in the processor's cache, and a fork would slow down the way after it that has none.
 */
function trials(argv: readonly string[], spawner: Spawner): Record<'direct' | 'helped' | 'v4', Cases> {
  const frames = [...argv, TERMINAL_FRAMES];
  const v4Frames = [...argv, AGENTPROC_FRAMES];
  const environment = process.env;
  const direct: OpenAgent = open(terminalProfile(frames), { environment });
  const helped: OpenAgent = open(terminalProfile(frames), { environment, spawner });
  const newer: OpenAgent = open(agentprocProfile(v4Frames), { environment });
  const bare = () => bareTurn(frames);
  return {
    direct: { bare, ours: () => hostTurn(direct) },
    helped: { bare, ours: () => hostTurn(helped) },
    v4: {
      bare: () => bareTurn(v4Frames, AGENTPROC_LINE),
      ours: () => hostTurn(newer),
      agentproc: () => agentprocTurn(v4Frames),
    },
  };
}

async function agentprocTurn([command = '', ...args]: readonly string[]): Promise<Sample> {
  const started = performance.now();
  let first = 0;
  const onPartial = (): void => {
    first ||= performance.now() - started;
  };
  const { exitCode } = await runAgentproc({ command, args, cwd: WORKSPACE }, { message: 'hello', onPartial });
  if (exitCode !== 0) throw new Error(`agentproc ended with ${exitCode}.`);
  return { first, done: performance.now() - started };
}
