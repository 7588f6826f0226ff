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
import { bareTurn, hostTurn } from '../agents/turns.ts';
import type { Bar, Part, Report, Table } from '../method/report.ts';
import { type Cases, interleave, medianOf, ratioOf, type Sample, type Samples } from '../method/rounds.ts';

const BAR = 1.03;

/** Interpreters take ten times as long to start as everything else does, so fewer rounds say as much. */
const ROUNDS: Readonly<Record<string, number>> = { C: 120, sh: 120, Python: 40, Node: 40 };

/** A whole turn, from the call to the end of the process, against starting the same program by hand. */
export const oneShot: Part = {
  name: 'one-shot',
  async run(quick): Promise<Report> {
    const rows: Table['rows'][number][] = [];
    const bars: Bar[] = [];
    const spawner = await createSpawner({ cacheDirectory: join(WORKSPACE, 'cache') });
    for (const [language, argv] of Object.entries(answerers())) {
      const rounds = quick ? 8 : (ROUNDS[language] ?? 60);
      const samples = await interleave(casesFor(argv, spawner), { rounds, warmUp: quick ? 1 : 20 });
      rows.push(rowOf(language, samples));
      const measured = ratioOf(samples, 'ours', 'bare', 'done');
      bars.push({ name: `one-shot turn, ${language}: ours ÷ bare spawn`, measured, atMost: BAR });
      const helped = ratioOf(samples, 'ours, helper', 'bare', 'done');
      bars.push({
        name: `one-shot turn, ${language}: ours through the helper ÷ bare spawn`,
        measured: helped,
        atMost: BAR,
      });
    }
    await spawner.close();
    const head = [
      'agent',
      'bare ms',
      'ours ÷ bare',
      'ours, helper ÷ bare',
      'bare detached ÷ bare',
      'ours ÷ bare detached',
    ];
    const peers = ['v4: ours ÷ bare', 'v4: agentproc ÷ bare', 'v4: ours ÷ agentproc'];
    return { tables: [{ title: 'One-shot turn, start to end', head: [...head, ...peers], rows }], bars };
  },
};

function casesFor(argv: readonly string[], spawner: Spawner): Cases {
  const frames = [...argv, TERMINAL_FRAMES];
  const v4Frames = [...argv, AGENTPROC_FRAMES];
  const environment = process.env;
  const ours: OpenAgent = open(terminalProfile(frames), { environment });
  const helped: OpenAgent = open(terminalProfile(frames), { environment, spawner });
  const oursV4: OpenAgent = open(agentprocProfile(v4Frames), { environment });
  return {
    bare: () => bareTurn(frames),
    'bare detached': () => bareTurn(frames, { detached: true }),
    ours: () => hostTurn(ours),
    'ours, helper': () => hostTurn(helped),
    'bare v4': () => bareTurn(v4Frames),
    'ours v4': () => hostTurn(oursV4),
    agentproc: () => agentprocTurn(v4Frames),
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

function rowOf(language: string, samples: Samples): (string | number)[] {
  const ratio = (name: string, base: string): number => ratioOf(samples, name, base, 'done');
  return [
    language,
    medianOf(samples, 'bare', 'done'),
    ratio('ours', 'bare'),
    ratio('ours, helper', 'bare'),
    ratio('bare detached', 'bare'),
    ratio('ours', 'bare detached'),
    ratio('ours v4', 'bare v4'),
    ratio('agentproc', 'bare v4'),
    ratio('ours v4', 'agentproc'),
  ];
}
