import { HTML_LANGUAGES } from './language-of.ts'
import { type Language, translate } from './translate.ts'

const NAMES: Readonly<Record<Language, string>> = { cn: '中文', en: 'English' }

export interface TwoLanguagePage {
  /** Elements for the head, besides title and styles. */
  head?: string
  title: (say: (english: string) => string) => string
  /** As HTML. */
  body: (say: (english: string) => string) => string
}

/**
 * A page of a few words in both languages, without a script: the reader's is shown, and a link at
 * the top shows the other. It needs no other file, and no second request: such a page may be the
 * answer to a form, which is not sent again.
 */
export function twoLanguagePage(reader: Language, { head = '', title, body }: TwoLanguagePage): string {
  const languages: readonly Language[] = ['cn', 'en']
  const say = (language: Language) => (english: string) => translate(language, english)
  const links = languages.map((one) => `<a href="#${one}" lang="${HTML_LANGUAGES[one]}">${NAMES[one]}</a>`)
  const texts = languages.map(
    (one) =>
      `<main id="${one}" lang="${HTML_LANGUAGES[one]}"${one === reader ? ' class="own"' : ''}>${body(say(one))}</main>`,
  )
  return `<!doctype html>
<html lang="${HTML_LANGUAGES[reader]}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${head}<title>${title(say(reader))}</title>
<style>
body{font:15px/1.5 system-ui,sans-serif;max-width:36em;margin:24px auto;padding:0 16px}
nav{display:flex;gap:16px;justify-content:flex-end;margin-bottom:10vh}
h1{font-size:20px}
main{display:none}
main:target,body:not(:has(main:target)) main.own{display:block}
</style>
<nav>${links.join('')}</nav>
${texts.join('\n')}
`
}
