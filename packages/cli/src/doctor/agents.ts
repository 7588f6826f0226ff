import { statSync } from 'node:fs';
import type { Config } from '@plugboard/gateway';
import { createTurn, open, type Profile } from '@plugboard/host';
import { lookUp } from '@plugboard/process';
import { type Check, fail, ok } from './check.ts';

const ASK_MS = 60_000;

/** What the gateway needs of each agent: a program that is there and, when asked for, an answer. */
export function agentChecks(config: Config, ask: boolean): readonly Check[] {
  return [...config.agents.values()].flatMap(({ name, profile }): Check[] => [
    { id: `agent/${name}`, run: () => programCheck(profile) },
    ...(ask ? [{ id: `agent/${name}/answers`, run: () => answerCheck(profile) }] : []),
  ]);
}

async function programCheck(profile: Profile) {
  const { command } = profile.settings;
  const program = 'shell' in command ? '/bin/sh' : (command.argv[0] ?? '');
  if (statSync(profile.workspace, { throwIfNoEntry: false })?.isDirectory() !== true) {
    return fail(
      `The directory it works in is not there: ${profile.workspace}.`,
      `mkdir -p ${profile.workspace}`,
    );
  }
  const env = { PATH: profile.settings.env.PATH ?? process.env.PATH ?? '' };
  const { kind, path } = await lookUp({ file: program, args: [], cwd: profile.workspace, env });
  if (kind === 'missing')
    return fail(`There is no program ${program}.`, 'Install it, or give its full path as the command.');
  if (kind !== 'program') return fail(`${path} cannot be executed.`, `chmod +x ${path}`);
  return ok(`${profile.dialect}: ${path}`);
}

async function answerCheck(profile: Profile) {
  const agent = open(profile, { environment: process.env });
  const started = performance.now();
  try {
    const turn = createTurn({ id: 'doctor', text: 'hello', session: { key: 'doctor' } });
    const { outcome, error } = await agent.run(turn, AbortSignal.timeout(ASK_MS)).result;
    const ms = Math.round(performance.now() - started);
    if (outcome === 'success') return ok(`It answered within ${ms} ms.`);
    return fail(
      `It did not answer: ${error?.message ?? outcome}`,
      'Try it by itself: plugboard run -m hello PROFILE.',
    );
  } finally {
    await agent.close({ graceMs: 1_000 });
  }
}
