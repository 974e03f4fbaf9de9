// Every screen from a made-up state, for looking at without a server: `npm run dev`, then
// /dev/gallery.html?screen=race&theme=dark&lang=es&seats=6&names=long&panel=rules. The browser tests build it for
// themselves (vite.gallery.config.ts) and go from state to state by `gallery.show`. It is no part of the client's build.
import { mount, tick, unmount } from 'svelte';
import '../src/styles/tokens.css';
import '../src/styles/suits.css';
import '../src/styles/base.css';
import { locale } from '../src/i18n/i18n.svelte';
import { type Profile, profile } from '../src/profile/profile.svelte';
import { Session } from '../src/state/session.svelte';
import Start from '../src/screens/Start.svelte';
import Frame from './Frame.svelte';
import { around, SCREENS, type Screen } from './fixtures';

export interface Look extends Partial<Profile> {
  screen?: string;
  panel?: string;
  /** so many chairs around the table, with names of 24 wide letters if `names` is `long` */
  seats?: number;
  names?: string;
}

const NOW = 1_000_000;
const target = document.getElementById('app') as HTMLElement;
let shown: Record<string, unknown> | null = null;

function sessionOf(screen: Screen, seats: number | undefined, names: string | undefined): Session {
  const session = new Session('abcdefghijk');
  session.clock.take(performance.now() - 30, performance.now(), NOW);
  const state = screen.state(NOW);
  session.state.show(seats === undefined && names === undefined ? state : around(state, seats ?? 6, names === 'long'));
  session.link = screen.link ?? { kind: 'live' };
  session.rtt = 34;
  session.painted = session.view?.trick?.state ?? null;
  Object.assign(session, { close: () => undefined });
  Object.defineProperty(session, 'can_act', { get: () => session.link.kind === 'live' });
  return session;
}

function press(test: string): void {
  target.querySelector<HTMLElement>(`[data-test=${test}]`)?.click();
}

async function open(panel: string): Promise<void> {
  const first = ['activity', 'rules', 'menu'].includes(panel) ? panel : 'menu';
  press(`open-${first}`);
  await tick();
  if (first !== panel) press(`menu-${panel}`);
  await tick();
}

async function show(look: Look): Promise<void> {
  if (shown !== null) await unmount(shown);
  const { screen = 'race', panel, seats, names, ...own } = look;
  profile.value = { ...profile.value, theme: 'light', felt: 'green', faces: 'standard', motion: 'less', lang: 'en', name: 'Ana', ...own };
  const { theme, felt, faces, motion } = profile.value;
  Object.assign(document.documentElement.dataset, { theme, felt, faces, motion: motion === 'less' ? 'less' : 'full' });
  await locale.load(profile.value.lang);
  const found = SCREENS[screen];
  if (screen === 'start') shown = mount(Start, { target });
  else if (found === undefined) throw new Error(`no screen ${screen}`);
  else shown = mount(Frame, { target, props: { session: sessionOf(found, seats, names) } });
  await tick();
  if (screen === 'start' && panel !== undefined) press(`open-${panel}`);
  else if (panel !== undefined) await open(panel);
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
}

const query = new URLSearchParams(location.search);
const asked: Record<string, unknown> = Object.fromEntries(query);
if (query.has('seats')) asked['seats'] = Number(query.get('seats'));
await show(asked);
Object.assign(window, { gallery: { show, screens: ['start', ...Object.keys(SCREENS)] } });
