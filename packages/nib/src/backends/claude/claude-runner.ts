import { isUtf8 } from 'node:buffer';
import { type Child, type Ending, spawn } from '@plugboard/process';
import { createLines, endBytes, pushBytes } from '@plugboard/protocol';
import { BackendError } from '../failure.ts';
import { type ClaudeProgram, requireProgram } from './claude-program.ts';
import { createStream, getOutcome, type Outcome, processLine, type Stream } from './stream.ts';

const LINE_BYTES = 64 * 1024 * 1024;
/** Must be shorter than the grace of the host, a few seconds: `claude` has to exit before this backend is killed. */
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

/** Starts `claude` and tracks its processes, so that `close` can stop them. */
export interface Runner {
  run(run: Run): Promise<Extract<Outcome, { ok: true }>>;
  /** Stops all runs; resolves when every `claude` process has ended. */
  close(): Promise<void>;
}

export function createRunner(program: ClaudeProgram): Runner {
  const running = new Set<Child>();
  return {
    async run(run) {
      await requireProgram(program, run.cwd);
      run.signal.throwIfAborted();
      const { command: file, environment: env } = program;
      const child = spawn({ file, args: run.args, cwd: run.cwd, env }, { killGraceMs: GRACE_MS });
      running.add(child);
      try {
        return await waitForOutcome(child, run);
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

async function waitForOutcome(
  child: Child,
  { prompt, signal, onStep }: Run,
): Promise<Extract<Outcome, { ok: true }>> {
  const stop = (): void => child.stop('cancel');
  signal.addEventListener('abort', stop, { once: true });
  try {
    child.closeInput(prompt);
    const stream = await readStream(child, onStep);
    const ending = await child.ended;
    signal.throwIfAborted();
    const outcome = getOutcome(stream);
    if (outcome?.ok === true) return outcome;
    throw new BackendError('claude', `claude: ${outcome?.message ?? describeFailure(stream, ending)}`);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

async function readStream(child: Child, onStep: (text: string) => void): Promise<Stream> {
  const stream = createStream();
  const lines = createLines(codec, LINE_BYTES);
  const sink = {
    onLine: (line: string) => {
      processLine(stream, line).forEach(onStep);
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
    // The stdout of a stopped child emits 'close' without 'end'.
    await new Promise<void>((resolve) => void stdout.once('end', resolve).once('close', resolve));
  }
  endBytes(lines, sink);
  return stream;
}

/** Why there is no result: the refusal, stderr, or the text printed instead of JSON. */
function describeFailure({ noise, refusal }: Stream, { stderr, failure, signal, exitCode }: Ending): string {
  if (refusal !== undefined) return refusal;
  const said = failure?.message ?? (stderr.trim() || noise.trim());
  if (said !== '') return said;
  return signal === null
    ? `it ended with exit code ${exitCode} and no result.`
    : `it was killed by ${signal}.`;
}
