import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { OPERATION_NAMES, operationPrompt, type Turn } from '@plugboard/protocol';
import { BackendError } from '../failure.ts';
import { writeGuide } from '../guide.ts';
import { fieldOf, projectOf, type SessionWish, sessionOf } from '../request.ts';
import { effortArguments } from './arguments.ts';
import { withConfinement } from './confinement.ts';
import { policyFor } from './policy.ts';
import { requireProgram } from './program.ts';
import type { ClaudeSessions } from './sessions.ts';
import { beginByPipe, fitsPrompt, runInTerminal, type Terminal, type TerminalEnd } from './terminal.ts';

/** What a conversation at the terminal needs. */
export interface TalkOptions extends Terminal {
  /** Where directories for conversations without tools are. */
  readonly state: string;
  readonly sessions: ClaudeSessions;
  /** For the person, on stderr. */
  readonly say: (text: string) => void;
}

/** A conversation about a project, which its session belongs to; `cwd` may be another directory. */
interface Conversation extends TalkOptions {
  readonly root: string;
}

/** Lets the person talk to `claude` about what the turn asks for; resolves to the exit code. */
export async function talk(turn: Turn, options: TalkOptions): Promise<number> {
  const operation = turn.operation?.name ?? '';
  if (!OPERATION_NAMES.includes(operation))
    throw new BackendError('unknown', `unknown operation: ${operation}`);
  const root = projectOf(turn, options.cwd);
  if (operation === 'project-scaffold') {
    writeGuide(root, 'CLAUDE.md', fieldOf(turn, 'project_name'));
    return 0;
  }
  await requireProgram(options.program, root);
  const policy = policyFor(turn, root);
  const cwd = policy.tools.length === 0 ? emptyDirectory(options.state, root) : root;
  const here = { ...options, cwd, root };
  const end = await withConfinement(policy, options.program, (confined) => {
    const args = [...effortArguments(fieldOf(turn, 'effort')), ...confined];
    return converse(sessionOf(turn), args, operationPrompt(turn), here);
  });
  if (end.stderr !== '') options.say(end.stderr.trimEnd());
  return end.exitCode;
}

/**
 * A directory of a project's own without any file. `claude` tells the model the names of changed files, commits and notes of
 * the directory that it is started in, which are of later scenes too.
 */
function emptyDirectory(state: string, root: string): string {
  const name = createHash('sha256').update(root).digest('hex').slice(0, 16);
  const directory = join(state, 'claude-talk', name);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  return directory;
}

function converse(
  wish: SessionWish | undefined,
  args: readonly string[],
  prompt: string,
  options: Conversation,
): Promise<TerminalEnd> {
  if (wish === undefined && fitsPrompt(prompt)) return runInTerminal(options, args, prompt);
  if (wish === undefined) return beginSession(randomUUID(), args, prompt, options);
  if (wish.resume) return resume(wish, args, options);
  return wish.fresh ? beginAnew(wish, args, prompt, options) : begin(wish, args, prompt, options);
}

async function beginSession(
  id: string,
  args: readonly string[],
  prompt: string,
  options: Conversation,
): Promise<TerminalEnd> {
  if (fitsPrompt(prompt)) return runInTerminal(options, ['--session-id', id, ...args], prompt);
  const begun = await beginByPipe(options, ['--session-id', id, ...args], prompt);
  return begun.exitCode === 0 ? runInTerminal(options, ['--resume', id, ...args]) : begun;
}

async function resume(
  { id }: SessionWish,
  args: readonly string[],
  options: Conversation,
): Promise<TerminalEnd> {
  const current = options.sessions.current(options.root, id);
  const end = await runInTerminal(options, ['--resume', current, ...args]);
  if (end.exitCode === 0 || !/no (conversation|session).{0,20} found/i.test(end.stderr)) return end;
  return {
    ...end,
    stderr: `There is no conversation ${id} of this project to resume. Start one without --resume.`,
  };
}

/** A conversation that is there already is gone on with: nothing that was said is lost by it. */
async function begin(
  { id }: SessionWish,
  args: readonly string[],
  prompt: string,
  options: Conversation,
): Promise<TerminalEnd> {
  const current = options.sessions.current(options.root, id);
  const end = await beginSession(current, args, prompt, options);
  if (end.exitCode === 0 || !/already in use/i.test(end.stderr)) return end;
  options.say('This conversation has been begun before, and goes on. Use --new to begin another.');
  return runInTerminal(options, ['--resume', current, ...args]);
}

async function beginAnew(
  { id }: SessionWish,
  args: readonly string[],
  prompt: string,
  options: Conversation,
): Promise<TerminalEnd> {
  const { sessions, root } = options;
  const before = sessions.remembered(root, id);
  const fresh = randomUUID();
  sessions.set(root, id, fresh);
  const end = await beginSession(fresh, args, prompt, options);
  // A conversation that never came about must not hide the one before it. One that a signal ended has been there.
  if (end.exitCode > 0 && end.exitCode < 128) sessions.set(root, id, before);
  return end;
}
