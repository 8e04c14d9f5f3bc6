import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export type Language = 'cn' | 'en'

/** The sentence in the reader's language, with its values filled in. */
export type Say = (english: string, values?: Readonly<Record<string, unknown>>) => string

/**
 * The Chinese of each English text, which is its own key: labels of definitions from the contract
 * package, the server's own sentences from here. All of it is read at start.
 */
const chinese = new Map<string, string>()
for (const folder of ['../../../../../packages/contract/src/locales/cn/', '../../locales/cn/']) {
  const path = fileURLToPath(new URL(folder, import.meta.url))
  for (const file of readdirSync(path).filter((name) => name.endsWith('.json'))) {
    for (const [english, text] of Object.entries(
      JSON.parse(readFileSync(path + file, 'utf8')) as Record<string, string>,
    ))
      chinese.set(english, text)
  }
}

/** Whether it is a whole sentence of ours, into which nothing is filled: no text of others can be part of it. */
export const isSentence = (english: string): boolean => chinese.has(english) && english.search(PLACE) < 0

const PLACE = /\{\{(\w+)(?:\|([^|}]+)\|([^|}]+))?\}\}/g

/**
 * The text in that language; English where there is no translation. `{{name}}` is filled in from
 * `values`, and `{{count|try|tries}}` becomes `1 try` or `2 tries`.
 */
export function translate(language: Language, english: string, values: Readonly<Record<string, unknown>> = {}): string {
  const text = language === 'cn' ? (chinese.get(english) ?? english) : english
  return text.replace(PLACE, (placeholder, name: string, one?: string, many?: string) => {
    if (!(name in values)) return placeholder
    const words = Number(values[name]) === 1 ? one : many
    return `${values[name]}${words ? ` ${words}` : ''}`
  })
}
