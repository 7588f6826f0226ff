import type { Event } from '@plugboard/host';
import type { StoredTurn } from '@plugboard/store';
import { z } from 'zod';
import { readLogPage } from '../../live/log-page.ts';
import { reread, sameEvents } from '../../record/reread.ts';
import type { TurnRecording } from '../../record/turn-recorder.ts';
import { cancelAnywhere, canSteer } from '../../sessions/control.ts';
import { receiveIn } from '../../sessions/receive.ts';
import { cursorProblem } from '../full-page.ts';
import { inPath } from '../lookup.ts';
import { Problem } from '../problem.ts';
import { type Route, type RouteRequest, route } from '../route.ts';
import { recordView, replayView, turnView } from '../shapes.ts';
import { viewEvent, viewTurn } from '../views.ts';
import { emptyMessage, isBlank, ownId, refusalProblem } from './messages.ts';

export const turnRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/api/sessions/:id/turns',
    resource: inPath('session'),
    tag: 'turns',
    summary: 'Lists the turns of a session, newest first.',
    query: z.strictObject({
      limit: z.coerce.number().int().min(1).max(200).default(50),
      cursor: z.string().max(200).optional().describe('The id of the last turn of the page before.'),
    }),
    answers: {
      200: {
        description: 'A page.',
        schema: z.object({ turns: z.array(turnView), next: z.string().nullable() }),
      },
    },
    async handle({ query, gateway, principal, found: session }) {
      const { limit, cursor } = query;
      const before = cursor === undefined ? {} : { before: cursor };
      const turns = await gateway.store.turns.list(session.id, { limit, ...before }).catch((error) => {
        throw cursorProblem(error);
      });
      const next = turns.length === limit ? (turns.at(-1)?.id ?? null) : null;
      return { status: 200, json: { turns: turns.map((turn) => viewTurn(gateway, turn, principal)), next } };
    },
  }),
  route({
    method: 'get',
    path: '/api/turns/:id',
    resource: inPath('turn'),
    tag: 'turns',
    summary: 'Tells of one turn.',
    answers: { 200: { description: 'The turn.', schema: turnView } },
    handle: ({ gateway, found, principal }) => ({ status: 200, json: viewTurn(gateway, found, principal) }),
  }),
  route({
    method: 'post',
    path: '/api/turns/:id/cancel',
    resource: inPath('turn'),
    tag: 'turns',
    summary: 'Stops a turn. What waits in its session goes on.',
    body: z.strictObject({}),
    answers: {
      200: { description: 'Whether it was running.', schema: z.object({ cancelled: z.boolean() }) },
    },
    handle: async ({ gateway: { engine }, found: turn }) => ({
      status: 200,
      json: { cancelled: await cancelAnywhere(engine, turn) },
    }),
  }),
  route({
    method: 'post',
    path: '/api/turns/:id/steer',
    resource: inPath('turn'),
    tag: 'turns',
    summary: 'Gives a running turn more input, where its agent can take it in.',
    body: z.strictObject({ id: ownId.optional(), text: z.string().min(1).max(1_000_000) }),
    answers: {
      202: {
        description: 'Taken in. When the turn ended in the same moment, it is answered by the next one.',
        schema: z.object({ steered: z.boolean() }),
      },
    },
    async handle({ gateway, body, principal, requestId, found: turn }) {
      if (isBlank(body.text)) throw emptyMessage();
      const session = await gateway.store.sessions.get(turn.sessionId);
      if (session === undefined || !(await canSteer(gateway.engine, turn))) {
        throw new Problem(
          'conflict',
          'This turn cannot be given more input: it has ended, or its agent cannot do that.',
        );
      }
      const received = await receiveIn(gateway.engine, session, {
        place: session.place,
        // The same idempotency key as in `POST messages`: a client may repeat the message there.
        messageId: body.id === undefined ? `made:${requestId}` : `given:${body.id}`,
        text: body.text,
        plain: true,
        sender: principal.name,
        principal: `token:${principal.id}`,
      });
      if (received.kind === 'refused') throw refusalProblem(received);
      // A message that is repeated is in the turn that took it the first time.
      const steered = received.kind === 'message' && (received.steered || received.turnId === turn.id);
      return { status: 202, json: { steered } };
    },
  }),
  route({
    method: 'get',
    path: '/api/turns/:id/record',
    resource: inPath('recording'),
    tag: 'inspector',
    summary: 'The raw frames of a turn beside the events they became.',
    answers: { 200: { description: 'The record.', schema: recordView } },
    async handle(request) {
      const { gateway, found: turn } = request;
      const recording = await recordingOf(request, turn);
      const frames = recording.entries.flatMap((entry) => {
        if (entry.type !== 'bytes') return [];
        const { type: _type, ...frame } = entry;
        return [frame];
      });
      const exit = recording.entries.find((entry) => entry.type === 'exit');
      const events = await eventsOf(request, turn);
      return {
        status: 200,
        json: {
          turn: viewTurn(gateway, turn, request.principal),
          dialect: recording.dialect,
          complete: recording.complete,
          frames,
          exit: exit?.type === 'exit' ? { at: exit.at, code: exit.code, signal: exit.signal } : null,
          events: events.map(({ number, at, event }) => ({ at: at - turn.startedAt, number, event })),
        },
      };
    },
  }),
  route({
    method: 'post',
    path: '/api/turns/:id/replay',
    resource: inPath('recording'),
    tag: 'inspector',
    summary: 'Reads the recorded bytes of a turn anew.',
    body: z.strictObject({}),
    answers: { 200: { description: 'What they give.', schema: replayView } },
    async handle(request) {
      const { found: turn } = request;
      const recording = await recordingOf(request, turn);
      const events = reread(recording, request.gateway.agents.get(turn.agent)?.profile);
      if (events === undefined)
        throw new Problem('conflict', 'The record of this turn lacks its beginning and cannot be read anew.');
      const logged = (await eventsOf(request, turn)).map(({ event }) => event as unknown as Event);
      const same = sameEvents(
        logged,
        events.map(({ event }) => event),
      );
      return { status: 200, json: { events, same } };
    },
  }),
];

async function recordingOf(
  { gateway }: Pick<RouteRequest, 'gateway'>,
  turn: StoredTurn,
): Promise<TurnRecording> {
  const recording = await gateway.recordings.read(turn.id);
  if (recording === undefined)
    throw new Problem('not-found', 'This turn was not recorded, or its record was let go.');
  return recording;
}

/**
 * Events of one turn, including `log` events, without messages of users. They are contiguous in the log from
 * `startedAt` to `end`.
 */
export async function eventsOf({ gateway }: Pick<RouteRequest, 'gateway'>, turn: StoredTurn) {
  const found = [];
  for (let after = await beforeTurn(gateway, turn); ; ) {
    const page = await readLogPage(gateway.store, turn.sessionId, { after, limit: 1_000 });
    const own = page.filter(({ turnId, event }) => turnId === turn.id && event.type !== 'user');
    found.push(...own.map((event) => viewEvent(event, true)));
    const last = page.at(-1);
    const ended = page.some(({ turnId, event }) => turnId === turn.id && event.type === 'end');
    if (last === undefined || ended) return found;
    after = last.number;
  }
}

/** Searches back from the end of the log, because most requests are for recent turns. */
export async function beforeTurn(gateway: RouteRequest['gateway'], turn: StoredTurn): Promise<number> {
  const session = await gateway.store.sessions.get(turn.sessionId);
  for (let back = 1_000; ; back *= 4) {
    const after = Math.max(0, (session?.lastEvent ?? 0) - back);
    const [first] = await gateway.store.log.read(turn.sessionId, { after, limit: 1 });
    if (after === 0 || first === undefined || first.at < turn.startedAt) return after;
  }
}
