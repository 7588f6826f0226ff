import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { OPERATION_NAMES, operationPrompt, type Turn } from '@plugboard/protocol';
import { BackendError } from '../failure.ts';
import { writeGuide } from '../guide.ts';
import { getField, getSession, resolveProject, type SessionRequest } from '../request.ts';
import { createEffortArguments } from './arguments.ts';
import { requireProgram } from './claude-program.ts';
import { withConfinement } from './confinement.ts';
import { createPolicy } from './policy.ts';
import type { ClaudeSessions } from './sessions.ts';
import { beginByPipe, fitsPrompt, runInTerminal, type Terminal, type TerminalEnd } from './terminal.ts';

/** The input of `runTalk`. */
export interface TalkOptions extends Terminal {
  /** The parent of the directories for conversations without tools. */
  readonly state: string;
  readonly sessions: ClaudeSessions;
  /** Prints a message for the person on stderr. */
  readonly print: (text: string) => void;
}

/** A conversation about a project. The session belongs to `root`; `cwd` may be another directory. */
interface Conversation extends TalkOptions {
  readonly root: string;
}

/** Runs a conversation of the person with `claude`; resolves to the exit code. */
export async function runTalk(turn: Turn, options: TalkOptions): Promise<number> {
  const operation = turn.operation?.name ?? '';
  if (!OPERATION_NAMES.includes(operation))
    throw new BackendError('unknown', `unknown operation: ${operation}`);
  const root = resolveProject(turn, options.cwd);
  if (operation === 'project-scaffold') {
    writeGuide(root, 'CLAUDE.md', getField(turn, 'project_name'));
    return 0;
  }
  await requireProgram(options.program, root);
  const policy = createPolicy(turn, root);
  const cwd = policy.tools.length === 0 ? createEmptyDirectory(options.state, root) : root;
  const here = { ...options, cwd, root };
  const end = await withConfinement(policy, options.program, (confined) => {
    const args = [...createEffortArguments(getField(turn, 'effort')), ...confined];
    return runSession(getSession(turn), args, operationPrompt(turn), here);
  });
  if (end.stderr !== '') options.print(end.stderr.trimEnd());
  return end.exitCode;
}

/**
 * An empty directory for one project. `claude` tells the model the names of changed files, commits and notes of its
 * working directory, which may be from later scenes.
 */
function createEmptyDirectory(state: string, root: string): string {
  const name = createHash('sha256').update(root).digest('hex').slice(0, 16);
  const directory = join(state, 'claude-talk', name);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  return directory;
}

function runSession(
  session: SessionRequest | undefined,
  args: readonly string[],
  prompt: string,
  options: Conversation,
): Promise<TerminalEnd> {
  if (session === undefined && fitsPrompt(prompt)) return runInTerminal(options, args, prompt);
  if (session === undefined) return beginSession(randomUUID(), args, prompt, options);
  if (session.resume) return resumeSession(session, args, options);
  return session.fresh
    ? beginAnew(session, args, prompt, options)
    : beginOrContinue(session, args, prompt, options);
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

async function resumeSession(
  { id }: SessionRequest,
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

/** If `claude` has the session already, continues it, so that its messages are not lost. */
async function beginOrContinue(
  { id }: SessionRequest,
  args: readonly string[],
  prompt: string,
  options: Conversation,
): Promise<TerminalEnd> {
  const current = options.sessions.current(options.root, id);
  const end = await beginSession(current, args, prompt, options);
  if (end.exitCode === 0 || !/already in use/i.test(end.stderr)) return end;
  options.print('This conversation has been begun before, and goes on. Use --new to begin another.');
  return runInTerminal(options, ['--resume', current, ...args]);
}

async function beginAnew(
  { id }: SessionRequest,
  args: readonly string[],
  prompt: string,
  options: Conversation,
): Promise<TerminalEnd> {
  const { sessions, root } = options;
  const before = sessions.remembered(root, id);
  const fresh = randomUUID();
  sessions.set(root, id, fresh);
  const end = await beginSession(fresh, args, prompt, options);
  // A conversation that failed to start must not replace the previous one. Exit codes from 128 are signals, which end a
  // started conversation.
  if (end.exitCode > 0 && end.exitCode < 128) sessions.set(root, id, before);
  return end;
}
