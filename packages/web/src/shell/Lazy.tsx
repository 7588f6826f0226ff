import { type ComponentType, type ReactNode, useEffect, useState } from 'react';

/** A part of the page that is not there from the start. */
export interface LazyPart<Props> {
  readonly load: () => Promise<ComponentType<Props>>;
  loading: Promise<void> | null;
  found: ComponentType<Props> | null;
}

export function lazyPart<Props>(load: () => Promise<ComponentType<Props>>): LazyPart<Props> {
  return { load, loading: null, found: null };
}

/** Loads a part once; after a failure the next call of `fetchPart` tries again. */
export function fetchPart<Props>(part: LazyPart<Props>): Promise<void> {
  part.loading ??= part.load().then(
    (found) => {
      part.found = found;
    },
    (error: unknown) => {
      part.loading = null;
      throw error;
    },
  );
  return part.loading;
}

interface LazyProps<Props> {
  readonly part: LazyPart<Props>;
  readonly props: Props;
}

/**
 * Not `React.lazy`: it throws when a file cannot be loaded, as after an update of the gateway, and that unmounts the
 * whole page.
 */
export function Lazy<Props extends object>({ part, props }: LazyProps<Props>): ReactNode {
  const [arrived, setArrived] = useState({ part, failed: false });
  useEffect(() => {
    fetchPart(part).then(
      () => setArrived({ part, failed: false }),
      () => setArrived({ part, failed: true }),
    );
  }, [part]);
  if (arrived.part === part && arrived.failed) return <NotLoaded />;
  const { found: Found } = part;
  return Found === null ? <div aria-busy="true" /> : <Found {...props} />;
}

function NotLoaded(): ReactNode {
  return (
    <div className="center" role="alert">
      <p>This part of the page could not be loaded: the gateway is away, or has been updated.</p>
      <button type="button" className="button primary" onClick={() => window.location.reload()}>
        Load the page again
      </button>
    </div>
  );
}
