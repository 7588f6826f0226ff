import type { ReactNode } from 'react';
import { app } from '../state/app.ts';
import { useStore } from '../state/store.ts';

/** What went wrong just now, said once. */
export function Toast(): ReactNode {
  const toast = useStore(app, (state) => state.toast);
  return (
    <div className="toasts" role="status">
      {toast === null ? null : (
        <p key={toast.key} className="toast">
          {toast.text}
        </p>
      )}
    </div>
  );
}
