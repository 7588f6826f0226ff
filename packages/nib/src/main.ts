import { statSync } from 'node:fs';
import type { CreatedProject } from './commands/init/make-project.ts';
import type { Env, StopSignal } from './env.ts';
import { VERSION } from './version.ts';

/** Runs the command line and ends the process with its exit code. */
export async function main(argv: readonly string[]): Promise<void> {
  // Answered before other modules are loaded: scripts call `--version` often.
  if (argv[0] === '--version' || argv[0] === '-V') {
    process.stdout.write(`${VERSION}\n`);
    return;
  }
  // A reader of our stdout may close it early, as `head` does; EPIPE then ends nib with exit code 0.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE')
      process.stderr.write(`error: the output cannot be written: ${error.message}\n`);
    process.exit(error.code === 'EPIPE' ? 0 : 1);
  });
  const [{ runProgram }, env] = await Promise.all([import('./program.ts'), createRealEnv()]);
  process.exitCode = await runProgram(argv, env, { afterScaffold });
}

/** Loaded only after `nib init`: lets a backend add its files to the new project. */
async function afterScaffold(env: Env, project: CreatedProject): Promise<void> {
  const { scaffoldWithBackend } = await import('./commands/init/backend-files.ts');
  await scaffoldWithBackend(env, project);
}

async function createRealEnv(): Promise<Env> {
  const [{ createKeyboard }, { runChild }] = await Promise.all([
    import('./terminal/keyboard.ts'),
    import('./terminal/run-child.ts'),
  ]);
  return {
    cwd: findShellDirectory(),
    variables: process.env,
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    // A question is written to stderr, so stderr must be a terminal too.
    keyboard: createKeyboard(process.stdin, process.stdin.isTTY === true && process.stderr.isTTY === true),
    screen: {
      out: process.stdout.isTTY === true,
      err: process.stderr.isTTY === true,
      // A terminal without a known width reports 0.
      columns: () => process.stderr.columns || 80,
    },
    now: () => Date.now(),
    run: (command, options) => runChild(command, options, process.env),
    onStop,
  };
}

const STOP_SIGNALS: readonly StopSignal[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

function onStop(listener: (signal: StopSignal) => void): () => void {
  for (const signal of STOP_SIGNALS) process.on(signal, listener);
  return () => {
    for (const signal of STOP_SIGNALS) process.off(signal, listener);
  };
}

/** The directory in `PWD`, with its links, if it is still the working directory. */
function findShellDirectory(): string {
  const here = process.cwd();
  const named = process.env.PWD;
  if (named === undefined || !named.startsWith('/')) return here;
  const [a, b] = [statSync(here, { throwIfNoEntry: false }), statSync(named, { throwIfNoEntry: false })];
  return a !== undefined && a.ino === b?.ino && a.dev === b.dev ? named : here;
}
