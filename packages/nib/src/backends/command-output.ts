import { type Command, type Ending, spawn } from '@plugboard/process';

/** The result of `readCommandOutput`. */
export interface CommandOutput {
  readonly text: string;
  readonly ending: Ending;
}

/** Runs a program without input to its end; stops it on abort and after `ms`. */
export async function readCommandOutput(
  command: Command,
  ms: number,
  signal: AbortSignal,
): Promise<CommandOutput> {
  const child = spawn(command, { killGraceMs: 500 });
  child.closeInput();
  const chunks: Buffer[] = [];
  child.stdout?.on('data', (chunk: Buffer) => chunks.push(chunk));
  const timer = setTimeout(() => child.stop('timeout'), ms);
  const cancel = (): void => child.stop('cancel');
  signal.addEventListener('abort', cancel, { once: true });
  if (signal.aborted) cancel();
  try {
    const ending = await child.ended;
    return { text: Buffer.concat(chunks).toString('utf8'), ending };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', cancel);
  }
}
