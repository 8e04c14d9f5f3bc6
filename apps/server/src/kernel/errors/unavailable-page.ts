import type { Language } from '../i18n/translate.ts'
import { twoLanguagePage } from '../i18n/two-language-page.ts'

const TRY_AGAIN_SECONDS = 5

/**
 * The page for browsers while the database is away. It needs no other file, and opens the same
 * address again by itself.
 */
export function unavailablePage(language: Language): string {
  return twoLanguagePage(language, {
    head: `<meta http-equiv="refresh" content="${TRY_AGAIN_SECONDS}">\n`,
    title: () => 'Sallyport',
    body: (say) => `<p role="alert">${say('The database does not answer. This page tries again by itself.')}</p>`,
  })
}
