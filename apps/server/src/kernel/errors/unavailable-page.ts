import { type Language, translate } from '../i18n/translate.ts'

const TRY_AGAIN_SECONDS = 5
const HTML_LANGUAGE: Readonly<Record<Language, string>> = { en: 'en', cn: 'zh-Hans' }

/**
 * The page for browsers while the database is away. It needs no other file, and opens the same
 * address again by itself.
 */
export function unavailablePage(language: Language): string {
  const text = translate(language, 'The database does not answer. This page tries again by itself.')
  return `<!doctype html>
<html lang="${HTML_LANGUAGE[language]}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="refresh" content="${TRY_AGAIN_SECONDS}">
<title>Sallyport</title>
<style>body{font:15px/1.5 system-ui,sans-serif;display:grid;place-items:center;min-height:90vh;margin:0 24px}</style>
<p role="alert">${text}</p>
`
}
