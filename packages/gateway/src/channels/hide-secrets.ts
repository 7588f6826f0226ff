import { reasonOf } from '@plugboard/protocol';
import { Secret } from '../config/secret.ts';
import type { LogFields, Logger } from '../log.ts';
import { type Channel, type Ingress, SendError } from './channel.ts';
import type { ChannelModule } from './kind.ts';

/** A shorter beginning of a secret may be an ordinary word. */
const SHORTEST_PART = 8;

/** Takes secrets out of a text. */
export type Hide = (text: string) => string;

/**
 * Takes the secrets of a channel out of everything that it says: errors, log records, remarks. Platforms repeat a refused
 * token in their answers, and errors are stored, logged and shown to operators.
 */
export function hideSecretsOf<Settings>(module: ChannelModule<Settings>): ChannelModule<Settings> {
  return {
    create(given) {
      const hide = createHide(given.settings);
      return hideInChannel(module.create({ ...given, log: hideInLog(given.log, hide) }), hide);
    },
    async prove(given) {
      const hide = createHide(given.settings);
      const { remarks, ...proof } = await hideInErrors(hide, () => module.prove(given));
      return { ...proof, remarks: remarks.map(hide) };
    },
  };
}

/** Replaces the values of all secrets in `settings`, also where a text was cut within one. */
export function createHide(settings: unknown): Hide {
  const fields = typeof settings === 'object' && settings !== null ? Object.values(settings) : [];
  const secrets = fields.flatMap((value) => (value instanceof Secret ? value.reveal() : []));
  const known = secrets.filter((secret) => secret.length >= SHORTEST_PART);
  return (text) =>
    known.reduce((shown, secret) => hideEnd(shown.replaceAll(secret, '[secret]'), secret), text);
}

/** Hides the beginning of a secret at the end of a text. */
function hideEnd(text: string, secret: string): string {
  const at = text.lastIndexOf(secret.slice(0, SHORTEST_PART));
  const isCut = at !== -1 && secret.startsWith(text.slice(at).replace(/…$/, ''));
  return isCut ? `${text.slice(0, at)}[secret]` : text;
}

function hideInChannel(channel: Channel, hide: Hide): Channel {
  const { edit, typing, resolve, receiveHook } = channel;
  const guard = <T>(call: () => Promise<T>): Promise<T> => hideInErrors(hide, call);
  return {
    name: channel.name,
    limits: channel.limits,
    start: (ingress) => guard(() => channel.start(hideInIngress(ingress, hide))),
    send: (...given) => guard(() => channel.send(...given)),
    stop: () => guard(() => channel.stop()),
    ...(edit === undefined ? {} : { edit: (...given) => guard(() => edit.apply(channel, given)) }),
    ...(typing === undefined ? {} : { typing: (...given) => guard(() => typing.apply(channel, given)) }),
    ...(resolve === undefined ? {} : { resolve: (...given) => guard(() => resolve.apply(channel, given)) }),
    ...(receiveHook === undefined
      ? {}
      : { receiveHook: (...given) => guard(() => receiveHook.apply(channel, given)) }),
  };
}

function hideInIngress(ingress: Ingress, hide: Hide): Ingress {
  return {
    ...ingress,
    fail: (reason) => ingress.fail(hide(reason)),
    report: (id, outcome) =>
      ingress.report(
        id,
        outcome.state === 'failed' ? { ...outcome, problem: hide(outcome.problem) } : outcome,
      ),
  };
}

/** The cause is left out where the message held a secret, because it most likely holds it as well. */
async function hideInErrors<T>(hide: Hide, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    const reason = reasonOf(error);
    const shown = hide(reason);
    if (shown === reason) throw error;
    if (!(error instanceof SendError)) throw new Error(shown);
    const { problem, afterMs, scope, stopsChannel } = error;
    throw new SendError(problem, shown, {
      ...(afterMs === undefined ? {} : { afterMs }),
      scope,
      stopsChannel,
    });
  }
}

function hideInLog(log: Logger, hide: Hide): Logger {
  const shown = (fields: LogFields = {}): LogFields =>
    Object.fromEntries(
      Object.entries(fields).map(([name, value]) => [name, typeof value === 'string' ? hide(value) : value]),
    );
  const hiding =
    (level: keyof Logger): Logger['info'] =>
    (message, fields) =>
      log[level](hide(message), shown(fields));
  return { debug: hiding('debug'), info: hiding('info'), warn: hiding('warn'), error: hiding('error') };
}
