/**
 * Texts in two languages. The English text is the key; Chinese comes from `locales/cn/*.json`,
 * fetched only when it is needed. A language is chosen before the first render and kept until the
 * page is loaded again, so `t` is a plain function.
 */
import { WIRE } from '@sallyport/contract/constants.ts'
import { isolated } from './bidi.ts'
import { readCookie, writeCookie } from './cookies.ts'

export type Language = 'en' | 'cn'
export type Catalog = Readonly<Record<string, string>>

const COOKIE_DAYS = 3650
const PLACE = /\{\{(\w+)(?:\|([^|}]+)\|([^|}]+))?\}\}/g

let catalog: Catalog = {}

/**
 * The cookie value `en` means English, anything else Chinese (A1.19 B9.30). Without a cookie nobody
 * has chosen: the server has written the installation's language, or the browser's, into the
 * document, and answers labels in the same one.
 */
export function language(): Language {
  return /^en/i.test(readCookie(WIRE.languageCookie) || document.documentElement.lang) ? 'en' : 'cn'
}

/** BCP 47 tag, for dates and the `lang` attribute. */
export function languageTag(): string {
  return language() === 'en' ? 'en-US' : 'zh-CN'
}

/**
 * Reads the catalog when the language needs one; local storage follows. Nothing is chosen by this.
 * Call it before the first render.
 */
export async function startLanguage(loadChinese: () => Promise<Catalog>): Promise<void> {
  localStorage.setItem('lang', language())
  document.documentElement.lang = languageTag()
  // The texts of the page that is opened first may have come before.
  catalog = language() === 'cn' ? { ...(await loadChinese()), ...catalog } : {}
}

/** Adds the Chinese of a part of the console whose code has just come. */
export function addTexts(more: Catalog): void {
  catalog = { ...catalog, ...more }
}

/** Stores the choice and reloads the page at the same address. */
export function switchLanguage(next: Language): void {
  writeCookie(WIRE.languageCookie, next === 'en' ? 'en' : 'zh-hans', COOKIE_DAYS)
  localStorage.setItem('lang', next)
  location.reload()
}

/**
 * The text in the current language; `{{name}}` is filled from `values`, `{{count|row|rows}}` as `1
 * row` and `2 rows`. A missing translation falls back to English. Where one English text has two
 * Chinese ones, what follows `@@` tells them apart and is never shown: `Users@@list`.
 */
export function t(text: string, values?: Readonly<Record<string, string | number>>): string {
  const found = catalog[text] ?? text.replace(/@@.*$/, '')
  if (!values) return found
  return found.replace(PLACE, (_, name: string, one?: string, many?: string) => {
    const words = values[name] === 1 ? one : many
    return `${isolated(values[name] ?? '')}${words ? ` ${words}` : ''}`
  })
}

/**
 * Marks a text that is declared as data and translated where it is shown; the catalog check finds
 * it by this name.
 */
export function msg<const T extends string>(text: T): T {
  return text
}

/** Only for tests. */
export function setCatalog(entries: Catalog): void {
  catalog = entries
}
