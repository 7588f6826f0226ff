import { StringDecoder } from 'node:string_decoder';
import { readRecording, replay } from '@plugboard/host';
import { terminalText } from '@plugboard/protocol';
import type { Command } from 'commander';
import type { CommandLine, Outcome } from '../command-line.ts';
import { CommandFailure } from '../failure.ts';
import { demandReadable } from '../readable.ts';

const EXAMPLES = `
Examples:
  plugboard run --dialect terminal -m hi --record hi.rec -- ./agent.py   make a recording
  plugboard run --dialect terminal -m hi -- plugboard replay hi.rec      play it back to a host of that dialect`;

/** `plugboard replay`: play a recording back, as the agent. */
export function addReplay(program: Command, _line: CommandLine, outcome: Outcome): void {
  program
    .command('replay')
    .description('Play a recording back, as the agent it was made with.')
    .argument('<file>', 'a file made with --record of run or chat')
    .option('--speed <factor>', '1 keeps the pauses, 2 halves them, 0 leaves them out', '1')
    .addHelpText('after', EXAMPLES)
    .action(async (file: string, options: { speed: string }) => {
      const speed = Number(options.speed);
      if (!Number.isFinite(speed) || speed < 0)
        throw new CommandFailure(`--speed ${options.speed}: give 0 or more.`);
      demandReadable(file, `The recording ${file}`);
      const recording = await readRecording(file).catch((error: Error) => {
        throw new CommandFailure(error.message);
      });
      const exitCode = await replay(recording, { speed, write: createWriter(), waitForInput: countInput() });
      process.stdin.destroy();
      if (exitCode === undefined)
        throw new CommandFailure(`${file} breaks off before the agent has ended.`, 1);
      outcome.exitCode = exitCode;
    });
}

/** A host gets the recorded bytes; a terminal gets them as text that cannot control it. */
function createWriter(): (stream: 'stdout' | 'stderr', bytes: Uint8Array) => Promise<void> {
  const decoders = { stdout: new StringDecoder('utf8'), stderr: new StringDecoder('utf8') };
  return (stream, bytes) => {
    const shown = process[stream].isTTY ? terminalText(decoders[stream].write(Buffer.from(bytes))) : bytes;
    return new Promise((resolve) => process[stream].write(shown, () => resolve()));
  };
}

/** Waits as the recorded agent did: until the host has written as much as it did then, or has closed its end. */
function countInput(): (bytes: number) => Promise<void> {
  let received = 0;
  let ended = false;
  let wake: (() => void) | undefined;
  const notify = (): void => wake?.();
  process.stdin.on('data', (chunk: Buffer) => {
    received += chunk.length;
    notify();
  });
  process.stdin.on('end', () => {
    ended = true;
    notify();
  });
  return (bytes) =>
    new Promise((resolve) => {
      wake = () => {
        if (received >= bytes || ended) resolve();
      };
      notify();
    });
}
