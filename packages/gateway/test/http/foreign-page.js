/** What a page of somebody else would try. It runs in a browser. */

/** Requests of every kind that a page can make a browser send; what it could see of each. */
async function attempts(url, id) {
  const attempt = async (path, init) => {
    try {
      const answer = await fetch(url + path, { credentials: 'include', ...init });
      return `${answer.type} ${answer.status} ${await answer.text()}`;
    } catch {
      return 'refused';
    }
  };
  const post = { method: 'POST', mode: 'no-cors' };
  const text = { 'content-type': 'text/plain' };
  return [
    await attempt('/api/sessions', { ...post, body: '{}', headers: text }),
    await attempt('/api/sessions', { ...post, body: new URLSearchParams({ agent: 'echo' }) }),
    await attempt('/api/sessions', {
      method: 'POST',
      body: '{}',
      headers: { 'content-type': 'application/json' },
    }),
    await attempt(`/api/sessions/${id}`, { method: 'DELETE' }),
    await attempt(`/api/media?session=${id}`, { ...post, body: 'x', headers: text }),
    await attempt('/api/sessions', {}),
    await attempt('/api/sessions', { mode: 'no-cors' }),
    await attempt('/healthz', {}),
  ];
}

/** What it hears of a stream, of a script and of a picture. */
async function embeds(url, id) {
  const source = new EventSource(`${url}/api/sessions/${id}/events`, { withCredentials: true });
  const stream = await new Promise((resolve) => {
    source.onopen = () => resolve('open');
    source.onmessage = () => resolve('message');
    source.onerror = () => resolve('error');
  });
  source.close();
  const embedded = (name, path) =>
    new Promise((resolve) => {
      const element = document.createElement(name);
      element.onload = () => resolve('loaded');
      element.onerror = () => resolve('error');
      element.src = url + path;
      document.body.append(element);
    });
  return [stream, await embedded('script', '/docs.js'), await embedded('img', '/icon.svg')];
}

/** Sends a form away. */
function submit(action) {
  const form = document.createElement('form');
  Object.assign(form, { action, method: 'post', enctype: 'text/plain' });
  document.body.append(form);
  form.submit();
}

Object.assign(globalThis, { attempts, embeds, submit });
