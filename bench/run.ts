import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { gate } from './method/quiet.ts';
import { type Part, type Report, render, verdicts } from './method/report.ts';
import { acp } from './parts/acp.ts';
import { channels } from './parts/channels.ts';
import { fairness } from './parts/fairness.ts';
import { fanOut } from './parts/fan-out.ts';
import { gatewayTurn } from './parts/gateway.ts';
import { live } from './parts/live.ts';
import { longLine } from './parts/long-line.ts';
import { memory } from './parts/memory.ts';
import { nib } from './parts/nib.ts';
import { nuum } from './parts/nuum.ts';
import { nuumCache } from './parts/nuum-cache.ts';
import { oneShot } from './parts/one-shot.ts';
import { parked } from './parts/parked.ts';
import { postgres } from './parts/postgres.ts';
import { prewarmed } from './parts/prewarmed.ts';
import { reading } from './parts/reading.ts';
import { spawnBlock } from './parts/spawn-block.ts';
import { startup } from './parts/startup.ts';
import { storeCalls } from './parts/store.ts';

/** `npm run bench [-- names…] [--quick] [--json FILE]`: measures side by side and prints ratios. */
const PARTS: readonly Part[] = [
  oneShot,
  prewarmed,
  spawnBlock,
  reading,
  longLine,
  memory,
  startup,
  gatewayTurn,
  fairness,
  channels,
  fanOut,
  live,
  parked,
  storeCalls,
  postgres,
  acp,
  nuum,
  nuumCache,
  nib,
];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: 'boolean', default: false }, json: { type: 'string' } },
});

const reports: Record<string, Report> = {};
for (const part of chosen(positionals)) {
  try {
    const report = await part.run(values.quick);
    reports[part.name] = report;
    for (const table of report.tables) process.stdout.write(`${render(table)}\n`);
  } catch (error) {
    // The other parts can still be measured.
    process.stderr.write(`${part.name} could not be measured: ${String(error)}\n`);
  }
}
const bars = Object.values(reports).flatMap((report) => report.bars);
if (bars.length > 0) process.stdout.write(`${render(verdicts(bars))}\n`);
process.stdout.write(
  `Node ${process.versions.node}, ${availableParallelism()} cores; not quiet before ${gate.gaveUp} of ${gate.asked} samples.\n`,
);
if (values.json !== undefined) {
  const record = { node: process.versions.node, cores: availableParallelism(), gate, reports };
  writeFileSync(values.json, `${JSON.stringify(record, undefined, 2)}\n`);
}
// Agents that were opened keep nothing alive on purpose, but a benchmark must not hang on one that does.
process.exit(0);

function chosen(names: readonly string[]): readonly Part[] {
  const unknown = names.filter((name) => !PARTS.some((part) => part.name === name));
  if (unknown.length > 0) {
    process.stderr.write(
      `No such part: ${unknown.join(', ')}. There are: ${PARTS.map(({ name }) => name).join(', ')}.\n`,
    );
  }
  return names.length === 0 ? PARTS : PARTS.filter(({ name }) => names.includes(name));
}
