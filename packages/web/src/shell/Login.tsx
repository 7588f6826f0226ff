import type { ReactNode } from 'react';
import { app } from '../state/app.ts';
import { patchStore, useStore } from '../state/store.ts';
import { Mark } from './icons.tsx';
import { checkLogin } from './start.ts';

/** The page before login: it says how to get a login link. There are no passwords, so it has no form. */
export function Login({ state }: { readonly state: 'checking' | 'out' | 'unreachable' }): ReactNode {
  const problem = useStore(app, (now) => now.loginProblem);
  if (state === 'checking') return <div className="login" aria-busy="true" />;
  return (
    <main className="login">
      <div className="login-card">
        <Mark />
        {state === 'out' ? <LoggedOut problem={problem} /> : <Unreachable />}
      </div>
    </main>
  );
}

function LoggedOut({ problem }: { readonly problem: string | null }): ReactNode {
  return (
    <>
      <h1>You are not logged in</h1>
      {problem === null ? null : (
        <p className="login-problem" role="alert">
          {problem}
        </p>
      )}
      <p>On the machine where the gateway runs, ask for a link and open it in this browser:</p>
      <pre className="login-command">plugboard login</pre>
      <p className="muted">A link works once, for five minutes. No password is kept here.</p>
    </>
  );
}

function Unreachable(): ReactNode {
  const again = (): void => {
    patchStore(app, { login: 'checking' });
    checkLogin();
  };
  return (
    <>
      <h1>The gateway does not answer</h1>
      <p>It may be stopped, or the network is down. This page tries again by itself. To start it:</p>
      <pre className="login-command">plugboard up</pre>
      <button type="button" className="button primary" onClick={again}>
        Try again now
      </button>
    </>
  );
}
