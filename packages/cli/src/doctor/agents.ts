import { stat } from 'node:fs/promises';
import type { Config } from '@plugboard/gateway';
import { createTurn, open, type Profile } from '@plugboard/host';
import { lookUp } from '@plugboard/process';
import { type Check, examine, fail, ok } from './check.ts';

const ASK_MS = 60_000;

/** What the gateway needs of each agent: a program that is there and, when asked for, an answer. */
export function agentChecks(config: Config, ask: boolean): readonly Check[] {
  return [...config.agents.values()].flatMap(({ name, profile }): Check[] => [
    { id: `agent/${name}`, run: () => programCheck(profile) },
    ...(ask ? [{ id: `agent/${name}/answers`, run: () => answerCheck(profile) }] : []),
  ]);
}

/** What is wrong with the programs of agents, a line for each; nothing is started. */
export async function programProblems(config: Config): Promise<readonly string[]> {
  const problems: string[] = [];
  for await (const { id, state, message, fix } of examine(agentChecks(config, false))) {
    if (state !== 'ok') problems.push(`${id}: ${message}${fix === undefined ? '' : ` ${fix}`}`);
  }
  return problems;
}

async function programCheck(profile: Profile) {
  const { command, env: own, cwd = profile.workspace } = profile.settings;
  const program = 'shell' in command ? '/bin/sh' : (command.argv[0] ?? '');
  const env = { PATH: own.PATH ?? process.env.PATH ?? '' };
  if ([program, cwd, env.PATH].some(isFilledLater))
    return ok(`${profile.dialect}: known when a turn begins.`);
  if (!(await isDirectory(cwd))) {
    return fail(`The directory it works in is not there: ${cwd}.`, `mkdir -p ${cwd}`);
  }
  const { kind, path } = await lookUp({ file: program, args: [], cwd, env });
  if (kind === 'missing')
    return fail(`There is no program ${program}.`, 'Install it, or give its full path as the command.');
  if (kind !== 'program') return fail(`${path} cannot be executed.`, `chmod +x ${path}`);
  return ok(`${profile.dialect}: ${path}`);
}

/** Some dialects have places in their fields for what belongs to one turn or session. */
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
    if (asText !== undefined) return fail(asText, 'Correct it in the configuration, and ask again.');
    if (outcome === 'success') return ok(`It answered within ${ms} ms.`);
    return fail(
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
