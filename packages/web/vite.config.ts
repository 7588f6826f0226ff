import react from '@vitejs/plugin-react';
import { defineConfig, type UserConfig } from 'vite';

// The gateway serves the page under a policy that allows no inline script, style or data: address, so nothing may be inlined.
const SETTINGS: UserConfig = {
  root: import.meta.dirname,
  plugins: [react()],
  build: {
    target: 'es2023',
    // light-dark() and nesting are used as they are: rewriting them would double the style sheet.
    cssTarget: ['chrome123', 'firefox128', 'safari17.5'],
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    emptyOutDir: true,
  },
  server: { proxy: { '/api': 'http://127.0.0.1:7420' } },
};

export default defineConfig(({ command }) => {
  // What is built is for use, whoever starts the build: a test runner sets another environment, and React would be its slow self.
  if (command === 'build') process.env.NODE_ENV = 'production';
  return SETTINGS;
});
