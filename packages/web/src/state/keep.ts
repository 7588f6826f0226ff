/** What a tab or a browser keeps. A full or forbidden storage costs comfort, never the page. */
export interface Keep {
  read(place: string): string | null;
  write(place: string, text: string): void;
}

/** Of this tab: two tabs must not both send what one of them kept. */
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
        // Kept in memory then, as long as the page is open.
      }
    },
  };
}
