import { spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildAll } from '../../scripts/build/all.ts';
import { distOf } from '../../scripts/build/workspace.ts';
import { WORKSPACE } from '../agents/agents.ts';
import type { Part, Report } from '../method/report.ts';
import { type Cases, interleave, medianOf, ratioOf, type Sample } from '../method/rounds.ts';

const ENVELOPE =
  '{"version":1,"text":"hi","channel":"cli","chat_id":"default","session_key":"cli:default"}\n';
const COMMAND = join(distOf('cli'), 'bin', 'plugboard.js');
const SDK = join(distOf('agent'), 'index.js');
const BARE_AGENT = join(import.meta.dirname, '..', 'agents', 'bare-agent.js');

/** What our own start costs, built: the command, and an agent written with the SDK. */
export const startup: Part = {
  name: 'startup',
  async run(quick): Promise<Report> {
    if (!existsSync(COMMAND) || !existsSync(SDK)) await buildAll();
    const samples = await interleave(cases(), { rounds: quick ? 8 : 80, warmUp: quick ? 1 : 5 });
    const ms = (name: string, measure: string): number => medianOf(samples, name, measure);
    const version = ratioOf(samples, 'plugboard --version', 'node -e 0', 'done');
    const first = ratioOf(samples, 'SDK agent', 'bare agent', 'first');
    const done = ratioOf(samples, 'SDK agent', 'bare agent', 'done');
    const rows = [
      [
        'plugboard --version ÷ node -e 0, to the end',
        ms('node -e 0', 'done'),
        ms('plugboard --version', 'done'),
        version,
      ],
      [
        'SDK agent ÷ bare agent, to the first frame',
        ms('bare agent', 'first'),
        ms('SDK agent', 'first'),
        first,
      ],
      ['SDK agent ÷ bare agent, to the end', ms('bare agent', 'done'), ms('SDK agent', 'done'), done],
    ];
    return {
      tables: [{ title: 'Start-up', head: ['what', 'base ms', 'ours ms', 'ratio'], rows }],
      bars: [
        { name: 'plugboard --version ÷ node -e 0', measured: version, atMost: 1.35 },
        { name: 'SDK agent, first frame ÷ bare agent', measured: first, atMost: 1.2 },
        { name: 'SDK agent, end ÷ bare agent', measured: done, atMost: 1.2 },
      ],
    };
  },
};

function cases(): Cases {
  const agent = join(WORKSPACE, 'sdk-agent.mjs');
  const lines = [
    `import { serve } from '${pathToFileURL(SDK).href}';`,
    "await serve((turn) => 'You said ' + turn.text);",
  ];
  writeFileSync(agent, lines.join('\n'));
  return {
    'node -e 0': () => start(['-e', '0']),
    'plugboard --version': () => start([COMMAND, '--version']),
    'bare agent': () => start([BARE_AGENT], ENVELOPE),
    'SDK agent': () => start([agent], ENVELOPE),
  };
}

/** From the start of a Node process to its first output and to its end. */
function start(args: readonly string[], input = ''): Promise<Sample> {
  const started = performance.now();
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  let first = 0;
  child.stdout.on('data', () => {
    first ||= performance.now() - started;
  });
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  return new Promise((resolve, reject) => {
    child.on('close', (code) => {
      if (code === 0) resolve({ first, done: performance.now() - started });
      else reject(new Error(`${args.join(' ')} ended with ${code}.`));
    });
  });
}
