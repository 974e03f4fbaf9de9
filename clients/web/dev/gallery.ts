// Every screen from a made-up state, for looking at without a server: `npm run dev`, then /dev/gallery.html?screen=race.
// It is no part of the build.
import { mount } from 'svelte';
import '../src/styles/tokens.css';
import '../src/styles/suits.css';
import '../src/styles/base.css';
import { locale } from '../src/i18n/i18n.svelte';
import { profile } from '../src/profile/profile.svelte';
import { Session } from '../src/state/session.svelte';
import Frame from './Frame.svelte';
import { SCREENS } from './fixtures';

const query = new URLSearchParams(location.search);
const screen = SCREENS[query.get('screen') ?? 'race'] ?? SCREENS['race'];
profile.value = { ...profile.value, theme: (query.get('theme') ?? 'light') as 'dark', felt: (query.get('felt') ?? 'green') as 'blue', name: 'Ana', faces: (query.get('faces') ?? 'standard') as 'four' };
await locale.load(query.get('lang') ?? 'en');
const session = new Session('abcdefghijk');
session.clock.take(performance.now() - 30, performance.now(), 1_000_000);
session.state = screen!.state(1_000_000);
session.link = screen!.link ?? { kind: 'live' };
session.rtt = 34;
session.painted = session.view?.trick?.state ?? null;
Object.assign(session, { close: () => undefined });
Object.defineProperty(session, 'can_act', { get: () => session.link.kind === 'live' });
mount(Frame, { target: document.getElementById('app')!, props: { session, panel: query.get('panel') } });
