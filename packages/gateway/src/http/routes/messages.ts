import { randomUUID } from 'node:crypto';
import type { Session } from '@plugboard/store';
import { z } from 'zod';
import type { Received } from '../../channels/channel.ts';
import { receiveIn } from '../../sessions/receive.ts';
import { mayUse } from '../auth.ts';
import { Problem } from '../problem.ts';
import { type Reply, type Route, type RouteRequest, route } from '../route.ts';
import { sessionView } from '../shapes.ts';
import { viewSession } from '../views.ts';
import { sessionOf } from './sessions.ts';

/** By what a client names what it says in a place. */
export const ownId = z
  .string()
  .min(1)
  .max(200)
  .describe('Your own id: the same one again changes nothing, and for something else it is refused.');

const newMessage = z.strictObject({
  id: ownId.optional(),
  text: z.string().max(1_000_000),
  attachments: z
    .array(z.strictObject({ media: z.string() }))
    .max(20)
    .default([]),
});

const accepted = z.object({
  messageId: z.string(),
  number: z.number().nullable(),
  duplicate: z.boolean(),
  ahead: z.number(),
  steered: z.boolean(),
  turnId: z
    .string()
    .nullable()
    .describe('The turn that has taken it: the running one, if it was steered; null while it waits.'),
});

/** What people say in a session. */
export const messageRoutes: readonly Route[] = [
  route({
    method: 'post',
    path: '/api/sessions/:id/messages',
    access: 'chat',
    tag: 'sessions',
    summary: 'Says something. Once this is answered, it is kept.',
    body: newMessage,
    answers: {
      202: { description: 'It will be answered.', schema: accepted },
      200: {
        description: 'It was a command of the gateway: /stop, /new, /status, /agent or /help.',
        schema: z.object({
          command: z.string(),
          reply: z.string(),
          duplicate: z
            .boolean()
            .describe('It was obeyed when it came first; this is what was answered then.'),
          session: sessionView,
        }),
      },
    },
    async handle(request) {
      const { gateway, body, principal } = request;
      const session = await sessionOf(request);
      if (body.text.trim() === '' && body.attachments.length === 0) throw emptyMessage();
      const id = body.id ?? idempotencyKeyOf(request.incoming.headers);
      const received = await receiveIn(gateway.engine, session, {
        place: session.place,
        messageId: id === undefined ? `made:${randomUUID()}` : `given:${id}`,
        text: body.text,
        attachments: await attachmentsOf(request, session, body.attachments),
        sender: principal.name,
        principal: `token:${principal.id}`,
        mayCall: (agent) => mayUse(principal, agent),
      });
      return replyTo(request, received);
    },
  }),
];

/** Nothing was said: an agent could not answer it. */
export function emptyMessage(): Problem {
  return new Problem('invalid', 'A message needs text or a file. This one has neither.');
}

/** The header that HTTP clients send with what they may repeat. It names a message as `id` in the body does. */
function idempotencyKeyOf(headers: RouteRequest['incoming']['headers']): string | undefined {
  const key = headers['idempotency-key'];
  if (key === undefined) return undefined;
  const checked = ownId.safeParse(key);
  if (!checked.success) throw new Problem('invalid', 'Idempotency-Key must have 1 to 200 characters.');
  return checked.data;
}

async function attachmentsOf(
  { gateway }: RouteRequest,
  session: Session,
  attachments: readonly { readonly media: string }[],
) {
  const files = [];
  for (const { media: id } of attachments) {
    const media = await gateway.media.get(id);
    if (media?.sessionId !== session.id) throw new Problem('invalid', `This session has no file "${id}".`);
    files.push(gateway.media.attachment(media));
  }
  return files;
}

async function replyTo({ gateway, principal }: RouteRequest, received: Received): Promise<Reply> {
  if (received.kind === 'refused') throw refusal(received);
  if (received.kind === 'message') {
    const { messageId, number = null, duplicate, ahead, steered, turnId = null } = received;
    return { status: 202, json: { messageId, number, duplicate, ahead, steered, turnId } };
  }
  const session = await sessionOf({ gateway, principal, params: { id: received.sessionId } });
  const { command, reply, duplicate } = received;
  return { status: 200, json: { command, reply, duplicate, session: viewSession(gateway, session) } };
}

/** Why a message was not taken in. */
export function refusal({ code, message }: Extract<Received, { kind: 'refused' }>): Problem {
  if (code === 'too-many') return new Problem('too-many', message, 5);
  if (code === 'stopping') return new Problem('unavailable', message, 5);
  return new Problem(code === 'not-found' ? 'not-found' : 'conflict', message);
}
