import {
  dialects,
  type LaunchContext,
  type ResidentHost,
  type Settings,
  type Turn,
} from '@plugboard/protocol';
import type { CloseOptions, OpenAgent, ResidentControls } from '../agent.ts';
import { mediaAccessOf } from '../media/access.ts';
import type { OpenOptions } from '../open.ts';
import type { Profile } from '../profile/profile.ts';
import { onAbort } from '../run/abort.ts';
import { type Run, runOf } from '../run/queue.ts';
import { givenUp, refuse } from '../run/unbegun.ts';
import { createSessionOfProcess, type SessionOfProcess } from '../session/placeholder.ts';
import { isBusy } from './busy.ts';
import { connect } from './connection.ts';
import { whenIdle, whenSteered } from './idle.ts';
import { admit, ask, connected, createResident, type Resident } from './resident.ts';
import { steer } from './steering.ts';
import { stopCurrent, stopTurn, withdraw } from './stop.ts';

/** How long the agent may take to finish what it is at, once its input is closed. */
const CLOSE_MS = 1_000;

/**
 * An agent with one process for many turns. It starts with the first turn, or when it is started ahead, and again after it
 * has died.
 */
export function openResident(
  profile: Profile,
  host: ResidentHost<Settings, unknown>,
  context: LaunchContext,
  options: OpenOptions,
): OpenAgent {
  const session = createSessionOfProcess(profile, options.fillSession === true);
  const resident = createResident(profile, host, (listener) =>
    connect(session.profile(), host, context, options, listener),
  );
  return {
    name: profile.name,
    dialect: profile.dialect,
    capabilities: dialects[profile.dialect].capabilities,
    run: (turn, signal) => run(resident, session, turn, signal),
    startAhead: (key) => startAhead(resident, session, key),
    takesTerminal: () => false,
    mediaAccess: (turn, since) => mediaAccessOf(profile, options.media ?? {}, { turn, since }),
    close: (how) => close(resident, how),
    resident: controlsOf(resident),
  };
}

function startAhead(resident: Resident, session: SessionOfProcess, key: string | undefined): void {
  if (resident.closed || (key !== undefined && session.take(key) !== undefined)) return;
  if (session.isKnown()) connected(resident);
}

function run(
  resident: Resident,
  session: SessionOfProcess,
  turn: Turn,
  signal: AbortSignal | undefined,
): Run {
  if (resident.closed) {
    return refuse({ code: 'closed', message: `The agent ${resident.profile.name} has been closed.` });
  }
  if (signal?.aborted) return givenUp();
  const problem = session.take(turn.session.key);
  if (problem !== undefined) return refuse(problem);
  const job = admit(resident, turn);
  onAbort(signal, () => stopTurn(resident, job, 'cancel'), job.queue);
  return runOf(job.queue);
}

async function close(resident: Resident, how: CloseOptions = {}): Promise<void> {
  const { connection, routing, unasked } = resident;
  resident.closed = true;
  clearTimeout(resident.followUp);
  clearTimeout(resident.strayTimer);
  for (const job of [...resident.waiting]) withdraw(resident, job);
  if (routing.asked !== undefined) stopTurn(resident, routing.asked, 'cancel');
  connection?.child.stop('cancel', { inputGraceMs: how.graceMs ?? CLOSE_MS, ...how });
  await connection?.child.ended;
  resident.clock.close();
  unasked.close();
}

function controlsOf(resident: Resident): ResidentControls {
  return {
    steer: (turn) => steer(resident, turn),
    interrupt: () => stopCurrent(resident),
    get busy() {
      return isBusy(resident);
    },
    whenIdle: () => whenIdle(resident),
    whenSteered: () => whenSteered(resident),
    async status() {
      const reply = await ask(resident, 'status');
      return reply?.type === 'status' ? reply : undefined;
    },
    async heartbeat() {
      const started = performance.now();
      const reply = await ask(resident, 'heartbeat');
      return reply === undefined ? undefined : performance.now() - started;
    },
    unasked: () => resident.unasked.iterate(),
    onUnread: (listener) => {
      resident.onUnread = listener;
    },
    onIdleEvent: (listener) => {
      resident.listeners.push(listener);
    },
    onProcessEnd: (listener) => {
      resident.endListeners.push(listener);
    },
  };
}
