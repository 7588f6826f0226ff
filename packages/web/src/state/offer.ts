import type { OptionsView } from '@plugboard/client';
import type { OptionValue } from '@plugboard/protocol';
import { gateway } from '../api/gateway.ts';
import { describeError, isLoggedOut } from '../api/request.ts';
import { logOut, showToast } from './app.ts';
import { patchStore, type Store } from './store.ts';

/** The options and commands of the agent in one session. */
export interface Offer {
  load(): Promise<void>;
  /** Shows the value at once and sends it to the gateway; what the gateway then has is shown instead. */
  choose(option: string, value: OptionValue): Promise<void>;
}

/** Keeps `offer` in the store of session `id`. */
export function createOffer(id: string, store: Store<{ readonly offer: OptionsView }>): Offer {
  /** Choices so far, and how many of them the gateway has not yet answered. */
  let choices = 0;
  let pending = 0;

  /** The list of the gateway, since an `options` event does not have the values that people have chosen. */
  const load = async (): Promise<void> => {
    const before = choices;
    try {
      const offer = await gateway.sessions.options(id);
      // A list from before a choice would show the old value; it is loaded again after the choice.
      if (choices === before && pending === 0) patchStore(store, { offer });
    } catch {
      // The next `options` event or the next visit loads it.
    }
  };

  const choose = async (option: string, value: OptionValue): Promise<void> => {
    choices += 1;
    pending += 1;
    const { offer } = store.get();
    const options = offer.options.map((one) => (one.id === option ? { ...one, value } : one));
    patchStore(store, { offer: { ...offer, options } });
    try {
      await gateway.sessions.update(id, { options: { [option]: value } });
    } catch (error) {
      if (isLoggedOut(error)) logOut();
      else showToast(describeError(error));
    } finally {
      pending -= 1;
    }
    await load();
  };

  return { load, choose };
}
