import { StoreError } from '@plugboard/store';
import { CommandFailure } from '../failure.ts';

/** People know a file by the name they gave, and not what it is called while it is prepared. */
export async function named<T>(file: string, copy: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof CommandFailure || error instanceof StoreError)) throw error;
    const message = error.message.replaceAll(copy, file);
    throw new CommandFailure(message, error instanceof CommandFailure ? error.exitCode : 1);
  }
}
