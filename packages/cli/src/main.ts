import { VERSION } from './version.ts';

/** Runs the command line and ends the process with its exit code. */
export async function main(argv: readonly string[]): Promise<void> {
  // Answered before anything else is loaded: scripts ask for it often.
  if (argv[0] === '--version' || argv[0] === '-V') {
    process.stdout.write(`${VERSION}\n`);
    return;
  }
  watchOutput();
  const { runProgram } = await import('./program.ts');
  process.exitCode = await runProgram(argv);
}

/** Whoever reads our output may stop at any time, as `head` does; a full disk is told. Either way the agent must end. */
function watchOutput(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE')
      process.stderr.write(`plugboard: the output cannot be written: ${error.message}\n`);
    const signal = error.code === 'EPIPE' ? 'SIGPIPE' : 'SIGTERM';
    process.emit(signal, signal);
  });
}
