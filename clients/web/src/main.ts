import { mount } from 'svelte';
import App from './App.svelte';
import './styles/tokens.css';
import './styles/suits.css';
import './styles/base.css';
import { locale } from './i18n/i18n.svelte';
import { profile } from './profile/profile.svelte';

profile.load();
await locale.load(profile.value.lang).catch(() => undefined);
mount(App, { target: document.getElementById('app') as HTMLElement });
