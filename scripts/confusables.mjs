/**
 * Makes the table of letters that look alike from the one of Unicode (UTS #39), for a newer version:
 * `node_modules/.bin/node scripts/confusables.mjs confusables.txt`, with the file of
 * https://www.unicode.org/Public/security/. Characters that NFKC turns into others are left out, since
 * names are compared in that form.
 */
import { readFileSync, writeFileSync } from 'node:fs'

const TABLE = new URL('../apps/server/src/domains/users/look-alike/confusables.txt', import.meta.url)

const characters = (hex) =>
  hex
    .trim()
    .split(/\s+/)
    .map((one) => String.fromCodePoint(Number.parseInt(one, 16)))
    .join('')

/** By prototype, what is taken for it. */
const alike = new Map()
for (const line of readFileSync(process.argv[2], 'utf8').split('\n')) {
  const [source, prototype] = line.replace(/^\ufeff|#.*$/g, '').split(';')
  if (!prototype) continue
  const character = characters(source)
  if (character.normalize('NFKC') !== character) continue
  const key = characters(prototype)
  alike.set(key, (alike.get(key) ?? '') + character)
}
const lines = [...alike].map(([prototype, sources]) => `${prototype}\t${sources}`).sort()
writeFileSync(TABLE, `${lines.join('\n')}\n`)
