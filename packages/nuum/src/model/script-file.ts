import { z } from 'zod';

const reply = z.strictObject({
  text: z.string().default(''),
  calls: z
    .array(
      z.strictObject({
        name: z.string(),
        input: z.union([z.string(), z.record(z.string(), z.unknown())]).default({}),
      }),
    )
    .default([]),
  delay_ms: z.number().min(0).default(0),
  finish: z.enum(['stop', 'length', 'tool-calls', 'content-filter', 'error', 'other']).optional(),
  usage: z
    .strictObject({ input_tokens: z.number().optional(), output_tokens: z.number().optional() })
    .default({}),
  error: z
    .strictObject({ status: z.number().optional(), message: z.string(), retry_after: z.number().optional() })
    .optional(),
  cut: z.boolean().default(false),
});

const rule = reply.extend({
  when: z.string().default(''),
  after: z.enum(['message', 'result']).default('message'),
  for: z.enum(['turn', 'distil', 'reflect', 'research']).default('turn'),
});

const file = z.strictObject({
  model: z.string().default('script'),
  steps: z.array(reply).default([]),
  rules: z.array(rule).default([]),
  otherwise: reply.default(reply.parse({ text: 'You said: {message}' })),
});

export interface ScriptedReply {
  readonly text: string;
  /** A string is sent to the client unchanged, so that it may be invalid JSON. */
  readonly calls: readonly {
    readonly name: string;
    readonly input: string | Readonly<Record<string, unknown>>;
  }[];
  readonly delayMs: number;
  readonly finish?: z.infer<typeof reply>['finish'];
  readonly usage: { readonly input_tokens?: number | undefined; readonly output_tokens?: number | undefined };
  readonly error?: {
    readonly status?: number | undefined;
    readonly message: string;
    readonly retryAfter?: number | undefined;
  };
  /** The stream ends before its last event. */
  readonly cut: boolean;
}

interface ScriptedRule {
  readonly when: RegExp;
  /** Whether `when` is matched with the last message or with the last tool result. */
  readonly after: 'message' | 'result';
  readonly purpose: string;
  readonly reply: ScriptedReply;
}

/** The replies of a script: `steps` one by one, then the first rule that matches. */
export interface Script {
  readonly model: string;
  readonly steps: readonly ScriptedReply[];
  readonly rules: readonly ScriptedRule[];
  readonly otherwise: ScriptedReply;
}

/** Throws a sentence that names the invalid field. */
export function readScript(value: unknown): Script {
  const parsed = file.safeParse(value ?? {});
  if (!parsed.success) throw new Error(z.prettifyError(parsed.error).replaceAll('\n', ' '));
  const { model, steps, rules, otherwise } = parsed.data;
  return {
    model,
    steps: steps.map(toReply),
    rules: rules.map(({ when, after, for: purpose, ...rest }) => ({
      when: new RegExp(when, 'iu'),
      after,
      purpose,
      reply: toReply(rest),
    })),
    otherwise: toReply(otherwise),
  };
}

function toReply({ delay_ms, error, ...rest }: z.infer<typeof reply>): ScriptedReply {
  const { finish, ...plain } = rest;
  return {
    ...plain,
    delayMs: delay_ms,
    ...(finish === undefined ? {} : { finish }),
    ...(error === undefined
      ? {}
      : { error: { status: error.status, message: error.message, retryAfter: error.retry_after } }),
  };
}
