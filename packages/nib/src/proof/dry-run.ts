import {
  chmodSync,
  cpSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { ask } from '../backend/ask.ts';
import { chooseBackend } from '../backend/choice.ts';
import { withBackend } from '../backend/with-backend.ts';
import type { Env } from '../env.ts';
import { isBelow } from '../files/inside.ts';
import { changesBetween, sortChanges } from './changes.ts';
import type { ProofPart } from './part.ts';
import { namesOf, printChanges } from './report.ts';
import { namesFor, takeSnapshot } from './snapshot.ts';

/** Directories that a backend does not need to proofread, and that can be large. */
const LEFT_OUT: ReadonlySet<string> = new Set(['.git', '.nib', 'node_modules']);

/** Lets the backend at a copy of the project and shows what it would have changed. */
export async function dryRun(
  env: Env,
  root: string,
  parts: readonly ProofPart[],
  timeout: number | undefined,
): Promise<void> {
  const { name } = await chooseBackend(env, root);
  const variables = await gitSettings(env, root);
  const copy = mkdtempSync(join(env.variables.TMPDIR || tmpdir(), 'nib-dry-run-'));
  try {
    copyProject(root, copy);
    makeWritable(copy);
    await withBackend(env, copy, { name, timeout, variables }, async (session) => {
      const before = takeSnapshot(copy);
      const given = namesFor(
        copy,
        parts.flatMap(({ paths }) => paths),
      );
      for (const { request, doing } of parts) {
        const { text } = await ask(env, session, request, doing);
        if (text.trim() !== '') env.err(`${text.trim()}\n`);
      }
      const { wanted, stray } = sortChanges(given, changesBetween(before, takeSnapshot(copy)));
      printChanges(env, wanted);
      if (stray.length > 0) env.err(`Changed though not to be proofread: ${namesOf(stray)}.\n`);
      env.err('This was a dry run: your files are as they were.\n');
    });
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** Links come along only when they lead to something in the copy: through another, the original could be changed. */
function copyProject(root: string, copy: string): void {
  const real = realpathSync(root);
  cpSync(real, copy, {
    recursive: true,
    verbatimSymlinks: true,
    filter: (source) => {
      if (LEFT_OUT.has(relative(real, source))) return false;
      const stat = lstatSync(source);
      if (!stat.isSymbolicLink()) return stat.isFile() || stat.isDirectory();
      const target = readlinkSync(source);
      return !isAbsolute(target) && isBelow(real, resolve(dirname(source), target));
    },
  });
}

/** The copy is ours to change and to delete, also when the project itself may only be read. */
function makeWritable(directory: string): void {
  chmodSync(directory, 0o700);
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) makeWritable(path);
    if (entry.isFile()) chmodSync(path, lstatSync(path).mode | 0o600);
  }
}

/** The copy has no repository; backends still find their settings of the project, which git reads from variables too. */
async function gitSettings(env: Env, root: string): Promise<Record<string, string>> {
  const { exitCode, stdout } = await env.run(['git', 'config', '--null', '--get-regexp', '^nib\\.'], {
    cwd: root,
    input: '',
  });
  if (exitCode !== 0) return {};
  const variables: Record<string, string> = {};
  let count = Number(env.variables.GIT_CONFIG_COUNT ?? 0) || 0;
  for (const entry of stdout.split('\0').filter((one) => one !== '')) {
    const [key = '', ...value] = entry.split('\n');
    variables[`GIT_CONFIG_KEY_${count}`] = key;
    variables[`GIT_CONFIG_VALUE_${count}`] = value.join('\n');
    count += 1;
  }
  return { ...variables, GIT_CONFIG_COUNT: String(count) };
}
