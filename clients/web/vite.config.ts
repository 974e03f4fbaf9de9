import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vite';

// The gateway of a `rapid serve --dev --port 8080` answers what the page asks for while `npm run dev` serves the source.
const gateway = 'http://127.0.0.1:8080';

export default defineConfig({
  plugins: [svelte()],
  build: {
    target: ['chrome100', 'firefox100', 'safari16.4'],
    // The strict Content-Security-Policy takes no inline script and no data: style or font, so every file stays a file.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    cssCodeSplit: false,
    // How long the bundler's plugins took is no news to whoever starts a game.
    rolldownOptions: { checks: { bundlerTimings: false } },
  },
  server: { proxy: { '/api': gateway, '/ws': { target: gateway, ws: true } } },
});
