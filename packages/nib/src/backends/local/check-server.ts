import { failureOf } from '@plugboard/llm';
import { BackendError } from '../failure.ts';
import type { Ask } from './model/ask.ts';
import { describeFailure } from './model/failure.ts';
import { type Fetch, listModels } from './model/models.ts';
import type { LocalSettings } from './settings.ts';

/**
 * The `--check` flag: sends one question to the server and prints the result line by line; resolves to true on success.
 */
export async function checkServer(
  settings: LocalSettings,
  ask: Ask,
  fetch: Fetch,
  say: (line: string) => void,
): Promise<boolean> {
  const { signal } = new AbortController();
  say(`endpoint: ${settings.endpoint}`);
  say(`model: ${settings.model}`);
  say(`key: ${settings.apiKey === undefined ? 'none' : 'given'}`);
  try {
    const models = await listModels(settings, fetch, signal).catch((error) => {
      throw new BackendError(...describeFailure(failureOf(error, 0), settings), error);
    });
    say(`the server has: ${models?.join(', ') ?? '(it does not say)'}`);
    const question = {
      system: '',
      said: [{ role: 'user', text: 'Say the word ready.' } as const],
      tools: [],
    };
    const { text } = await ask({ ...question, temperature: 0, signal });
    say(`the model says: ${text.slice(0, 200)}`);
    return true;
  } catch (error) {
    if (!(error instanceof BackendError)) throw error;
    say(error.message);
    return false;
  }
}
