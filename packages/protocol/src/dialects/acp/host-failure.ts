import { wordsIn } from '../../framing/error-body.ts';
import { isObject } from '../../framing/json.ts';
import type { RpcError } from '../../framing/json-rpc.ts';
import { stringOf } from '../../framing/narrow.ts';
import type { Failure } from '../../model/event.ts';
import type { JsonValue } from '../../model/json.ts';
import type { KnownAgent } from './host-state.ts';
import { ERROR_CODES } from './wire.ts';

/** The words of an error answer. `data` often says more than `message`, which may be "Internal error" alone, or a whole HTTP body. */
export function readFailure({ code, message, data }: RpcError): Failure {
  const details = detailsOf(data);
  const said = message.replace(/^Internal error:?\s*/i, '');
  const words = said === '' ? (details ?? message) : wordsIn(said);
  const detail = details ?? (said === '' || said === words ? undefined : said);
  return {
    message: words === '' ? 'The agent has answered with an error.' : words,
    code: String(code),
    ...(detail === undefined || detail === words ? {} : { detail }),
  };
}

function detailsOf(data: JsonValue | undefined): string | undefined {
  if (typeof data === 'string') return data === '' ? undefined : data;
  if (!isObject(data)) return data === undefined || data === null ? undefined : JSON.stringify(data);
  const said = [data.details, data.message, data.error].find((one) => typeof one === 'string' && one !== '');
  return stringOf(said) ?? JSON.stringify(data);
}

export const LOGIN_WANTED = 'The agent wants a login.';

/** Whether the agent wants a login. */
export function isAuthError({ code }: RpcError): boolean {
  return code === ERROR_CODES.authRequired;
}

/** The failure of a login, with the ways that the agent offers. */
export function authFailure({ authMethods }: Pick<KnownAgent, 'authMethods'>, why: string): Failure {
  const ways = authMethods
    .filter(({ id, type }) => typeof id === 'string' && type !== 'terminal')
    .map(({ id, name }) => (typeof name === 'string' && name !== id ? `${id} (${name})` : String(id)));
  const remedy =
    ways.length === 0
      ? "Log in with the agent's own program."
      : `Log in with the agent's own program, or name a login in auth_method: ${ways.join(', ')}.`;
  return { message: `${why} ${remedy}`, code: 'auth' };
}
