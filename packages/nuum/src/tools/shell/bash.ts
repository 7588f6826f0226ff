import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type Child, type Ending, spawn } from '@plugboard/process';
import { z } from 'zod';
import { defineTool } from '../define.ts';
import { pathSchema } from '../files/place.ts';
import { cancelledOutcome, errorOutcome } from '../outcome.ts';
import type { Outcome, Subject, Tool, ToolContext } from '../tool.ts';
import { createOutput } from './output.ts';

const DEFAULT_TIMEOUT_MS = 120_000;
const LONGEST_TIMEOUT_MS = 600_000;
const OUTPUT_LIMIT = 50_000;

/** With `DRAIN_MS` this keeps an interrupted call below 200 ms. */
const KILL_GRACE_MS = 50;
/** How long the pipe may stay open and silent after the shell has ended. */
const DRAIN_MS = 60;

/** Linux limits one argument to 128 KiB, including the text before the command. */
const LONGEST_COMMAND = 130_000;

/** `--norc`: with a socket as stdin, bash takes itself for a remote shell and reads `.bashrc`. */
const SHELLS: ReadonlyMap<string, readonly string[]> = new Map([
  ['bash', ['--norc']],
  ['sh', []],
]);

const schema = z.object({
  command: z
    .string()
    .min(1, 'must not be empty')
    .refine((command) => !command.includes('\0'), 'must not hold a zero byte')
    .refine((command) => Buffer.byteLength(command) <= LONGEST_COMMAND, 'is too long; put it into a file')
    .describe('What the shell is to run.'),
  description: z.string().optional().describe('In a few words, what it is for.'),
  timeout: z
    .int()
    .min(1)
    .max(LONGEST_TIMEOUT_MS)
    .optional()
    .describe(`Milliseconds until it is ended; ${DEFAULT_TIMEOUT_MS} if not given.`),
  workdir: pathSchema.optional().describe('Where it runs; the working directory if not given.'),
});

type Input = z.output<typeof schema>;

/** The tool `bash`. */
export function bashTool(): Tool {
  return defineTool({
    name: 'bash',
    description:
      'Runs a command in a new bash and shows what it writes and its exit code. There is no input. Nothing carries over from one call to the next. What is left running in the background is ended with the call, unless it has a session of its own and writes elsewhere: `setsid PROGRAM >FILE 2>&1 & sleep 1`. Long output is cut in the middle.',
    schema,
    effect: 'run',
    subjects: subjectsOf,
    run: runCommand,
  });
}

/** Another working directory is part of the subject, so that a rule for the command alone does not match. */
function subjectsOf({ command, workdir }: Input, directory: string): readonly Subject[] {
  const place = resolve(directory, workdir ?? '.');
  const there = place === resolve(directory) ? '' : `cd '${place.replaceAll("'", `'\\''`)}'\n`;
  return [{ kind: 'command', value: there + command }];
}

async function runCommand(input: Input, context: ToolContext): Promise<Outcome> {
  if (context.signal.aborted) return cancelledOutcome();
  const cwd = resolve(context.directory, input.workdir ?? '.');
  const found = await stat(cwd).catch(() => undefined);
  if (!found?.isDirectory())
    return errorOutcome(`The working directory ${cwd} ${found ? 'is no directory' : 'does not exist'}.`);
  const outcome = await runIn('bash', input, cwd, context);
  // For systems without bash.
  return (
    outcome ??
    (await runIn('sh', input, cwd, context)) ??
    errorOutcome('No shell was found: neither bash nor sh.')
  );
}

async function runIn(
  shell: string,
  input: Input,
  cwd: string,
  context: ToolContext,
): Promise<Outcome | undefined> {
  const { command, timeout = DEFAULT_TIMEOUT_MS } = input;
  // stdout and stderr share one pipe to keep their order. On the same line, so that line numbers in messages stay
  // right.
  const args = [...(SHELLS.get(shell) ?? []), '-c', `exec 2>&1; ${command}`];
  const child = spawn(
    { file: shell, args, cwd, env: context.environment },
    { killGraceMs: KILL_GRACE_MS, drainMs: DRAIN_MS },
  );
  child.closeInput();
  const output = createOutput(OUTPUT_LIMIT);
  child.stdout?.on('data', (chunk: Buffer) => output.push(chunk));
  child.onStderr((chunk) => output.push(chunk));
  const ending = await endOf(child, timeout, context.signal);
  if (ending.failure?.code === 'not-found') return undefined;
  return toOutcome(output.text(), ending, timeout);
}

async function endOf(child: Child, timeout: number, signal: AbortSignal): Promise<Ending> {
  const cancel = (): void => child.stop('cancel');
  const timer = setTimeout(() => child.stop('timeout'), timeout);
  signal.addEventListener('abort', cancel, { once: true });
  if (signal.aborted) cancel();
  try {
    return await child.ended;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', cancel);
  }
}

function toOutcome(text: string, ending: Ending, timeout: number): Outcome {
  const body = text === '' ? '(no output)' : text.replace(/\n$/, '');
  return {
    content: `${body}\n\n[${endText(ending, timeout)}]`,
    isError: ending.cause !== 'exit' || ending.code !== 0,
  };
}

function endText({ cause, code, signal, failure }: Ending, timeout: number): string {
  if (failure !== undefined) return `not run: ${failure.message}`;
  if (cause === 'timeout')
    return `ended after ${timeout} ms, the time it was given; nothing of it runs any more`;
  if (cause === 'cancel') return 'cancelled; nothing of it runs any more';
  return signal === null ? `exit code ${code}` : `killed by ${signal}`;
}
