/** The worlds of every run of the tests; `npm run simulate` visits as many more as there is time for. */
export const seeds: readonly number[] = Array.from({ length: 30 }, (_, at) => at + 1);
