import { stat } from 'node:fs/promises';
import type { Config } from '@plugboard/gateway';
import { createTurn, open, type Profile } from '@plugboard/host';
import { lookUp } from '@plugboard/process';
import { type Check, createFailure, createOk, runChecks } from './check.ts';

const ASK_MS = 60_000;

/** Checks of each agent: its program exists and, with `ask`, it answers a message. */
export function agentChecks(config: Config, ask: boolean): readonly Check[] {
  return [...config.agents.values()].flatMap(({ name, profile }): Check[] => [
    { id: `agent/${name}`, run: () => programCheck(profile) },
    ...(ask ? [{ id: `agent/${name}/answers`, run: () => answerCheck(profile) }] : []),
  ]);
}

/** One line for each agent whose program check failed; starts no agent. */
export async function programProblems(config: Config): Promise<readonly string[]> {
  const problems: string[] = [];
  for await (const { id, state, message, fix } of runChecks(agentChecks(config, false))) {
    if (state !== 'ok') problems.push(`${id}: ${message}${fix === undefined ? '' : ` ${fix}`}`);
  }
  return problems;
}

async function programCheck(profile: Profile) {
  const { command, env: own, cwd = profile.workspace } = profile.settings;
  const program = 'shell' in command ? '/bin/sh' : (command.argv[0] ?? '');
  const env = { PATH: own.PATH ?? process.env.PATH ?? '' };
  if ([program, cwd, env.PATH].some(isFilledLater))
    return createOk(`${profile.dialect}: known when a turn begins.`);
  if (!(await isDirectory(cwd))) {
    return createFailure(`The directory it works in is not there: ${cwd}.`, `mkdir -p ${cwd}`);
  }
  const { kind, path } = await lookUp({ file: program, args: [], cwd, env });
  if (kind === 'missing')
    return createFailure(
      `There is no program ${program}.`,
      'Install it, or give its full path as the command.',
    );
  if (kind !== 'program') return createFailure(`${path} cannot be executed.`, `chmod +x ${path}`);
  return createOk(`${profile.dialect}: ${path}`);
}

/**
 * Some dialects fill placeholders such as `{{…}}` or `{session}` for each turn or session, so the path is unknown until
 * then.
 */
function isFilledLater(text: string): boolean {
  return /\{\{|\$\{|\{session\}/.test(text);
}

function isDirectory(path: string): Promise<boolean> {
  return stat(path).then(
    (about) => about.isDirectory(),
    () => false,
  );
}

async function answerCheck(profile: Profile) {
  const agent = open(profile, { environment: process.env });
  const started = performance.now();
  try {
    const turn = createTurn({ id: 'doctor', text: 'hello', session: { key: 'doctor' } });
    const run = agent.run(turn, AbortSignal.timeout(ASK_MS));
    let asText: string | undefined;
    for await (const event of run)
      if (event.type === 'fault' && event.fault.code === 'frames-as-text') asText = event.fault.message;
    const { outcome, error } = await run.result;
    const ms = Math.round(performance.now() - started);
    if (asText !== undefined) return createFailure(asText, 'Correct it in the configuration, and ask again.');
    if (outcome === 'success') return createOk(`It answered within ${ms} ms.`);
    return createFailure(
      `It did not answer: ${error?.message ?? outcome}${lastLine(error?.detail)}`,
      'Try it by itself: plugboard run -m hello PROFILE.',
    );
  } finally {
    await agent.close({ graceMs: 1_000 });
  }
}

/** The last line of stderr: tracebacks end with their error. */
function lastLine(detail: string | undefined): string {
  const line = detail?.split('\n').at(-1)?.trim().slice(0, 300) ?? '';
  return line === '' ? '' : ` It says: ${line}`;
}
