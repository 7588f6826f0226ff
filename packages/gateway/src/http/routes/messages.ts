import { randomUUID } from 'node:crypto';
import type { Session } from '@plugboard/store';
import { z } from 'zod';
import type { Received } from '../../channels/channel.ts';
import { receiveIn } from '../../sessions/receive.ts';
import { mayUseAgent } from '../authorize.ts';
import { chosenName } from '../chosen-name.ts';
import { inPath } from '../lookup.ts';
import { Problem } from '../problem.ts';
import { getResource } from '../resources.ts';
import { type Reply, type Route, type RouteRequest, route } from '../route.ts';
import { sessionView } from '../shapes.ts';
import { viewSession } from '../views.ts';

/** Idempotency key of a message, unique within its session. */
export const ownId = chosenName.describe(
  'Your own id: the same one again changes nothing, and for something else it is refused.',
);

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
  dropped: z
    .boolean()
    .describe(
      'It came before and was dropped before an agent took it in: no turn answers it. Send it again with another id.',
    ),
  turnId: z
    .string()
    .nullable()
    .describe(
      'The turn that has taken it: the running one, if it was steered; null while it waits, and if it was dropped.',
    ),
});

/** Routes of messages. */
export const messageRoutes: readonly Route[] = [
  route({
    method: 'post',
    path: '/api/sessions/:id/messages',
    resource: inPath('session'),
    tag: 'sessions',
    summary: 'Says something. Once this is answered, it is kept.',
    body: newMessage,
    answers: {
      202: { description: 'It will be answered, or was dropped before.', schema: accepted },
      200: {
        description: 'It was a command of the gateway: /stop, /new, /status, /agent, /set or /help.',
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
      const { gateway, body, principal, found: session } = request;
      if (isBlank(body.text) && body.attachments.length === 0) throw emptyMessage();
      const id = body.id ?? idempotencyKeyOf(request.incoming.headers);
      const received = await receiveIn(gateway.engine, session, {
        place: session.place,
        messageId: id === undefined ? `made:${randomUUID()}` : `given:${id}`,
        text: body.text,
        attachments: await attachmentsOf(request, session, body.attachments),
        sender: principal.name,
        principal: `token:${principal.id}`,
        mayCall: (agent) => mayUseAgent(principal, agent),
      });
      return replyTo(request, received);
    },
  }),
];

const BLANK = /^[\s\p{Cc}\p{Default_Ignorable_Code_Point}]*$/u;

/** Whether a text has only white space, controls and zero-width characters. */
export function isBlank(text: string): boolean {
  return BLANK.test(text);
}

/** Error for a message without text and files, which an agent could not answer. */
export function emptyMessage(): Problem {
  return new Problem('invalid', 'A message needs text or a file. This one has neither.');
}

/** Reads `Idempotency-Key`, which has the same meaning as `id` in the body. */
function idempotencyKeyOf(headers: RouteRequest['incoming']['headers']): string | undefined {
  const key = headers['idempotency-key'];
  if (key === undefined) return undefined;
  const checked = ownId.safeParse(key);
  if (!checked.success) throw new Problem('invalid', 'Idempotency-Key must have 1 to 200 characters.');
  return checked.data;
}

type Asking = Pick<RouteRequest, 'gateway' | 'principal'>;

async function attachmentsOf(
  { gateway }: Asking,
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

async function replyTo(request: Asking, received: Received): Promise<Reply> {
  if (received.kind === 'refused') throw refusalProblem(received);
  if (received.kind === 'message') {
    const { messageId, number = null, duplicate, ahead, steered, dropped, turnId = null } = received;
    return { status: 202, json: { messageId, number, duplicate, ahead, steered, dropped, turnId } };
  }
  // `/new` begins another session.
  const session = await getResource(request, 'session', received.sessionId);
  const { command, reply, duplicate } = received;
  return { status: 200, json: { command, reply, duplicate, session: viewSession(request.gateway, session) } };
}

/** Translates a refusal into a `Problem`. */
export function refusalProblem({ code, message }: Extract<Received, { kind: 'refused' }>): Problem {
  if (code === 'too-many') return new Problem('too-many', message, 5);
  if (code === 'stopping') return new Problem('unavailable', message, 5);
  return new Problem(code === 'not-found' ? 'not-found' : 'conflict', message);
}
