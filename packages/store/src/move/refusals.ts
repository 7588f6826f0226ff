import { StoreError } from '../contract/errors.ts';

/** The target has a half-finished move of another store, or of this one in another state. */
export function otherMove(place: string, remedy: string): StoreError {
  return new StoreError(
    'conflict',
    `${place} has a half-finished move of another store, or of this one before it was used again. ${remedy}`,
  );
}
