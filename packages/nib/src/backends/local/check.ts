import { BackendError } from '../failure.ts';
import type { Ask } from './model/ask.ts';
import { toServerError } from './model/error.ts';
import type { Fetch } from './model/mend.ts';
import { listModels } from './model/models.ts';
import type { LocalSettings } from './settings.ts';

/** Tries whether the server and the model are there, and says so line by line; resolves to whether all is well. */
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
      throw toServerError(error, settings);
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
