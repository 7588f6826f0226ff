import { useEffect, useState } from 'react';

/** Files dropped anywhere on the page. Says whether some are held over it. */
export function useDrop(active: boolean, onFiles: (files: Iterable<File>) => void): boolean {
  const [over, setOver] = useState(false);
  useEffect(() => {
    const listening = new AbortController();
    const { signal } = listening;
    const holdsFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') ?? false;
    const onDrag = (event: DragEvent): void => {
      if (!holdsFiles(event)) return;
      // Without `preventDefault` the browser would navigate to the dropped file.
      event.preventDefault();
      setOver(active);
    };
    window.addEventListener('dragover', onDrag, { signal });
    window.addEventListener('dragleave', (event) => event.relatedTarget === null && setOver(false), {
      signal,
    });
    window.addEventListener(
      'drop',
      (event) => {
        setOver(false);
        if (!holdsFiles(event)) return;
        event.preventDefault();
        if (active && event.dataTransfer !== null) onFiles([...event.dataTransfer.files]);
      },
      { signal },
    );
    return () => listening.abort();
  }, [active, onFiles]);
  return over;
}
