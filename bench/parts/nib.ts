import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { openBackend } from '../../packages/nib/src/backend/backend.ts';
import type { Env } from '../../packages/nib/src/env.ts';
import { createKeyboard } from '../../packages/nib/src/terminal/keyboard.ts';
import { buildAll } from '../../scripts/build/all.ts';
import { distOf, ROOT } from '../../scripts/build/workspace.ts';
import { WORKSPACE } from '../agents/agents.ts';
import type { Part, Report } from '../method/report.ts';
import { interleave, medianOf, ratioOf, type Sample } from '../method/rounds.ts';

const NIB = join(distOf('nib'), 'bin', 'nib.js');
const SCENES = 60;

/** What a scene holds, as a backend says it. */
const FOUND = {
  scene: { pov: 'bo', scene_type: 'regular', location: 'mill', date: '', time: '', summary: 'Bo waits.' },
  facts: [
    { category: 'event', summary: 'Bo waits', detail: '', source_text: 'He waited.', date: '', time: '' },
  ],
  characters: [{ character: 'bo', role: 'pov' }],
  locations: [{ id: 'mill', name: 'The mill', type: 'workplace', description: 'A mill.' }],
};

/** The manuscript host: what it adds to a backend that answers at once. */
export const nib: Part = {
  name: 'nib',
  async run(quick): Promise<Report> {
    if (!existsSync(NIB)) await buildAll();
    const { root, variables, program } = makeProject();
    const operation = await measureOperation(root, variables, program, quick);
    const index = measureIndex(root, variables, operation.bareMs, quick ? 1 : 5);
    const rows = [
      [
        'one operation of a shell backend ÷ a bare spawn of it',
        operation.bareMs,
        operation.oursMs,
        operation.ratio,
      ],
      [
        `ct index of ${SCENES} scenes, start included ÷ ${SCENES} bare spawns`,
        index.bareMs,
        index.oursMs,
        index.ratio,
      ],
    ];
    return {
      tables: [{ title: 'The manuscript host', head: ['what', 'bare ms', 'nib ms', 'ratio'], rows }],
      bars: [
        { name: 'nib: one operation ÷ a bare spawn of the backend', measured: operation.ratio, atMost: 1.1 },
        {
          name: `nib: ct index of ${SCENES} scenes ÷ its backends' own time`,
          measured: index.ratio,
          atMost: 3,
        },
      ],
    };
  },
};

function makeProject() {
  const home = mkdtempSync(join(WORKSPACE, 'nib-'));
  const root = join(home, 'novel');
  cpSync(join(ROOT, 'examples', 'novel'), root, { recursive: true });
  const answers = { 'continuity-index': { data: FOUND }, 'continuity-ask': { text: 'Bo.' } };
  for (const [operation, answer] of Object.entries(answers)) {
    writeFileSync(join(home, operation), JSON.stringify({ type: 'success', operation, ...answer }));
  }
  const program = join(home, 'nib-agent-bench');
  const cases = Object.keys(answers).map((name) => `*'"operation":"${name}"'*) cat '${join(home, name)}' ;;`);
  writeFileSync(program, `#!/bin/sh\nread -r line\ncase "$line" in ${cases.join(' ')} esac\n`);
  chmodSync(program, 0o755);
  const variables = { ...process.env, PATH: `${home}:${process.env.PATH}`, HOME: home, NIB_AGENT: 'bench' };
  return { root, variables, program };
}

type Variables = Readonly<Record<string, string | undefined>>;

async function measureOperation(root: string, variables: Variables, program: string, quick: boolean) {
  const env: Env = {
    cwd: root,
    variables,
    out: () => {},
    err: () => {},
    keyboard: createKeyboard(new PassThrough().end(), false),
    screen: { out: false, err: false, columns: () => 80 },
    now: () => Date.now(),
    run: () => Promise.reject(new Error('A benchmark starts nothing else.')),
    onStop: () => () => {},
  };
  const backend = await openBackend(env, root, { name: 'bench' });
  const request = { operation: 'continuity-ask', fields: { dir: root, question: 'Who?' } } as const;
  const { signal } = new AbortController();
  const cases = {
    bare: () =>
      bare(program, root, variables, JSON.stringify({ operation: request.operation, ...request.fields })),
    nib: async (): Promise<Sample> => {
      const started = performance.now();
      const { end } = await backend.run(request, { signal });
      if (end.text !== 'Bo.') throw new Error(`The backend said ${JSON.stringify(end)}.`);
      return { ms: performance.now() - started };
    },
  };
  const samples = await interleave(cases, { rounds: quick ? 10 : 150, warmUp: quick ? 3 : 20 });
  await backend.kill();
  return {
    bareMs: medianOf(samples, 'bare', 'ms'),
    oursMs: medianOf(samples, 'nib', 'ms'),
    ratio: ratioOf(samples, 'nib', 'bare', 'ms'),
  };
}

function bare(program: string, cwd: string, env: Variables, request: string): Promise<Sample> {
  const started = performance.now();
  const child = spawn(program, { cwd, env: env as NodeJS.ProcessEnv });
  child.stdout.resume();
  child.stderr.resume();
  child.stdin.end(`${request}\n`);
  return new Promise((resolve) => child.on('close', () => resolve({ ms: performance.now() - started })));
}

/** The whole program, with its start and what it writes. */
function measureIndex(root: string, variables: Variables, bareMs: number, rounds: number) {
  const times = Array.from({ length: rounds }, () => {
    const started = performance.now();
    const args = [NIB, 'ct', 'index', '1-16', '--force', '--yes'];
    const done = spawnSync(process.execPath, args, {
      cwd: root,
      env: variables as NodeJS.ProcessEnv,
      encoding: 'utf8',
    });
    if (done.status !== 0) throw new Error(done.stderr);
    return performance.now() - started;
  });
  const oursMs = times.sort((one, other) => one - other)[Math.floor(times.length / 2)] ?? Number.NaN;
  return { bareMs: bareMs * SCENES, oursMs, ratio: oursMs / (bareMs * SCENES) };
}
