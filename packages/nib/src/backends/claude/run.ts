import { isUtf8 } from 'node:buffer';
import { type Child, type Ending, spawn } from '@plugboard/process';
import { createLines, endBytes, pushBytes } from '@plugboard/protocol';
import { BackendError } from '../failure.ts';
import { type Program, requireProgram } from './program.ts';
import { createStream, type Outcome, outcomeOf, type Stream, takeLine } from './stream.ts';

const LINE_BYTES = 64 * 1024 * 1024;
/** A host gives us a few seconds to end: what stands behind must be gone by then. */
const GRACE_MS = 1_000;

const codec = {
  decode: (bytes: Uint8Array) =>
    Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'),
  isValid: (bytes: Uint8Array) => isUtf8(bytes),
};

/** One run of `claude` over the pipes. */
interface Run {
  readonly args: readonly string[];
  readonly prompt: string;
  readonly cwd: string;
  readonly signal: AbortSignal;
  readonly onStep: (text: string) => void;
}

/** Starts `claude` and remembers what runs, so that it can be ended. */
export interface Runner {
  run(run: Run): Promise<Extract<Outcome, { ok: true }>>;
  /** Resolves when nothing that was started is alive. */
  close(): Promise<void>;
}

export function createRunner(program: Program): Runner {
  const running = new Set<Child>();
  return {
    async run(run) {
      await requireProgram(program, run.cwd);
      run.signal.throwIfAborted();
      const { command: file, environment: env } = program;
      const child = spawn({ file, args: run.args, cwd: run.cwd, env }, { killGraceMs: GRACE_MS });
      running.add(child);
      try {
        return await follow(child, run);
      } finally {
        running.delete(child);
      }
    },
    async close() {
      for (const child of running) child.stop('cancel');
      await Promise.all([...running].map((child) => child.ended));
    },
  };
}

async function follow(
  child: Child,
  { prompt, signal, onStep }: Run,
): Promise<Extract<Outcome, { ok: true }>> {
  const stop = (): void => child.stop('cancel');
  signal.addEventListener('abort', stop, { once: true });
  try {
    child.closeInput(prompt);
    const stream = await read(child, onStep);
    const ending = await child.ended;
    signal.throwIfAborted();
    const outcome = outcomeOf(stream);
    if (outcome?.ok === true) return outcome;
    throw new BackendError('claude', `claude: ${outcome?.message ?? reasonOf(stream, ending)}`);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

async function read(child: Child, onStep: (text: string) => void): Promise<Stream> {
  const stream = createStream();
  const lines = createLines(codec, LINE_BYTES);
  const sink = {
    onLine: (line: string) => {
      takeLine(stream, line).forEach(onStep);
      if (stream.refusal !== undefined) child.stop('cancel');
    },
    onFault: (code: string) => {
      if (code === 'line-too-long')
        onStep('claude has written a line of more than 64 MiB, which was dropped.');
    },
  };
  const { stdout } = child;
  if (stdout !== null) {
    stdout.on('data', (chunk: Buffer) => pushBytes(lines, chunk, sink));
    // One that had to be stopped is closed without an end.
    await new Promise<void>((resolve) => void stdout.once('end', resolve).once('close', resolve));
  }
  endBytes(lines, sink);
  return stream;
}

/** Why there is no result: the error output says it, or else what was printed in place of one. */
function reasonOf({ noise, refusal }: Stream, { stderr, failure, signal, exitCode }: Ending): string {
  if (refusal !== undefined) return refusal;
  const said = failure?.message ?? (stderr.trim() || noise.trim());
  if (said !== '') return said;
  return signal === null
    ? `it ended with exit code ${exitCode} and no result.`
    : `it was killed by ${signal}.`;
}
