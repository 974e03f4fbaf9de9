import { expect, test } from 'vitest';
import { seatLink, tokenInHash } from '../src/net/seats';
import { parseProfile } from '../src/profile/profile.svelte';

test('whatever is stored gives a profile', () => {
  for (const text of [null, '', 'no json', '[]', 'null', '{"faces":7,"theme":"pink"}']) expect(parseProfile(text)).toMatchObject({ faces: 'standard', theme: 'auto' });
  expect(parseProfile('{"name":"Ana","theme":"dark","colour":3,"strange":1}')).toMatchObject({ name: 'Ana', theme: 'dark', colour: 3 });
});

test('the link that moves a seat keeps its secret behind the #', () => {
  const link = seatLink('http://box:8080', 'abcdefghij', 'a/b+c=');
  expect(new URL(link).pathname).toBe('/t/abcdefghij');
  expect(tokenInHash(new URL(link).hash)).toBe('a/b+c=');
  expect(tokenInHash('#else')).toBeNull();
});
