import { readFileSync } from 'node:fs'

/**
 * What each character is taken for, as Unicode has it (UTS #39, `scripts/confusables.mjs`): a line is
 * what is taken for, a tab, and all that is taken for it.
 */
let prototypes: ReadonlyMap<string, string> | undefined
const readPrototypes = (): ReadonlyMap<string, string> =>
  new Map(
    readFileSync(new URL('confusables.txt', import.meta.url), 'utf8')
      .split('\n')
      .flatMap((line) => {
        const [prototype = '', sources = ''] = line.split('\t')
        return [...sources].map((source) => [source, prototype] as const)
      }),
  )

/**
 * The looks of a user name at a glance: its skeletons (UTS #39 §4), small and capital, since names
 * are the same in any case. Two names look alike when they have one in common.
 */
export function looksOf(username: string): string[] {
  const name = username.normalize('NFKC')
  return [...new Set([skeleton(name.toLowerCase()), skeleton(name.toUpperCase())])]
}

function skeleton(text: string): string {
  // Most starts make nobody, and need none of it.
  prototypes ??= readPrototypes()
  const taken = [...text.normalize('NFD')].map((character) => prototypes?.get(character) ?? character)
  return taken.join('').normalize('NFD')
}

/**
 * Whether two names that look alike are written alike, so that people tell them apart as they do
 * others: `user1` and `userl`, or two Chinese names. Otherwise one is made to pass for the other:
 * `аdmin`, with a letter of Cyrillic.
 */
export const isWrittenAlike = (one: string, other: string): boolean => writingOf(one) === writingOf(other)

/** Scripts whose letters are taken for those of others; what is left is one kind of its own. */
const SCRIPTS = [
  'Latin',
  'Cyrillic',
  'Greek',
  'Han',
  'Hiragana',
  'Katakana',
  'Hangul',
  'Bopomofo',
  'Armenian',
  'Hebrew',
  'Arabic',
  'Cherokee',
  'Coptic',
  'Lisu',
  'Thai',
  'Common',
].map((name) => [name, new RegExp(`\\p{Script=${name}}`, 'u')] as const)

/** The scripts of a name; English letters and signs are one, since nobody takes them for foreign. */
function writingOf(name: string): string {
  const scripts = [...name.normalize('NFKC')].map((character) =>
    character <= '\x7f' ? 'ASCII' : (SCRIPTS.find(([, script]) => script.test(character))?.[0] ?? 'other'),
  )
  return [...new Set(scripts)].sort().join()
}
