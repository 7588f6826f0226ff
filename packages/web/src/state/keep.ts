/**
 * Storage of a tab or a browser. When `sessionStorage` or `localStorage` is full or forbidden, values are lost with the
 * page, without an error.
 */
export interface Keep {
  read(place: string): string | null;
  write(place: string, text: string): void;
}

/** `sessionStorage`: with `localStorage` two tabs would both send the same stored message. */
export const tabKeep: Keep = keepIn(() => sessionStorage);
/** Of this browser. */
export const browserKeep: Keep = keepIn(() => localStorage);

function keepIn(storage: () => Storage): Keep {
  return {
    read(place) {
      try {
        return storage().getItem(place);
      } catch {
        return null;
      }
    },
    write(place, text) {
      try {
        if (text === '') storage().removeItem(place);
        else storage().setItem(place, text);
      } catch {
        // The caller's copy in memory then lasts until the page is closed.
      }
    },
  };
}
