import { isObject, type JsonObject, type JsonValue, parseJson } from '@plugboard/protocol';
import { createVerdict, type Expectation } from '../../case.ts';
import { expectRecording } from '../expect.ts';
import type { HostSight } from '../host-case.ts';
import type { Act, Recording } from '../script.ts';

/** Writes values, one a line. */
export function writeLines(...values: readonly JsonObject[]): Act {
  return { write: values.map((value) => `${JSON.stringify(value)}\n`).join('') };
}

/** The JSON objects that the host has written. */
export function objectsOf({ stdin }: Recording): JsonObject[] {
  return stdin.split('\n').flatMap((line) => {
    const parsed = parseJson(line);
    return parsed.ok && isObject(parsed.value) ? [parsed.value] : [];
  });
}

/** The answers of the host to the request `id`. */
export function responsesTo(agent: Recording, id: JsonValue): JsonObject[] {
  return objectsOf(agent).filter((value) => value.id === id && value.method === undefined);
}

/** The host has answered the request `id` once, in a way that `isRight` accepts. */
export function answersRequest(
  id: JsonValue,
  wanted: string,
  isRight: (response: JsonObject) => boolean,
): Expectation<HostSight> {
  return expectRecording('answers the request', (agent) => {
    const [response, other] = responsesTo(agent, id);
    const isOne = response !== undefined && other === undefined;
    return createVerdict(isOne && isRight(response), wanted, agent.stdin);
  });
}

/** The host ends with an error. */
export const fails: Expectation<HostSight> = {
  name: 'fails',
  look: ({ ending: { exitCode } }) =>
    createVerdict(exitCode !== 0, 'the host to exit with an error', `exit code ${exitCode}`),
};

/** The agent learns that it is no longer needed. */
export const letsGo: Expectation<HostSight> = expectRecording('lets go', (agent) =>
  createVerdict(agent.stdinClosed || agent.signals.length > 0, 'stdin to be closed, or a signal', 'neither'),
);
