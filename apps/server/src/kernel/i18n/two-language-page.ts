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

/** The gate of the console's pages (`apps/console/src/design/Logo.tsx`). */
const MARK =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" width="28" height="28" aria-hidden="true">' +
  '<path d="M3 29V8h4V4h5v4h8V4h5v4h4v21h-8v-8a5 5 0 0 0-10 0v8z" fill="#1aa893"/>' +
  '<path d="M14 29v-8a2 2 0 0 1 4 0v8z" fill="#f2c14e"/></svg>'

/** The colors of the console (`apps/console/src/design/look/tokens.css`), light and dark. */
const STYLES = `
:root{--ground:#fff;--text:#16202a;--quiet:#56636f;--link:#0f7b6c}
@media(prefers-color-scheme:dark){:root{--ground:#10161b;--text:#e1e8ee;--quiet:#9dabb7;--link:#5cc9ba}}
body{max-width:36em;margin:24px auto;padding:0 16px;background:var(--ground);color:var(--text);font:15px/1.5 system-ui,sans-serif}
a{color:var(--link)}
nav{display:flex;gap:16px;align-items:center;margin-bottom:10vh}
nav svg{margin-right:auto}
h1{font-size:20px;font-weight:600}
main{display:none;color:var(--quiet)}
main h1{color:var(--text)}
main:target,body:not(:has(main:target)) main.own{display:block}
`

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
<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(MARK)}">
<style>${STYLES}</style>
<nav>${MARK}${links.join('')}</nav>
${texts.join('\n')}
`
}
