import { createHmac } from 'node:crypto';

/** A request that Slack sends to the request URL of an app. */
export interface SlackHookRequest {
  readonly method: 'POST';
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** Takes a request as the gateway does, at `/hooks/NAME`. */
export type SlackHook = (
  request: SlackHookRequest,
) => Promise<{ readonly status: number; readonly body?: string } | undefined>;

/** Signs a body as Slack does. */
export function signSlackRequest(
  secret: string,
  body: string,
  atSecs: number,
  headers: Readonly<Record<string, string>> = {},
): SlackHookRequest {
  const signature = createHmac('sha256', secret).update(`v0:${atSecs}:${body}`).digest('hex');
  return {
    method: 'POST',
    query: new URLSearchParams(),
    headers: {
      ...headers,
      'x-slack-request-timestamp': String(atSecs),
      'x-slack-signature': `v0=${signature}`,
    },
    body: Buffer.from(body),
  };
}

/** Posts requests to a gateway that listens. */
export function hookAt(url: string): SlackHook {
  return async ({ method, headers, body }) => {
    const answer = await fetch(url, {
      method,
      headers: { ...headers, connection: 'close' },
      body: Buffer.from(body),
    });
    return { status: answer.status, body: await answer.text() };
  };
}

/** The body of an envelope as HTTP mode has it: events as JSON, interactions and commands as forms. */
export function hookBody(
  type: string,
  payload: Readonly<Record<string, unknown>>,
): { body: string; type: string } {
  if (type === 'events_api') return { body: JSON.stringify(payload), type: 'application/json' };
  const fields =
    type === 'interactive' ? { payload: JSON.stringify(payload) } : (payload as Record<string, string>);
  return { body: new URLSearchParams(fields).toString(), type: 'application/x-www-form-urlencoded' };
}
