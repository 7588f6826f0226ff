import { type Failure, ModelError } from '@plugboard/llm';
import { BackendError } from '../../failure.ts';
import type { LocalSettings } from '../settings.ts';

/** The error code and the sentence for a request that failed. */
export function describeFailure(
  failure: Failure,
  settings: LocalSettings,
): readonly [code: string, sentence: string] {
  const { kind, status, said, silentMs } = failure;
  const { endpoint, model } = settings;
  const server = `The server at ${endpoint}`;
  const told = status === undefined ? said : `(${status}): ${said}`;
  if (isMissingModel(failure)) return ['no-model', `Model ${model} not found at ${endpoint} ${told}`];
  switch (kind) {
    case 'not-configured':
    case 'refused-key':
      return [
        'refused-key',
        `${server} refused the key (${status ?? said}): set NIB_LOCAL_API_KEY, or nib.agents.local.api-key in git's configuration.`,
      ];
    case 'rate-limited':
      return [kind, `${server} asks for a pause ${told} Try again later.`];
    case 'too-long':
      return [
        kind,
        `The text is too long for the model: load it with a longer context, choose another with NIB_LOCAL_MODEL, or ask about fewer scenes. (${said})`,
      ];
    case 'overloaded':
      return ['trouble', `${server} is in trouble ${told}`];
    case 'unreachable':
      return [kind, `The server is not reachable at ${endpoint}: start it, or set NIB_LOCAL_ENDPOINT.`];
    case 'silent':
      return [
        kind,
        `${server} said nothing for ${silentMs === undefined ? `too long: ${said}` : `${silentMs / 1000} s.`}`,
      ];
    case 'broken-off':
      return [kind, `The answer of the server at ${endpoint} broke off: ${said}`];
    case 'unusable':
      return [kind, `The answer of the server at ${endpoint} ${said}.`];
    default:
      return [kind, `${server} refused the request ${told}`];
  }
}

const MISSING_MODEL =
  /model.{0,80}(not (found|exist|loaded|available)|does ?n.t exist|unknown)|(no|unknown|invalid) model/i;

function isMissingModel({ kind, status, said, body }: Failure): boolean {
  if (status === undefined || (kind !== 'bad-request' && kind !== 'overloaded')) return false;
  return status === 404 || MISSING_MODEL.test(`${said} ${body}`);
}

/** A failed request as an error for the author. A model that is not there is named together with those that are. */
export async function toBackendError(
  error: unknown,
  { model }: LocalSettings,
  listModels: () => Promise<readonly string[] | undefined>,
): Promise<unknown> {
  if (!(error instanceof ModelError)) return error;
  if (error.code !== 'no-model') return new BackendError(error.code, error.message, error);
  const models = await listModels().catch(() => undefined);
  if (models === undefined || models.length === 0 || models.includes(model))
    return new BackendError('no-model', error.message, error);
  const message = `Model ${model} not found; the server has: ${models.join(', ')}. Choose one with NIB_LOCAL_MODEL.`;
  return new BackendError('no-model', message, error);
}
