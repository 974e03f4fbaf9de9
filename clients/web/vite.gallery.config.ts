import { defineConfig, mergeConfig } from 'vite';
import vite from './vite.config';

// The gallery of made-up states for the browser tests: one page, away from `dist`, which alone goes into the wheel.
export default mergeConfig(vite, defineConfig({
  base: './',
  publicDir: false,
  build: { outDir: 'node_modules/.gallery', emptyOutDir: true, target: 'esnext', minify: false, rolldownOptions: { input: 'dev/gallery.html' } },
}));
