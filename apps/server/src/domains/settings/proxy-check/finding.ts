import type { Say } from '../../../kernel/i18n/translate.ts'
import { PROXIES, type ProxyName } from './mend-lines.ts'

/** A judgement about one part of a proxy's work, and how to mend it. */
export interface ProxyFinding {
  /** Stable. */
  name: string
  state: 'ok' | 'warning' | 'error'
  words: (say: Say) => string
  /** What to do, without the lines; missing where nothing is to be done. */
  advice?: (say: Say) => string
  /** Lines of configuration by proxy; none for those that do it by themselves. */
  lines?: Readonly<Record<ProxyName, readonly string[]>>
  /** A line of Sallyport's own configuration. */
  setting?: string
}

/** What to do, with its lines: for a reader of plain text. Empty where nothing is to be done. */
export function mendText({ advice, lines, setting }: ProxyFinding, say: Say): string {
  const byProxy = Object.entries(setting ? {} : (lines ?? {})).flatMap(([proxy, of]) =>
    of.map((line) => `${PROXIES[proxy as ProxyName]}: ${line}`),
  )
  return [...(advice ? [advice(say)] : []), ...(setting ? [setting] : byProxy)].join('\n')
}
