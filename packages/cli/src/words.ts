import chinese from './words.cn.json' with { type: 'json' }

export type Language = 'en' | 'cn'
/** The sentence in the person's language, with its values filled in. */
export type Say = (english: string, values?: Readonly<Record<string, unknown>>) => string

/** By the language of the environment, in the order in which programs read it. */
export function languageOf({ LC_ALL, LC_MESSAGES, LANG }: NodeJS.ProcessEnv): Language {
  return /^zh/i.test(LC_ALL || LC_MESSAGES || LANG || '') ? 'cn' : 'en'
}

export function sayIn(language: Language): Say {
  const texts: Readonly<Record<string, string>> = language === 'cn' ? chinese : {}
  return (english, values = {}) =>
    (texts[english] ?? english).replace(/\{\{(\w+)\}\}/g, (place, name: string) => String(values[name] ?? place))
}
