import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Profile } from '@plugboard/host';
import { acp, agentprocV4, createTurn, nuum, type Turn, terminal } from '@plugboard/protocol';

/** The two frames of an answer in Terminal Protocol v1, and in version 0.4 of the AgentProc wire. */
export const TERMINAL_FRAMES = '{"type":"progress","text":"thinking"}\n{"type":"message","text":"ok"}\n';
export const AGENTPROC_FRAMES = '{"type":"partial","text":"ok"}\n{"type":"result","text":"ok"}\n';

export const TURN: Turn = createTurn({ id: 'bench', text: 'hello' });

/** A place for what the agents need; gone when the process ends. */
export const WORKSPACE: string = mkdtempSync(join(tmpdir(), 'plugboard-bench-'));
process.on('exit', () => rmSync(WORKSPACE, { recursive: true, force: true }));

const here = (name: string): string => join(import.meta.dirname, name);

/** The same small agent in several languages, as far as this machine has them. What it says is its last argument. */
export function answerers(): Readonly<Record<string, readonly string[]>> {
  const native = compiled('answer');
  const python = pythonPath();
  return {
    ...(native === undefined ? {} : { C: [native] }),
    sh: ['/bin/sh', here('answer.sh')],
    ...(python === undefined ? {} : { Python: [python, here('answer.py')] }),
    Node: [process.execPath, here('answer.js')],
  };
}

/** The command that writes many lines. */
export function flood(bytes: number, count: number, kind: string): readonly string[] {
  return [process.execPath, here('flood.js'), String(bytes), String(count), kind];
}

export function terminalProfile(argv: readonly string[], more: Partial<Profile> = {}): Profile {
  const settings = { ...terminal.defaults, command: { argv }, protocol: 'rich' as const, timeoutSecs: 600 };
  return {
    name: 'bench',
    identity: 'bench',
    dialect: 'terminal',
    settings,
    inherit: 'base',
    workspace: WORKSPACE,
    ...more,
  };
}

export function nuumProfile(argv: readonly string[], more: Partial<Profile> = {}): Profile {
  const settings = { ...nuum.defaults, command: { argv } };
  return { ...terminalProfile(argv, more), dialect: 'nuum', settings };
}

export function acpProfile(argv: readonly string[], more: Partial<Profile> = {}): Profile {
  const settings = { ...acp.defaults, command: { argv } };
  return { ...terminalProfile(argv, more), dialect: 'acp', settings };
}

export function agentprocProfile(argv: readonly string[]): Profile {
  const settings = { ...agentprocV4.defaults, command: { argv } };
  return {
    name: 'bench',
    identity: 'bench',
    dialect: 'agentproc/v4',
    settings,
    inherit: 'base',
    workspace: WORKSPACE,
  };
}

/** A program of ours in C, compiled; undefined where there is no compiler. */
export function compiled(name: string): string | undefined {
  const program = join(WORKSPACE, name);
  return attempt('cc', ['-O2', '-o', program, here(`${name}.c`)]) === undefined ? undefined : program;
}

/** The interpreter itself: what is called python3 may be a script that looks for it. */
function pythonPath(): string | undefined {
  return attempt('python3', ['-c', 'import sys; print(sys.executable)']);
}

function attempt(program: string, args: readonly string[]): string | undefined {
  try {
    return execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return undefined;
  }
}
