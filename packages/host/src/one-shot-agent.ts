import { tmpdir } from 'node:os';
import { type Child, createPool, type Ending, killStragglers } from '@plugboard/process';
import {
  createTurn,
  dialects,
  type Failure,
  type Launch,
  type LaunchContext,
  type Log,
  type OneShotHost,
  type Settings,
  type Turn,
} from '@plugboard/protocol';
import type { OpenAgent } from './agent.ts';
import type { OpenOptions } from './open.ts';
import type { Profile } from './profile/profile.ts';
import { createAhead } from './run/ahead.ts';
import { createClock } from './run/clock.ts';
import { withDirectory } from './run/directory.ts';
import { createHandover } from './run/handover.ts';
import { type Begun, runOneShot, type TurnResources } from './run/one-shot.ts';
import type { Run } from './run/queue.ts';
import { writeRequestFile } from './run/request-file.ts';
import { createStarter, type Starter } from './run/starter.ts';
import { givenUp, refuse } from './run/unbegun.ts';
import { memories, recall, remember } from './session/memory.ts';

/** An agent that gets a process for each turn. */
export function openOneShot(
  profile: Profile,
  host: OneShotHost<Settings, unknown>,
  context: LaunchContext,
  options: OpenOptions,
): OpenAgent {
  const { capabilities } = dialects[profile.dialect];
  const memoryFor = memories(options.memory);
  const running = new Set<Child>();
  const start = createStarter(profile, options);
  const pool = createTurnPool(profile, host, context, start);
  const resources: TurnResources = {
    profile,
    host,
    clock: createClock(),
    mediaRoots: [profile.workspace, ...(profile.mediaRoots ?? [])],
    tap: (turn) => options.recorder?.tap(profile, turn),
    start: withDirectory((launch) => {
      const begun = pool?.takeFor(launch) ?? startChild(start, launch, options);
      if ('message' in begun) return begun;
      const { child } = begun;
      running.add(child);
      child.ended.then(() => running.delete(child));
      return begun;
    }),
    onEvents: (turn, events) =>
      remember(memoryFor(turn), profile.identity, turn, events) ?? pool?.takeComplaint(),
  };
  let closed = false;
  return {
    name: profile.name,
    dialect: profile.dialect,
    capabilities,
    run(given: Turn, signal?: AbortSignal): Run {
      if (closed) return refuse({ code: 'closed', message: `The agent ${profile.name} has been closed.` });
      if (signal?.aborted) return givenUp();
      const turn = recall(memoryFor(given), profile.identity, given);
      if ('message' in turn) return refuse(turn);
      const launch = host.launch(turn, profile.settings, context);
      return 'refused' in launch ? refuse(launch.refused) : runOneShot(turn, launch, resources, signal);
    },
    startAhead() {
      if (!closed) pool?.startAhead();
    },
    takesTerminal(turn) {
      const launch = host.launch(turn, profile.settings, context);
      return !('refused' in launch) && launch.requestFile !== undefined;
    },
    async close(how = {}) {
      closed = true;
      for (const child of running) child.stop('cancel', how);
      await Promise.all([pool?.close(), ...[...running].map((child) => child.ended)]);
      resources.clock.close();
    },
  };
}

/** Processes that wait for a turn. */
interface TurnPool {
  /** One that was started just as this launch asks, if there is one. */
  takeFor(launch: Launch): Begun | undefined;
  /** Begins one for a turn that is about to come. */
  startAhead(): void;
  /** Why processes are no longer kept waiting, said once. */
  takeComplaint(): Log | undefined;
  close(): Promise<void>;
}

/** Starts processes before their turn is known; what they are given beside stdin must not depend on it. */
function createTurnPool(
  profile: Profile,
  host: OneShotHost<Settings, unknown>,
  context: LaunchContext,
  startFor: Starter,
): TurnPool | undefined {
  if (!host.prewarms(profile.settings)) return undefined;
  const launch = host.launch(createTurn({ id: 'prewarm' }), profile.settings, context);
  if ('refused' in launch) return undefined;
  let complaint: Log | undefined;
  let complained = false;
  const start = (): Child => startFor(launch);
  const onError = (ending: Ending): void => {
    if (complained) return;
    complained = true;
    complaint = { type: 'log', level: 'warning', text: gaveUp(profile, ending), source: 'host' };
  };
  const size = profile.prewarm ?? 0;
  const pool = size > 0 ? createPool({ size, start, onError }) : undefined;
  const ahead = createAhead(start);
  const handover = createHandover();
  return {
    takeFor({ requestFile, cwd }) {
      if (requestFile !== undefined || cwd !== launch.cwd) return undefined;
      const waiting = pool?.take();
      if (waiting !== undefined) return { child: waiting, handover };
      const child = ahead.take();
      return child && { child };
    },
    startAhead() {
      // A pool has one waiting already, or is about to.
      if (pool === undefined) ahead.start();
    },
    takeComplaint() {
      const told = complaint;
      complaint = undefined;
      return told;
    },
    async close() {
      await Promise.all([pool?.close(), ahead.close()]);
    },
  };
}

function gaveUp({ name, prewarm }: Profile, { exitCode }: Ending): string {
  const often = 'again and again before it had a turn';
  return `prewarm: ${prewarm} is off for ${name}, which ended ${often} (exit code ${exitCode}): it must wait for its turn on stdin.`;
}

function startChild(start: Starter, launch: Launch, options: OpenOptions): Begun | Failure {
  const { requestFile } = launch;
  if (requestFile === undefined) return { child: start(launch) };
  const file = writeRequestFile(options.temporary ?? tmpdir(), requestFile.content);
  if ('message' in file) return file;
  const child = start(launch, { [requestFile.variable]: file.path });
  const windUp = async (ending: Ending): Promise<Ending> => {
    // It shares our group with us, so that what it has started is only found by a variable that nobody else has.
    if (ending.cause === 'cancel') await killStragglers(file.path);
    file.remove();
    return ending;
  };
  return { child: { ...child, ended: child.ended.then(windUp) } };
}
