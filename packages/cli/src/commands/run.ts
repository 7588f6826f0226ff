import { type OpenAgent, open } from '@plugboard/host';
import { type End, type Event, terminalText } from '@plugboard/protocol';
import type { Command } from 'commander';
import type { CommandLine, Outcome } from '../command-line.ts';
import { addRecordOptions, finishRecording, type RecordOptions, startRecording } from '../recording.ts';
import { createMisheard } from '../screen/misheard.ts';
import { createPrinter } from '../screen/printer.ts';
import { sessionRemark } from '../session-key.ts';
import { watchInterruption } from '../signals.ts';
import { startSpawnHelper } from '../spawn-helper.ts';
import { sessionMemory } from '../state.ts';
import { addTargetOptions, collectValues, resolveTarget, type TargetOptions } from '../target.ts';
import { type TurnOptions, turnFrom } from '../turn.ts';

interface RunOptions extends RecordOptions, TargetOptions, TurnOptions {
  readonly json?: boolean;
  readonly verbose?: boolean;
}

const EXAMPLES = `
Examples:
  plugboard run --demo -m "What can you do?"
  plugboard run --dialect terminal -m "Resize this" --attach photo.png -- python3 agent.py
  plugboard run claude.yaml -m "And now in French" --session letters
  git diff | plugboard run reviewer.yaml --stdin --json
  plugboard run --dialect nib --operation scene-proof --fields '{"paths":["scenes/a.md"]}' -- nib-agent-local

Exit codes: 0 success, 1 the agent failed, 2 wrong usage or profile, 124 timeout, 126 cannot be executed,
127 not found, 129 hung up, 130 interrupted, 143 terminated.`;

/** `plugboard run`: one turn. */
export function addRun(program: Command, line: CommandLine, outcome: Outcome): void {
  const command = addTargetOptions(
    program.command('run').description('Give an agent one turn; its reply goes to stdout.'),
  );
  addRecordOptions(command)
    .option('-m, --message <text>', 'what to say; - reads it from stdin')
    .option('--stdin', 'read the message from stdin')
    .option('-s, --session <key>', 'a conversation that goes on from turn to turn')
    .option('-a, --attach <file>', 'a file to send along (repeatable)', collectValues)
    .option('--operation <name>', 'a named operation, for nib agents')
    .option('--fields <json>', 'the fields of that operation')
    .option('--json', 'print events as NDJSON')
    .option('-v, --verbose', "show faults and the agent's log frames; its stderr is always shown")
    .addHelpText('after', EXAMPLES)
    .action(async (file: string | undefined, options: RunOptions) => {
      const profile = await resolveTarget(file, options, line);
      const turn = await turnFrom(options, profile);
      const idle = sessionRemark(profile, options.session);
      if (idle !== undefined) process.stderr.write(`plugboard: ${terminalText(idle)}\n`);
      const recorder = startRecording(options);
      const spawner = await startSpawnHelper();
      const agent = open(profile, {
        environment: process.env,
        fillSession: true,
        media: { within: 'everywhere' },
        ...(recorder === undefined ? {} : { recorder }),
        ...(spawner === undefined ? {} : { spawner }),
        ...(options.session === undefined ? {} : { memory: sessionMemory() }),
      });
      const agentHasTerminal = agent.takesTerminal(turn);
      const interruption = watchInterruption(() => void agent.close({ graceMs: 0 }), agentHasTerminal);
      const printer = createPrinter({
        json: options.json === true,
        verbose: options.verbose === true,
        spinner: !agentHasTerminal,
        hideStderr: 'stderr' in profile.settings && profile.settings.stderr === 'reply',
      });
      // Log lines of a resident agent after its `end` event; `agent.run` yields the events of the turn.
      agent.resident?.onIdleEvent((event) => event.type === 'log' && void printer.print(event));
      const misheard = createMisheard(profile.dialect);
      const silence = watchSilence(agent, (remark) => process.stderr.write(`plugboard: ${remark}\n`));
      let end: End | undefined;
      try {
        for await (const event of agent.run(turn, interruption.signal)) {
          misheard.saw(event);
          silence.saw(event);
          await printer.print(event);
          if (event.type === 'end') end = event;
        }
      } finally {
        silence.dispose();
        await agent.close();
        await spawner?.close();
        printer.finish();
        finishRecording(recorder);
        interruption.dispose();
      }
      outcome.exitCode = interruption.exitCode ?? (end === undefined ? 1 : exitCodeOf(end));
      const remark = options.json === true ? undefined : misheard.remark();
      if (remark === undefined) return;
      process.stderr.write(`plugboard: ${terminalText(remark)}\n`);
      outcome.exitCode ||= 1;
    });
}

/** A resident agent sends its `ready` event when it starts; slow starts take 2 s. */
const PATIENCE_MS = 5_000;

/** Watches for the first event of a resident agent in its dialect. */
interface SilenceWatch {
  saw(event: Event): void;
  dispose(): void;
}

/**
 * Calls `tell` with a remark when no event but faults and logs has come from a resident agent for `PATIENCE_MS`: its
 * turn has no time limit. One-shot agents may be silent until they answer.
 */
function watchSilence(agent: OpenAgent, tell: (remark: string) => void): SilenceWatch {
  if (agent.resident === undefined) return { saw: () => {}, dispose: () => {} };
  const { name, dialect } = agent;
  const timer = setTimeout(() => {
    tell(
      `${name} has said nothing in ${dialect} for ${PATIENCE_MS / 1000} s, not even who it is. "plugboard detect -- COMMAND" finds out what it speaks, "plugboard check --dialect ${dialect} -- COMMAND" what is missing; Ctrl-C ends it.`,
    );
  }, PATIENCE_MS);
  const saw = (event: Event): void => {
    if (event.type !== 'fault' && event.type !== 'log') clearTimeout(timer);
  };
  agent.resident.onIdleEvent(saw);
  return { saw, dispose: () => clearTimeout(timer) };
}

/** The exit code that tells how a turn ended. */
function exitCodeOf(end: End): number {
  switch (end.outcome) {
    case 'success':
      return 0;
    case 'timeout':
      return 124;
    case 'cancelled':
      return 130;
    case 'error':
      return end.started === false ? (end.exitCode ?? 2) : 1;
  }
}
