import { z } from 'zod';

/** Response schemas: types and the OpenAPI document are derived from them. */

export const agentView = z
  .object({
    name: z.string(),
    dialect: z.string(),
    description: z.string(),
    default: z.boolean(),
    capabilities: z.object({
      attachments: z.enum(['path', 'url', 'none']),
      media: z.boolean(),
      steering: z.boolean(),
      resident: z.boolean(),
      session: z.enum(['both', 'none']),
    }),
  })
  .meta({ id: 'Agent' });

export const sessionView = z
  .object({
    id: z.string(),
    channel: z.string(),
    place: z.string(),
    agent: z.string(),
    title: z.string(),
    createdAt: z.number(),
    updatedAt: z.number(),
    lastEvent: z.number().describe('The highest number of an event.'),
    waiting: z.number().describe('Messages that wait for a turn.'),
    closed: z.boolean(),
    cost: z
      .object({ amount: z.number(), currency: z.string() })
      .nullable()
      .describe('What its turns have cost, as far as the agents have said.'),
    state: z.enum(['idle', 'queued', 'running']),
    position: z.number().nullable().describe('Place in the line of the gateway, when queued; 1 is next.'),
    steerable: z.boolean().describe('What is said now goes into the running turn.'),
    turnId: z.string().nullable().describe('The running turn.'),
  })
  .meta({ id: 'Session' });

export const optionsView = z
  .object({
    options: z.array(
      z.object({
        id: z.string(),
        name: z.string(),
        description: z.string().optional(),
        category: z.string().optional().describe('mode, model, effort and the like.'),
        value: z.union([z.string(), z.boolean()]),
        choices: z
          .array(
            z.object({
              value: z.string(),
              name: z.string(),
              description: z.string().optional(),
              group: z.string().optional(),
            }),
          )
          .optional()
          .describe('Absent for a switch, whose value is a boolean.'),
      }),
    ),
    commands: z.array(z.object({ name: z.string(), description: z.string(), hint: z.string().optional() })),
  })
  .meta({ id: 'Options' });

/** Loose, because clients must ignore event types that they do not know. */
const anyEvent = z.looseObject({ type: z.string() }).meta({
  id: 'Event',
  description: 'One thing that happened. docs/protocol.md lists the types; new ones may come.',
});

export const eventView = z
  .object({
    number: z.number(),
    turnId: z.string().nullable().describe('For what people said: the turn that has taken it, from then on.'),
    at: z.number(),
    startedAt: z
      .number()
      .optional()
      .describe(
        'With an `end`: when the turn began. It took `at - startedAt` ms by the clock of the gateway.',
      ),
    event: anyEvent,
  })
  .meta({ id: 'LoggedEvent' });

export const turnView = z
  .object({
    id: z.string(),
    sessionId: z.string(),
    agent: z.string(),
    messageId: z.string().nullable(),
    state: z.enum(['running', 'success', 'error', 'cancelled', 'timeout', 'interrupted']),
    startedAt: z.number(),
    endedAt: z.number().nullable(),
    end: anyEvent.nullable(),
    recorded: z.boolean().describe('Its raw frames can be looked at.'),
  })
  .meta({ id: 'Turn' });

export const mediaView = z
  .object({
    id: z.string(),
    name: z.string(),
    type: z.string(),
    kind: z.enum(['image', 'file', 'audio', 'video']),
    size: z.number(),
    url: z.string(),
  })
  .meta({ id: 'Media' });

const frameView = z.object({
  at: z.number().describe('Milliseconds since the turn began.'),
  stream: z.enum(['stdin', 'stdout', 'stderr']),
  text: z.string().optional(),
  base64: z.string().optional().describe('For bytes that are no text.'),
});

export const recordView = z
  .object({
    turn: turnView,
    dialect: z.string(),
    complete: z.boolean(),
    frames: z.array(frameView),
    exit: z.object({ at: z.number(), code: z.number().nullable(), signal: z.string().nullable() }).nullable(),
    events: z.array(z.object({ at: z.number(), number: z.number(), event: anyEvent })),
  })
  .meta({ id: 'TurnRecord' });

export const replayView = z
  .object({
    events: z.array(z.object({ at: z.number(), event: anyEvent })),
    same: z.boolean().describe('Read anew, the recorded bytes give the same events.'),
  })
  .meta({ id: 'Replay' });

export const deliveryState = z.enum(['pending', 'sending', 'sent', 'unknown', 'failed', 'expired']);

export const deliveryView = z
  .object({
    id: z.string(),
    sessionId: z.string(),
    turnId: z.string().nullable(),
    channel: z.string(),
    place: z.string(),
    kind: z.enum(['message', 'notice', 'error', 'progress', 'question']),
    text: z.string(),
    files: z.array(z.string()).describe('The names of files that go with it.'),
    state: deliveryState,
    attempts: z.number(),
    dueAt: z.number().describe('When it was, or is, to be tried.'),
    expiresAt: z.number(),
    platformId: z.string().nullable().describe('What the platform calls it.'),
    problem: z.string().nullable().describe('Why it was not sent, or may not have been.'),
    settled: z
      .object({ by: z.string(), at: z.number() })
      .nullable()
      .describe('Which token was used to say what became of it, and when.'),
  })
  .meta({ id: 'Delivery' });

export const channelView = z
  .object({
    name: z.string(),
    kind: z.string().describe('The platform.'),
    state: z
      .enum(['starting', 'ready', 'failed', 'stopped', 'elsewhere'])
      .describe('`failed`: it cannot be used until its settings change.'),
    lastMessageAt: z.number().nullable().describe('When a person last wrote, since the gateway started.'),
    lastError: z
      .object({ at: z.number(), message: z.string() })
      .nullable()
      .describe('What went wrong last, since the gateway started.'),
  })
  .meta({ id: 'Channel' });

export const nodeView = z
  .object({
    name: z.string(),
    version: z.string(),
    url: z.string().nullable(),
    state: z.enum(['alive', 'ended', 'died']),
    self: z.boolean().describe('Whether it is the one that answers.'),
    draining: z.boolean().describe('It takes no new turns.'),
    running: z.number().describe('Turns that run there.'),
    residents: z.number().describe('Agent processes that stay between turns.'),
    startedAt: z.number(),
    seenAt: z.number().describe('When it last reported itself.'),
  })
  .meta({ id: 'Node' });

export const personView = z
  .object({
    channel: z.string(),
    sender: z.string().describe('Id of the person on the platform.'),
    name: z.string().describe('For display alone: people choose it.'),
    place: z.string(),
    state: z.enum(['asking', 'paired']),
    askedAt: z.number(),
    expiresAt: z.number().nullable(),
    pairedAt: z.number().nullable(),
    pairedBy: z.string().nullable(),
  })
  .meta({ id: 'Person' });

export const askState = z.enum(['open', 'answered', 'expired', 'withdrawn', 'void']);

export const askView = z
  .object({
    id: z.string(),
    sessionId: z.string(),
    turnId: z.string(),
    agent: z.string().describe('The agent that asks.'),
    question: z.looseObject({ kind: z.string(), title: z.string() }),
    state: askState,
    askedAt: z.number(),
    endedAt: z.number().nullable(),
    answer: z.looseObject({ by: z.string(), via: z.string() }).nullable(),
  })
  .meta({ id: 'Ask' });

export const tokenView = z
  .object({
    id: z.string(),
    name: z.string(),
    scopes: z.array(z.string()),
    createdAt: z.number(),
    expiresAt: z.number().nullable(),
    lastUsedAt: z.number().nullable(),
  })
  .meta({ id: 'Token' });

export const errorView = z
  .object({ error: z.object({ code: z.string(), message: z.string(), requestId: z.string() }) })
  .meta({ id: 'Error' });

export type AgentView = z.infer<typeof agentView>;
export type SessionView = z.infer<typeof sessionView>;
export type EventView = z.infer<typeof eventView>;
export type TurnView = z.infer<typeof turnView>;
export type MediaView = z.infer<typeof mediaView>;
export type DeliveryView = z.infer<typeof deliveryView>;
export type NodeView = z.infer<typeof nodeView>;
export type ChannelView = z.infer<typeof channelView>;
export type PersonView = z.infer<typeof personView>;
export type AskView = z.infer<typeof askView>;
export type TokenView = z.infer<typeof tokenView>;
