// The titles that places give, by ruleset and number of seats (RULES 2.6, 3.8, 4.5, 5.3). The log tells them with each
// round; only when a seat is freed between rounds are they given anew without a word (RULES G7).
const neutral = (count: number): string[] => Array.from({ length: Math.max(0, count) }, () => 'neutral');

const TITLES: Record<string, (count: number) => string[]> = {
  president: (count) =>
    count === 3 ? ['president', 'neutral', 'asshole'] : ['president', 'vice_president', ...neutral(count - 4), 'vice_asshole', 'asshole'],
  presi: (count) =>
    count === 3 ? ['president', 'vice_president', 'culo'] : ['president', 'vice_president', ...neutral(count - 4), 'vice_culo', 'culo'],
  house: (count) => ['president', 'vice_president', ...Array.from({ length: count - 2 }, (_, i) => `place_${i + 3}`)],
  escoria: (count) => {
    const middle = [[], ['neutral'], ['upper_neutral', 'lower_neutral'], ['upper_neutral', 'neutral', 'lower_neutral']][count - 4] ?? [];
    return ['president', 'vice_president', ...middle, 'vice_scum', count === 7 ? 'super_scum' : 'scum'];
  },
};

/** Best first; none where the ruleset or the number of seats is not known. */
export const titlesOf = (ruleset: string, count: number): string[] => (count < 3 ? [] : (TITLES[ruleset]?.(count) ?? []));
