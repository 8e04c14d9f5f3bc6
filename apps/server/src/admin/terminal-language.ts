import type { Language } from '../kernel/i18n/translate.ts'
import { WrongUse } from './wrong-use.ts'

/** The language of `--language`, or by the same variables as other programs of the terminal. Throws WrongUse. */
export function languageOf(given: string | undefined): Language {
  const { LC_ALL, LC_MESSAGES, LANG } = process.env
  const language = given ?? (/^zh/i.test(LC_ALL || LC_MESSAGES || LANG || '') ? 'cn' : 'en')
  if (language !== 'cn' && language !== 'en') throw new WrongUse('--language must be cn or en')
  return language
}
